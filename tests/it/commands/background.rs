//! Commands in the background: they run on, can be looked at, and end with the session.

use std::{process::Stdio, time::Duration};

use mcc_tui::{
    protocol::tool::ToolStatus,
    tools::{
        Tool,
        process::{BackgroundState, Exit, MOST_BACKGROUND, StoppedBy},
        run_command::{RunCommand, background::end_background},
        shell_kill::ShellKill,
        shell_output::ShellOutput,
    },
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    bench::{Bench, bench},
    probe::{BOUND, Probe, in_its_own_process},
};

/// Runs for ever, says so, and does not end when it is asked to.
const STUBBORN: &str =
    "trap '' TERM HUP; setsid sleep 300 & echo ready; while :; do sleep 300; done";

impl Bench {
    /// Looks until the text is there.
    async fn until(&self, id: &str, wanted: &str) -> String {
        let mut all = String::new();
        let looking = async {
            while !all.contains(wanted) {
                all.push_str(&self.look(id, 2).await.text);
            }
        };
        assert!(tokio::time::timeout(BOUND, looking).await.is_ok(), "{wanted}: {all}");
        all
    }

    fn states(&self) -> Vec<(String, BackgroundState)> {
        let all = self.context.processes.background();
        all.into_iter().map(|one| (one.id, one.state)).collect()
    }
}

