//! Turns that run to their end, and what can be done while they run.

use crate::program::{ENTER, ESC, LARGE, Launch, Program, SMALL, is_busy};

#[test]
fn text_is_on_the_screen_while_the_answer_still_streams() {
    for size in [SMALL, LARGE] {
        let program = Launch { size, script: Some("stream"), ..Launch::default() }.start();
        program.say("long");
        let early = |screen: &str| screen.contains("FIRST-MARKER") && is_busy(screen);
        let screen = program.wait_for(early, "the beginning of the answer");
        assert!(!screen.contains("LAST-MARKER"), "{screen}");
        let screen = program.wait_end("end_turn");
        assert!(screen.contains("LAST-MARKER"), "{screen}");
    }
}

#[test]
fn typing_stays_usable_while_the_answer_streams() {
    let program = Program::script("hang");
    program.say("words");
    program.wait_words();
    program.type_text("typed meanwhile");
    program.wait_prompt("typed meanwhile");
    for _ in 0..9 {
        program.send("\x7f");
    }
    program.type_text("now");
    program.wait_prompt("typed now");
    let (row, column) = program.cursor().expect("the cursor is shown while text streams");
    assert_eq!((row, column), (21, 3 + 9), "behind what was typed");
    assert!(is_busy(&program.screen()), "{}", program.screen());
}

#[test]
fn what_was_scrolled_to_stays_while_more_streams() {
    let program = Program::script("hang");
    program.say("words");
    // more than fits: the first row is gone
    let scrolled = |screen: &str| screen.contains(" w1") && !screen.contains("Asked for");
    program.wait_for(scrolled, "more words than rows");
    program.send("\x1b[1;5H");
    let at_top = |screen: &str| screen.contains("Asked for words") && screen.contains("more below");
    program.wait_for(at_top, "the first row");
    program.type_text("typed");
    program.wait_prompt("typed");
    assert!(at_top(&program.screen()), "{}", program.screen());
    program.send("\x1b[1;5F");
    program.wait_for(|screen| screen.contains("w1399"), "the end again");
    program.send("\x1b[<64;10;10M");
    program.wait_for(|screen| screen.contains("more below"), "a step of the wheel");
}

#[test]
fn a_prompt_that_is_sent_meanwhile_waits_and_follows_by_itself() {
    let program = Program::script("stream");
    program.say("long");
    program.wait_for(|screen| screen.contains("FIRST-MARKER"), "the beginning of the answer");
    program.say("the rest");
    let queued = |screen: &str| screen.contains("⋯ the rest") && screen.contains("queued");
    let screen = program.wait_for(queued, "the queued prompt");
    assert!(is_busy(&screen) && !screen.contains("The short answer"), "{screen}");
    let answered = |screen: &str| screen.contains("The short answer to the rest.");
    program.wait_for(answered, "the answer to the queued prompt");
    program.wait_idle();
    let screen = program.screen();
    assert!(!screen.contains("⋯"), "{screen}");
    assert_eq!(screen.matches("■ end_turn").count(), 2, "{screen}");
}

#[test]
fn after_an_abort_a_queued_prompt_is_back_in_the_input_box() {
    let program = Program::script("hang");
    program.say("words");
    program.wait_words();
    program.say("and then this");
    program.wait_for(|screen| screen.contains("⋯ and then this"), "the queued prompt");
    program.send(ESC);
    program.wait_end("abort");
    program.wait_prompt("and then this");
    program.send(ENTER);
    program.wait_for(|screen| screen.contains("Asked for and then this"), "the next answer");
}

#[test]
fn the_demo_runs_to_its_end_and_writes_the_summary_that_was_allowed() {
    let program = Program::demo(SMALL);
    program.say("show me");
    program.wait_for(|screen| screen.contains("May it create summary.md?"), "the question");
    assert_eq!(program.file("summary.md"), None, "nothing is written before the answer");
    program.wait_armed();
    program.press("y");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("4 iterations"), "{screen}");
    let summary = program.file("summary.md").expect("the summary was allowed");
    for fact in ["Cargo.toml", "README.md", "A parser", "src"] {
        assert!(summary.contains(fact), "{fact}: {summary}");
    }
}

#[test]
fn the_demo_ends_well_without_the_summary_if_it_was_denied() {
    let program = Program::demo(LARGE);
    program.say("show me");
    program.wait_for(|screen| screen.contains("May it create summary.md?"), "the question");
    program.wait_armed();
    program.press("n");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("`summary.md` was not allowed"), "{screen}");
    assert_eq!(program.file("summary.md"), None);
}
