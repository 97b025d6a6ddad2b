//! What `told` promises, tested.

use super::*;
use crate::{
    protocol::tool::WholeFile,
    tools::process::{BackgroundState, EndFolder},
};

fn captured(head: &str) -> Captured {
    let (total_bytes, total_lines) = (head.len() as u64, head.lines().count() as u64);
    Captured { head: head.to_owned(), total_bytes, total_lines, ..Captured::default() }
}

fn end(exit: Exit, head: &str) -> CommandEnd {
    let (leftovers, survivors) = (Vec::new(), Vec::new());
    let (output, folder) = (captured(head), EndFolder::Unknown);
    CommandEnd { exit, output, file: None, folder, leftovers, survivors }
}

fn asked(command: &str) -> Asked<'_> {
    Asked { command, seconds: 120, stopped_by: StoppedBy::User }
}

fn told(exit: Exit, head: &str, command: &str) -> (ToolStatus, String, String) {
    let output = tell(&end(exit, head), asked(command));
    (output.status.unwrap(), output.text, output.summary)
}

/// Lines of 10 bytes each.
fn numbered(range: std::ops::Range<u32>) -> String {
    range.fold(String::new(), |text, number| text + &format!("{number:09}\n"))
}

#[test]
fn every_end_has_its_words() {
    use ToolStatus::{Cancelled, Error, Ok, TimedOut};
    for (exit, head, command, status, text, summary) in [
        (Exit::Code(0), "a\nb\n", "ls", Ok, "a\nb\nexit 0", "exit 0 · 2 lines"),
        (Exit::Code(0), "", "true", Ok, "(no output)\nexit 0", "exit 0 · no output"),
        (Exit::Code(0), " \n\n", "x", Ok, "(only white space)\nexit 0", "exit 0 · 2 lines"),
        (Exit::Code(0), "a", "ls", Ok, "a\nexit 0", "exit 0 · 1 line"),
        (
            Exit::Code(1),
            "",
            "grep x f",
            Ok,
            "(no output)\nexit 1 (no match)",
            "exit 1 (no match) · no output",
        ),
        (Exit::Code(1), "x\n", "make", Error, "x\nexit 1", "exit 1 · 1 line"),
        (Exit::Code(2), "x\n", "grep", Error, "x\nexit 2", "exit 2 · 1 line"),
        (
            Exit::Code(127),
            "x\n",
            "mak",
            Error,
            "x\nexit 127 (command not found)",
            "exit 127 (command not found) · 1 line",
        ),
        (
            Exit::Code(137),
            "x\n",
            "a; b",
            Error,
            "x\nexit 137 (killed by SIGKILL)",
            "exit 137 (killed by SIGKILL) · 1 line",
        ),
        (Exit::Signal(11), "x\n", "a", Error, "x\nkilled by SIGSEGV", "killed by SIGSEGV · 1 line"),
        (Exit::TimedOut, "x\n", "a", TimedOut, "x\ntimed out after 120 s", "timed out after 120 s"),
        (Exit::Stopped, "x\n", "a", Cancelled, "x\nstopped by the user", "stopped"),
        (
            Exit::Code(0),
            "a\0b\n",
            "a",
            Ok,
            "ab\nexit 0\nnot all of it is text: other bytes are shown as U+FFFD, zero bytes are left out",
            "exit 0 · 1 line",
        ),
    ] {
        let expected = (status, text.to_owned(), summary.to_owned());
        assert_eq!(told(exit, head, command), expected, "{exit:?} of {command}");
    }
}

#[test]
fn the_codes_that_shells_use_are_told_in_words() {
    for (code, words) in [
        (124, "a timeout that the command set"),
        (126, "cannot be executed"),
        (127, "command not found"),
        (129, "killed by SIGHUP"),
        (130, "killed by SIGINT"),
        (137, "killed by SIGKILL"),
        (139, "killed by SIGSEGV"),
        (143, "killed by SIGTERM"),
    ] {
        let (status, text, summary) = told(Exit::Code(code), "x\n", "a");
        assert_eq!((status, text), (ToolStatus::Error, format!("x\nexit {code} ({words})")));
        assert_eq!(summary, format!("exit {code} ({words}) · 1 line"));
    }
    let (_, text, _) = told(Exit::Code(3), "x\n", "a");
    assert_eq!(text, "x\nexit 3");
}

#[test]
fn processes_that_were_left_are_named_and_their_names_are_harmless() {
    let mut end = end(Exit::Code(0), "hi\n");
    end.leftovers = vec![
        Named { pid: 7, name: "sleep".to_owned() },
        Named { pid: 8, name: "x\u{1b}[31my".to_owned() },
    ];
    let output = tell(&end, asked("sleep 9 &"));
    assert_eq!(output.text, "hi\nexit 0\nleft-over processes were stopped: 7 sleep, 8 xy");
    assert_eq!(output.summary, "exit 0 · 1 line");
    end.survivors = (0..12).map(|pid| Named { pid, name: "d".to_owned() }).collect();
    let output = tell(&end, asked("x"));
    assert!(output.text.ends_with("9 d and 2 more"), "{}", output.text);
    assert!(output.summary.contains("still running"));
}

