//! What the terminal is, and whose the mouse is.

use super::*;
use crate::{
    config::Ui,
    tui::{skin::Skin, terminal::Facts},
};

/// GNU screen's first number, and that of tmux.
const SCREEN: u32 = 83;
const TMUX: u32 = 84;

/// Where GNU screen may be in between, with what the settings say of the mouse.
fn perhaps_in_screen(choice: Option<bool>) -> App {
    let mut app = app();
    let facts = Facts { in_screen: true, ..Facts::default() };
    app.skin = Skin::new(&Ui::default(), facts);
    (app.mouse, app.mouse_choice) = (facts.takes_mouse(choice), choice);
    app
}

#[test]
fn the_mouse_is_taken_once_it_is_known_that_it_is_not_gnu_screen() {
    let mut app = perhaps_in_screen(None);
    assert!(!app.mouse);
    assert_eq!(update(&mut app, Msg::Device(SCREEN)), []);
    assert_eq!(update(&mut app, Msg::Device(TMUX)), [Effect::Mouse(true)]);
    assert!(app.mouse);
}

#[test]
fn the_key_that_stops_is_one_that_is_handed_on() {
    for (choice, words) in [(None, "Esc stops"), (Some(true), "Ctrl-C stops")] {
        let mut app = perhaps_in_screen(choice);
        start(&mut app);
        assert!(status(&mut app).ends_with(words), "{}", status(&mut app));
    }
}

#[test]
fn what_the_user_says_of_the_mouse_stays() {
    for choice in [true, false] {
        let mut app = perhaps_in_screen(Some(choice));
        assert_eq!(update(&mut app, Msg::Device(TMUX)), []);
        assert_eq!(app.mouse, choice);
    }
    let mut app = perhaps_in_screen(None);
    press(&mut app, KeyCode::F(2));
    press(&mut app, KeyCode::F(2));
    assert_eq!(update(&mut app, Msg::Device(TMUX)), []);
    assert!(!app.mouse);
}

#[test]
fn who_takes_the_mouse_in_gnu_screen_is_told_what_it_costs() {
    let mut app = perhaps_in_screen(None);
    assert_eq!(press(&mut app, KeyCode::F(2)), [Effect::Mouse(true)]);
    let rows = screen(&mut app, 40, 10);
    assert!(rows.iter().any(|row| row.contains("now: Ctrl-C stops")), "{rows:#?}");
}
