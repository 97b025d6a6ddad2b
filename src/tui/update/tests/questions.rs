//! Questions: when they take keys, in which order, and what they show.

use super::*;

#[test]
fn a_question_is_deaf_until_no_key_came_for_300_ms() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 200);
    typed(&mut app, "y");
    wait(&mut app, 200);
    typed(&mut app, "n");
    assert_eq!(app.composer.text(), "yn", "meant for the prompt");
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), [], "a draft keeps the keys");
    assert_eq!(app.composer.text(), "yny");
    assert_eq!(press(&mut app, KeyCode::Tab), []);
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
    assert_eq!(app.composer.text(), "yny");
}

#[test]
fn whoever_types_words_at_a_question_answers_nothing() {
    for words in ["please y", "don't", "show me first", "be careful and a"] {
        let mut app = app();
        start(&mut app);
        tell(&mut app, question("a"));
        wait(&mut app, 1_000);
        for c in words.chars() {
            assert_eq!(press(&mut app, KeyCode::Char(c)), [], "{words}: {c}");
            wait(&mut app, 1_000);
        }
        assert_eq!(app.composer.text(), words);
    }
}

#[test]
fn a_question_behind_the_help_has_to_be_seen_before_it_takes_keys() {
    let mut app = app();
    start(&mut app);
    press(&mut app, KeyCode::Char('?'));
    tell(&mut app, question("c1"));
    wait(&mut app, 1_000);
    press(&mut app, KeyCode::Esc);
    wait(&mut app, 299);
    assert_eq!(press(&mut app, KeyCode::Char('y')), []);
    assert_eq!(app.composer.text(), "y");
    press(&mut app, KeyCode::Backspace);
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 300);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("c1", Decision::AllowOnce));
}

#[test]
fn a_long_question_is_read_by_pages_and_from_its_ends() {
    let mut app = app();
    start(&mut app);
    let command: Vec<String> = (1..=300).map(|line| format!("echo line-{line}-")).collect();
    let preview =
        Preview::Command { command: command.join("\n"), cwd: ".".into(), background: false };
    let StreamEvent::QuestionAsked { question } = question("c1") else { panic!() };
    tell(&mut app, StreamEvent::QuestionAsked { question: Question { preview, ..question } });
    screen(&mut app, 80, 24);
    wait(&mut app, 1_000);
    let seen = |app: &mut App| -> Vec<String> {
        let rows = screen(app, 80, 24).into_iter();
        rows.filter(|row| row.contains("echo line-")).map(|row| row.trim().to_owned()).collect()
    };
    let first = seen(&mut app);
    assert!(first.len() > 3 && first[0].ends_with("echo line-1-"), "{first:?}");
    press(&mut app, KeyCode::PageDown);
    assert_eq!(seen(&mut app).first(), first.last(), "the last row comes first");
    press(&mut app, KeyCode::End);
    assert!(seen(&mut app).last().unwrap().ends_with("echo line-300-"));
    press(&mut app, KeyCode::Home);
    assert_eq!(seen(&mut app), first);
}

#[test]
fn the_whole_session_is_opened_by_two_presses_only() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('a')), []);
    assert!(screen(&mut app, 100, 24).join("\n").contains("once more: exactly this command"));
    assert_eq!(press(&mut app, KeyCode::Char('a')), decide("a", Decision::AllowSession));
}

#[test]
fn a_small_screen_shows_what_is_decided_on_before_the_words_for_the_keys() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 301);
    for (width, height) in [(40, 10), (30, 8), (80, 24)] {
        let rows = screen(&mut app, width, height).join("\n");
        assert!(rows.contains("$ rm -rf build"), "{width}x{height}\n{rows}");
        assert!(rows.contains("y yes"), "{width}x{height}\n{rows}");
    }
}

#[test]
fn a_word_to_the_model_that_is_not_sent_is_not_lost() {
    let mut app = app();
    start(&mut app);
    for leave in [false, true] {
        tell(&mut app, question("a"));
        wait(&mut app, 301);
        press(&mut app, KeyCode::Char('t'));
        typed(&mut app, "use y");
        if leave {
            end(&mut app, abort_reason());
        } else {
            press(&mut app, KeyCode::Esc);
        }
        assert_eq!(app.composer.take(), "use y");
        tell(
            &mut app,
            StreamEvent::QuestionResolved { call_id: CallId("a".into()), decision: None },
        );
    }
}

#[test]
fn questions_are_answered_in_order_and_the_next_one_arms_itself_first() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    tell(&mut app, question("b"));
    wait(&mut app, 1_000);
    press(&mut app, KeyCode::Char('a'));
    assert_eq!(press(&mut app, KeyCode::Char('a')), decide("a", Decision::AllowSession));
    assert_eq!(press(&mut app, KeyCode::Char('n')), []);
    app.composer.take();
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 301);
    let no = Decision::Deny { message: String::new() };
    assert_eq!(press(&mut app, KeyCode::Char('n')), decide("b", no));
}

#[test]
fn a_denial_can_carry_a_word_to_the_model() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 301);
    press(&mut app, KeyCode::Char('t'));
    typed(&mut app, "use y");
    let no = Decision::Deny { message: "use y".into() };
    assert_eq!(press(&mut app, KeyCode::Enter), decide("a", no));
}

#[test]
fn the_question_shows_the_whole_command_with_what_is_invisible() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    let rows = screen(&mut app, 80, 24).join("\n");
    assert!(rows.contains("$ rm -rf build<U+202E>"), "{rows}");
    assert!(rows.contains("exactly this command, this session"), "{rows}");
}
