//! The search in the history: what it finds, its keys, and how it ends.

use super::*;

#[test]
fn a_search_finds_the_newest_first_and_gives_back_what_was_typed() {
    let mut app = app();
    for text in ["fix the parser", "run tests", "fix docs"] {
        app.composer.history().remember(text);
    }
    typed(&mut app, "draft");
    ctrl(&mut app, 'r');
    typed(&mut app, "fix");
    assert!(shows(&mut app, "history: fix") && shows(&mut app, "fix docs"));
    ctrl(&mut app, 'r');
    assert!(shows(&mut app, "fix the parser"));
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.composer.text(), "draft");
    ctrl(&mut app, 'r');
    typed(&mut app, "run");
    assert_eq!(press(&mut app, KeyCode::Enter), [], "taken, not sent");
    assert_eq!(app.composer.text(), "run tests");
    app.composer.replace("");
    press(&mut app, KeyCode::Up);
    assert_eq!(app.composer.text(), "draft", "what was typed is in the history");
}

#[test]
fn a_key_that_moves_goes_on_in_what_was_found() {
    let mut app = app();
    app.composer.history().remember("run tests");
    ctrl(&mut app, 'r');
    press(&mut app, KeyCode::Home);
    typed(&mut app, "re");
    assert_eq!(app.composer.text(), "rerun tests");
}

#[test]
fn esc_in_the_search_stops_no_turn_and_a_question_does_not_take_its_keys() {
    let mut app = app();
    start(&mut app);
    ctrl(&mut app, 'r');
    tell(&mut app, question("c1"));
    wait(&mut app, 1_000);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "the search has the keys");
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert!(!app.stopping && app.recall.is_none());
}

#[test]
fn one_search_is_open_at_a_time() {
    let mut app = app();
    app.composer.history().remember("earlier");
    ctrl(&mut app, 'r');
    ctrl(&mut app, 'f');
    assert!(app.recall.is_none() && app.search.is_some());
    ctrl(&mut app, 'r');
    assert!(app.recall.is_none() && app.search.is_some(), "its own keys only");
    assert!(app.composer.is_empty());
}

#[test]
fn a_question_takes_no_key_that_was_meant_for_the_search() {
    let mut app = app();
    start(&mut app);
    ctrl(&mut app, 'r');
    tell(&mut app, question("c1"));
    wait(&mut app, 1_000);
    press(&mut app, KeyCode::Esc);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "the search was just closed");
    assert_eq!(app.composer.text(), "y");
}

#[test]
fn the_search_goes_back_to_newer_ones_and_its_keys_are_in_the_table() {
    let mut app = app();
    for text in ["one", "two", "three"] {
        app.composer.history().remember(text);
    }
    let chosen = crate::config::KeyChoice {
        key: "f7".into(),
        action: "input-recall".into(),
        path: "config.toml".into(),
        line: None,
    };
    app.keys = crate::tui::Keys::with(&[chosen]).unwrap();
    press(&mut app, KeyCode::F(7));
    press(&mut app, KeyCode::F(7));
    press(&mut app, KeyCode::Up);
    assert_eq!(app.recall.as_ref().unwrap().found(), Some("one"));
    assert_eq!(ctrl(&mut app, 's'), [], "nothing is sent");
    assert_eq!(app.recall.as_ref().unwrap().found(), Some("two"));
    press(&mut app, KeyCode::Tab);
    assert_eq!(app.composer.text(), "two");
}

#[test]
fn ctrl_c_stops_the_turn_from_the_search_too_and_gives_back_the_box() {
    let mut app = app();
    app.composer.history().remember("earlier");
    typed(&mut app, "draft");
    ctrl(&mut app, 'r');
    assert_eq!(ctrl(&mut app, 'c'), [], "nothing runs");
    assert!(app.recall.is_none() && app.composer.text() == "draft");
    start(&mut app);
    ctrl(&mut app, 'r');
    assert_eq!(ctrl(&mut app, 'c'), [Effect::Interrupt(AbortBy::User)]);
    assert_eq!(app.composer.text(), "draft");
}
