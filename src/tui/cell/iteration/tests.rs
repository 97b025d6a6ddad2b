//! How an iteration looks at each width, while it runs, and when something went wrong.

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

/// One call with this result, after 10 ms.
fn finished(name: &str, arguments: &str, result: impl FnOnce(CallId) -> ToolResult) -> Iteration {
    let zero = Instant::now();
    let mut iteration = Iteration::new(1, zero);
    let call = ToolCall { id: id("a"), name: name.into(), arguments: arguments.into() };
    iteration.plan(vec![call], Vec::new(), zero);
    let result = result(id("a"));
    if result.status != ToolStatus::Denied {
        iteration.start(&id("a"), zero);
    }
    iteration.finish(result, (zero + ms(10), ms(10)));
    iteration
}

fn new_file(lines: usize) -> Iteration {
    let added = (1..=lines).map(|n| format!("+line {n}\n")).collect::<Vec<_>>().concat();
    let diff = format!("--- /dev/null\n+++ b/x\n@@ -0,0 +1,{lines} @@\n{added}");
    written(diff)
}

fn written(diff: String) -> Iteration {
    finished("write_file", r#"{"path":"x"}"#, |id| ToolResult {
        diff: Some(diff),
        ..ToolResult::new(id, ToolStatus::Ok, "Created.", "+300 −0")
    })
}

fn unfolded(iteration: Iteration) -> Vec<String> {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let now = Instant::now();
    let look = Look {
        width: 80,
        theme: &theme,
        highlighter: &highlighter,
        now,
        unfolded: true,
        all: false,
    };
    Cell::Iteration(iteration).rows(look).iter().map(ToString::to_string).collect()
}

#[test]
fn of_a_new_file_every_line_is_shown_or_counted() {
    let now = Instant::now();
    let shown = rows(new_file(300), 80, now);
    // The place of the hunk, and thirteen lines of the file.
    assert!(shown[15].ends_with("line 13"), "{shown:#?}");
    assert_eq!(shown[16..], ["      │ … 287 more lines (Ctrl-O shows more)"]);
    let narrow = rows(new_file(300), 40, now);
    assert_eq!(narrow.last().map(String::as_str), Some("      │ … 287 more lines (Ctrl-O)"));
    let all = unfolded(new_file(300));
    assert_eq!(all.len(), 2 + 1 + 300, "its head, the hunk, its lines");
    assert!(all[302].trim_end().ends_with("line 300"), "{}", all[302]);
}

#[test]
fn the_sides_of_a_change_stand_side_by_side_from_140_columns_of_the_screen() {
    let beside = |width| {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n";
        let shown = rows(written(diff.into()), width, Instant::now());
        shown.iter().any(|row| row.contains("old") && row.contains("new"))
    };
    assert_eq!([139, 140].map(beside), [false, true]);
}

#[test]
fn what_a_diff_leaves_out_itself_is_counted_with_the_rest() {
    let added = (1..=100).map(|n| format!("+line {n}\n")).collect::<Vec<_>>().concat();
    let rest = crate::text::hunks::left_out(4_000);
    let diff = format!("--- /dev/null\n+++ b/x\n@@ -0,0 +1,4100 @@\n{added}{rest}\n");
    let shown = rows(written(diff.clone()), 80, Instant::now());
    assert_eq!(shown[16..], ["      │ … 4,087 more lines (Ctrl-O shows more)"]);
    let all = unfolded(written(diff));
    assert!(all[103].contains("[... 4000 more lines of the diff left out ...]"), "{}", all[103]);
}

#[test]
fn a_command_that_printed_more_than_is_known_says_that_there_are_earlier_lines() {
    let text = format!("{}exit 0", "y\n".repeat(15_000));
    let whole = |bytes| crate::protocol::tool::WholeOutput {
        bytes,
        lines: bytes / 2,
        text_bytes: 30_000,
        file: None,
        untold: None,
    };
    let yes = |whole| {
        finished("run_command", r#"{"command":"yes"}"#, |id| ToolResult {
            whole,
            ..ToolResult::new(id, ToolStatus::Ok, text.clone(), "exit 0")
        })
    };
    let shown = rows(yes(Some(whole(1_000_000))), 80, Instant::now());
    assert_eq!(shown[2], "      │ … earlier lines (Ctrl-O shows more)", "{shown:#?}");
    let shown = rows(yes(None), 80, Instant::now());
    // Four times `y` and the last line are shown.
    assert_eq!(shown[2], "      │ … 14,996 lines before (Ctrl-O shows more)", "{shown:#?}");
}

