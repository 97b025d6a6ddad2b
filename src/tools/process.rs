//! Starting and ending commands with everything that they start.
//!
//! Owns child processes: nothing else in the crate starts one. Must not know which tool asks,
//! nor what a model or a user gets to read of it.
//!
//! A command is started by a *keeper*, a second process of this same program ([`keeper`]), and
//! never by this one: see there for why.
//!
//! Invariant: when [`Processes::run`] has returned, no process of the command is left but those
//! it names as survivors; when it was dropped, none is left a moment later. A command that fights
//! its keeper is ended from here; one that kills both this process and its keeper is beyond reach.

mod capture;
pub mod editor;
mod environment;
mod hold;
pub mod keeper;
mod live;
mod tree;
mod watch;
mod wire;

use std::{ffi::OsString, io, path::PathBuf, time::Duration};

pub use capture::{Captured, HEAD, TAIL};
pub use wire::{KEEPER_FLAG, Named};

use super::Run;

/// How commands are started: through the keeper, a second process of this same program.
#[derive(Clone, Debug)]
pub struct Processes {
    keeper: PathBuf,
}

/// One command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// What the shell gets to run; may be longer than an argument can be, but holds no NUL.
    pub command: OsString,
    /// Where it runs.
    pub cwd: PathBuf,
    /// After this time it is stopped.
    pub timeout: Duration,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The shell exited with this code.
    Code(i32),
    /// This signal ended the shell, and it was not we who sent it.
    Signal(i32),
    /// It ran longer than it may and was stopped.
    TimedOut,
    /// `stop` or `kill` was cancelled, and it was stopped.
    Stopped,
}

/// What is left of a command: how it ended, and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandEnd {
    /// How it ended.
    pub exit: Exit,
    /// What it printed on standard output and standard error, in the order of a terminal.
    pub output: Captured,
    /// Processes that it had left behind when its shell exited. They were ended.
    pub leftovers: Vec<Named>,
    /// Processes that could not be ended.
    pub survivors: Vec<Named>,
}

/// Waits until what dropped commands left behind is ended, for `limit` at most. Blocks: for the
/// end of the program, after the runtime.
pub fn settle(limit: Duration) {
    hold::settle(limit);
}

impl Processes {
    /// `keeper` is the path of the `mcc-tui` binary itself.
    #[must_use]
    pub fn new(keeper: PathBuf) -> Self {
        Self { keeper }
    }

    /// Makes this process inherit the orphans of a keeper that a command killed, so that none of
    /// them is lost (Linux). From then on every child of this process that is no keeper counts as
    /// such an orphan and is ended when a keeper is lost: it must start no children by other
    /// means. Where it has children already, nothing is inherited.
    #[must_use]
    pub fn adopting(self) -> Self {
        hold::adopt();
        self
    }

    /// The binary that keeps commands.
    #[must_use]
    pub fn keeper(&self) -> &std::path::Path {
        &self.keeper
    }

    /// Runs a command and waits until its shell has exited and nothing of it is left.
    ///
    /// Its input is empty, it has no terminal, and its environment holds no secrets. What it
    /// printed is kept whatever ended it. Drop-safe: dropping the future ends the command, with
    /// TERM, and KILL half a second later.
    ///
    /// # Errors
    /// If it could not be started, or nothing is known of how it ended.
    pub async fn run(&self, spec: CommandSpec, run: &Run) -> io::Result<CommandEnd> {
        watch::run(self, spec, run).await
    }
}
