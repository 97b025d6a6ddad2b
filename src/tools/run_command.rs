//! The tool `run_command`: one shell command, its output, and how it ended.
//!
//! Owns its arguments, its limits and where it may run. Must not know how processes are started
//! and ended (`process` does), how an end is told ([`told`]), nor which commands only read
//! ([`reads`], [`proof`]).
//!
//! Invariant: what the user is shown before is exactly what is run, and what is not shown is
//! proven to change nothing.

pub mod background;
mod folder;
mod harmless;
mod interactive;
mod proof;
mod reads;
pub(super) mod told;
mod viewed;

use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::{proof::Surroundings, told::Asked};
use super::{
    Run, Tool, ToolContext, ToolError, ToolOutput, arguments, output,
    process::{CommandSpec, NotStarted, StoppedBy},
    workspace::Resolved,
};
use crate::protocol::{
    access::{Access, Resource},
    question::Preview,
    tool::ToolSpec,
};

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
    /// Folder inside the workspace, for this call only
    cwd: Option<String>,
    /// For servers and watchers: returns an id at once
    background: Option<bool>,
}

/// A call that can be run.
struct Call {
    command: String,
    seconds: Option<u64>,
    folder: Resolved,
    /// Whether the call names the folder itself.
    own_folder: bool,
    background: bool,
    /// What the model is told of the folder.
    note: Option<String>,
}

impl Call {
    fn read(arguments: &Value, context: &ToolContext) -> Result<Self, ToolError> {
        let Arguments { command, timeout_s, cwd, background } = arguments::read(arguments)?;
        check(&command)?;
        if timeout_s == Some(0) {
            let text = "timeout_s is 1 to 600. Leave it out for 120.";
            return Err(ToolError::refused("no time", text));
        }
        let cwd = cwd.filter(|cwd| !cwd.is_empty());
        let (folder, note) = match &cwd {
            Some(cwd) => (context.workspace.resolve(cwd)?, None),
            None => folder::remembered(context)?,
        };
        if !folder.absolute.is_dir() {
            let cwd = cwd.as_deref().unwrap_or(".");
            let text = format!("{cwd} is no folder. Use one that exists, or leave cwd out.");
            return Err(ToolError::refused("no such folder", text));
        }
        let background = background.unwrap_or(false);
        let usual = Some(USUAL_SECONDS).filter(|_| !background);
        let seconds = timeout_s.map(|seconds| seconds.min(MOST_SECONDS)).or(usual);
        Ok(Self { command, seconds, folder, own_folder: cwd.is_some(), background, note })
    }

    fn access(&self, context: &ToolContext) -> Access {
        let mut access = self.proven(context).unwrap_or_else(|| {
            let mut unknown = Access::unknown();
            unknown.writes.push(Resource::Cwd);
            unknown
        });
        if self.own_folder || self.background {
            access.writes.retain(|write| *write != Resource::Cwd);
        }
        if !self.own_folder {
            access.reads.push(Resource::Cwd);
        }
        access
    }

    /// What it may touch, if it is proven that it only reads, and perhaps changes the folder.
    fn proven(&self, context: &ToolContext) -> Option<Access> {
        if self.background {
            return None;
        }
        let around = Surroundings::of_this_process();
        proof::access(&self.command, &self.folder.absolute, &context.workspace, &around)
    }

    fn spec(&self) -> CommandSpec {
        CommandSpec {
            command: self.command.clone().into(),
            cwd: self.folder.absolute.clone(),
            timeout: self.seconds.map(Duration::from_secs),
            tells_folder: false,
            is_background: self.background,
        }
    }

    async fn start(&self, context: &ToolContext, run: &Run) -> Result<ToolOutput, ToolError> {
        match context.processes.start(self.spec(), run).await {
            Ok(look) => Ok(told::tell_start(&look)),
            Err(NotStarted::Failed(why)) => Err(not_run(&why)),
            Err(NotStarted::TooMany(running)) => Err(ToolError::failed(
                "too many",
                format!(
                    "{} commands run in the background already, as many as may: {}. End one with \
                     shell_kill, or run this one in the foreground.",
                    running.len(),
                    told::list(&running)
                ),
            )),
        }
    }

    /// `access` is what it may touch: whether later commands run where this one ends, and which
    /// file it shows.
    async fn wait(
        &self,
        context: &ToolContext,
        run: &Run,
        access: &Access,
    ) -> Result<ToolOutput, ToolError> {
        let may_move = access.writes.contains(&Resource::Cwd);
        let spec = CommandSpec { tells_folder: may_move, ..self.spec() };
        let end = context.processes.run(spec, run).await;
        let end = end.map_err(|error| not_run(&error.to_string()))?;
        let asked = Asked {
            command: &self.command,
            seconds: self.seconds.unwrap_or_default(),
            stopped_by: StoppedBy::User,
        };
        if let Some(file) = viewed::only_file(access) {
            viewed::note(context, &file, &end);
        }
        let mut told = told::tell(&end, asked);
        if self.note.is_some() && !may_move {
            // It is told once that the remembered folder is gone.
            context.processes.change_folder(None);
        }
        let moved = may_move.then(|| folder::after(context, &self.folder, &end)).flatten();
        for note in self.note.iter().chain(&moved) {
            told.text.push('\n');
            output::add_note(&mut told.text, note);
            told.text.truncate(told.text.trim_end().len());
        }
        Ok(told)
    }
}

/// Refuses what cannot be run.
fn check(command: &str) -> Result<(), ToolError> {
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
    if let Some((program, hint)) = interactive::refusal(command) {
        let text = format!(
            "`{program}` as it is called here needs a terminal and somebody who types, and \
             commands have neither. {hint}"
        );
        return Err(ToolError::refused("needs a terminal", text));
    }
    Ok(())
}

fn not_run(why: &str) -> ToolError {
    let text = format!("the command could not be run: {why}. Nothing of it is left.");
    ToolError::failed("could not be run", text)
}

impl Tool for RunCommand {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "run_command".to_owned(),
            description: "Runs a bash command. No input, no terminal. Each call is a new shell: \
                          variables are lost, but later commands run where `cd` led, inside the \
                          workspace. Paths of other tools stay relative to its root. What a \
                          command leaves running is stopped when it exits."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        Call::read(arguments, context).map(|call| call.access(context))
    }

    fn preview<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let Call { command, folder, background, .. } = Call::read(arguments, context)?;
            Ok(Preview::Command { command, cwd: folder.relative, background })
        })
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let call = Call::read(arguments, context)?;
            if call.background {
                return call.start(context, run).await;
            }
            // Commands that only read may run side by side, and none of them moves the others.
            let access = self.access(arguments, context)?;
            call.wait(context, run, &access).await
        })
    }
}

#[cfg(test)]
mod tests;
