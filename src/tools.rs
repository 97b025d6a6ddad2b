//! What the model can do: the trait [`Tool`] and what every tool is given.
//!
//! Owns the seam between the scheduler and a tool. Must not know the model, the session, the
//! policy or a screen. One tool a file; [`registry`] lists them.
//!
//! Invariant: a tool is drop-safe. Dropping its future leaves every file either as it was or
//! as it should be, and ends every process that it started.

pub mod apply_patch;
pub mod arguments;
pub mod edit_file;
pub mod list_files;
pub mod multi_edit;
pub mod output;
pub mod plans;
pub mod process;
pub mod read_file;
pub mod registry;
pub mod run_command;
pub mod search_code;
pub mod seen;
pub mod shell_kill;
pub mod shell_output;
pub mod workspace;
pub mod write_file;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::protocol::{
    access::Access,
    question::Preview,
    tool::{ToolSpec, ToolStatus, WholeOutput},
};
use process::Processes;
use seen::Seen;
use workspace::{Resolved, Workspace, revise::Revision};

/// Something the model can call.
pub trait Tool: Send + Sync {
    /// What the model is told: canonical name, description, JSON Schema of the arguments.
    fn spec(&self) -> ToolSpec;

    /// What this call may touch, from its repaired arguments.
    ///
    /// # Errors
    /// A text for the model, if the arguments cannot be read or a path leaves the workspace.
    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError>;

    /// What the call will do, for the user to decide on. Changes nothing. A tool that only reads
    /// has nothing to show, unless it reads a file of secrets.
    ///
    /// # Errors
    /// A text for the model, if the call cannot work: then nobody is asked and nothing runs.
    fn preview<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let access = self.access(arguments, context)?;
            let read = |path| Preview::Read { path: context.workspace.relative(path) };
            Ok(access.secret().map_or(Preview::Nothing, read))
        })
    }

    /// Runs the call. Must return soon after `run.stop` is cancelled, with what it has.
    ///
    /// # Errors
    /// A text for the model that says what to do differently.
    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;

    /// As [`Tool::run`], but does what the user made of the preview. Asked only of a tool whose
    /// preview has files.
    ///
    /// # Errors
    /// A text for the model that says what to do differently.
    fn run_revised<'a>(
        &'a self,
        _arguments: &'a Value,
        _context: &'a ToolContext,
        _run: &'a Run,
        _revision: &'a Revision,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let text = "this tool cannot be run in part; nothing was done. Ask the user what to do.";
        Box::pin(async move { Err(ToolError::failed("not divisible", text)) })
    }
}

/// What all calls of a session share.
#[derive(Clone)]
pub struct ToolContext {
    /// Where paths lie.
    pub workspace: Workspace,
    /// Which contents of files the model has seen.
    pub seen: Seen,
    /// How commands are started.
    pub processes: Processes,
}

impl ToolContext {
    /// What a path names that is only read: one inside the workspace, or exactly a file that holds
    /// the output of a command of this session.
    ///
    /// # Errors
    /// As [`Workspace::resolve`].
    pub fn resolve_to_read(&self, path: &str) -> Result<Resolved, ToolError> {
        match self.processes.output_file(path) {
            Some(absolute) => Ok(Resolved { absolute, relative: path.to_owned() }),
            None => self.workspace.resolve(path),
        }
    }
}

/// What one running call is given.
#[derive(Clone)]
pub struct Run {
    /// Cancelled when the call must stop: after two seconds its future is dropped.
    pub stop: CancellationToken,
    /// Cancelled when it must stop at once.
    pub kill: CancellationToken,
    /// Takes what the call prints while it runs, for the live view. Never blocks.
    pub live: Arc<dyn Fn(&str) + Send + Sync>,
}

/// What a call that worked gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// How it ended; [`ToolStatus::Ok`] for nearly all.
    pub status: Option<ToolStatus>,
    /// What the model gets to read. Never empty: "no matches", "file is empty".
    pub text: String,
    /// One line for the screen, e.g. `41 lines`.
    pub summary: String,
    /// Unified diff of what was written.
    pub diff: Option<String>,
    /// The whole output, if the text has only a part of it.
    pub whole: Option<WholeOutput>,
}

/// Why a call did not work, told so that the model can do better.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ToolError {
    /// How the call ended: `Error`, or `Refused` if it never ran.
    pub status: ToolStatus,
    /// One to three lines: what failed, the value that was wrong, what to do next.
    /// Starts with `Error:`.
    pub text: String,
    /// A few words for the screen, e.g. `not found`.
    pub summary: String,
}

impl ToolError {
    /// A call that ran and failed. `text` is given without the leading `Error:`.
    #[must_use]
    pub fn failed(summary: impl Into<String>, text: impl AsRef<str>) -> Self {
        Self {
            status: ToolStatus::Error,
            text: format!("Error: {}", text.as_ref()),
            summary: summary.into(),
        }
    }

    /// A call that never ran: malformed or unknown.
    #[must_use]
    pub fn refused(summary: impl Into<String>, text: impl AsRef<str>) -> Self {
        Self {
            status: ToolStatus::Refused,
            text: format!("Error: {}", text.as_ref()),
            summary: summary.into(),
        }
    }
}
