//! The list of themes, by its keys.

use ratatui::style::Color;

use super::*;
use crate::{
    config::{ThemeName, Ui},
    tui::{
        skin::Skin,
        terminal::Facts,
        theme::{Depth, Ground},
    },
};

fn colourful() -> App {
    let mut app = app();
    app.theme = Theme::default();
    let facts = Facts { depth: Depth::True, ground: Some(Ground::Dark), ..Facts::default() };
    app.skin = Skin::new(&Ui::default(), facts);
    app
}

fn open_list(app: &mut App) {
    typed(app, "/theme");
    assert_eq!(press(app, KeyCode::Enter), []);
    assert!(app.themes.is_some());
}

/// All colours of a frame.
fn colours(app: &mut App) -> std::collections::HashSet<Color> {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| view(app, frame)).unwrap();
    terminal.backend().buffer().content.iter().map(|cell| cell.fg).collect()
}

#[test]
fn arrows_show_a_theme_at_once_and_esc_gives_the_old_one_back() {
    let mut app = colourful();
    open_list(&mut app);
    let before = colours(&mut app);
    assert!(before.iter().any(|colour| matches!(colour, Color::Rgb(..))));
    press(&mut app, KeyCode::Down);
    press(&mut app, KeyCode::Down);
    assert_eq!(app.skin.chosen(), ThemeName::Light);
    let light = colours(&mut app);
    assert!(light.is_disjoint(&before) || light != before, "another look");
    press(&mut app, KeyCode::End);
    assert_eq!(app.skin.chosen(), ThemeName::Plain);
    assert_eq!(colours(&mut app), [Color::Reset].into());
    press(&mut app, KeyCode::Esc);
    assert!(app.themes.is_none());
    assert_eq!(app.skin.chosen(), ThemeName::Auto);
}

#[test]
fn enter_keeps_it_and_says_how_to_keep_it_for_good() {
    let mut app = colourful();
    open_list(&mut app);
    press(&mut app, KeyCode::Down);
    assert_eq!(press(&mut app, KeyCode::Enter), []);
    assert!(app.themes.is_none());
    assert_eq!(app.skin.chosen(), ThemeName::Dark);
    let rows = screen(&mut app, 80, 24).join(" ");
    let words = rows.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("theme = \"dark\" below [ui] in ~/.config/mcc-tui"), "{words}");
}

#[test]
fn what_is_typed_or_pasted_over_the_list_goes_nowhere() {
    let mut app = colourful();
    open_list(&mut app);
    typed(&mut app, "x y");
    update(&mut app, Msg::Paste("text".into()));
    assert!(app.composer.is_empty());
    press(&mut app, KeyCode::Esc);
    assert!(app.composer.is_empty());
}

#[test]
fn esc_closes_the_list_and_stops_no_turn() {
    let mut app = colourful();
    start(&mut app);
    open_list(&mut app);
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert!(app.themes.is_none() && !app.stopping);
    assert_eq!(press(&mut app, KeyCode::Esc), [Effect::Interrupt(AbortBy::User)]);
}

#[test]
fn a_question_under_the_list_is_not_answered_by_its_keys() {
    let mut app = colourful();
    start(&mut app);
    open_list(&mut app);
    tell(&mut app, question("c1"));
    wait(&mut app, 5_000);
    for code in [KeyCode::Char('y'), KeyCode::Char('a'), KeyCode::Char('n')] {
        assert_eq!(press(&mut app, code), []);
    }
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.questions.len(), 1);
    assert!(app.question().is_none(), "it arms itself anew");
}

#[test]
fn the_list_stands_on_every_size() {
    let mut app = colourful();
    open_list(&mut app);
    for (width, height) in [(1, 1), (3, 2), (17, 5), (40, 10), (80, 24), (200, 50)] {
        let rows = screen(&mut app, width, height);
        if width >= 40 {
            assert!(rows.iter().any(|row| row.contains("high-contrast")), "{rows:?}");
        }
    }
}

#[test]
fn the_focus_decides_how_often_things_move() {
    let mut app = app();
    assert_eq!(app.beat(), None);
    start(&mut app);
    assert_eq!(app.beat(), Some(Duration::from_millis(80)));
    update(&mut app, Msg::Focus(false));
    assert_eq!(app.beat(), Some(Duration::from_millis(500)));
    app.skin = Skin::new(&Ui { motion: false, ..Ui::default() }, Facts::default());
    assert_eq!(app.beat(), Some(Duration::from_secs(1)));
}

#[test]
fn no_frame_in_ascii_has_a_sign_that_is_not() {
    let mut app = app();
    app.skin = Skin::new(
        &Ui { signs: crate::config::SignChoice::Ascii, ..Ui::default() },
        Facts::default(),
    );
    start(&mut app);
    tell(
        &mut app,
        StreamEvent::TextDelta {
            text: "# A\n\n- b\n\n> c\n\n```rs\nd\n```\n\n|e|f|\n|-|-|\n|1|2|\n".into(),
        },
    );
    tell(&mut app, question("c1"));
    for (width, height) in [(40, 10), (80, 24), (200, 50)] {
        for row in screen(&mut app, width, height) {
            assert!(row.is_ascii(), "{row}");
        }
    }
}

#[test]
fn a_theme_can_be_named_and_of_another_name_those_that_there_are_are_told() {
    let mut app = colourful();
    typed(&mut app, "/theme LIGHT");
    press(&mut app, KeyCode::Enter);
    assert!(app.themes.is_none());
    assert_eq!(app.skin.chosen(), ThemeName::Light);
    assert!(screen(&mut app, 80, 24).join(" ").contains("The theme is light, in this session."));
    typed(&mut app, "/theme pink");
    press(&mut app, KeyCode::Enter);
    assert_eq!(app.skin.chosen(), ThemeName::Light);
    let words = screen(&mut app, 120, 24).join(" ");
    let told = "There is no theme pink. There are: auto, dark, light, high-contrast, plain.";
    assert!(words.contains(told), "{words}");
}
