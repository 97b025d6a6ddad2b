//! The time line of one turn at several sizes.

use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::protocol::{
    id::CallId,
    tool::{ToolCall, ToolResult, ToolStatus},
};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The turn runs from 0 to 10 s. The model is asked from 0 to 2 s and speaks from 1 s on; two
/// tools run from 2 to 4 s and from 2 to 5 s, about a third one the user is asked from 5 to 7 s
/// and it runs until 8; the last answer takes the rest.
fn turn(zero: Instant) -> (TurnTimes, Vec<Iteration>) {
    let at = |s: u64| zero + ms(s * 1_000);
    let mut times = TurnTimes::default();
    times.turn_began(zero);
    times.requested(1, zero);
    times.heard(at(1));
    times.complete(at(2));
    times.requested(2, at(8));
    times.heard(at(9));
    times.turn_ended(at(10));
    let id = |name: &str| CallId(name.into());
    let call = |name: &str| ToolCall {
        id: id(name),
        name: name.into(),
        arguments: format!(r#"{{"path": "{name}.rs"}}"#),
    };
    let mut iteration = Iteration::new(1, zero);
    iteration.plan(vec![call("read"), call("list"), call("write")], Vec::new(), at(2));
    iteration.start(&id("read"), at(2));
    iteration.start(&id("list"), at(2));
    let mut finish = |name, from: u64, to: u64| {
        let result = ToolResult::new(id(name), ToolStatus::Ok, "text", "");
        iteration.finish(result, (at(to), ms((to - from) * 1_000)));
    };
    finish("read", 2, 4);
    finish("list", 2, 5);
    iteration.ask(&id("write"), at(5));
    iteration.answered(&id("write"), at(7));
    iteration.start(&id("write"), at(7));
    let result = ToolResult::new(id("write"), ToolStatus::Ok, "text", "");
    iteration.finish(result, (at(8), ms(1_000)));
    (times, vec![iteration])
}

fn screen(
    timeline: &mut TimeLine,
    (times, iterations): &(TurnTimes, Vec<Iteration>),
    (width, height): (u16, u16),
    now: Instant,
) -> Vec<String> {
    let theme = Theme::plain();
    let iterations: Vec<&Iteration> = iterations.iter().collect();
    let look = Look { theme: &theme, now, since: Duration::ZERO };
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| timeline.draw(frame, frame.area(), (times, &iterations), &look)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

fn drawn(size: (u16, u16)) -> Vec<String> {
    let zero = Instant::now();
    screen(&mut TimeLine::new(false), &turn(zero), size, zero + ms(60_000))
}

/// A row with a label, the parts of a bar with their lengths, and a time at its end.
fn row(label: &str, columns: usize, bar: &[(char, usize)], time: &str) -> String {
    let bar: String = bar.iter().map(|(sign, n)| sign.to_string().repeat(*n)).collect();
    format!(" {label:<columns$}{bar}{time:>11}")
}

#[test]
fn at_80_columns_all_stands_on_one_axis() {
    // One column is free on each side, 11 are the time's, 21 the longest label's and two blanks':
    // 46 columns are 10 s, 4.6 a second.
    let rows = drawn((80, 24));
    let expected = [
        // The tools took 4 s and not 6.
        " Time line · the turn is over · 10.0 s instead of 12.0 s one by one".to_owned(),
        " model 4.00 s · tools 4.00 s (6.00 s one by one) · waited for you 2.00 s, 20 %".to_owned(),
        " · waits   ? asks you   ═ the model answers   ━ a tool runs".to_owned(),
        row("iteration 1 · model", 21, &[('·', 5), ('═', 4), (' ', 37)], "2.00 s"),
        row("  ✓ read  read.rs", 21, &[(' ', 9), ('━', 9), (' ', 28)], "2.00 s"),
        row("  ✓ list  list.rs", 21, &[(' ', 9), ('━', 14), (' ', 23)], "3.00 s"),
        row(
            "  ✓ write  write.rs",
            21,
            &[(' ', 9), ('·', 14), ('?', 9), ('━', 5), (' ', 9)],
            "1.00 s",
        ),
        row("iteration 2 · model", 21, &[(' ', 37), ('·', 4), ('═', 5)], "2.00 s"),
        String::new(),
    ];
    assert_eq!(rows[..9], expected);
}

#[test]
fn at_200_columns_the_bars_have_all_the_room_that_labels_leave() {
    // 187 without the time, 166 without the labels: 16.6 columns a second.
    let rows = drawn((200, 50));
    let read = row("  ✓ read  read.rs", 21, &[(' ', 33), ('━', 33), (' ', 100)], "2.00 s");
    assert_eq!(rows[4], read);
}

#[test]
fn at_40_columns_there_are_names_and_times() {
    let rows = drawn((40, 24));
    let expected = [
        " Time line · the turn is over · 10.0 s",
        " instead of 12.0 s one by one",
        " model 4.00 s",
        " tools 4.00 s (6.00 s one by one)",
        " waited for you 2.00 s, 20 %",
        " iteration 1 · model             2.00 s",
        "   ✓ read  read.rs               2.00 s",
        "   ✓ list  list.rs               3.00 s",
        "   ✓ write  write.rs             1.00 s",
        " iteration 2 · model             2.00 s",
        "",
    ];
    assert_eq!(rows[..11], expected);
}

#[test]
fn a_screen_of_ten_rows_shows_rows_more_than_sums_and_scrolls() {
    let zero = Instant::now();
    let turn = turn(zero);
    let mut timeline = TimeLine::new(false);
    let rows = screen(&mut timeline, &turn, (40, 6), zero);
    assert!(rows[2].contains("iteration 1"), "{rows:#?}");
    timeline.pager.go_to_end();
    let rows = screen(&mut timeline, &turn, (40, 6), zero);
    assert!(rows[5].contains("iteration 2"), "{rows:#?}");
}

#[test]
fn what_runs_grows_and_is_followed() {
    let zero = Instant::now();
    let mut times = TurnTimes::default();
    times.turn_began(zero);
    for n in 1..=30 {
        times.requested(n, zero);
    }
    let turn = (times, Vec::new());
    let mut timeline = TimeLine::new(true);
    for (after, words) in [(2_000, "2.00 s"), (5_000, "5.00 s")] {
        let rows = screen(&mut timeline, &turn, (80, 10), zero + ms(after));
        assert!(rows[0].contains("the turn runs") && rows[0].ends_with(words), "{rows:#?}");
        assert!(rows[9].contains("iteration 30") && rows[9].ends_with(words), "{rows:#?}");
        assert!(rows[9].contains("········"), "nothing was heard yet: {rows:#?}");
    }
}

#[test]
fn a_retry_is_told_and_what_it_discarded_does_not_count_as_heard() {
    let zero = Instant::now();
    let mut times = TurnTimes::default();
    times.turn_began(zero);
    times.requested(1, zero);
    times.heard(zero + ms(1));
    times.retried();
    assert_eq!(times.requests()[0].heard(), None);
    assert_eq!(times.requests()[0].retries_in_words(), " · 1 retry");
    times.heard(zero + ms(5));
    assert_eq!(times.requests()[0].heard(), Some(zero + ms(5)));
}

/// The model writes until 4 s; a read runs from 1 to 3 s meanwhile, a write from 4 to 5 s; the last
/// answer takes until 10 s. Told until `end`.
fn with_an_early_call(zero: Instant, end: u64) -> (TurnTimes, Vec<Iteration>) {
    let at = |s: u64| zero + ms(s * 1_000);
    let id = |name: &str| CallId(name.into());
    let call = |name: &str| ToolCall {
        id: id(name),
        name: name.into(),
        arguments: format!(r#"{{"path": "{name}.rs"}}"#),
    };
    let result = |name: &str| ToolResult::new(id(name), ToolStatus::Ok, "text", "");
    let mut times = TurnTimes::default();
    times.turn_began(zero);
    times.requested(1, zero);
    times.heard(at(1));
    let mut iteration = Iteration::new(1, zero);
    iteration.announce("read");
    iteration.begin_early(0, call("read"), at(1));
    iteration.announce("write");
    if end > 3 {
        iteration.finish(result("read"), (at(3), ms(2_000)));
        times.complete(at(4));
        iteration.plan(vec![call("read"), call("write")], Vec::new(), at(4));
        iteration.start(&id("read"), at(4));
        iteration.finish(result("read"), (at(4), ms(2_000)));
        iteration.start(&id("write"), at(4));
        iteration.finish(result("write"), (at(5), ms(1_000)));
        times.requested(2, at(5));
        times.heard(at(6));
        times.turn_ended(at(end));
    }
    (times, vec![iteration])
}

#[test]
fn a_call_that_began_early_stands_where_it_ran_and_what_that_saved_is_told() {
    let zero = Instant::now();
    let turn = with_an_early_call(zero, 10);
    let rows = screen(&mut TimeLine::new(false), &turn, (80, 24), zero + ms(60_000));
    // 9 s of the model and 3 s of tools in 10 s; 46 columns are 10 s.
    let expected = [
        " Time line · the turn is over · 10.0 s instead of 12.0 s one by one".to_owned(),
        " model 9.00 s · tools 3.00 s".to_owned(),
        " · waits   ? asks you   ═ the model answers   ━ a tool runs".to_owned(),
        row("iteration 1 · model", 21, &[('·', 5), ('═', 13), (' ', 28)], "4.00 s"),
        row("  ✓ read  read.rs", 21, &[(' ', 5), ('━', 9), (' ', 32)], "2.00 s"),
        row("  ✓ write  write.rs", 21, &[(' ', 18), ('━', 5), (' ', 23)], "1.00 s"),
        row("iteration 2 · model", 21, &[(' ', 23), ('·', 5), ('═', 18)], "5.00 s"),
    ];
    assert_eq!(rows[..7], expected);
}

#[test]
fn a_call_that_runs_early_has_its_bar_while_the_model_still_writes() {
    let zero = Instant::now();
    let turn = with_an_early_call(zero, 0);
    let rows = screen(&mut TimeLine::new(true), &turn, (80, 24), zero + ms(2_000));
    let expected = [
        " Time line · the turn runs · 2.00 s instead of 3.00 s one by one".to_owned(),
        " model 2.00 s · tools 1.00 s".to_owned(),
        " · waits   ? asks you   ═ the model answers   ━ a tool runs".to_owned(),
        row("iteration 1 · model", 21, &[('·', 23), ('═', 23)], "2.00 s"),
        row("  ⠋ read  read.rs", 21, &[(' ', 23), ('━', 23)], "1.00 s"),
    ];
    assert_eq!(rows[..5], expected);
}

#[test]
fn no_turn_has_words() {
    let turn = (TurnTimes::default(), Vec::new());
    let rows = screen(&mut TimeLine::new(false), &turn, (80, 10), Instant::now());
    assert!(rows.join("\n").contains("No turn has run yet"), "{rows:#?}");
}

#[test]
fn a_command_of_the_users_own_has_its_row_without_a_request() {
    let zero = Instant::now();
    let mut times = TurnTimes::default();
    times.turn_began(zero);
    times.turn_ended(zero + ms(3_000));
    let id = CallId("own".into());
    let arguments = r#"{"command": "make"}"#.to_owned();
    let call = ToolCall { id: id.clone(), name: "run_command".into(), arguments };
    let mut iteration = Iteration::new(0, zero);
    iteration.plan(vec![call], Vec::new(), zero);
    iteration.start(&id, zero);
    let result = ToolResult::new(id, ToolStatus::Ok, "text", "");
    iteration.finish(result, (zero + ms(3_000), ms(3_000)));
    let turn = (times, vec![iteration]);
    let rows = screen(&mut TimeLine::new(false), &turn, (80, 12), zero + ms(4_000)).join("\n");
    assert!(rows.contains("run_command  make") && rows.contains("3.00 s"), "{rows}");
}
