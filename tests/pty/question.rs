//! Questions before something is changed, and their answers.

use crate::program::{ENTER, ESC, LARGE, Launch, Program, SMALL, has, last_row};

#[test]
fn a_denial_with_a_word_reaches_the_model() {
    for size in [SMALL, LARGE] {
        let program = Launch { size, script: Some("denial"), ..Launch::default() }.start();
        program.say("go");
        program.wait_armed();
        program.press("t");
        program.wait_for(|screen| screen.contains("what should it do instead?"), "the field");
        program.type_text("use other.txt");
        program.wait_for(|screen| screen.contains(" › use other.txt"), "the word");
        program.send(ENTER);
        let screen = program.wait_end("end_turn");
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("I was told this: Denied:"), "{screen}");
        assert!(words.contains("use other.txt"), "{screen}");
        assert_eq!(program.file("notes.txt"), None);
    }
}

#[test]
fn a_plain_denial_tells_the_model_that_it_was_denied() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    program.press("n");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("I was told this: Denied:"), "{screen}");
    assert_eq!(program.file("notes.txt"), None);
}

#[test]
fn what_is_allowed_for_the_session_is_not_asked_again() {
    let program = Program::script("two-writes");
    program.say("go");
    program.wait_for(|screen| screen.contains("May it create one.txt?"), "the question");
    program.wait_armed();
    program.press("a");
    program.wait_for(|screen| screen.contains("a once more"), "the first of two presses");
    program.press("a");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("The second write: ok."), "{screen}");
    let files = (program.file("one.txt"), program.file("two.txt"));
    assert_eq!(files, (Some("1\n".to_owned()), Some("2\n".to_owned())));
    assert!(!String::from_utf8_lossy(&program.bytes()).contains("create two.txt"));
}

#[test]
fn what_is_allowed_once_is_asked_again() {
    let program = Program::script("two-writes");
    program.say("go");
    program.wait_for(|screen| screen.contains("May it create one.txt?"), "the first question");
    program.wait_armed();
    program.press("y");
    program.wait_for(|screen| screen.contains("May it create two.txt?"), "the second question");
    assert_eq!(program.file("one.txt").as_deref(), Some("1\n"));
    assert_eq!(program.file("two.txt"), None);
    program.wait_armed();
    program.press("n");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("The second write: denied."), "{screen}");
    assert_eq!(program.file("two.txt"), None);
}

#[test]
fn an_abort_ends_an_open_question_and_nothing_is_written() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_for(|screen| screen.contains("May it create notes.txt?"), "the question");
    program.wait_armed();
    program.send(ESC);
    let screen = program.wait_end("abort");
    assert!(screen.contains("while a question was open"), "{screen}");
    assert!(!screen.contains("May it create"), "{screen}");
    assert_eq!(program.file("notes.txt"), None);
    program.say("again");
    program.wait_for(|screen| screen.contains("May it create notes.txt?"), "the next question");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("notes.txt").as_deref(), Some("a note\n"));
}

#[test]
fn esc_in_the_word_to_the_model_leads_back_to_the_question() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    program.press("t");
    program.wait_for(|screen| screen.contains("what should it do instead?"), "the field");
    program.send(ESC);
    program.wait_for(|screen| !screen.contains("what should it do instead?"), "the question");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("notes.txt").as_deref(), Some("a note\n"));
}

#[test]
fn tab_gives_the_keys_to_the_prompt_until_it_is_pressed_again() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    program.send("\t");
    program.wait_for(|screen| screen.contains("Tab answer it"), "the word for the way back");
    // Whoever waits longer than a question needs to arm itself.
    program.settle();
    program.type_text("yes but");
    program.wait_prompt("yes but");
    program.wait_for(|screen| screen.contains("May it create notes.txt?"), "the question");
    assert_eq!(program.file("notes.txt"), None);
    program.send("\t");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("notes.txt").as_deref(), Some("a note\n"));
}

#[test]
fn a_question_has_another_sign_until_it_takes_keys() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    let screen = program.screen();
    assert!(screen.contains(" ? May it create notes.txt?"), "{screen}");
    assert!(has(&program.bytes(), "⋯".as_bytes()), "it was drawn with the other one first");
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("notes.txt").as_deref(), Some("a note\n"));
}

#[test]
fn the_wheel_scrolls_the_question_that_lies_below_it() {
    let text: String = (1..=60).map(|n| "x".to_owned() + &n.to_string() + "\n").collect();
    let files = [("a.txt", text.as_str())];
    let program = Launch { script: Some("hunks"), files: &files, ..Launch::default() }.start();
    program.say("go");
    program.wait_armed();
    let screen = program.screen();
    let row = screen.lines().position(|row| row.contains("May it change a.txt?")).unwrap();
    assert!(screen.contains("more rows: PageDown"), "{screen}");
    // Terminals count from 1; below the title stands the diff.
    let wheel = |button: u16| format!("\x1b[<{button};10;{}M", row + 3);
    program.send(wheel(65));
    program.wait_for(|screen| screen.contains("rows above"), "the question, scrolled");
    program.send(wheel(64));
    program.wait_for(|screen| !screen.contains("rows above"), "its beginning");
    program.press("n");
    program.wait_end("end_turn");
}

#[test]
fn enter_answers_no_question_and_does_not_leave_it() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_for(|screen| screen.contains("May it create notes.txt?"), "the question");
    program.wait_armed();
    program.send(ENTER);
    let told = |screen: &str| last_row(screen).contains("answer: y yes");
    program.wait_for(told, "the keys that answer");
    assert_eq!(program.file("notes.txt"), None);
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("notes.txt").as_deref(), Some("a note\n"));
}
