//! What stands below a call that ended: changes, output, errors, words of the user.

use super::*;

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
fn of_a_command_that_printed_more_than_is_known_the_earlier_lines_are_counted() {
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
    // Half a million lines and that it ended well; four times `y` and that are shown.
    let shown = rows(yes(Some(whole(1_000_000))), 80, Instant::now());
    assert_eq!(shown[2], "      │ … 499,996 lines before (Ctrl-O shows more)", "{shown:#?}");
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
