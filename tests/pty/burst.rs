//! Pastes from a terminal that does not mark them, and the keys of scripts.

use std::fmt::Write as _;

use crate::program::{ENTER, Launch, Program, last_row};

const ALT_P: &str = "\x1bp";
const TAB: &str = "\t";

#[test]
fn ten_thousand_lines_without_marks_are_one_folded_paste_and_send_nothing() {
    let program = Program::script("echo");
    let mut text = String::new();
    for n in 1..=10_000 {
        write!(text, "{n} some words of a line\r").unwrap();
    }
    program.send(&text);
    program.wait_prompt("[pasted 10,000 lines]");
    program.settle();
    assert!(!program.screen().contains("You sent"), "{}", program.screen());
    program.send(ENTER);
    let screen = program.wait_end("end_turn");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("You sent 10000 lines, the last: 10000 some words"), "{screen}");
}

#[test]
fn a_few_lines_without_marks_are_text_with_both_kinds_of_line_ends() {
    let program = Program::script("echo");
    program.send("one\rtwo\r\nthree");
    program.wait_prompt("one\ntwo\nthree");
    program.send("\r");
    program.wait_for(|screen| screen.contains("You sent 3 lines, the last: three"), "the answer");
}

#[test]
fn a_folded_burst_is_unfolded_like_a_paste() {
    let program = Program::script("echo");
    program.send("1\r2\r3\r4");
    program.wait_prompt("[pasted 4 lines]");
    program.send(ALT_P);
    program.wait_prompt("1\n2\n3\n4");
}

#[test]
fn words_and_enter_in_one_write_are_sent() {
    let program = Program::script("echo");
    program.send("said by a script\r");
    program.wait_end("end_turn");
    program.send("/help\r");
    program.wait_for(|screen| screen.contains("Keys"), "the help");
}

#[test]
fn a_burst_answers_no_question() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    program.send("yes, and");
    program.wait_prompt("yes, and");
    assert_eq!(program.file("notes.txt"), None);
    // one key is an answer
    program.send(TAB);
    program.wait_armed();
    program.press("y");
    program.wait_for(|screen| screen.contains("I was told this:"), "the rest of the turn");
    assert!(program.file("notes.txt").is_some());
}

#[test]
fn no_keys_that_come_together_allow_or_send_anything_while_a_question_waits() {
    for burst in ["y\r", "y\n", "\ry", "yyyyyyyy", "\t\ty", "y\0y", "aa", "/quit\r", "!touch no\r"]
    {
        let program = Program::script("denial");
        program.say("go");
        program.wait_armed();
        program.send(burst);
        program.settle();
        assert_eq!(program.file("notes.txt"), None, "{burst:?} is an answer");
        assert_eq!(program.file("no"), None, "{burst:?} is a command");
        assert!(program.screen().contains("notes.txt?"), "{burst:?}: the question waits still");
    }
}

#[test]
fn a_burst_beside_a_selected_call_is_for_the_prompt() {
    let program = Launch { script: Some("whole"), args: &["--yolo"], ..Launch::default() }.start();
    program.say("go");
    program.wait_end("end_turn");
    program.send(TAB);
    program.wait_for(|screen| last_row(screen).contains("Enter opens"), "the selected call");
    program.send("jolly good");
    program.wait_prompt("jolly good");
}