#[test]
fn an_error_is_shown_from_its_beginning_however_long_it_is() {
    let text = (1..=3_000).map(|n| format!("reason {n}\n")).collect::<Vec<_>>().concat();
    let failed =
        finished("read_file", "{}", |id| ToolResult::new(id, ToolStatus::Error, text, "not found"));
    let shown = rows(failed, 80, Instant::now());
    assert_eq!(shown[2], "      │ reason 1");
    assert_eq!(shown[7], "      │ … 2,995 more lines (Ctrl-O shows more)");
}

#[test]
fn what_tells_the_model_how_to_go_on_is_not_shown_unasked() {
    let start = || {
        finished("run_command", r#"{"command":"make","background":true}"#, |id| {
            let text = "b1 runs in the background. shell_output tells what it prints.";
            ToolResult::new(id, ToolStatus::Ok, text, "b1 runs in the background")
        })
    };
    let denied =
        || finished("write_file", "{}", |id| ToolResult::denied(id, "Do not try it again."));
    for (iteration, summary, text) in [
        (start as fn() -> Iteration, "b1 runs in the background", "shell_output"),
        (denied, "denied", "Do not try it again."),
    ] {
        let shown = rows(iteration(), 80, Instant::now());
        assert_eq!(shown.len(), 2, "{shown:#?}");
        assert!(shown[1].contains(summary), "{shown:#?}");
        assert!(unfolded(iteration()).join("\n").contains(text));
    }
}

#[test]
fn what_the_user_said_to_a_call_stands_below_it() {
    let mut iteration = Iteration::new(1, Instant::now());
    iteration.plan(vec![call("write_file", "x")], Vec::new(), Instant::now());
    iteration.denied(&id("write_file"), "use\nother.txt");
    let text = "Denied: the user did not allow this call and says: use\nother.txt";
    let result = ToolResult::denied(id("write_file"), text);
    iteration.finish(result, (Instant::now(), ms(0)));
    let shown = rows(iteration, 80, Instant::now());
    assert_eq!(shown[2..], ["      │ you: use other.txt"]);
}

#[test]
fn only_what_was_saved_and_is_worth_a_word_is_told() {
    let zero = Instant::now();
    let two = |first: u64, second: (u64, u64), status| {
        let mut iteration = Iteration::new(1, zero);
        iteration.plan(vec![call("a", "x"), call("b", "y")], Vec::new(), zero);
        for (name, (from, to), status) in [("a", (0, first), ToolStatus::Ok), ("b", second, status)]
        {
            iteration.start(&id(name), zero + ms(from));
            let result = ToolResult::new(id(name), status, "text", "done");
            iteration.finish(result, (zero + ms(to), ms(to - from)));
        }
        rows(iteration, 120, zero + ms(90_000))[0].contains("instead of")
    };
    assert!(!two(99, (0, 99), ToolStatus::Ok), "99 ms are saved");
    assert!(two(100, (0, 100), ToolStatus::Ok), "100 ms are saved, of 200");
    assert!(!two(2_000, (1_850, 2_000), ToolStatus::Ok), "150 ms are less than a tenth of 2.15 s");
    assert!(two(2_000, (1_700, 2_000), ToolStatus::Ok), "300 ms are more than a tenth of 2.30 s");
    assert!(!two(2_000, (0, 2_000), ToolStatus::Cancelled), "one was stopped by hand");
}

#[test]
fn why_the_user_s_own_command_was_refused_is_told_to_the_user() {
    let refused = |number| {
        let mut iteration = Iteration::new(number, Instant::now());
        iteration.plan(vec![call("run_command", "vim")], Vec::new(), Instant::now());
        let text = "Ctrl-Z leads to a terminal.";
        let result = ToolResult::new(id("run_command"), ToolStatus::Refused, text, "refused");
        iteration.finish(result, (Instant::now(), ms(0)));
        rows(iteration, 80, Instant::now()).len()
    };
    assert_eq!((refused(0), refused(1)), (3, 2));
}

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
