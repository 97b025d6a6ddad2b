//! The whole engine over real HTTP, against a scripted server that refuses a history which a
//! strict server would refuse. Needs `MCC_SHARED` and python3; says so where it skips.

use std::{
    path::PathBuf,
    process::Stdio,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcc_tui::{
    protocol::{
        event::StreamEvent,
        exit::{AbortBy, ExitReason},
    },
    provider::openai::OpenAi,
};
use serde_json::json;
use tokio::process::{Child, Command};

use crate::support::{
    rig::{Rig, Strict, check_grammar, reason},
    server,
};

pub(crate) struct MockServer {
    _child: Child,
    pub(crate) base_url: String,
    dir: tempfile::TempDir,
}

impl MockServer {
    pub(crate) async fn start(turns: serde_json::Value) -> Option<Self> {
        let script = std::env::var("MCC_SHARED").ok().map(PathBuf::from)?.join("bench/mock_llm.py");
        if !script.is_file() {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let scenario = dir.path().join("scenario.json");
        std::fs::write(&scenario, json!({ "turns": turns }).to_string()).unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        std::fs::write(dir.path().join("project/a.txt"), "alpha\n").unwrap();
        let port = free_port();
        let child = Command::new("python3")
            .arg(script)
            .args(["--port", &port.to_string(), "--strict", "--scenario"])
            .arg(&scenario)
            .arg("--log")
            .arg(dir.path().join("log.jsonl"))
            .arg("--cwd")
            .arg(dir.path().join("project"))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let mock = Self { _child: child, base_url: format!("http://127.0.0.1:{port}/v1"), dir };
        let up = async {
            while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), up).await.expect("the server comes up");
        Some(mock)
    }

    fn rig(&self) -> Rig {
        let provider = OpenAi::new(server::settings(self.base_url.clone(), "mock"));
        Rig::real(Strict::over(provider.unwrap()), &self.dir.path().join("project"))
    }
}

/// A free port below those that the system hands out by itself: no other test's server can come
/// between the look and the server's start.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let n = std::process::id() * 7 + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = u16::try_from(20_000 + n % 10_000).unwrap();
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn everything() -> serde_json::Value {
    json!([
        { "text": { "count": 40, "size": 4, "delay_ms": 2 }, "calls": [
            { "op": "read", "args": { "path": "a.txt" }, "times": 2 },
            { "op": "search", "args": { "pattern": "alpha", "path": "." } },
            { "op": "bash", "args": { "command": "sleep 0.1 & sleep 0.1; echo done" } },
            { "op": "write", "args": { "path": "new.txt", "content": "x" } } ] },
        { "text": { "literal": "that was it" } }
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_runs_as_read_then_write_then_end_over_http() {
    let turns = json!([
        { "calls": [{ "op": "read", "args": { "path": "a.txt" } }] },
        { "calls": [{ "op": "write", "args": { "path": "summary.md", "content": "It says alpha." } }] },
        { "text": { "literal": "written" } }
    ]);
    let Some(mock) = MockServer::start(turns).await else {
        println!("skipped: MCC_SHARED is not set, or python3 is missing");
        return;
    };
    let mut rig = mock.rig();
    let events = rig.turn("analyse, then create summary.md").await;
    check_grammar(&events);
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let names: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::BatchesPlanned { calls, .. } => Some(calls[0].name.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["read_file", "write_file"]);
    let written = std::fs::read_to_string(mock.dir.path().join("project/summary.md")).unwrap();
    assert_eq!(written, "It says alpha.");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_abort_at_any_time_a_strict_server_takes_the_next_request() {
    let Some(mock) = MockServer::start(everything()).await else {
        println!("skipped: MCC_SHARED is not set, or python3 is missing");
        return;
    };
    let mut aborted = 0;
    for ms in (0..400).step_by(16) {
        let mut rig = mock.rig();
        rig.submit("first");
        let interrupt = tokio::time::sleep(Duration::from_millis(ms));
        tokio::pin!(interrupt);
        let mut events = Vec::new();
        let mut pressed = false;
        while !matches!(events.last(), Some(StreamEvent::TurnEnded { .. })) {
            tokio::select! {
                () = &mut interrupt, if !pressed => {
                    pressed = true;
                    rig.front.interrupt(AbortBy::User);
                }
                event = rig.front.next() => events.push(event.unwrap()),
            }
        }
        check_grammar(&events);
        aborted += usize::from(reason(&events).word() == "abort");
        let events = rig.turn("second").await;
        check_grammar(&events);
        assert_eq!(reason(&events), ExitReason::EndTurn, "after {ms} ms");
    }
    assert!(aborted >= 5, "only {aborted} runs were aborted in the middle");
}
