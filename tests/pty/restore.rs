//! The terminal after the program: as it was before, on every way out.

use rustix::process::Signal;

use crate::{
    program::{CTRL_C, CTRL_D, LARGE, Launch, Program, SMALL, count, folder, has},
    support::{Exit, Term},
};

/// What the program switches on is off again, and what it hid is shown.
#[track_caller]
fn assert_given_back(term: &Term) {
    let bytes = term.bytes();
    assert!(has(&bytes, b"\x1b[?1049h"), "the full screen was there");
    assert!(has(&bytes, b"\x1b[?1049l"), "the main screen is back");
    assert!(!term.is_raw_mode(), "lines are edited and echoed again");
    let (pushed, popped) = (count(&bytes, b"\x1b[>1u"), count(&bytes, b"\x1b[<1u"));
    assert!(pushed > 0 && pushed == popped, "keys: pushed {pushed}, popped {popped}");
    let off =
        [b"\x1b[?1000l".as_slice(), b"\x1b[?1002l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?25h"];
    for mode in off {
        assert!(has(&bytes, mode), "{}", mode.escape_ascii());
    }
    term.with_screen(|screen| {
        assert!(!screen.alternate_screen());
        assert!(!screen.hide_cursor());
        assert!(!screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
}

#[test]
fn the_program_takes_the_terminal_and_a_kill_leaves_it_taken() {
    let mut program = Program::script("echo");
    assert!(program.is_raw_mode());
    program.with_screen(|screen| {
        assert!(screen.alternate_screen() && screen.bracketed_paste() && !screen.hide_cursor());
        assert_ne!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
    program.kill(Signal::KILL);
    assert_eq!(program.wait_exit(), Exit::Signal(9));
    // so the other tests would see it if nobody gave the terminal back
    assert!(program.is_raw_mode());
}

#[test]
fn ctrl_d_quits_and_gives_the_terminal_back() {
    for size in [SMALL, LARGE] {
        let mut program = Launch { size, script: Some("echo"), ..Launch::default() }.start();
        program.send(CTRL_D);
        assert_eq!(program.wait_exit(), Exit::Code(0));
        assert_given_back(&program);
    }
}

#[test]
fn ctrl_c_twice_quits_and_gives_the_terminal_back() {
    let mut program = Program::script("echo");
    program.send(CTRL_C);
    program.wait_for(|screen| screen.contains("Ctrl-C again quits"), "the hint");
    program.send(CTRL_C);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    assert_given_back(&program);
}

#[test]
fn a_signal_ends_the_program_and_gives_the_terminal_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let mut program = Program::script("echo");
        program.kill(signal);
        assert_eq!(program.wait_exit(), Exit::Code(code));
        assert_given_back(&program);
    }
}

#[test]
fn a_signal_in_the_first_moment_gives_the_terminal_back_too() {
    let folder = folder(&[]);
    for _ in 0..5 {
        let mut term = Term::start(SMALL.0, SMALL.1, &[], &[], folder.path());
        term.wait_screen(vt100::Screen::alternate_screen, "the full screen, still empty");
        term.kill(Signal::TERM);
        assert_eq!(term.wait_exit(), Exit::Code(143));
        assert_given_back(&term);
    }
}

#[test]
fn a_signal_in_the_middle_of_an_answer_gives_the_terminal_back() {
    let mut program = Program::script("hang");
    program.say("words");
    program.wait_words();
    program.kill(Signal::TERM);
    assert_eq!(program.wait_exit(), Exit::Code(143));
    assert_given_back(&program);
    let screen = program.screen();
    assert!(screen.contains("■ abort"), "{screen}");
}

#[test]
fn a_mouse_that_was_given_away_stays_away() {
    let mut program =
        Launch { script: Some("echo"), args: &["--no-mouse"], ..Launch::default() }.start();
    let mode = program.with_screen(vt100::Screen::mouse_protocol_mode);
    assert_eq!(mode, vt100::MouseProtocolMode::None);
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    for mode in [b"\x1b[?1000h".as_slice(), b"\x1b[?1002h", b"\x1b[?1003h", b"\x1b[?1006h"] {
        assert!(!has(&program.bytes(), mode));
    }
}

#[test]
fn the_last_answer_and_its_end_stand_on_the_normal_screen_afterwards() {
    for size in [SMALL, LARGE] {
        let mut program = Launch { size, script: Some("echo"), ..Launch::default() }.start();
        program.say("first");
        program.wait_for(|screen| screen.contains("the last: first"), "the first answer");
        program.wait_end("end_turn");
        program.say("second");
        program.wait_for(|screen| screen.contains("the last: second"), "the second answer");
        program.wait_idle();
        program.send(CTRL_D);
        assert_eq!(program.wait_exit(), Exit::Code(0));
        assert_given_back(&program);
        let screen = program.screen();
        let lines: Vec<&str> = screen.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 2, "{screen}");
        assert_eq!(lines[0], "You sent 1 lines, the last: second");
        assert!(lines[1].starts_with("■ end_turn · "), "{screen}");
    }
}

#[test]
fn what_stays_on_the_normal_screen_is_broken_between_words() {
    let size = (40, 24);
    let mut program = Launch { size, script: Some("echo"), ..Launch::default() }.start();
    program.say("alpha bravo charlie delta echo foxtrot golf");
    program.wait_end("end_turn");
    program.wait_idle();
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    let screen = program.screen();
    let lines: Vec<&str> = screen.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], "You sent 1 lines, the last: alpha bravo");
    assert_eq!(lines[1], "charlie delta echo foxtrot golf");
    assert!(lines[2].starts_with("■ end_turn · answered after"), "{screen}");
    let ending = lines[2..].join(" ");
    assert!(ending.contains(" 1 iteration, 0 tools, "), "{screen}");
}

