//! Text from outside that a terminal would obey.

use crate::program::{ENTER, Launch, Program, count, has};

/// The bytes without what the program itself tells the terminal: its own title, and the question
/// for the background.
#[track_caller]
fn without_own(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes).replace("\x1b]11;?\x1b\\", "");
    let mut pieces = text.split("\x1b]2;");
    let mut rest = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (title, after) = piece.split_once("\x1b\\").expect("a title has an end");
        assert!(!title.contains(char::is_control), "{title:?}");
        assert!(title.is_empty() || title.ends_with(" - mcc-tui"), "{title:?}");
        rest.push_str(after);
    }
    rest.into_bytes()
}

/// Nothing that a terminal obeys but what the program itself sends: no other title, no clipboard,
/// no reset, no bell, no eight-bit control.
#[track_caller]
fn assert_harmless(bytes: &[u8]) {
    let bytes = &without_own(bytes);
    let bad = [b"\x1b]".as_slice(), b"\x1bP", b"\x1bc", b"\x07", b"\x1bX", b"\x1b^", b"\x1b_"];
    for bad in bad {
        assert!(!has(bytes, bad), "{}", bad.escape_ascii());
    }
    let text = String::from_utf8_lossy(bytes);
    let control = text.chars().find(|c| ('\u{80}'..='\u{9f}').contains(c));
    assert_eq!(control, None, "an eight-bit control");
    let hidden = text.chars().find(|c| ('\u{202a}'..='\u{202e}').contains(c));
    assert_eq!(hidden, None, "a control of direction");
}

#[test]
fn control_characters_of_models_and_tools_never_reach_the_terminal() {
    // What a file holds is shown, as escapes: an edit has to know it.
    let bad = "file before \x1b]0;title-of-file\x07\x1b[2J\u{9b}2J file after\n";
    let launch = Launch {
        script: Some("hostile"),
        args: &["--yolo"],
        files: &[("bad.txt", bad), ("a\x1b]0;c\x07b", "")],
        ..Launch::default()
    };
    let program = launch.start();
    let cleared = count(&program.bytes(), b"\x1b[2J");
    program.say("go");
    program.wait_end("end_turn");
    program.send("\x0f");
    program.wait_for(|screen| screen.contains("All is said"), "the unfolded answer");
    program.resize(200, 50);
    let all = |screen: &str| {
        ["words after", "output after", "All is said"].iter().all(|part| screen.contains(part))
    };
    let screen = program.wait_for(all, "everything on a large screen");
    program.settle();
    let bytes = program.bytes();
    assert_harmless(&bytes);
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("stolen-title") && !text.contains("]52;"), "{screen}");
    // one more for the new size, which is the program's own
    assert!(count(&bytes, b"\x1b[2J") <= cleared + 1, "{screen}");
}

#[test]
fn an_escape_sequence_that_comes_in_pieces_is_harmless_too() {
    let program = Program::script("piecemeal");
    program.say("go");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("In pieces") && screen.contains("all said."), "{screen}");
    assert_harmless(&program.bytes());
}

#[test]
fn a_command_is_shown_with_its_control_characters_as_what_they_are() {
    let program = Program::script("hostile-command");
    let cleared = count(&program.bytes(), b"\x1b[2J");
    program.say("go");
    program.wait_armed();
    let screen = program.screen();
    for part in ["$ touch bad.txt", "<U+001B>[2J", "<U+0007>", "<U+202E># harmless"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    program.press("n");
    program.wait_end("end_turn");
    let bytes = program.bytes();
    assert_harmless(&bytes);
    assert_eq!(count(&bytes, b"\x1b[2J"), cleared);
}

#[test]
fn a_paste_with_control_characters_is_made_harmless() {
    let program = Program::script("echo");
    program.send("\x1b[200~one \x1b]0;stolen-title\x07two\u{9b}2J\x1b[201~");
    program.wait_prompt("one two");
    program.send(ENTER);
    program.wait_end("end_turn");
    assert_harmless(&program.bytes());
}

#[test]
fn a_folder_with_a_bad_name_is_shown_harmless() {
    let home = crate::program::folder(&[("bad\x1b]0;stolen-title\x07name/x", "")]);
    let folder = home.path().join("bad\x1b]0;stolen-title\x07name");
    let folder = folder.to_str().unwrap();
    let program = Launch { script: Some("echo"), args: &["-C", folder], ..Launch::default() };
    let program = program.start();
    assert!(program.row(0).contains("badname"), "{}", program.screen());
    assert_harmless(&program.bytes());
}
