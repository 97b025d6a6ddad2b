//! Finding, selecting and taking away what stands in the transcript.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::{
    program::{CTRL_D, ENTER, ESC, LARGE, Launch, Program, count, has, last_row},
    support::{Exit, eventually},
};

const CTRL_F: &str = "\x06";
const CTRL_R: &str = "\x12";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const CTRL_HOME: &str = "\x1b[1;5H";

/// A mouse report after xterm's SGR form: places count from 1, and motion adds 32.
pub(crate) fn mouse(button: u16, (row, column): (usize, usize), end: char) -> String {
    format!("\x1b[<{button};{};{}{end}", column + 1, row + 1)
}

/// Row and column of these words on the screen.
pub(crate) fn place(program: &Program, words: &str) -> (usize, usize) {
    let screen = program.screen();
    let rows = screen.lines().enumerate();
    let found = rows.filter_map(|(n, row)| Some((n, row.get(..row.find(words)?)?.chars().count())));
    found.last().unwrap_or_else(|| panic!("{words} in\n{screen}"))
}

pub(crate) fn drag(program: &Program, from: (usize, usize), to: (usize, usize)) {
    program.send(mouse(0, from, 'M'));
    program.send(mouse(32, to, 'M'));
    program.send(mouse(0, to, 'm'));
}

/// What the terminal was told to put into its clipboard, by base64 after RFC 4648.
pub(crate) fn clipboard(program: &Program) -> Vec<String> {
    let bytes = program.bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let sequences = text.split("\x1b]52;c;").skip(1);
    sequences.filter_map(|rest| rest.split_once('\x07')).map(|(code, _)| decoded(code)).collect()
}

fn decoded(code: &str) -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for group in code.as_bytes().chunks(4) {
        let values = group.iter().filter_map(|byte| letters.find(char::from(*byte)));
        let bits = values.clone().fold(0, |bits, value| bits << 6 | value);
        let missing = 4 - values.count();
        let whole = u32::try_from(bits << (6 * missing)).unwrap().to_be_bytes();
        bytes.extend_from_slice(&whole[1..4 - missing]);
    }
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
pub(crate) fn wait_copied(program: &Program, text: &str) {
    let is_there = || clipboard(program).last().is_some_and(|last| last == text);
    eventually(is_there, &format!("{text:?} in the clipboard"));
}

fn with_words() -> Program {
    let program = Program::script("stream");
    program.say("long");
    program.wait_end("end_turn");
    program
}

#[test]
fn a_search_marks_counts_and_goes_on() {
    let program = with_words();
    program.send(CTRL_F);
    program.type_text("w1[01]0[0-4]");
    let told = |screen: &str| last_row(screen).contains("no hits; Ctrl-R reads it as a regex");
    program.wait_for(told, "how it is read");
    program.send(CTRL_R);
    // w1000 to w1004 and w1100 to w1104; the nearest one above is the last
    program.wait_for(|screen| last_row(screen).contains("regex · 10 of 10"), "the count");
    program.wait_for(|screen| screen.contains("w1104"), "the place of the hit");
    let (row, column) = place(&program, "w1104");
    program.with_screen(|screen| {
        let cell = |column: usize| {
            screen.cell(row.try_into().unwrap(), column.try_into().unwrap()).unwrap()
        };
        assert!((column..column + 5).all(|at| cell(at).inverse() && cell(at).underline()));
        assert!(!cell(column + 5).inverse() && !cell(column - 1).inverse());
    });
    program.send(ENTER);
    program.wait_for(|screen| last_row(screen).contains("1 of 10"), "the first hit");
    program.wait_for(|screen| screen.contains("FIRST-MARKER"), "its place");
    program.send(DOWN);
    program.wait_for(|screen| last_row(screen).contains("2 of 10"), "the next one");
    program.send(UP);
    program.send(UP);
    program.wait_for(|screen| last_row(screen).contains("10 of 10"), "the one before the first");
    program.type_text("(");
    program.wait_for(|screen| last_row(screen).contains("invalid: unclosed group"), "why");
    program.send(ESC);
    program.wait_idle();
    assert!(program.screen().contains("w1104"), "the place is kept");
}

#[test]
fn a_drag_copies_text_without_margins_and_breaks() {
    let program = Program::script("stream");
    program.say("the rest of it all");
    program.wait_end("end_turn");
    let answer = "The short answer to the rest of it all.";
    let (row, column) = place(&program, "The short");
    drag(&program, (row, column + 4), (row, column + 8));
    wait_copied(&program, "short");
    program.wait_for(|screen| last_row(screen).contains("copied 1 line"), "what was done");
    // the words of the prompt stand two rows above, behind a sign
    drag(&program, (row - 2, 0), (row, 79));
    wait_copied(&program, &format!("the rest of it all\n\n{answer}"));
    // on a narrow screen the answer takes two rows
    program.resize(40, 20);
    program.wait_for(|screen| screen.lines().any(|row| row == "   all."), "a break");
    let (row, column) = place(&program, "The short");
    program.send(mouse(0, (row, column), 'M'));
    program.send(mouse(32, (row + 1, 39), 'M'));
    program.send(mouse(0, (row + 1, 39), 'm'));
    wait_copied(&program, answer);
}

#[test]
fn presses_in_the_same_place_select_a_word_and_then_the_line() {
    let program = Program::script("stream");
    program.say("go");
    program.wait_end("end_turn");
    let at = place(&program, "answer to go");
    for _ in 0..3 {
        program.send(mouse(0, at, 'M'));
        program.send(mouse(0, at, 'm'));
    }
    wait_copied(&program, "The short answer to go.");
    assert_eq!(clipboard(&program), ["answer", "The short answer to go."]);
}

