//! What it costs while nothing happens.

use std::{
    fs,
    sync::mpsc::{RecvTimeoutError, channel},
    time::Duration,
};

use crate::program::{Program, last_row};

/// How long nothing is looked for.
const WHILE: Duration = Duration::from_secs(2);

/// Ticks of the processor that the program has used.
fn ticks(program: &Program) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", program.pid())).unwrap();
    // the name may hold blanks and brackets; user and system time are fields 14 and 15
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}

/// What the program wrote and the ticks that it used while nothing happened.
fn look(program: &Program) -> (Vec<u8>, u64) {
    program.settle();
    let (written, used) = (program.bytes().len(), ticks(program));
    let (_open, nothing) = channel::<()>();
    assert_eq!(nothing.recv_timeout(WHILE), Err(RecvTimeoutError::Timeout));
    (program.bytes().split_off(written), ticks(program) - used)
}

#[track_caller]
fn assert_idle(program: &Program) {
    let (mut more, mut used) = look(program);
    for _ in 0..2 {
        if more.is_empty() && used <= 1 {
            return;
        }
        // On a busy machine what came before may be drawn late, once.
        (more, used) = look(program);
    }
    assert_eq!(more, b"", "{}", more.escape_ascii());
    assert!(used <= 1, "{used} ticks in {WHILE:?}");
}

#[test]
fn nothing_is_drawn_or_computed_after_the_first_frame() {
    assert_idle(&Program::demo((80, 24)));
}

#[test]
fn nothing_is_drawn_or_computed_after_a_turn() {
    let program = Program::script("denial");
    program.say("go");
    program.wait_armed();
    program.press("y");
    program.wait_end("end_turn");
    assert!(last_row(&program.screen()).contains("? keys"));
    assert_idle(&program);
}
