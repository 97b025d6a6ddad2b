//! Starting and ending commands with everything that they start.
//!
//! Owns child processes: nothing else in the crate starts one. Must not know which tool asks,
//! nor what a model or a user gets to read of it.
//!
//! A command is started by a *keeper*, a second process of this same program ([`keeper`]), and
//! never by this one: see there for why.
//!
//! Invariant: when [`Processes::run`] has returned, no process of the command is left but those
//! it names as survivors; when it was dropped, none is left a moment later. A background command
//! ([`background`]) lives no longer than the last clone of [`Processes`]. A command that fights
//! its keeper is ended from here; one that kills both this process and its keeper is beyond reach.

mod background;
mod capture;
pub mod editor;
mod environment;
mod hold;
pub mod keeper;
mod live;
mod out_folder;
mod spill;
mod stuck;
mod tap;
mod tree;
mod watch;
mod wire;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

pub use background::{
    BackgroundCommand, BackgroundState, Follower, Look, MOST_BACKGROUND, NotStarted, StoppedBy,
};
pub use capture::{Captured, HEAD, TAIL};
pub use spill::{MOST_SPILLED, OutputFile};
pub use wire::{EndFolder, KEEPER_FLAG, Named};

use super::Run;
use background::Jobs;
use environment::Wishes;
use out_folder::OutFolder;
use stuck::Stuck;
use tap::Tap;

/// The commands of a session: how they are started, which of them run in the background, and the
/// folder that the next one runs in. Clones share all of that; with the last of them the
/// background commands end and the files with their output go.
#[derive(Clone, Debug)]
pub struct Processes {
    launch: Arc<Launch>,
    jobs: Arc<Jobs>,
    folder: Arc<Mutex<Option<PathBuf>>>,
    stuck: Stuck,
}

/// How commands are started: through the keeper, a second process of this same program.
#[derive(Clone, Debug)]
struct Launch {
    keeper: PathBuf,
    wishes: Wishes,
    out: Option<Arc<OutFolder>>,
}

/// One command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// What the shell gets to run; may be longer than an argument can be, but holds no NUL.
    pub command: OsString,
    /// Where it runs.
    pub cwd: PathBuf,
    /// After this time it is stopped. Without one it may run as long as the session.
    pub timeout: Option<Duration>,
    /// Whether to learn the folder that its shell ends in.
    pub tells_folder: bool,
    /// Whether all of its output goes to a file from the start, and not only what is too long to
    /// be shown.
    pub is_background: bool,
}

impl CommandSpec {
    /// A command that is waited for.
    #[must_use]
    pub fn new(command: impl Into<OsString>, cwd: PathBuf, timeout: Duration) -> Self {
        let (command, timeout) = (command.into(), Some(timeout));
        Self { command, cwd, timeout, tells_folder: false, is_background: false }
    }
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
    /// All of what it printed, if that is more than can be shown and could be written.
    pub file: Option<OutputFile>,
    /// Where its shell was when it exited, if that was asked for.
    pub folder: EndFolder,
    /// Processes that it had left behind when its shell exited. They were ended.
    pub leftovers: Vec<Named>,
    /// Processes that could not be ended.
    pub survivors: Vec<Named>,
}

impl CommandEnd {
    fn never_ran() -> Self {
        Self {
            exit: Exit::Stopped,
            output: Captured::default(),
            file: None,
            folder: EndFolder::Unknown,
            leftovers: Vec::new(),
            survivors: Vec::new(),
        }
    }
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
        let launch = Launch { keeper, wishes: Wishes::default(), out: None };
        Self {
            launch: Arc::new(launch),
            jobs: Arc::default(),
            folder: Arc::default(),
            stuck: Stuck::default(),
        }
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

    /// Writes output that is too long to be shown to files in a folder below this one, for as
    /// long as the session lives. Removes what sessions left there that were killed.
    #[must_use]
    pub fn spilling_below(mut self, folder: PathBuf) -> Self {
        Arc::make_mut(&mut self.launch).out = Some(Arc::new(OutFolder::below(folder)));
        self
    }

    /// Lets commands see these variables although their names look like secrets.
    #[must_use]
    pub fn passing(mut self, names: impl IntoIterator<Item = String>) -> Self {
        Arc::make_mut(&mut self.launch).wishes.passed.extend(names);
        self
    }

    /// Keeps these variables from commands, whatever their names look like.
    #[must_use]
    pub fn withholding(mut self, names: impl IntoIterator<Item = String>) -> Self {
        Arc::make_mut(&mut self.launch).wishes.withheld.extend(names);
        self
    }

    /// The binary that keeps commands.
    #[must_use]
    pub fn keeper(&self) -> &Path {
        &self.launch.keeper
    }

    /// The folder that commands run in, if it is another than the root of the workspace.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets later commands run there; `None` for the root of the workspace.
    pub fn change_folder(&self, folder: Option<PathBuf>) {
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// The path, if it is exactly that of a file with the output of a command of this session.
    #[must_use]
    pub fn output_file(&self, path: &str) -> Option<PathBuf> {
        self.launch.out.as_ref()?.readable(path)
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
        let tap = Tap::new();
        let end = watch::run(&self.launch, spec, &tap, run).await?;
        self.stuck.add(&end.survivors);
        Ok(CommandEnd { output: tap.finish(), ..end })
    }
}