#[test]
fn what_a_terminal_would_have_shown_is_what_the_model_reads() {
    let (_, text, _) = told(Exit::Code(0), "10%\r100%\n\u{1b}[1mbold\u{1b}[0m\n", "x");
    assert_eq!(text, "100%\nbold\nexit 0");
}

#[test]
fn output_of_exactly_the_limit_is_whole() {
    let (_, text, _) = told(Exit::Code(0), &"€".repeat(MOST_CHARACTERS), "x");
    assert!(!text.contains("left out"));
    assert_eq!(text.chars().count(), MOST_CHARACTERS + "\nexit 0".len());
}

#[test]
fn a_longer_output_is_cut_once_in_the_middle_and_says_how_much_is_missing() {
    // 10,000 lines of 10 bytes: 1,000 lines of the beginning and 2,000 of the end stay.
    let all = numbered(0..10_000);
    let (_, text, summary) = told(Exit::Code(0), &all, "x");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[999], "000000999");
    assert_eq!(lines[1000], "[... 7000 lines, 70000 bytes left out ...]");
    assert_eq!(lines[1001], "000008000");
    assert_eq!(lines.len(), 3002);
    assert_eq!(summary, "exit 0 · 10,000 lines");
}

#[test]
fn what_was_never_kept_counts_too() {
    let head = numbered(0..3_000);
    let tail = numbered(97_000..100_000);
    let output = Captured {
        head,
        tail,
        total_bytes: 1_000_000,
        total_lines: 100_000,
        left_out_bytes: 940_000,
        left_out_lines: 94_000,
    };
    let end = CommandEnd { output, ..end(Exit::Code(0), "") };
    let text = tell(&end, asked("x")).text;
    // 1,000 lines of the beginning and 2,000 of the end stay: 97,000 of 100,000 are gone.
    assert!(text.contains("\n[... 97000 lines, 970000 bytes left out ...]\n000098000\n"));
    assert_eq!(text.matches("left out").count(), 1);
}

#[test]
fn what_is_left_out_can_be_found_and_a_file_that_is_not_all_says_so() {
    let mut end = end(Exit::Code(0), &numbered(0..10_000));
    end.file = Some(OutputFile { path: "/s/out/1.txt".into(), bytes: 100_000, cut: None });
    let text = tell(&end, asked("x")).text;
    let line = "\n[... 7000 lines, 70000 bytes left out; full text: /s/out/1.txt ...]\n";
    assert!(text.contains(line));
    let cut = Some("No space left on device".to_owned());
    end.file = Some(OutputFile { path: "/s/out/1.txt".into(), bytes: 512, cut });
    let text = tell(&end, asked("x")).text;
    assert!(text.contains("; its first 512 bytes: /s/out/1.txt (No space left on device) ...]"));
    end.output = captured("short\n");
    assert!(!tell(&end, asked("x")).text.contains("/s/out"), "all of it is shown");
}

#[test]
fn what_is_kept_begins_and_ends_with_whole_lines() {
    // Lines of 7 bytes: 10,000 and 20,000 characters end within one.
    let all: String =
        (0..10_000).fold(String::new(), |all, number| all + &format!("{number:06}\n"));
    let (_, text, _) = told(Exit::Code(0), &all, "x");
    let lines: Vec<_> = text.lines().collect();
    // 1,428 * 7 = 9,996 and 2,857 * 7 = 19,999.
    assert_eq!(lines[1_427], "001427");
    assert_eq!(lines[1_428], "[... 5715 lines, 40005 bytes left out ...]");
    assert_eq!(lines[1_429], "007143");
    assert_eq!(lines.len(), 1_428 + 1 + 2_857 + 1);
    // A line that is nearly all of a part is not given up for that.
    let long = format!("a\n{}\nz\n", "x".repeat(60_000));
    let (_, text, _) = told(Exit::Code(0), &long, "x");
    let lengths: Vec<_> = text.lines().map(str::len).collect();
    let bytes = 60_005 - 30_000;
    let marker = format!("[... 0 lines, {bytes} bytes left out ...]");
    assert_eq!(lengths, [1, 9_998, marker.len(), 19_997, 1, 6]);
    assert_eq!(text.lines().nth(2), Some(marker.as_str()));
}

