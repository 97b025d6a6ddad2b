//! How an iteration looks at each width, while it runs, and when something went wrong.

mod early;
mod unfolded;

use super::*;
use crate::{
    protocol::tool::ToolStatus,
    tui::{cell::Cell, highlight::Highlighter, theme::Theme},
};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn id(id: &str) -> CallId {
    CallId(id.into())
}

fn call(name: &str, subject: &str) -> ToolCall {
    let arguments = serde_json::json!({ "path": subject }).to_string();
    ToolCall { id: id(name), name: name.into(), arguments }
}

/// The rows of the iteration on a screen of this width.
fn rows(iteration: Iteration, width: u16, now: Instant) -> Vec<String> {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let look =
        Look { width, theme: &theme, highlighter: &highlighter, now, unfolded: false, all: false };
    let mut cell = Cell::Iteration(iteration);
    cell.rows(look).iter().map(|row| row.to_string().trim_end().to_owned()).collect()
}

/// Two reads side by side, 0 to 200 and 0 to 300 ms; then a write about which the user is asked
/// from 100 to 400 ms, and which runs until 500.
fn three_calls(zero: Instant) -> Iteration {
    let mut iteration = Iteration::new(3, zero);
    let calls = [("read_file", "Cargo.toml"), ("search_code", "src"), ("write_file", "summary.md")];
    let batch = |calls: &[&str]| Batch {
        calls: calls.iter().map(|call| id(call)).collect(),
        concurrent: calls.len() > 1,
    };
    let batches = vec![batch(&["read_file", "search_code"]), batch(&["write_file"])];
    iteration.plan(calls.iter().map(|(name, on)| call(name, on)).collect(), batches, zero);
    iteration.start(&id("read_file"), zero);
    iteration.start(&id("search_code"), zero);
    let mut finish = |name, summary, (from, to)| {
        let result = ToolResult::new(id(name), ToolStatus::Ok, "text", summary);
        iteration.finish(result, (zero + ms(to), ms(to - from)));
    };
    finish("read_file", "41 lines", (0, 200));
    finish("search_code", "12 matches", (0, 300));
    iteration.ask(&id("write_file"), zero + ms(100));
    iteration.answered(&id("write_file"), zero + ms(400));
    iteration.start(&id("write_file"), zero + ms(400));
    let result = ToolResult::new(id("write_file"), ToolStatus::Ok, "text", "+3 −0");
    iteration.finish(result, (zero + ms(500), ms(100)));
    iteration
}

fn drawn(width: u16) -> Vec<String> {
    let zero = Instant::now();
    rows(three_calls(zero), width, zero + ms(900))
}

/// A row with two ends.
fn ends(left: &str, right: &str, width: usize) -> String {
    let blanks = width - left.chars().count() - right.chars().count();
    format!("{left}{}{right}", " ".repeat(blanks))
}

const HEAD: &str = "▾ iteration 3   2 side by side, then write_file";
const LEFT: [&str; 3] =
    ["  ✓ read_file    Cargo.toml", "  ✓ search_code  src", "  ✓ write_file   summary.md"];

#[test]
fn at_40_columns_there_are_marks_only() {
    // One column is free on each side.
    let cut: String = HEAD.chars().take(37).chain(['…']).collect();
    assert_eq!(drawn(40), [cut.as_str(), LEFT[0], LEFT[1], LEFT[2]]);
}

#[test]
fn at_80_columns_there_are_results_and_times() {
    let saved = format!("{HEAD}   0.40 s instead of 0.60 s on…");
    let expected = [
        saved,
        ends(LEFT[0], "41 lines   0.20 s", 78),
        ends(LEFT[1], "12 matches   0.30 s", 78),
        ends(LEFT[2], "+3 −0   0.10 s", 78),
    ];
    assert_eq!(drawn(80), expected);
}

/// 24 columns for 500 ms: 200 ms are 9.6 of them, 300 ms 14.4, 100 ms 4.8, 400 ms 19.2.
const BARS: [&str; 3] = [
    "41 lines  ━━━━━━━━━━                 0.20 s",
    "12 matches  ━━━━━━━━━━━━━━             0.30 s",
    "+3 −0  ·····??????????????━━━━━   0.10 s",
];

