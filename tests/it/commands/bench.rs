//! The tools for commands as the engine calls them, in a folder of their own.

use std::sync::Arc;

use mcc_tui::{
    protocol::tool::ToolStatus,
    tools::{
        Run, Tool, ToolContext, ToolError, ToolOutput, run_command::RunCommand, seen::Seen,
        shell_kill::ShellKill, shell_output::ShellOutput, workspace::Workspace,
    },
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::probe::{BOUND, Probe, processes};

pub(super) struct Bench {
    /// The workspace, with a folder `inner`.
    pub(super) folder: tempfile::TempDir,
    /// Where long output goes.
    pub(super) state: tempfile::TempDir,
    pub(super) context: ToolContext,
    pub(super) run: Run,
    pub(super) probe: Probe,
}

/// Status, text and summary.
pub(super) type Told = (Option<ToolStatus>, String, String);

pub(super) fn bench() -> Bench {
    let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    let context = ToolContext {
        workspace: Workspace::open(folder.path()).unwrap(),
        seen: Seen::default(),
        processes: processes().spilling_below(state.path().join("out")),
    };
    let stop = CancellationToken::new();
    let run = Run { stop, kill: CancellationToken::new(), live: Arc::new(|_: &str| {}) };
    Bench { folder, state, context, run, probe: Probe::new() }
}

impl Bench {
    pub(super) async fn tool(
        &self,
        tool: &dyn Tool,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let running = tool.run(&arguments, &self.context, &self.run);
        tokio::time::timeout(BOUND, running).await.expect("the call never came back")
    }

    pub(super) async fn call(&self, arguments: Value) -> ToolOutput {
        self.tool(&RunCommand, arguments).await.unwrap()
    }

    pub(super) async fn command(&self, command: &str) -> Told {
        let output = self.call(json!({ "command": command })).await;
        (output.status, output.text, output.summary)
    }

    pub(super) async fn text(&self, command: &str) -> String {
        self.command(command).await.1
    }

    /// Starts a command with the mark in the background.
    pub(super) async fn start(&self, command: &str) -> ToolOutput {
        self.call(json!({ "command": self.probe.prefixed(command), "background": true })).await
    }

    pub(super) async fn look(&self, id: &str, wait_s: u64) -> ToolOutput {
        self.tool(&ShellOutput, json!({ "id": id, "wait_s": wait_s })).await.unwrap()
    }

    pub(super) async fn kill(&self, id: &str) -> ToolOutput {
        self.tool(&ShellKill, json!({ "id": id })).await.unwrap()
    }
}