#[test]
fn the_selection_stays_on_its_text_while_more_streams_below() {
    let program = Program::script("stream");
    program.say("long");
    program.wait_for(|screen| screen.contains("FIRST-MARKER"), "the beginning");
    program.send(CTRL_HOME);
    let (row, column) = place(&program, "FIRST-MARKER");
    drag(&program, (row, column), (row, column + 11));
    wait_copied(&program, "FIRST-MARKER");
    program.wait_end_below();
    program.send(CTRL_HOME);
    program.wait_for(|screen| screen.contains("FIRST-MARKER"), "the beginning again");
    program.settle();
    let (row, column) = place(&program, "FIRST-MARKER");
    program.with_screen(|screen| {
        let row = row.try_into().unwrap();
        let marked = (0..80).filter(|at| screen.cell(row, *at).unwrap().inverse());
        let start = u16::try_from(column).unwrap();
        assert_eq!(marked.collect::<Vec<_>>(), (start..start + 12).collect::<Vec<_>>());
    });
}

impl Program {
    /// Waits for the end of the turn, wherever the transcript stands.
    #[track_caller]
    fn wait_end_below(&self) {
        self.wait_for(|screen| last_row(screen).contains("? keys"), "the idle status line");
    }
}

#[test]
fn tmux_and_screen_get_the_sequence_in_their_own_strings() {
    let plain = b"\x1b]52;c;VGhlIHNob3J0IGFuc3dlciB0byBnby4=\x07";
    let tmux = b"\x1bPtmux;\x1b\x1b]52;c;VGhlIHNob3J0IGFuc3dlciB0byBnby4=\x07\x1b\\";
    let screen = b"\x1bP\x1b]52;c;VGhlIHNob3J0IGFuc3dlciB0byBnby4=\x07\x1b\\";
    let cases = [("", "", &plain[..]), ("TMUX", "/tmp/x,1,0", tmux), ("STY", "1.x", screen)];
    for (name, value, want) in cases {
        let env = [(name, value)];
        let env = if name.is_empty() { &env[1..] } else { &env };
        let program = Launch { script: Some("stream"), env, ..Launch::default() }.start();
        program.say("go");
        program.wait_end("end_turn");
        program.send("\x1bc");
        eventually(|| has(&program.bytes(), want), "the sequence");
    }
}

#[test]
fn the_desktops_own_program_gets_the_text_without_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("wl-copy");
    let taken = folder.path().join("taken");
    let script = format!("#!/bin/sh\ncat > '{0}.part'\nmv '{0}.part' '{0}'\n", taken.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let env = [("WAYLAND_DISPLAY", "wayland-9"), ("PATH", path.as_str())];
    let program = Launch { script: Some("stream"), env: &env, ..Launch::default() }.start();
    program.say("$(go)");
    program.wait_end("end_turn");
    program.say("/copy");
    eventually(|| taken.exists(), "the text in the desktop's clipboard");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "The short answer to $(go).");
    program.wait_for(|screen| last_row(screen).contains("copied 1 line"), "what was done");
}

#[test]
fn an_export_never_overwrites_and_asks_for_another_name() {
    let program = Program::script("stream");
    program.say("go");
    program.wait_end("end_turn");
    program.write("notes.md", "kept");
    program.say("/export notes.md");
    program.wait_prompt("/export notes-2.md");
    assert_eq!(program.file("notes.md").as_deref(), Some("kept"));
    program.send(ENTER);
    program.wait_for(|screen| screen.contains("is written to notes-2.md"), "the new file");
    let text = program.file("notes-2.md").unwrap();
    assert!(text.contains("## Prompt\n\ngo\n\n## Answer\n\nThe short answer to go.\n"), "{text}");
    assert!(text.contains("\n■ end_turn · answered after 1 iteration"), "{text}");
    program.say("/export all.json");
    program.wait_for(|screen| screen.contains("is written to all.json"), "the second file");
    let json = program.file("all.json").unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((value["format"].as_str(), value["version"].as_u64()), (Some("mcc-tui"), Some(1)));
    assert_eq!(value["events"][0]["prompt"], "go");
}

#[test]
fn the_whole_session_is_printed_at_the_end_if_asked_for() {
    for asked in [true, false] {
        let args: &[&str] = if asked { &["--print-transcript"] } else { &[] };
        let size = LARGE;
        let launch = Launch { size, script: Some("stream"), args, ..Launch::default() };
        let mut program = launch.start();
        for prompt in ["one", "two"] {
            program.say(prompt);
            program
                .wait_for(|screen| screen.contains(&format!("answer to {prompt}.")), "an answer");
            program.wait_idle();
        }
        program.send(CTRL_D);
        assert_eq!(program.wait_exit(), Exit::Code(0));
        let screen = program.screen();
        assert_eq!(screen.contains("The short answer to one."), asked, "{screen}");
        assert!(screen.contains("The short answer to two."), "{screen}");
        assert_eq!(screen.matches("## Prompt").count(), if asked { 2 } else { 0 }, "{screen}");
        let after = program.bytes();
        let end = after.windows(8).rposition(|window| window == b"\x1b[?1049l").unwrap();
        assert_eq!(count(&after[end + 8..], b"\x1b"), 0, "no colours in what is printed");
    }
}
