//! Writes that are taken in part, or edited before they happen.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::program::{LARGE, Launch, Program, SMALL, Size};

/// Thirty lines; the fifth, the fifteenth and the twenty-fifth are as given.
fn thirty(fifth: &str, fifteenth: &str, twenty_fifth: &str) -> String {
    let line = |n: i32| match n {
        5 => fifth.to_owned(),
        15 => fifteenth.to_owned(),
        25 => twenty_fifth.to_owned(),
        _ => n.to_string(),
    };
    (1..=30).map(|n| line(n) + "\n").collect()
}

fn start(size: Size, editor: &str) -> Program {
    let before = thirty("x", "x", "x");
    let files = [("a.txt", before.as_str())];
    let env = [("VISUAL", editor)];
    Launch { size, script: Some("hunks"), files: &files, env: &env, ..Launch::default() }.start()
}

/// A program that edits the file that it is given.
fn editor(folder: &Path, script: &str) -> String {
    let path = folder.join("editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The words of the screen, without the places where they are wrapped.
fn words(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_hunk_that_is_left_out_is_not_written_and_the_model_knows() {
    for size in [SMALL, LARGE] {
        let program = start(size, "false");
        program.say("go");
        program.wait_for(|screen| screen.contains("[x] hunk 1 of 3"), "the hunks");
        program.wait_armed();
        program.send("\x1b[C");
        program.wait_for(|screen| screen.contains("▶[x] hunk 2 of 3"), "the second hunk");
        program.press(" ");
        program.wait_for(|screen| screen.contains("2 of 3 taken"), "the count");
        program.press("y");
        let screen = program.wait_end("end_turn");
        assert!(words(&screen).contains("the user took 2 of 3 hunks (+2 −2)"), "{screen}");
        assert_eq!(program.file("a.txt"), Some(thirty("y", "x", "y")));
    }
}

#[test]
fn without_any_hunk_nothing_is_sent_until_one_is_taken_again() {
    let program = start(SMALL, "false");
    program.say("go");
    program.wait_armed();
    for (n, taken) in ["2 of 3 taken", "1 of 3 taken", "0 of 3 taken"].into_iter().enumerate() {
        if n > 0 {
            program.send("\x1b[C");
        }
        program.press(" ");
        program.wait_for(|screen| screen.contains(taken), taken);
    }
    program.press("y");
    program.wait_for(|screen| screen.contains("nothing is taken"), "the hint");
    assert_eq!(program.file("a.txt"), Some(thirty("x", "x", "x")));
    program.press(" ");
    program.wait_for(|screen| screen.contains("1 of 3 taken"), "a hunk");
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("a.txt"), Some(thirty("x", "x", "y")));
}

#[test]
fn what_the_editor_leaves_is_written_after_it_was_seen() {
    let tools = tempfile::tempdir().unwrap();
    // The terminal is as a program expects it: lines, echo.
    let script = "test \"$(basename \"$2\")\" = a.txt || exit 9\n\
                  stty -a </dev/tty | grep -qw -- '-icanon' && exit 8\n\
                  sed -i 's/^y$/mine/' \"$2\"";
    let editor = editor(tools.path(), script);
    for size in [SMALL, LARGE] {
        let program = start(size, &format!("{editor} --wait"));
        program.say("go");
        program.wait_armed();
        program.send("e");
        program.wait_for(|screen| screen.contains("(edited by you)"), "the new diff");
        assert_eq!(program.file("a.txt"), Some(thirty("x", "x", "x")));
        program.wait_armed();
        program.press("y");
        let screen = program.wait_end("end_turn");
        assert!(words(&screen).contains("the user changed it before it was written"), "{screen}");
        assert_eq!(program.file("a.txt"), Some(thirty("mine", "mine", "mine")));
        program
            .with_screen(|screen| assert!(screen.alternate_screen() && screen.bracketed_paste()));
    }
}

#[test]
fn an_editor_that_fails_changes_nothing_and_the_question_stays() {
    let program = start(SMALL, "false");
    program.say("go");
    program.wait_armed();
    program.send("e");
    program.wait_for(|screen| screen.contains("`false` ended with exit code 1"), "the words");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("a.txt"), Some(thirty("y", "y", "y")));
}

#[test]
fn ctrl_c_in_the_editor_is_the_editors() {
    let tools = tempfile::tempdir().unwrap();
    let script =
        "trap 'echo caught >> \"$1\"; exit 0' INT\necho waiting\nwhile :; do sleep 0.05; done";
    let program = start(SMALL, &editor(tools.path(), script));
    program.say("go");
    program.wait_armed();
    program.send("e");
    program.wait_for(|screen| screen.lines().any(|row| row.trim() == "waiting"), "the editor");
    program.send("\x03");
    program.wait_for(|screen| screen.contains("(edited by you)"), "the new diff");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert_eq!(program.file("a.txt"), Some(thirty("y", "y", "y") + "caught\n"));
}
