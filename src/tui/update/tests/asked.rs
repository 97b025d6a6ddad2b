//! Who has the keys while a question waits.

use super::*;

fn asked() -> App {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 1_000);
    app
}

#[test]
fn the_prompt_keeps_the_keys_after_tab_however_long_nothing_is_typed() {
    let mut app = asked();
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 60_000);
    let rows = screen(&mut app, 80, 24).join("\n");
    assert!(rows.contains("Tab answer it"), "{rows}");
    for c in "yes but".chars() {
        assert_eq!(press(&mut app, KeyCode::Char(c)), []);
        wait(&mut app, 1_000);
    }
    assert_eq!(app.composer.text(), "yes but");
    press(&mut app, KeyCode::Enter);
    wait(&mut app, 60_000);
    assert_eq!(press(&mut app, KeyCode::Char('n')), [], "also after it was sent");
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 301);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
}

#[test]
fn a_prompt_that_is_deleted_again_keeps_the_keys() {
    for delete in [KeyCode::Backspace, KeyCode::Char('u')] {
        let mut app = asked();
        press(&mut app, KeyCode::Char('x'));
        match delete {
            KeyCode::Char(c) => ctrl(&mut app, c),
            code => press(&mut app, code),
        };
        assert!(app.composer.is_empty());
        wait(&mut app, 60_000);
        assert_eq!(press(&mut app, KeyCode::Char('y')), []);
        assert_eq!(app.composer.text(), "y");
    }
}

#[test]
fn a_draft_from_before_the_question_keeps_the_keys_after_it_is_sent() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "then this");
    tell(&mut app, question("a"));
    press(&mut app, KeyCode::Enter);
    wait(&mut app, 60_000);
    assert_eq!(press(&mut app, KeyCode::Char('y')), []);
    assert_eq!(app.composer.text(), "y");
}

#[test]
fn a_paste_that_is_deleted_again_keeps_the_keys() {
    let mut app = asked();
    update(&mut app, Msg::Paste("z".into()));
    press(&mut app, KeyCode::Backspace);
    wait(&mut app, 60_000);
    assert_eq!(press(&mut app, KeyCode::Char('n')), []);
}

#[test]
fn a_word_that_begins_with_the_first_of_two_presses_is_a_word() {
    for word in ["abc", "any", "at once", "ay"] {
        let mut app = asked();
        for c in word.chars() {
            assert_eq!(press(&mut app, KeyCode::Char(c)), [], "{word}");
            wait(&mut app, 1_000);
        }
        assert_eq!(app.composer.text(), word);
    }
}

#[test]
fn backspace_takes_the_first_of_two_presses_back() {
    let mut app = asked();
    press(&mut app, KeyCode::Char('a'));
    press(&mut app, KeyCode::Backspace);
    assert_eq!(press(&mut app, KeyCode::Char('a')), []);
    press(&mut app, KeyCode::Backspace);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
}

#[test]
fn the_box_says_who_has_the_keys() {
    let mut app = asked();
    let has = |app: &mut App, words: &str| screen(app, 40, 12).join("\n").contains(words);
    assert!(has(&mut app, "the question has the keys, Tab: here"));
    press(&mut app, KeyCode::Char('t'));
    assert!(has(&mut app, "the field above has the keys"));
    assert!(!has(&mut app, "the question has"));
    assert!(has(&mut app, "Enter denies · Esc back"));
}

#[test]
fn no_word_of_a_question_is_cut_on_the_smallest_screen() {
    let mut app = asked();
    let check = |app: &mut App| {
        for row in screen(app, 40, 10) {
            assert!(!row.contains('…'), "{row}");
        }
    };
    check(&mut app);
    press(&mut app, KeyCode::Char('a'));
    check(&mut app);
    press(&mut app, KeyCode::Backspace);
    press(&mut app, KeyCode::Char('t'));
    check(&mut app);
}

#[test]
fn a_question_that_came_beneath_the_help_is_seen_before_it_takes_keys() {
    let mut app = app();
    start(&mut app);
    press(&mut app, KeyCode::Char('?'));
    tell(&mut app, question("a"));
    wait(&mut app, 5_000);
    press(&mut app, KeyCode::Esc);
    assert_eq!(press(&mut app, KeyCode::Char('y')), []);
    assert_eq!(app.composer.text(), "y");
}