#[test]
fn at_120_columns_there_are_bars_on_one_axis_and_a_question_shows_in_its_bar() {
    let head = format!("{HEAD}   0.40 s instead of 0.60 s one by one");
    let row = |n: usize| ends(LEFT[n], BARS[n], 118);
    assert_eq!(drawn(120), [head, row(0), row(1), row(2)]);
}

#[test]
fn at_200_columns_lines_end_where_eyes_can_follow_them() {
    let head = format!("{HEAD}   0.40 s instead of 0.60 s one by one");
    let row = |n: usize| ends(LEFT[n], BARS[n], 110 + 24 + 2);
    assert_eq!(drawn(200), [head, row(0), row(1), row(2)]);
}

#[test]
fn bars_begin_at_96_columns_and_times_at_41() {
    let has = |width: u16, what: &str| drawn(width).iter().any(|row| row.contains(what));
    assert!(has(96, "━━━") && !has(95, "━━━"));
    assert!(has(95, "0.20 s") && has(41, "0.20 s") && !has(40, "0.20 s"));
}

#[test]
fn a_single_call_has_no_bar() {
    let zero = Instant::now();
    let mut iteration = Iteration::new(1, zero);
    iteration.plan(vec![call("a", "x")], Vec::new(), zero);
    iteration.start(&id("a"), zero);
    assert!(!rows(iteration, 200, zero + ms(900)).iter().any(|row| row.contains('━')));
}

fn running(zero: Instant) -> Iteration {
    let mut iteration = Iteration::new(1, zero);
    iteration.plan(vec![call("run_command", "x"), call("b", "y")], Vec::new(), zero);
    iteration.start(&id("run_command"), zero);
    iteration
}

#[test]
fn a_call_that_is_being_stopped_says_so_and_one_that_does_not_run_cannot_be() {
    let zero = Instant::now();
    let mut iteration = running(zero);
    assert_eq!(iteration.stop(1), None, "it waits still");
    assert_eq!(iteration.stop(7), None);
    assert!(!rows(running(zero), 80, zero).join("\n").contains("stopping"));
    assert_eq!(iteration.stop(0), Some(id("run_command")));
    let shown = rows(iteration, 80, zero + ms(1_500));
    let left = format!("  {} run_command  x", spinner(1_500));
    assert_eq!(shown[1], ends(&left, "stopping   1.50 s", 78));
}

/// The spinner changes every 80 ms.
fn spinner(ms: usize) -> String {
    "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".chars().nth(ms / 80 % 10).unwrap().to_string()
}

#[test]
fn all_that_runs_is_stopping_when_the_turn_is() {
    let zero = Instant::now();
    let mut iteration = running(zero);
    iteration.stop_all();
    let shown = rows(iteration, 80, zero);
    assert_eq!(shown.iter().filter(|row| row.contains("stopping")).count(), 1, "{shown:?}");
}

#[test]
fn the_tail_of_a_running_command_shows_the_last_state_of_a_bar() {
    let zero = Instant::now();
    let mut iteration = running(zero);
    for piece in ["one\ntwo\nthree\n 10%", "\r 55%\r", "\u{1b}[K 99%"] {
        iteration.output(&id("run_command"), piece);
    }
    let shown = rows(iteration, 80, zero);
    assert_eq!(shown[2..5], ["      │ two", "      │ three", "      │  99%"]);
}

#[test]
fn processes_that_survived_are_named_in_full_at_every_width() {
    let zero = Instant::now();
    let summary = "stopped · still running: 4242 dragon-slayer, 4243 sleep";
    for width in [40, 80, 120, 200] {
        let mut iteration = running(zero);
        let text = "(no output)\nstopped by the user";
        let result = ToolResult::new(id("run_command"), ToolStatus::Cancelled, text, summary);
        iteration.finish(result, (zero + ms(10), ms(10)));
        let shown = rows(iteration, width, zero + ms(10));
        let words: Vec<_> = shown.iter().flat_map(|row| row.split(&['│', ' '][..])).collect();
        let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        assert!(words.contains(summary), "{width}: {shown:#?}");
    }
}

#[test]
fn the_selected_call_has_a_sign() {
    let zero = Instant::now();
    let mut iteration = three_calls(zero);
    iteration.select(Some(1));
    let shown = rows(iteration, 80, zero + ms(900));
    assert!(shown[2].starts_with("▸ ✓ search_code  src"), "{shown:#?}");
    assert_eq!(shown.iter().filter(|row| row.contains('▸')).count(), 1);
}
