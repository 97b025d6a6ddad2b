//! The first frame, and what can be done before anything is sent.

use crate::{
    program::{CTRL_C, ENTER, ESC, LARGE, Launch, Program, SMALL, last_row},
    support::Exit,
};

/// The rules and the margin break lines in the middle of sentences.
fn in_one_line(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_frame_says_that_it_is_the_demo_and_how_to_set_a_real_model() {
    for size in [SMALL, LARGE] {
        let program = Program::demo(size);
        let screen = program.screen();
        assert!(screen.lines().next().unwrap().contains("demo, not a real model"), "{screen}");
        let words = in_one_line(&screen);
        assert!(words.contains("This is the built-in demo"), "{screen}");
        for way in ["OPENAI_API_KEY", "MCC_MODEL", "--base-url http://localhost:11434/v1 --model"] {
            assert!(words.contains(way), "{way}: {screen}");
        }
        assert_eq!(screen.lines().count(), usize::from(size.1));
        assert!(last_row(&screen).contains("? keys"), "{screen}");
    }
}

#[test]
fn the_first_message_can_stand_on_the_command_line() {
    let program = Launch { script: Some("echo"), args: &["good morning"], ..Launch::default() };
    let screen = program.start().wait_end("end_turn");
    assert!(screen.contains("› good morning"), "{screen}");
    assert!(screen.contains("You sent 1 lines, the last: good morning"), "{screen}");
}

#[test]
fn what_is_typed_stands_at_the_caret_and_the_cursor_behind_it() {
    for size in [SMALL, LARGE] {
        let program = Launch { size, script: Some("echo"), ..Launch::default() }.start();
        let prompt = size.1 - 3;
        assert!(program.row(usize::from(prompt)).starts_with(" › "), "{}", program.screen());
        assert_eq!(program.cursor(), Some((prompt, 3)), "on an empty prompt");
        program.type_text("naïve 漢字");
        program.wait_prompt("naïve 漢字");
        // three columns for the sign, then six letters and blanks, and two characters of two
        let behind = |screen: &vt100::Screen| {
            !screen.hide_cursor() && screen.cursor_position() == (prompt, 3 + 6 + 4)
        };
        program.wait_screen(behind, "the cursor behind the text");
        program.send("\x1b[D\x1b[D\x1b[D");
        let inside = |screen: &vt100::Screen| screen.cursor_position() == (prompt, 3 + 5);
        program.wait_screen(inside, "the cursor three characters to the left");
        program.send("X");
        program.wait_prompt("naïveX 漢字");
    }
}

#[test]
fn a_question_mark_on_the_empty_prompt_shows_the_keys_and_esc_closes_them() {
    for size in [SMALL, LARGE] {
        let program = Launch { size, script: Some("echo"), ..Launch::default() }.start();
        program.send("?");
        let screen = program.wait_for(|screen| screen.contains("Alt-Enter"), "the keys");
        for key in ["Ctrl-D", "Ctrl-C", "Enter", "Esc"] {
            assert!(screen.lines().any(|row| row.trim_start().starts_with(key)), "{key}: {screen}");
        }
        program.send(ESC);
        program.wait_for(|screen| !screen.contains("Alt-Enter"), "the end of the help");
        program.wait_idle();
        program.type_text("why?");
        program.wait_prompt("why?");
    }
}

#[test]
fn alt_enter_and_ctrl_j_break_the_line() {
    let program = Program::script("echo");
    program.type_text("one");
    program.send("\x1b\r");
    program.type_text("two");
    program.send("\n");
    program.type_text("three");
    program.wait_prompt("one\ntwo\nthree");
    program.send(ENTER);
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("You sent 3 lines, the last: three"), "{screen}");
}

#[test]
fn a_short_paste_stands_in_the_prompt_and_is_not_sent() {
    let program = Program::script("echo");
    program.send("\x1b[200~first line\rsecond line\x1b[201~");
    program.wait_prompt("first line\nsecond line");
    program.settle();
    assert!(!program.screen().contains("You sent"), "{}", program.screen());
    program.send(ENTER);
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("You sent 2 lines, the last: second line"), "{screen}");
}

#[test]
fn a_paste_of_2000_lines_is_a_chip_and_is_sent_whole() {
    let program = Program::script("echo");
    let lines: Vec<String> = (1..=2_000).map(|n| format!("pasted line {n}")).collect();
    program.type_text("see ");
    program.send(format!("\x1b[200~{}\x1b[201~", lines.join("\r")));
    program.wait_prompt("see [pasted 2,000 lines]");
    program.send(ENTER);
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("You sent 2000 lines, the last: pasted line 2000"), "{screen}");
}

#[test]
fn ctrl_c_clears_the_prompt_and_up_brings_it_back() {
    let mut program = Program::script("echo");
    program.type_text("nearly done");
    program.wait_prompt("nearly done");
    program.send(CTRL_C);
    program.wait_prompt("type what you want");
    program.send("\x1b[A");
    program.wait_prompt("nearly done");
    program.send(CTRL_C);
    program.wait_prompt("type what you want");
    program.send("\x04");
    assert_eq!(program.wait_exit(), Exit::Code(0));
}
