//! The tool `run_command` as the engine calls it.

use std::sync::Arc;

use mcc_tui::{
    protocol::{question::Preview, tool::ToolStatus},
    tools::{Tool, read_file::ReadFile, run_command::RunCommand, search_code::SearchCode},
};
use serde_json::json;

use super::bench::{Told, bench};

fn told(status: ToolStatus, text: &str, summary: &str) -> Told {
    (Some(status), text.to_owned(), summary.to_owned())
}

#[tokio::test]
async fn the_model_reads_the_output_and_how_it_ended() {
    let bench = bench();
    std::fs::write(bench.folder.path().join("file"), "one\n").unwrap();
    let (ok, error) = (ToolStatus::Ok, ToolStatus::Error);
    for (command, expected) in [
        ("cat file", told(ok, "one\nexit 0", "exit 0 · 1 line")),
        ("true", told(ok, "(no output)\nexit 0", "exit 0 · no output")),
        (
            "grep two file",
            told(ok, "(no output)\nexit 1 (no match)", "exit 1 (no match) · no output"),
        ),
        ("exit 7", told(error, "(no output)\nexit 7", "exit 7 · no output")),
        (
            "kill -SEGV $$",
            told(error, "(no output)\nkilled by SIGSEGV", "killed by SIGSEGV · no output"),
        ),
        ("printf '\\033]0;title\\007a\\rb\\n'", told(ok, "b\nexit 0", "exit 0 · 1 line")),
    ] {
        assert_eq!(bench.command(command).await, expected, "{command}");
    }
    let (status, text, _) = bench.command("no-such-program-anywhere").await;
    assert_eq!(status, Some(error));
    assert!(text.ends_with("\nexit 127 (command not found)"), "{text}");
}

#[tokio::test]
async fn what_is_left_behind_is_named() {
    let (status, text, _) = bench().command("sleep 300 & echo $!").await;
    let pid = text.lines().next().unwrap().to_owned();
    assert_eq!(status, Some(ToolStatus::Ok));
    assert!(
        text.starts_with(&format!("{pid}\nexit 0\nleft-over processes were stopped: {pid} ")),
        "{text}"
    );
}

#[tokio::test]
async fn a_time_out_is_told_as_one() {
    let output = bench().call(json!({ "command": "echo a; sleep 300", "timeout_s": 1 })).await;
    assert_eq!(output.status, Some(ToolStatus::TimedOut));
    assert_eq!(output.text, "a\ntimed out after 1 s");
    assert_eq!(output.summary, "timed out after 1 s");
}

#[tokio::test]
async fn a_stop_keeps_what_was_printed() {
    let mut bench = bench();
    let stop = bench.run.stop.clone();
    bench.run.live = Arc::new(move |_: &str| stop.cancel());
    let output = bench.call(json!({ "command": "echo a; sleep 300" })).await;
    assert_eq!(output.status, Some(ToolStatus::Cancelled));
    assert_eq!(
        (output.text.as_str(), output.summary.as_str()),
        ("a\nstopped by the user", "stopped")
    );
}

#[tokio::test]
async fn the_user_sees_which_file_of_secrets_will_be_read() {
    let bench = bench();
    let folder = bench.folder.path().join("inner");
    for name in [".env", "a.txt"] {
        std::fs::write(folder.join(name), "x\n").unwrap();
    }
    std::os::unix::fs::symlink(".env", folder.join("plain")).unwrap();
    let secret = Preview::Read { path: "inner/.env".into() };
    for (path, preview) in
        [("inner/.env", &secret), ("inner/plain", &secret), ("inner/a.txt", &Preview::Nothing)]
    {
        let arguments = json!({ "path": path, "pattern": "x" });
        for tool in [&ReadFile as &dyn Tool, &SearchCode] {
            assert_eq!(tool.preview(&arguments, &bench.context).await.as_ref(), Ok(preview));
        }
    }
}

#[tokio::test]
async fn the_user_sees_exactly_what_will_run_and_where() {
    let bench = bench();
    let arguments = json!({ "command": "  touch a\n", "cwd": "./inner" });
    let preview = RunCommand.preview(&arguments, &bench.context).await.unwrap();
    let (command, cwd) = ("  touch a\n".to_owned(), "inner".to_owned());
    assert_eq!(preview, Preview::Command { command, cwd, background: false });
    let access = RunCommand.access(&arguments, &bench.context).unwrap();
    assert!(!access.is_read_only());
    let output = bench.call(json!({ "command": "pwd", "cwd": "inner" })).await;
    assert!(output.text.ends_with("/inner\nexit 0"), "{}", output.text);
}

#[tokio::test]
async fn a_program_that_needs_a_terminal_is_refused_before_anybody_is_asked() {
    let bench = bench();
    let arguments = json!({ "command": "echo ran > trace; vim trace" });
    let refused = RunCommand.preview(&arguments, &bench.context).await.unwrap_err();
    assert_eq!(refused.status, ToolStatus::Refused);
    assert!(refused.text.contains("`vim`") && refused.text.contains("edit_file"), "{refused}");
    assert_eq!(bench.tool(&RunCommand, arguments).await.unwrap_err(), refused);
    assert!(!bench.folder.path().join("trace").exists());
}
