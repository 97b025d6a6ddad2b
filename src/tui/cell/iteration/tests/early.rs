//! Calls that run while the answer is still written.

use super::*;

/// The answer streams: a command runs from 500 ms on and has printed, a write is being written.
fn writing(zero: Instant) -> Iteration {
    let mut iteration = Iteration::new(1, zero);
    iteration.announce("run_command");
    iteration.begin_early(0, call("run_command", "huge.txt"), zero + ms(500));
    iteration.announce("write_file");
    iteration.output(&id("run_command"), "one\ntwo\n");
    iteration
}

#[test]
fn a_call_that_runs_early_shows_its_subject_its_time_and_its_tail() {
    let zero = Instant::now();
    let shown = rows(writing(zero), 80, zero + ms(2_000));
    let sign = spinner(2_000);
    let early = format!("  {sign} run_command  huge.txt");
    assert_eq!(shown[1], ends(&early, "1.50 s", 78));
    assert_eq!(shown[2..4], ["      │ one", "      │ two"]);
    let written = format!("  {sign} write_file");
    assert_eq!(shown[4], ends(&written, "is being written", 78));
    assert_eq!(writing(zero).running(), 1);
    assert_eq!(writing(zero).stop(0), Some(id("run_command")), "it can be stopped");
}

#[test]
fn the_end_of_the_answer_changes_nothing_for_a_call_that_runs_already() {
    let zero = Instant::now();
    let mut iteration = writing(zero);
    let calls = vec![call("run_command", "huge.txt"), call("write_file", "a")];
    iteration.plan(calls, Vec::new(), zero + ms(4_000));
    iteration.start(&id("run_command"), zero + ms(4_000));
    iteration.output(&id("run_command"), "three\n");
    let early = iteration.calls().first().unwrap().course().times(zero + ms(4_500));
    assert_eq!((early.waited, early.ran), (None, Some(ms(4_000))));
    let shown = rows(iteration, 80, zero + ms(4_500));
    assert!(shown[1].ends_with("4.00 s"), "{shown:#?}");
    assert_eq!(shown[2..5], ["      │ one", "      │ two", "      │ three"]);
}

#[test]
fn an_early_end_is_seen_when_it_happens_and_stays_where_it_was() {
    let zero = Instant::now();
    let mut iteration = writing(zero);
    let result = |text: &str| ToolResult::new(id("run_command"), ToolStatus::Ok, text, "2 lines");
    iteration.finish(result("one\ntwo"), (zero + ms(1_500), ms(1_000)));
    iteration.output(&id("run_command"), "too late");
    assert_eq!((iteration.running(), iteration.stop(0)), (0, None));
    let done = iteration.calls().first().unwrap();
    assert_eq!((done.status().as_str(), done.text()), ("ok · 2 lines", Some("one\ntwo")));
    let calls = vec![call("run_command", "huge.txt"), call("write_file", "a")];
    iteration.plan(calls, Vec::new(), zero + ms(4_000));
    iteration.start(&id("run_command"), zero + ms(4_000));
    assert_eq!(iteration.running(), 0, "it has ended long ago");
    iteration.finish(result("one\ntwo\nNote: so"), (zero + ms(4_000), ms(1_000)));
    let done = iteration.calls().first().unwrap();
    assert_eq!(done.text(), Some("one\ntwo\nNote: so"));
    let (from, until) = done.course().runs().unwrap();
    assert_eq!((from, until), (zero + ms(500), Some(zero + ms(1_500))));
    let shown = rows(iteration, 80, zero + ms(5_000));
    assert_eq!(shown[1], ends("  ✓ run_command  huge.txt", "2 lines   1.00 s", 78));
}

#[test]
fn what_began_early_counts_for_nothing_when_the_answer_breaks_off() {
    let zero = Instant::now();
    let mut iteration = writing(zero);
    iteration.close(zero + ms(1_000));
    assert_eq!((iteration.running(), iteration.stop(0)), (0, None));
    let call = iteration.calls().first().unwrap();
    assert_eq!(call.course().runs(), Some((zero + ms(500), Some(zero + ms(1_000)))));
    let shown = rows(iteration, 80, zero + ms(9_000));
    assert_eq!(shown[1], ends("  × run_command  huge.txt", "discarded with the answer", 78));
    assert_eq!(shown[2], ends("  × write_file", "cut off, has no result", 78));
}

#[test]
fn another_call_of_the_same_id_is_not_the_one_that_began() {
    let zero = Instant::now();
    let mut iteration = writing(zero);
    iteration.plan(vec![call("run_command", "small.txt")], Vec::new(), zero + ms(4_000));
    assert_eq!(iteration.running(), 0);
    let shown = rows(iteration, 80, zero + ms(5_000));
    assert_eq!(shown[1], ends("  · run_command  small.txt", "waits", 78));
}

#[test]
fn a_call_that_ran_early_and_was_refused_in_the_end_has_no_time() {
    let zero = Instant::now();
    let mut iteration = writing(zero);
    iteration.plan(vec![call("run_command", "huge.txt")], Vec::new(), zero + ms(4_000));
    let result = ToolResult::new(id("run_command"), ToolStatus::Refused, "cut", "cut off");
    iteration.finish(result, (zero + ms(4_000), Duration::ZERO));
    let shown = rows(iteration, 80, zero + ms(5_000));
    assert_eq!(shown[1], ends("  ⊘ run_command  huge.txt", "cut off", 78));
}