#[tokio::test]
async fn a_command_runs_on_is_looked_at_and_is_ended() {
    let bench = bench();
    let command = "echo one; until [ -e go ]; do sleep .05; done; echo two; sleep 300";
    let output = bench.start(command).await;
    assert_eq!(output.status, Some(ToolStatus::Ok));
    assert!(output.text.starts_with("one\nb1 runs in the background."), "{}", output.text);
    assert_eq!(bench.states(), [("b1".to_owned(), BackgroundState::Running)]);
    let text = bench.look("b1", 2).await.text;
    assert!(text.starts_with("(no new output)\nb1 is running ("), "{text}");
    std::fs::write(bench.folder.path().join("go"), "").unwrap();
    let text = bench.until("b1", "two").await;
    assert!(!text.contains("one"), "what was told is not told again: {text}");
    let output = bench.kill("b1").await;
    assert_eq!(output.status, Some(ToolStatus::Ok));
    assert!(output.text.contains("stopped by shell_kill"), "{}", output.text);
    assert_eq!(bench.states(), [("b1".to_owned(), BackgroundState::Ended(Exit::Stopped))]);
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn all_of_its_output_is_in_a_file() {
    let bench = bench();
    let output = bench.start("echo one; sleep 300").await;
    let path = output.text.rsplit_once("all of its output: ").unwrap().1.to_owned();
    bench.until("b1", "is running").await;
    let page = bench.tool(&mcc_tui::tools::read_file::ReadFile, json!({ "path": path })).await;
    assert_eq!(page.unwrap().text, "1\tone\n");
    bench.kill("b1").await;
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn how_it_ended_by_itself_is_told_with_what_it_left() {
    let bench = bench();
    bench.start("sleep .7; setsid sleep 300 & sleep .7; echo last; exit 3").await;
    let output = bench.look("b1", 120).await;
    assert!(output.text.contains("last\nb1 ended after "), "{}", output.text);
    assert!(output.text.contains(": exit 3\nleft-over processes were stopped: "));
    let again = bench.look("1", 120).await;
    assert!(again.text.starts_with("(no new output)\nb1 ended after "), "{}", again.text);
    let killed = bench.kill("b1").await;
    assert!(killed.text.contains(": exit 3"), "it had ended before: {}", killed.text);
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn what_fails_at_once_is_told_at_once() {
    let bench = bench();
    let output = bench.start("no-such-program-anywhere").await;
    assert_eq!(output.status, Some(ToolStatus::Error));
    assert!(output.text.contains("exit 127 (command not found)"), "{}", output.text);
    assert!(output.text.contains("nothing of it runs in the background"), "{}", output.text);
}

#[tokio::test]
async fn a_command_that_does_not_end_when_asked_is_killed() {
    let bench = bench();
    bench.start(STUBBORN).await;
    let output = bench.kill("b1").await;
    assert!(output.text.contains("stopped by shell_kill"), "{}", output.text);
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn its_own_time_limit_ends_it() {
    let bench = bench();
    let command = bench.probe.prefixed("sleep 300");
    bench.call(json!({ "command": command, "background": true, "timeout_s": 1 })).await;
    let output = bench.look("b1", 120).await;
    assert!(output.text.contains("timed out"), "{}", output.text);
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn there_are_no_more_of_them_than_may_be_and_one_that_ended_makes_room() {
    let bench = bench();
    for number in 1..=MOST_BACKGROUND {
        let output = bench.start("sleep 300").await;
        assert!(output.text.starts_with(&format!("b{number} runs")), "{}", output.text);
    }
    let one_more = json!({ "command": "sleep 300", "background": true });
    let error = bench.tool(&RunCommand, one_more).await.unwrap_err();
    assert_eq!(error.status, ToolStatus::Error);
    assert!(error.text.contains("8 commands run in the background already"), "{error}");
    bench.kill("b3").await;
    let output = bench.start("sleep 300").await;
    assert!(output.text.starts_with("b9 runs"), "{}", output.text);
    let kill = CancellationToken::new();
    let notice = end_background(&bench.context.processes, StoppedBy::User, &kill).await.unwrap();
    assert!(notice.starts_with("Background commands were stopped too: b1 ("), "{notice}");
    assert!(!notice.contains("b3"), "{notice}");
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn an_unknown_id_is_refused_and_the_known_ones_are_named() {
    let bench = bench();
    for tool in [&ShellOutput as &dyn Tool, &ShellKill] {
        let error = tool.access(&json!({ "id": "b7" }), &bench.context).unwrap_err();
        assert_eq!(error.status, ToolStatus::Refused);
        assert!(error.text.contains("None was started"), "{error}");
    }
    bench.start("sleep 300").await;
    let error = bench.tool(&ShellOutput, json!({ "id": "b7" })).await.unwrap_err();
    assert!(error.text.contains("There are: b1 ("), "{error}");
    bench.kill("b1").await;
}

#[tokio::test]
async fn a_look_waits_longer_after_looks_that_found_nothing() {
    let bench = bench();
    bench.start("sleep 300").await;
    let mut waited = Vec::new();
    for _ in 0..3 {
        let begun = std::time::Instant::now();
        bench.look("b1", 0).await;
        waited.push(begun.elapsed());
    }
    let seconds = Duration::from_secs;
    assert!(waited[0] >= seconds(2) && waited[1] >= seconds(4) && waited[2] >= seconds(8));
    bench.kill("b1").await;
}

#[tokio::test]
async fn a_flood_in_the_background_is_bounded_and_counted() {
    let bench = bench();
    bench.start("sleep 1; yes | head -c 20000000; sleep 300").await;
    let text = bench.until("b1", "bytes left out").await;
    assert!(text.len() < 200_000, "{} bytes", text.len());
    bench.kill("b1").await;
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn a_stop_while_it_starts_ends_it_and_a_later_one_of_that_call_does_not() {
    let mut bench = bench();
    bench.run.stop.cancel();
    let output = bench.start(STUBBORN).await;
    assert_eq!(output.status, Some(ToolStatus::Cancelled), "{}", output.text);
    bench.probe.assert_nothing_is_left();
    bench.run.stop = CancellationToken::new();
    bench.start(STUBBORN).await;
    // As the engine does at the end of each call.
    std::mem::take(&mut bench.run.stop).cancel();
    let output = bench.look("b2", 0).await;
    assert!(output.text.contains("b2 is running"), "{}", output.text);
    bench.kill("b2").await;
    bench.probe.assert_nothing_is_left();
}

#[tokio::test]
async fn dropping_the_call_while_it_starts_ends_it() {
    for delay in [0, 1, 10, 100] {
        let bench = bench();
        let starting = bench.start(STUBBORN);
        tokio::time::timeout(Duration::from_millis(delay), starting).await.unwrap_err();
        bench.probe.until_nothing_is_left().await;
    }
}

#[tokio::test]
async fn all_of_them_end_when_they_are_no_longer_wanted_and_at_once_without_patience() {
    for patient in [true, false] {
        let bench = bench();
        bench.start(STUBBORN).await;
        bench.start("echo two; sleep 300").await;
        let kill = CancellationToken::new();
        if !patient {
            kill.cancel();
        }
        let ended = bench.context.processes.end_background(StoppedBy::User, &kill).await;
        let ended: Vec<_> = ended.into_iter().map(|one| (one.id, one.state)).collect();
        let stopped = BackgroundState::Ended(Exit::Stopped);
        assert_eq!(ended, [("b1".to_owned(), stopped), ("b2".to_owned(), stopped)]);
        bench.probe.assert_nothing_is_left();
        let again = bench.context.processes.end_background(StoppedBy::User, &kill).await;
        assert_eq!(again, [], "each is told once");
    }
}

#[tokio::test]
async fn a_list_of_them_can_be_followed() {
    let bench = bench();
    let mut changes = bench.context.processes.background_changes();
    changes.mark_unchanged();
    bench.start("sleep .5").await;
    tokio::time::timeout(BOUND, changes.changed()).await.unwrap().unwrap();
    changes.mark_unchanged();
    tokio::time::timeout(BOUND, changes.changed()).await.unwrap().unwrap();
    assert_eq!(bench.states(), [("b1".to_owned(), BackgroundState::Ended(Exit::Code(0)))]);
}

#[tokio::test]
async fn the_end_of_the_session_ends_them() {
    let bench = bench();
    bench.start(STUBBORN).await;
    bench.start("sleep 300").await;
    let Bench { context, probe, .. } = bench;
    drop(context);
    probe.until_nothing_is_left().await;
}

#[test]
fn killing_the_program_ends_them() {
    let probe = Probe::new();
    let mut program = in_its_own_process("commands::background::keeps_one_for_ever")
        .env("PROBE_NAME", probe.mark())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // The program itself carries the mark, and so do the shell and its two children.
    runtime.block_on(probe.until("the command never began", || probe.left().len() >= 4));
    program.kill().unwrap();
    program.wait().unwrap();
    runtime.block_on(probe.until_nothing_is_left());
}

#[tokio::test]
#[ignore = "the program that another test kills"]
async fn keeps_one_for_ever() {
    let Ok(mark) = std::env::var("PROBE_NAME") else { return };
    let bench = Bench { probe: Probe::marked(mark), ..bench() };
    bench.start(STUBBORN).await;
    std::future::pending::<()>().await;
}