#[test]
fn a_fault_of_the_screen_gives_the_terminal_back_and_is_told_there() {
    for size in [SMALL, LARGE] {
        let env = [("MCC_TEST_PANIC", "screen")];
        let mut program = Launch { size, env: &env, ..Launch::default() }.start();
        program.send("x");
        assert_eq!(program.wait_exit(), Exit::Code(101));
        assert_given_back(&program);
        let screen = program.screen();
        assert!(screen.contains("asked for by MCC_TEST_PANIC=screen"), "{screen}");
        assert!(screen.contains("src/tui.rs:"), "the place: {screen}");
        assert_readable_from_the_left(&screen);
    }
}

/// In raw mode a line would begin where the one before ended.
#[track_caller]
fn assert_readable_from_the_left(screen: &str) {
    let indents = screen.lines().filter(|line| !line.is_empty());
    let most = indents.map(|line| line.len() - line.trim_start().len()).max();
    assert!(most.is_some_and(|most| most < 12), "{screen}");
}

#[test]
fn a_fault_of_the_engine_ends_the_turn_and_not_the_screen() {
    let env = [("MCC_TEST_PANIC", "engine")];
    let mut program = Launch { script: Some("echo"), env: &env, ..Launch::default() }.start();
    let before = program.bytes().len();
    program.say("go");
    let screen = program.wait_end("error");
    assert!(screen.contains("A fault of mcc-tui ended this turn"), "{screen}");
    program.wait_prompt("go");
    program.say(" on");
    let twice = |screen: &str| screen.matches("■ error").count() == 2;
    program.wait_for(twice, "the end of the next turn");
    let after = program.bytes().split_off(before);
    assert!(!has(&after, b"\x1b[?1049"), "the full screen was never left");
    let log = program.home().join("state/mcc-tui/mcc-tui.log");
    let log = std::fs::read_to_string(log).expect("the log that the message speaks of");
    assert!(log.contains("asked for by MCC_TEST_PANIC=engine"), "{log}");
    program.wait_prompt("go on");
    program.send(CTRL_C);
    program.wait_prompt("type what you want");
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    assert_given_back(&program);
}