#[test]
fn a_result_names_the_whole_of_what_it_cuts() {
    let mut end = end(Exit::Code(0), &numbered(0..10_000));
    let whole = tell(&end, asked("x")).whole.unwrap();
    assert_eq!((whole.bytes, whole.lines, &whole.file), (100_000, 10_000, &None));
    let cut = Some("the disk was too slow".to_owned());
    end.file = Some(OutputFile { path: "/s/out/1.txt".into(), bytes: 70_000, cut: cut.clone() });
    let output = tell(&end, asked("x"));
    let whole = output.whole.unwrap();
    let path = "/s/out/1.txt".to_owned();
    assert_eq!(whole.file, Some(WholeFile { path, from: 0, bytes: 70_000, cut }));
    let (output_part, about) = output.text.split_at(usize::try_from(whole.text_bytes).unwrap());
    assert!(output_part.ends_with("\n000009999"));
    assert_eq!(about, "\nexit 0");
    end.output = captured("short\n");
    assert_eq!(tell(&end, asked("x")).whole, None, "the text is all of it");
}

#[test]
fn a_look_names_the_part_of_the_file_that_it_found() {
    let file = |look: &Look| tell_look(look).whole.unwrap().file.unwrap();
    let mut look = look(None, &numbered(0..10_000), 3);
    look.from = 400;
    let path = "/s/out/1.txt".to_owned();
    let expected = WholeFile { path, from: 400, bytes: 100_000, cut: None };
    assert_eq!(file(&look), expected);
    let cut = Some("No space left on device".to_owned());
    let mut ended = end(Exit::Code(0), "");
    ended.file = Some(OutputFile { path: "/s/out/1.txt".into(), bytes: 60_400, cut: cut.clone() });
    look.end = Some(Ok(ended));
    assert_eq!(file(&look), WholeFile { bytes: 60_000, cut, ..expected });
    look.output = captured("short\n");
    assert_eq!(tell_look(&look).whole, None);
}

fn look(end: Option<CommandEnd>, output: &str, seconds: u64) -> Look {
    let what = BackgroundCommand {
        id: "b1".to_owned(),
        command: "npm run dev".to_owned(),
        elapsed: Duration::from_secs(seconds),
        state: BackgroundState::Running,
        stopped_by: StoppedBy::Model,
        last_line: String::new(),
    };
    Look {
        what,
        output: captured(output),
        from: 0,
        file: Some("/s/out/1.txt".into()),
        end: end.map(Ok),
    }
}

#[test]
fn a_look_tells_what_is_new_and_how_far_it_is() {
    for (end, output, seconds, text, summary) in [
        (None, "a\n", 12, "a\nb1 is running (12 s)", "b1 · running · 1 line"),
        (None, "", 184, "(no new output)\nb1 is running (3 min 4 s)", "b1 · running · no output"),
        (
            Some(end(Exit::Code(1), "")),
            "x\n",
            3_723,
            "x\nb1 ended after 1 h 2 min: exit 1",
            "b1 · exit 1 · 1 line",
        ),
        (
            Some(end(Exit::Stopped, "")),
            "",
            1,
            "(no new output)\nb1 ended after 1 s: stopped by shell_kill",
            "b1 · stopped by shell_kill · no output",
        ),
    ] {
        let told = tell_look(&look(end, output, seconds));
        assert_eq!(told.text, format!("{text}\nall of its output: /s/out/1.txt"));
        assert_eq!((told.status, told.summary.as_str()), (Some(ToolStatus::Ok), summary));
    }
}

#[test]
fn a_start_gives_the_id_and_one_that_failed_at_once_is_told_as_a_failure() {
    let told = tell_start(&look(None, "listening\n", 0));
    assert!(told.text.starts_with("listening\nb1 runs in the background."), "{}", told.text);
    assert!(told.text.contains("The folder of later commands did not change."));
    assert_eq!(told.summary, "b1 runs in the background");
    let failed = end(Exit::Code(127), "");
    let told = tell_start(&look(Some(failed), "npm: not found\n", 0));
    assert_eq!(told.status, Some(ToolStatus::Error));
    assert!(
        told.text.starts_with("npm: not found\nexit 127 (command not found)\nIt ended at once")
    );
}

#[test]
fn an_end_that_nobody_asked_for_is_one_sentence_with_the_last_line() {
    let mut ended = look(Some(end(Exit::Code(1), "")), "", 12);
    let named = "The background command b1 (npm run dev) ended after 12 s: exit 1.";
    assert_eq!(tell_end(&ended), format!("{named} It printed nothing."));
    ended.what.last_line = "port \"80\" is taken".to_owned();
    assert_eq!(tell_end(&ended), format!("{named} Its last line: \"port \\\"80\\\" is taken\"."));
    ended.end = Some(Err("it was given up".to_owned()));
    assert!(tell_end(&ended).contains("ended after 12 s: nobody knows how."));
}
