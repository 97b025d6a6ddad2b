//! Commands in the background on the screen: seen while they run, also while no turn does, ended by
//! a key, and told when they end by themselves.

use crate::program::{ENTER, ESC, Launch, Program, last_row};

fn started(prompt: &str) -> Program {
    let program = Program::unasked("in-background");
    program.say(prompt);
    program.wait_end("end_turn");
    program.wait_for(|screen| screen.contains("1 in the background (/jobs): b1 "), "the line");
    program
}

#[test]
fn one_is_seen_between_turns_listed_and_ended_by_a_key() {
    let program = started("go");
    program.wait_idle();
    program.say("/jobs");
    let listed = |screen: &str| {
        screen.contains(" ▸ b1 echo up and running; sleep 300")
            && screen.contains("     up and running")
            && last_row(screen).contains("x ends it")
    };
    program.wait_for(listed, "the list with its last line");
    program.wait_sleepers(1);
    program.send(ENTER);
    program.wait_for(|screen| last_row(screen).contains("x ends the marked"), "the hint");
    program.send("x");
    program.wait_for(|screen| screen.contains("nothing runs"), "its end in the list");
    program.wait_childless();
    program.send(ESC);
    program.wait_idle();
    assert!(!program.screen().contains("(/jobs)"), "{}", program.screen());
    program.say("again");
    let gone = |screen: &str| screen.contains("(/jobs): b2 ") && !screen.contains("(/jobs): b1");
    program.wait_for(gone, "another one");
}

#[test]
fn closing_the_list_ends_nothing_and_leaving_the_program_does() {
    let mut program = started("go");
    program.say("/jobs");
    program.wait_for(|screen| screen.contains(" ▸ b1 "), "the list");
    program.send(ESC);
    program.wait_for(|screen| screen.contains("(/jobs): b1 "), "the line again");
    program.wait_sleepers(1);
    program.send(crate::program::CTRL_D);
    program.wait_exit();
    program.wait_childless();
}

#[test]
fn what_ends_by_itself_is_told_while_nothing_else_happens() {
    let program = started("short");
    program.wait_idle();
    program.write("go", "");
    let told = |screen: &str| {
        screen.contains("The background command b1 (until")
            && screen.contains("exit 3.")
            && !screen.contains("(/jobs)")
    };
    program.wait_for(told, "the notice");
    program.wait_childless();
}

#[test]
fn the_question_says_that_it_is_to_run_in_the_background() {
    let script = Some("in-background");
    let program = Launch { script, ..Launch::default() }.start();
    program.say("go");
    program.wait_armed();
    assert!(program.screen().contains("May it run this command in the background?"));
}
