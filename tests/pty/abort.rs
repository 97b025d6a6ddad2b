//! Stopping what runs: the turn, and every process that it started.

use rustix::process::Signal;

use crate::{
    program::{
        CTRL_C, CTRL_D, ESC, LARGE, Launch, Program, SMALL, folder, is, last_row, script_path,
        wait_sleepers,
    },
    support::{Exit, Term, eventually, processes_with, wait_until_gone},
};

#[test]
fn esc_and_ctrl_c_stop_an_answer_that_streams_and_the_next_prompt_works() {
    for (size, key) in [(SMALL, ESC), (LARGE, CTRL_C)] {
        let program = Launch { size, script: Some("stream"), ..Launch::default() }.start();
        program.say("long");
        program.wait_for(|screen| screen.contains("FIRST-MARKER"), "the beginning of the answer");
        program.send(key);
        let screen = program.wait_end("abort");
        assert!(screen.contains("You stopped it while the model answered."), "{screen}");
        assert!(!screen.contains("LAST-MARKER"), "{screen}");
        program.say("the rest");
        let answered = |screen: &str| screen.contains("The short answer to the rest.");
        program.wait_for(answered, "the next answer");
        program.wait_end("end_turn");
    }
}

#[test]
fn esc_and_ctrl_c_stop_an_answer_that_hangs() {
    for key in [ESC, CTRL_C] {
        let program = Program::script("hang");
        program.say("words");
        program.wait_for(|screen| screen.contains("w1399"), "all that comes");
        program.send(key);
        let screen = program.wait_end("abort");
        assert!(screen.contains("w1399"), "what was said stays: {screen}");
        program.say("more words");
        program.wait_for(|screen| screen.contains("Asked for more words"), "the next answer");
    }
}

#[test]
fn esc_stops_a_command_with_all_that_it_started() {
    let program = Program::unasked("sleepers");
    program.say("go");
    program.wait_sleepers(2);
    program.wait_for(|screen| last_row(screen).contains("1 tool"), "the running tool");
    program.send(ESC);
    let screen = program.wait_end("abort");
    assert!(screen.contains("while tools ran"), "{screen}");
    program.wait_childless();
    assert_eq!(processes_with(program.marker()), [program.pid()], "the program itself runs on");
}

#[test]
fn a_command_that_was_allowed_by_hand_is_stopped_too() {
    let program = Program::script("sleepers");
    program.say("go");
    let asked = |screen: &str| screen.contains("$ sleep 300 & sleep 300");
    program.wait_for(asked, "the question with the command");
    program.wait_armed();
    assert_eq!(program.offspring(), [], "nothing runs before the answer");
    program.press("y");
    program.wait_sleepers(2);
    program.send(CTRL_C);
    program.wait_end("abort");
    program.wait_childless();
}

#[test]
fn a_command_that_ignores_signals_is_stopped_too() {
    let program = Program::unasked("stubborn");
    program.say("go");
    program.wait_sleepers(2);
    program.send(ESC);
    program.wait_end("abort");
    program.wait_childless();
}

#[test]
fn a_signal_ends_the_program_and_the_command_that_runs() {
    for (signal, exit) in [
        (Signal::TERM, Exit::Code(143)),
        (Signal::HUP, Exit::Code(129)),
        (Signal::INT, Exit::Code(130)),
        (Signal::QUIT, Exit::Code(143)),
        (Signal::ABORT, Exit::Code(143)),
        (Signal::USR1, Exit::Code(143)),
        (Signal::KILL, Exit::Signal(9)),
    ] {
        let mut program = Program::unasked("sleepers");
        program.say("go");
        program.wait_sleepers(2);
        program.kill(signal);
        assert_eq!(program.wait_exit(), exit);
        if signal != Signal::KILL {
            assert!(program.screen().contains("■ abort"), "{signal:?}: {}", program.screen());
        }
        wait_until_gone(program.marker());
    }
}

