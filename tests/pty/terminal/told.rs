//! What the terminal is told: the title, progress, the bell, a question that nobody sees.

use super::*;

#[test]
fn the_window_has_a_title_that_tells_when_something_runs() {
    let mut program = Program::script("hang");
    assert!(has(&program.bytes(), b"\x1b[22;2t"), "the title of before is kept");
    let folder = program.folder().file_name().unwrap().to_str().unwrap().to_owned();
    program.wait_bytes(format!("\x1b]2;{folder} - mcc-tui\x1b\\").as_bytes());
    program.say("words");
    program.wait_bytes(format!("\x1b]2;● {folder} - mcc-tui\x1b\\").as_bytes());
    program.send(ESC);
    program.wait_end("abort");
    let calm = format!("\x1b]2;{folder} - mcc-tui\x1b\\").into_bytes();
    eventually(|| count(&program.bytes(), &calm) == 2, "the calm title again");
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    assert!(has(&program.bytes(), b"\x1b]2;\x1b\\\x1b[23;2t"), "and is back");
}

#[test]
fn the_title_of_a_hostile_folder_is_harmless() {
    let parent = tempfile::tempdir().unwrap();
    let name = "x\x1b]52;c;aGk=\x07\x1b\\y\u{202e}z";
    std::fs::create_dir(parent.path().join(name)).unwrap();
    let path = parent.path().join(name);
    let args = ["-C", path.to_str().unwrap()];
    let program = Launch { args: &args, ..Launch::default() }.start();
    program.wait_bytes(b" - mcc-tui\x1b\\");
    program.settle();
    let bytes = program.bytes();
    assert!(!has(&bytes, b"\x1b]52") && !has(&bytes, b"\x07"), "{}", bytes.escape_ascii());
    assert!(!has(&bytes, "\u{202e}".as_bytes()));
}

#[test]
fn progress_goes_to_terminals_that_show_it_and_is_cleared_in_the_end() {
    let env = [("TERM_PROGRAM", "WezTerm")];
    let mut program = Launch { script: Some("hang"), env: &env, ..Launch::default() }.start();
    program.say("words");
    program.wait_bytes(b"\x1b]9;4;3;0\x1b\\");
    program.kill(rustix::process::Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    let bytes = program.bytes();
    let end = |part: &[u8]| bytes.windows(part.len()).rposition(|window| window == part);
    assert!(end(b"\x1b]9;4;0;0\x1b\\") > end(b"\x1b]9;4;3;0\x1b\\"), "{}", bytes.escape_ascii());

    let program = Program::script("hang");
    program.say("words");
    program.wait_words();
    assert!(!has(&program.bytes(), b"\x1b]9;"));
}

#[test]
fn a_failed_turn_is_shown_as_such() {
    let env = [("TERM_PROGRAM", "ghostty"), ("MCC_TEST_PANIC", "engine")];
    let program = Launch { script: Some("echo"), env: &env, ..Launch::default() }.start();
    program.say("go");
    program.wait_end("error");
    program.wait_bytes(b"\x1b]9;4;2;100\x1b\\");
}

#[test]
fn the_bell_rings_when_a_turn_ends_that_nobody_looks_at() {
    let program = started(&[]);
    assert!(has(&program.bytes(), b"\x1b[?1004h"), "the focus is told");
    program.say("one");
    program.wait_for(|screen| screen.contains("the last: one"), "the answer");
    program.wait_idle();
    program.settle();
    assert_eq!(count(&program.bytes(), b"\x07"), 0, "somebody looks");
    program.send(FOCUS_LOST);
    program.say("two");
    program.wait_for(|screen| screen.contains("the last: two"), "the answer");
    eventually(|| count(&program.bytes(), b"\x07") == 1, "the bell");
    program.send(FOCUS_GAINED);
    program.say("three");
    program.wait_for(|screen| screen.contains("the last: three"), "the answer");
    program.wait_idle();
    program.settle();
    assert_eq!(count(&program.bytes(), b"\x07"), 1);
}

#[test]
fn a_question_that_nobody_sees_is_told_in_the_terminals_way() {
    for (env, said) in [
        (("TERM_PROGRAM", "iTerm.app"), b"\x1b]9;mcc-tui: waits for your answer in ".as_slice()),
        (("TERM", "foot"), b"\x1b]777;notify;mcc-tui;waits for your answer in "),
    ] {
        let program = Launch { script: Some("denial"), env: &[env], ..Launch::default() }.start();
        program.send(FOCUS_LOST);
        program.say("go");
        program.wait_bytes(said);
    }
}

#[test]
fn all_that_is_told_can_be_switched_off() {
    let (_folder, path) = settings("[ui]\ntitle = false\nprogress = false\nnotify = false\n");
    let env = [("XDG_CONFIG_HOME", path.as_str()), ("TERM_PROGRAM", "WezTerm")];
    let mut program = started(&env);
    program.send(FOCUS_LOST);
    program.say("go");
    program.wait_for(|screen| screen.contains("the last: go"), "the answer");
    program.wait_idle();
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    let bytes = program.bytes();
    for part in [b"\x1b]2;".as_slice(), b"\x1b]9;", b"\x07", b"\x1b[22;2t", b"\x1b[23;2t"] {
        assert!(!has(&bytes, part), "{}", part.escape_ascii());
    }
}
