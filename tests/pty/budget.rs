//! A budget on the screen: seen from the start, spent, and whole again with a new session.

use crate::program::{Launch, SMALL};

#[test]
fn a_budget_is_seen_from_the_start_and_a_prompt_that_finds_it_spent_comes_back() {
    // The script tells no counts: some hundred tokens of instructions and tools are estimated.
    let args = ["--max-tokens", "100"];
    let program = Launch { size: SMALL, script: Some("stream"), args: &args, ..Launch::default() };
    let program = program.start();
    program.wait_for(|screen| screen.contains("budget 0 of 100 tokens"), "the whole budget");
    program.say("first");
    program.wait_for(|screen| screen.contains("The short answer to first."), "the answer");
    program.wait_idle();
    program.say("second");
    let screen = program.wait_end("budget_exceeded");
    assert!(screen.contains("The token budget of this session is spent: "), "{screen}");
    program.wait_prompt("second");
    program.send("\x15");
    program.say("/new");
    program.wait_for(|screen| screen.contains("budget 0 of 100 tokens"), "the whole again");
    program.say("third");
    program.wait_for(|screen| screen.contains("The short answer to third."), "the answer");
}
