//! The editor of the user: the terminal is its own while it runs, and comes back.

use super::*;

/// An editor that is a shell script, in a folder of its own.
fn editor(script: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    let command = path.to_str().unwrap().to_owned();
    (folder, command)
}

/// The program with this editor, playing a script.
fn start(script: &str, editor: &str) -> Program {
    Launch { script: Some(script), env: &[("EDITOR", editor)], ..Launch::default() }.start()
}

#[test]
fn the_editor_changes_the_prompt_and_the_screen_comes_back() {
    let (_folder, command) = editor("printf ' and more' >> \"$1\"");
    let program = start("hang", &command);
    program.type_text("a draft");
    program.wait_prompt("a draft");
    program.send(CTRL_G);
    program.wait_prompt("a draft and more");
    assert!(program.is_raw_mode());
    program.wait_screen(vt100::Screen::alternate_screen, "the full screen");
    program.type_text("!");
    program.wait_prompt("a draft and more!");
}

#[test]
fn keys_are_for_the_editor_while_it_has_the_terminal() {
    let (_folder, command) =
        editor("printf 'what now? '; read line; printf '%s' \"$line\" > \"$1\"");
    let env = [("EDITOR", "false"), ("VISUAL", command.as_str())];
    let program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("what now?"), "the editor's own words");
    program.wait_screen(|screen| !screen.alternate_screen(), "the normal screen");
    assert!(!program.is_raw_mode());
    program.type_text("typed into it");
    program.wait_for(|screen| screen.contains("what now? typed into it"), "the echo");
    program.send(ENTER);
    program.wait_prompt("typed into it");
}

#[test]
fn an_interrupt_for_the_editor_ends_only_the_editor() {
    let (_folder, command) = editor("printf 'ready '; read line");
    let program = start("hang", &command);
    program.type_text("kept");
    program.wait_prompt("kept");
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("ready"), "the editor");
    program.send(CTRL_C);
    program.wait_for(|screen| screen.contains("· The editor"), "the notice");
    program.wait_prompt("kept");
    program.type_text("!");
    program.wait_prompt("kept!");
}

/// Says in a file beside it that it was started, and waits for Enter.
const LOGGED: &str = "echo started >> \"${0%/*}/log\"; printf 'ready '; read line";

#[track_caller]
fn assert_started_once(folder: &tempfile::TempDir) {
    assert_eq!(fs::read_to_string(folder.path().join("log")).unwrap(), "started\n");
}

#[test]
fn one_editor_opens_however_often_its_key_was_pressed() {
    let (folder, command) = editor(LOGGED);
    let mut program = start("hang", &command);
    program.type_text("a draft");
    program.wait_prompt("a draft");
    program.send(format!("{CTRL_G}{CTRL_G}{CTRL_G}x"));
    program.wait_for(|screen| screen.contains("ready"), "the editor");
    program.settle();
    program.send(ENTER);
    program.wait_screen(vt100::Screen::alternate_screen, "the full screen");
    program.wait_prompt("a draft");
    program.settle();
    assert_started_once(&folder);
    assert!(program.is_raw_mode());
    assert!(program.screen().contains("dropped"), "{}", program.screen());
    program.type_text("!");
    program.wait_prompt("a draft!");
    program.kill(Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    let bytes = program.bytes();
    let (entered, left) = (count(&bytes, b"\x1b[?1049h"), count(&bytes, b"\x1b[?1049l"));
    assert_eq!((entered, left), (2, 2));
}

#[test]
fn one_editor_opens_for_a_write_that_is_asked_about() {
    let (folder, command) = editor(LOGGED);
    let program = start("two-writes", &command);
    program.say("go");
    program.wait_armed();
    program.send("ee");
    program.wait_for(|screen| screen.contains("ready"), "the editor");
    program.settle();
    program.send(ENTER);
    program.wait_screen(vt100::Screen::alternate_screen, "the full screen");
    program.wait_armed();
    assert_started_once(&folder);
    assert!(program.is_raw_mode());
}

/// Takes the terminal as an editor does: raw, the other screen, every kind of mouse, no cursor.
const TAKES: &str = "stty raw -echo; printf '\\033[?1049h\\033[?1000h\\033[?1002h\\033[?1003h\
                     \\033[?1006h\\033[?1004h\\033[?2004h\\033[?25l'; ";
/// The same given back, but for the mouse: the program was in the midst of it.
const GIVES_BACK: &str = "printf '\\033[?1049lits last words\\r\\n'";
/// A shell hears a signal while it waits, and not while something runs in front of it.
const WORKS: &str = "printf 'ready '; while :; do sleep 300 & wait $!; done";

/// A program with this editor open, and something typed that was not sent.
fn with_editor(script: &str) -> (tempfile::TempDir, Program) {
    let (folder, command) = editor(script);
    let program = start("hang", &command);
    program.type_text("kept");
    program.wait_prompt("kept");
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("ready"), "the editor");
    (folder, program)
}