#[test]
fn a_kill_ends_a_command_that_ignores_signals() {
    let mut program = Program::unasked("stubborn");
    program.say("go");
    program.wait_sleepers(2);
    program.kill(Signal::KILL);
    assert_eq!(program.wait_exit(), Exit::Signal(9));
    wait_until_gone(program.marker());
}

#[test]
fn quitting_while_a_command_runs_leaves_nothing_of_it() {
    let mut program = Program::unasked("sleepers");
    program.say("go");
    program.wait_sleepers(2);
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    wait_until_gone(program.marker());
    assert!(program.screen().contains("■ abort"), "{}", program.screen());
}

#[test]
fn while_a_command_prints_for_ever_keys_are_heard_and_esc_stops_it() {
    let program = Program::unasked("endless");
    program.say("go");
    program.wait_sleepers(1);
    program.type_text("still here");
    program.wait_prompt("still here");
    program.send(ESC);
    program.wait_end("abort");
    program.wait_childless();
    program.wait_prompt("still here");
}

/// The program, idle, with a command in the background.
fn with_background() -> Program {
    let program = Program::unasked("background");
    program.say("go");
    program.wait_end("end_turn");
    program.wait_sleepers(2);
    program
}

#[test]
fn an_abort_stops_what_an_earlier_turn_left_in_the_background() {
    let program = with_background();
    program.say("wait");
    program.wait_sleepers(3);
    program.send(ESC);
    let screen = program.wait_end("abort");
    assert!(screen.contains("A background command was stopped too: b1"), "{screen}");
    program.wait_childless();
}

#[test]
fn however_the_program_ends_its_background_commands_end_with_it() {
    for (signal, exit) in [
        (None, Exit::Code(0)),
        (Some(Signal::TERM), Exit::Code(143)),
        (Some(Signal::HUP), Exit::Code(129)),
        (Some(Signal::KILL), Exit::Signal(9)),
    ] {
        let mut program = with_background();
        match signal {
            None => program.send(CTRL_D),
            Some(signal) => program.kill(signal),
        }
        assert_eq!(program.wait_exit(), exit);
        wait_until_gone(program.marker());
        if signal.is_none() {
            let screen = program.screen();
            assert!(screen.contains("b1 (") && screen.contains(") has ended too"), "{screen}");
        }
    }
}

#[test]
fn quitting_in_a_turn_says_what_it_ended_in_the_background_too() {
    let mut program = with_background();
    program.say("wait");
    program.wait_sleepers(3);
    program.send(CTRL_D);
    assert_eq!(program.wait_exit(), Exit::Code(0));
    wait_until_gone(program.marker());
    let screen = program.screen();
    assert!(screen.contains("■ abort") && screen.contains(") has ended too"), "{screen}");
}

/// Starts the program below `script`, which makes a terminal for it, and kills `script`: then
/// nobody holds the other end of that terminal any more.
fn lose_the_terminal(launcher: &str) {
    let folder = folder(&[]);
    let binary = env!("CARGO_BIN_EXE_mcc-tui");
    let script = script_path("sleepers");
    let command = format!("exec {launcher} {binary} --yolo --script {script} go");
    let args = ["-qfc", command.as_str(), "/dev/null"];
    let mut outer = Term::spawn("script", SMALL, &args, &[], folder.path());
    wait_sleepers(outer.marker(), 2);
    let runs = || processes_with(outer.marker()).into_iter().any(|pid| is(pid, "mcc-tui"));
    eventually(runs, "the program");
    outer.kill(Signal::KILL);
    assert_eq!(outer.wait_exit(), Exit::Signal(9));
    wait_until_gone(outer.marker());
}

#[test]
fn a_terminal_that_is_closed_ends_the_program_and_the_command_that_runs() {
    lose_the_terminal("");
}

#[test]
fn a_terminal_that_goes_away_without_a_signal_does_so_too() {
    // in a session of its own it has no controlling terminal, and gets no SIGHUP
    lose_the_terminal("setsid --wait");
}