#[test]
fn one_thing_is_open_at_a_time() {
    let mut app = app();
    start(&mut app);
    typed(&mut app, "/model");
    press(&mut app, KeyCode::Enter);
    ctrl(&mut app, 't');
    ctrl(&mut app, 'f');
    assert!(app.picker.is_some() && !app.calls.is_open() && app.search.is_none());
    press(&mut app, KeyCode::Esc);
    ctrl(&mut app, 't');
    ctrl(&mut app, 'f');
    tell(&mut app, super::model::listed(&["m", "n"], true));
    assert!(app.calls.is_open() && app.help.is_none() && app.search.is_none());
    assert!(app.picker.is_none(), "it does not open by itself over what is looked at");
    press(&mut app, KeyCode::Esc);
    press(&mut app, KeyCode::Char('?'));
    ctrl(&mut app, 'f');
    ctrl(&mut app, 't');
    assert!(app.help.is_some() && app.search.is_none() && !app.calls.is_open());
}

#[test]
fn the_list_of_models_does_not_open_by_itself_over_another_list() {
    for list in ["/jobs", "/theme"] {
        let mut app = app();
        app.about.model.clear();
        typed(&mut app, list);
        press(&mut app, KeyCode::Enter);
        assert!(app.has_list() && app.picker.is_none(), "{list}");
        tell(&mut app, super::model::listed(&["m", "n"], true));
        assert!(app.has_list() && app.picker.is_none(), "{list}");
        let rows = screen(&mut app, 80, 24).join(" ");
        assert!(rows.contains("No model is chosen"), "{rows}");
    }
}

#[test]
fn a_question_takes_keys_from_300_ms_on() {
    for (ms, is_answer) in [(299, false), (300, true)] {
        let mut app = app();
        start(&mut app);
        tell(&mut app, question("a"));
        wait(&mut app, ms);
        let answered = press(&mut app, KeyCode::Char('y')) == decide("a", Decision::AllowOnce);
        assert_eq!(answered, is_answer, "after {ms} ms");
    }
}

#[test]
fn each_key_puts_it_off_by_300_ms_but_not_beyond_two_seconds() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    for n in 1..=9 {
        wait(&mut app, 200);
        press(&mut app, KeyCode::Left);
        assert!(app.question().is_none(), "key {n}");
    }
    // 1.8 s have gone; the last key came just now.
    wait(&mut app, 199);
    assert!(app.question().is_none());
    wait(&mut app, 1);
    assert!(app.question().is_some());
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
}

#[test]
fn a_key_after_299_ms_puts_it_off_by_300_ms() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    wait(&mut app, 299);
    press(&mut app, KeyCode::PageUp);
    wait(&mut app, 299);
    assert!(app.question().is_none());
    wait(&mut app, 1);
    assert!(app.question().is_some());
}

#[test]
fn a_question_that_takes_no_keys_yet_has_another_sign() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, question("a"));
    let has = |app: &mut App, words: &str| {
        screen(app, 80, 24).iter().any(|row| row.trim_start().starts_with(words))
    };
    assert!(has(&mut app, "⋯ May it run this command?"));
    wait(&mut app, 300);
    assert!(has(&mut app, "? May it run this command?"));
    press(&mut app, KeyCode::Tab);
    assert!(has(&mut app, "? May it run this command?"), "Tab leads there at once");
}

#[test]
fn the_wheel_over_a_question_scrolls_it_and_the_transcript_elsewhere() {
    let mut app = app();
    start(&mut app);
    tell(&mut app, StreamEvent::TextDelta { text: "said\n\n".repeat(40) });
    let command = (1..=50).map(|n| "echo ".to_owned() + &n.to_string() + "\n").collect();
    let preview = Preview::Command { command, cwd: ".".into(), background: false };
    let StreamEvent::QuestionAsked { question } = question("a") else { unreachable!() };
    tell(&mut app, StreamEvent::QuestionAsked { question: Question { preview, ..question } });
    let row = |app: &mut App, words: &str| {
        let rows = screen(app, 80, 24);
        rows.iter().position(|row| row.trim_start().starts_with(words))
    };
    let at = u16::try_from(row(&mut app, "$ echo 1").unwrap()).unwrap();
    update(&mut app, Msg::Wheel(1, (5, at)));
    assert_eq!(row(&mut app, "$ echo 1"), None);
    assert_eq!(row(&mut app, "echo 4"), Some(usize::from(at)), "three rows on");
    assert!(!app.transcript.more_below());
    update(&mut app, Msg::Wheel(-1, (5, 3)));
    assert_eq!(row(&mut app, "echo 4"), Some(usize::from(at)));
    assert!(app.transcript.more_below());
    // What lies over both takes it.
    ctrl(&mut app, 't');
    update(&mut app, Msg::Wheel(1, (5, at)));
    ctrl(&mut app, 't');
    assert_eq!(row(&mut app, "echo 4"), Some(usize::from(at)));
}

