//! A question that waits while something else has the keys, of which Esc is the way out.

use super::*;

/// A row of a question that has no keys.
fn is_left(app: &mut App, words: &str) -> bool {
    let rows = screen(app, 80, 24);
    let is_told = rows.iter().any(|row| row.contains(words));
    let claims = rows.iter().any(|row| row.contains("the question has the keys"));
    is_told && !claims && rows.iter().any(|row| row.starts_with(" ? May it run"))
}

#[test]
fn while_a_search_has_the_keys_the_question_says_how_to_come_to_it() {
    let mut app = app();
    start(&mut app);
    ctrl(&mut app, 'f');
    typed(&mut app, "go");
    tell(&mut app, question("a"));
    wait(&mut app, 10_000);
    assert!(is_left(&mut app, "Esc closes the search, then:"), "{:#?}", screen(&mut app, 80, 24));
    let rows = screen(&mut app, 80, 24);
    assert!(rows.iter().any(|row| row.contains("the search has the keys, Esc closes it")));
    assert_eq!(press(&mut app, KeyCode::Char('y')), []);
    assert_eq!(press(&mut app, KeyCode::Esc), []);
    assert_eq!(press(&mut app, KeyCode::Char('z')), [], "it has to be seen first");
    assert_eq!(app.composer.text(), "z");
}

#[test]
fn the_question_takes_keys_a_moment_after_the_search_is_closed() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    ctrl(&mut app, 'f');
    wait(&mut app, 10_000);
    press(&mut app, KeyCode::Esc);
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
}

#[test]
fn with_a_draft_tab_answers_once_the_search_is_closed() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "draft");
    tell(&mut app, question("a"));
    ctrl(&mut app, 'f');
    wait(&mut app, 10_000);
    assert!(is_left(&mut app, "Esc closes the search, Tab answers:"));
    let rows = screen(&mut app, 80, 24);
    assert!(rows[23].contains("Esc closes"), "{rows:?}");
}

#[test]
fn where_esc_leads_to_a_question_the_status_line_says_so() {
    for (width, words) in [(80, "a question waits: Esc leads to it"), (40, "a question waits: Esc")]
    {
        for open in ['r', 't'] {
            let mut app = app();
            start(&mut app);
            ctrl(&mut app, open);
            tell(&mut app, question("a"));
            wait(&mut app, 10_000);
            let rows = screen(&mut app, width, 24);
            assert!(rows[23].contains(words), "{open}: {rows:#?}");
            if open == 'r' {
                assert!(rows.iter().any(|row| row.contains("Esc closes the search, then:")));
                assert!(rows.iter().any(|row| row.starts_with(" ? May it run")), "{rows:#?}");
            }
            press(&mut app, KeyCode::Esc);
            wait(&mut app, 301);
            assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
        }
    }
}