/// Nothing is left of what [`TAKES`] switched on, nor of the editor.
#[track_caller]
fn assert_given_back(program: &Program) {
    assert!(!program.is_raw_mode(), "lines are edited and echoed again");
    program.with_screen(|screen| {
        assert!(!screen.alternate_screen());
        assert!(!screen.hide_cursor());
        assert!(!screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
    let bytes = program.bytes();
    let last = |part: &[u8]| bytes.windows(part.len()).rposition(|window| window == part);
    for mode in ["1000", "1002", "1003", "1004", "1006", "2004"] {
        let on = last(format!("\x1b[?{mode}h").as_bytes());
        let off = last(format!("\x1b[?{mode}l").as_bytes());
        assert!(on.is_some() && on < off, "mode {mode} is off in the end");
    }
    assert!(program.screen().contains("not sent: kept"), "{}", program.screen());
    wait_until_gone(program.marker());
}

#[test]
fn an_editor_goes_with_the_program_and_the_terminal_is_given_back_behind_it() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 143)] {
        let end = format!("trap '{}; exit 1' TERM", GIVES_BACK.replace('\'', "\""));
        let (_folder, mut program) = with_editor(&format!("{TAKES}{end}; {WORKS}"));
        program.kill(signal);
        assert_eq!(program.wait_exit(), Exit::Code(code));
        assert_given_back(&program);
        // What it said stays, and what is said after it stands below.
        let screen = program.screen();
        let (its, ours) = (screen.find("its last words"), screen.find("not sent: kept"));
        assert!(its.is_some() && its < ours, "{screen}");
    }
}

#[test]
fn an_editor_that_does_not_end_is_killed_and_the_terminal_is_given_back() {
    let (_folder, mut program) = with_editor(&format!("trap '' TERM HUP; {TAKES}{WORKS}"));
    program.kill(Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    assert_given_back(&program);
}

#[test]
fn an_editor_behind_a_script_that_ends_first_is_waited_for() {
    // The script ends at once; what it runs takes a moment to give the terminal back.
    let end = format!("trap \"sleep 0.3; {GIVES_BACK}; exit 1\" TERM");
    let inner = format!("{TAKES}{end}; {WORKS}").replace('\'', "'\\''");
    let (_folder, mut program) = with_editor(&format!("sh -c '{inner}'; :"));
    program.kill(Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    assert_given_back(&program);
}

#[test]
fn what_an_editor_saves_when_it_is_told_to_end_is_told_at_the_end() {
    let (_folder, mut program) =
        with_editor(&format!("trap 'printf saved > \"$1\"; exit 0' TERM; {WORKS}"));
    program.kill(Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    assert!(program.screen().contains("not sent: saved"), "{}", program.screen());
}

#[test]
fn an_editor_that_is_missing_is_told() {
    let env = [("EDITOR", "no-such-editor")];
    let program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.type_text("kept");
    program.wait_prompt("kept");
    program.send(CTRL_G);
    program.wait_for(|screen| screen.contains("There is no editor"), "the notice");
    program.wait_prompt("kept");
}