/// A question about a write of several hunks.
fn asked_about_hunks() -> App {
    let mut app = app();
    start(&mut app);
    let (old, new) = crate::tui::overlay::approval::review::tests::thirty();
    let change = crate::tui::overlay::approval::review::tests::change("a.rs", &old, &new);
    let preview = crate::tui::overlay::approval::review::tests::preview(vec![change]);
    let StreamEvent::QuestionAsked { question } = question("a") else { unreachable!() };
    tell(&mut app, StreamEvent::QuestionAsked { question: Question { preview, ..question } });
    wait(&mut app, 1_000);
    app
}

#[test]
fn the_smallest_screen_shows_the_answers_to_hunks_and_where_the_other_keys_are() {
    let mut app = asked_about_hunks();
    let rows = screen(&mut app, 40, 10);
    assert!(rows.iter().any(|row| row == " y yes · n no · Esc stop · ? keys"), "{rows:#?}");
    let rows = screen(&mut app, 72, 6);
    let row = " y yes · n no · Esc stop · Space part · ← → parts · e edit · ? keys";
    assert!(rows.iter().any(|shown| shown == row), "{rows:#?}");
    assert_eq!(press(&mut app, KeyCode::Char('?')), []);
    let help = screen(&mut app, 40, 24).join("\n");
    for key in ["y  ", "a a", "n  ", "t  ", "Space", "Left", "Right", "e  "] {
        assert!(help.contains(&format!("\n {key}")), "{key}: {help}");
    }
    press(&mut app, KeyCode::Esc);
    assert!(app.help.is_none() && app.question().is_none(), "seen anew first");
    wait(&mut app, 300);
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
}

#[test]
fn hints_about_hunks_fit_the_smallest_screen() {
    let mut app = asked_about_hunks();
    for _ in 0..3 {
        press(&mut app, KeyCode::Char(' '));
        press(&mut app, KeyCode::Right);
    }
    for key in ['y', 'a'] {
        press(&mut app, KeyCode::Char(key));
        let rows = screen(&mut app, 40, 10);
        let is_cut = rows[8..].iter().any(|row| row.contains('…'));
        assert!(app.hint.is_some() && !is_cut && rows[9].contains("Esc stops"), "{rows:#?}");
    }
}

#[test]
fn enter_on_a_question_neither_answers_nor_leaves_it_and_says_what_answers() {
    let mut app = asked();
    screen(&mut app, 80, 24);
    for _ in 0..2 {
        assert_eq!(press(&mut app, KeyCode::Enter), []);
        let rows = screen(&mut app, 80, 24);
        assert!(rows[23].contains("answer: y yes · aa session · n no · t why"), "{rows:#?}");
    }
    screen(&mut app, 40, 12);
    press(&mut app, KeyCode::Enter);
    let rows = screen(&mut app, 40, 12);
    assert!(rows[10].contains("y yes · aa session · n no · t why"), "{rows:#?}");
    assert!(rows[11].contains("Esc stops"), "{rows:#?}");
    assert_eq!(press(&mut app, KeyCode::Char('y')), decide("a", Decision::AllowOnce));
}

#[test]
fn enter_on_a_question_beside_a_draft_changes_nothing_in_the_draft() {
    let mut app = asked();
    typed(&mut app, "later");
    press(&mut app, KeyCode::Tab);
    wait(&mut app, 1_000);
    for modifiers in [KeyModifiers::NONE, KeyModifiers::ALT, KeyModifiers::SHIFT] {
        let enter = KeyEvent::new(KeyCode::Enter, modifiers);
        assert_eq!(update(&mut app, Msg::Key(enter)), []);
    }
    assert_eq!(app.composer.text(), "later");
    assert_eq!(press(&mut app, KeyCode::Char('n')).len(), 1, "the question has the keys still");
}

#[test]
fn whoever_writes_beside_a_question_is_told_that_it_waits_and_how_to_answer() {
    let mut app = asked();
    press(&mut app, KeyCode::Char('x'));
    let rows = screen(&mut app, 80, 24);
    assert!(rows[23].contains("a question waits: Tab answers it"), "{rows:#?}");
}
