//! The place in the transcript, while the terminal changes its size and the user does nothing else.

use crate::program::{Program, SMALL};

const PAGE_UP: &str = "\x1b[5~";
const MORE: &str = "more below";

/// The rows of the transcript: all between the rules that part it from the head and the prompt.
fn transcript(screen: &str) -> Vec<&str> {
    let is_rule = |row: &&str| row.starts_with(" ─");
    let below_head = screen.lines().skip_while(|row| !is_rule(row)).skip(1);
    below_head.take_while(|row| !is_rule(row)).collect()
}

/// A session that is longer than the screen, and somebody who has scrolled up in it; and what he
/// sees of it.
fn scrolled_up() -> (Program, String) {
    let program = Program::script("stream");
    program.say("long");
    program.wait_end("end_turn");
    program.send(PAGE_UP);
    let screen = program.wait_for(
        |screen| screen.contains(MORE) && !screen.contains("■ end_turn"),
        "the page before the last",
    );
    assert!(transcript(&screen).concat().contains("w1100"), "{screen}");
    (program, screen)
}

#[track_caller]
fn wait_everything(program: &Program) {
    let is_there = |screen: &str| {
        screen.contains("FIRST-MARKER") && screen.contains("■ end_turn") && !screen.contains(MORE)
    };
    program.wait_for(is_there, "everything at once");
}

#[test]
fn a_terminal_that_showed_everything_for_a_moment_gives_the_place_back() {
    let (program, before) = scrolled_up();
    for large in [(80, 200), (250, 100), (250, 200)] {
        program.resize(large.0, large.1);
        wait_everything(&program);
        program.resize(SMALL.0, SMALL.1);
        let is_back = |screen: &str| transcript(screen) == transcript(&before);
        program.wait_for(is_back, &format!("the rows of before, after {large:?}"));
    }
}

#[test]
fn a_storm_of_sizes_leads_back_to_the_rows_of_before() {
    let (program, before) = scrolled_up();
    for n in 0..40_u16 {
        program.resize(1 + n * 37 % 240, 1 + n * 23 % 150);
    }
    program.resize(250, 200);
    wait_everything(&program);
    program.resize(1, 1);
    program.resize(SMALL.0, SMALL.1);
    let is_back = |screen: &str| transcript(screen) == transcript(&before);
    program.wait_for(is_back, "the rows of before");
}

#[test]
fn whoever_sends_something_meanwhile_sees_its_answer() {
    let (program, _) = scrolled_up();
    program.resize(250, 200);
    wait_everything(&program);
    program.say("and now");
    program.wait_for(|screen| screen.contains("answer to and now."), "the answer");
    program.wait_idle();
    program.resize(SMALL.0, SMALL.1);
    let is_end = |screen: &str| {
        let rows = transcript(screen);
        (10..24).contains(&rows.len()) && rows.iter().any(|row| row.contains("to and now."))
    };
    program.wait_for(is_end, "the end on the small screen");
    program.settle();
    assert!(!program.screen().contains(MORE), "{}", program.screen());
}
