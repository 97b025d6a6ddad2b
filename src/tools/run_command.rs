//! The tool `run_command`: one shell command, its output, and how it ended.
//!
//! Owns its arguments, its limits and where it may run. Must not know how processes are started
//! and ended (`process` does), how an end is told ([`told`]), nor which commands only read
//! ([`reads`], [`proof`]).
//!
//! Invariant: what the user is shown before is exactly what is run, and what is not shown is
//! proven to change nothing.

mod harmless;
mod proof;
mod reads;
mod told;

use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use proof::Surroundings;

use super::{
    Run, Tool, ToolContext, ToolError, ToolOutput, arguments,
    process::{CommandSpec, Exit},
    workspace::{Resolved, Workspace},
};
use crate::protocol::{access::Access, question::Preview, tool::ToolSpec};

/// Seconds that a command may run unless the call says otherwise.
const USUAL_SECONDS: u64 = 120;

/// Seconds that a command may run at most.
const MOST_SECONDS: u64 = 600;

/// Most bytes of a command.
const LONGEST: usize = 1 << 20;

/// Runs shell commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunCommand;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    command: String,
    /// Default 120, at most 600
    timeout_s: Option<u64>,
    /// Folder inside the workspace
    cwd: Option<String>,
}

/// A call that can be run.
struct Call {
    command: String,
    seconds: u64,
    folder: Resolved,
}

impl Call {
    fn read(arguments: &Value, workspace: &Workspace) -> Result<Self, ToolError> {
        let Arguments { command, timeout_s, cwd } = arguments::read(arguments)?;
        if command.trim().is_empty() {
            let text = "the command is empty. Say what to run, e.g. \"ls -l\".";
            return Err(ToolError::refused("empty command", text));
        }
        if command.contains('\0') {
            let text = "the command holds a NUL character. Leave it out, e.g. by printf '\\0'.";
            return Err(ToolError::refused("NUL in the command", text));
        }
        if command.len() > LONGEST {
            let text = "the command is longer than 1 MiB. Write it to a file and run that.";
            return Err(ToolError::refused("command too long", text));
        }
        let cwd = cwd.as_deref().filter(|cwd| !cwd.is_empty()).unwrap_or(".");
        let folder = workspace.resolve(cwd)?;
        if !folder.absolute.is_dir() {
            let text = format!("{cwd} is no folder. Use one that exists, or leave cwd out.");
            return Err(ToolError::refused("no such folder", text));
        }
        if timeout_s == Some(0) {
            let text = "timeout_s is 1 to 600. Leave it out for 120.";
            return Err(ToolError::refused("no time", text));
        }
        let seconds = timeout_s.unwrap_or(USUAL_SECONDS).min(MOST_SECONDS);
        Ok(Self { command, seconds, folder })
    }
}

impl Tool for RunCommand {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "run_command".to_owned(),
            description: "Runs a bash command. No input, no terminal. Each call is a new shell, \
                          and what it leaves in the background is stopped when it exits."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let call = Call::read(arguments, &context.workspace)?;
        let around = Surroundings::of_this_process();
        let folder = &call.folder.absolute;
        let proven = proof::access(&call.command, folder, &context.workspace, &around);
        Ok(proven.unwrap_or_else(Access::unknown))
    }

    fn preview<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let Call { command, folder, .. } = Call::read(arguments, &context.workspace)?;
            Ok(Preview::Command { command, cwd: folder.relative })
        })
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let call = Call::read(arguments, &context.workspace)?;
            let spec = CommandSpec {
                command: call.command.clone().into(),
                cwd: call.folder.absolute,
                timeout: Duration::from_secs(call.seconds),
            };
            let end = context.processes.run(spec, run).await.map_err(|error| {
                let text = format!("the command could not be run: {error}. Nothing of it is left.");
                ToolError::failed("could not be run", text)
            })?;
            let limit = if end.exit == Exit::TimedOut { call.seconds } else { 0 };
            Ok(told::tell(&end, &call.command, limit))
        })
    }
}

#[cfg(test)]
mod tests;
