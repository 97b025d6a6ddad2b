//! Nothing that a terminal sends makes the program deaf: keys, Esc and a new size come through
//! whatever came before.

use crate::{
    program::{CTRL_C, ESC, Launch, Program, is_busy},
    support::Exit,
};

const RIGHT: &str = "\x1b[C";

/// Sequences that have no end, that nobody asked for, or that make no sense.
const ODD: [&str; 14] = [
    "\x1b[?2026;2$y",
    "\x1b[?1;2$y",
    "\x1b[?",
    "\x1b[<",
    "\x1b[<0;1",
    "\x1b[<0;0;5M",
    "\x1b[<0;5;0M",
    "\x1b[32;0;0M",
    "\x1b[0;0R",
    "\x1b[M   ",
    "\x1b]10;rgb:ffff/ffff/ffff\x07",
    "\x1b]4;1;rgb:0000/0000/0000\x07",
    "\x1bP>|XTerm(380)\x1b\\",
    "\x1b]52;c;aGk=",
];

#[test]
fn keys_come_through_whatever_the_terminal_has_sent_before() {
    let program = Program::script("echo");
    program.wait_idle();
    let mut typed = String::new();
    for (n, odd) in ODD.into_iter().enumerate() {
        program.send(odd);
        // Any key ends what has no end.
        program.send(RIGHT);
        let word = format!("w{n} ");
        program.send(&word);
        typed.push_str(&word);
        program
            .wait_for(|screen| screen.contains(typed.trim_end()), &format!("keys after {odd:?}"));
    }
    program.resize(100, 30);
    program.wait_for(|screen| screen.lines().count() == 30, "the new size");
    program.wait_prompt(typed.trim_end());
}

#[test]
fn a_paste_without_an_end_is_a_paste_and_ctrl_c_is_heard() {
    let program = Program::script("echo");
    program.wait_idle();
    program.send("\x1b[200~never ends");
    program.wait_prompt("never ends");
    program.send(CTRL_C);
    program.wait_prompt("type what you want");
}

#[test]
fn a_running_turn_stops_by_esc_after_any_of_it() {
    for odd in ["\x1b[?2026;2$y", "\x1b[?", "\x1b[<0;1", "\x1b]11;rgb:", "\x1b[200~x"] {
        let program =
            Launch { script: Some("waits-for-a-file"), args: &["--yolo"], ..Launch::default() }
                .start();
        program.say("go");
        program.wait_for(|screen| screen.contains("EARLY"), "the command");
        program.send(odd);
        if odd.ends_with('x') {
            program.wait_prompt("x");
        }
        program.send(ESC);
        let screen = program.wait_end("abort");
        assert!(!is_busy(&screen), "{screen}");
        program.wait_childless();
    }
}

#[test]
fn a_terminal_that_goes_away_within_a_sequence_ends_the_program() {
    let mut program = Program::script("echo");
    program.wait_idle();
    program.send("\x1b[?");
    program.kill(rustix::process::Signal::HUP);
    assert_eq!(program.wait_exit(), Exit::Code(129));
}
