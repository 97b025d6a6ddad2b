//! Walks folders the way ripgrep does: what git ignores, and what is hidden, is left out.
//!
//! Owns the ignore rules and the limits of a walk. Must not know what is done with the entries.
//!
//! Invariant: symbolic links are never followed, `.git` is never entered, and a walk ends: at
//! its limits, or soon after its token is cancelled.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder};
use tokio_util::sync::CancellationToken;

use super::{Resolved, Workspace};
use crate::protocol::tool::ToolStatus;
use crate::tools::ToolError;

/// Entries that one walk visits at most.
const MAX_ENTRIES: usize = 200_000;

/// Time that one call may spend on walking and searching.
pub const MAX_TIME: Duration = Duration::from_secs(20);

/// Why a walk did not see everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The call was stopped.
    Stopped,
    /// The time was used up.
    Time,
    /// There were too many entries.
    Entries,
}

impl Cut {
    /// How a call ended that was cut so, if that is not simply well.
    #[must_use]
    pub fn status(self) -> Option<ToolStatus> {
        match self {
            Self::Stopped => Some(ToolStatus::Cancelled),
            Self::Time => Some(ToolStatus::TimedOut),
            Self::Entries => None,
        }
    }

    /// What happened, for a note in a result.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Stopped => "stopped before everything was seen".to_owned(),
            Self::Time => {
                format!("timed out after {} s; not everything was seen", MAX_TIME.as_secs())
            }
            Self::Entries => {
                format!("only the first {MAX_ENTRIES} entries were seen: take a smaller folder")
            }
        }
    }
}

/// When work has to end: a token and a point in time.
#[derive(Clone, Debug)]
pub struct Limits {
    stop: CancellationToken,
    deadline: Instant,
}

impl Limits {
    /// Limits for work that starts now.
    #[must_use]
    pub fn start(stop: &CancellationToken) -> Self {
        Self { stop: stop.clone(), deadline: Instant::now() + MAX_TIME }
    }

    /// Why to end now, if so.
    #[must_use]
    pub fn reached(&self) -> Option<Cut> {
        if self.stop.is_cancelled() {
            Some(Cut::Stopped)
        } else if Instant::now() >= self.deadline {
            Some(Cut::Time)
        } else {
            None
        }
    }
}

/// Walks the folder, or visits the one file, that `path` names; the folder itself is not
/// visited. `depth` 1 is its direct entries. Entries come in no particular order.
#[must_use]
pub fn walk(
    path: &Path,
    depth: Option<usize>,
    filtered: bool,
    limits: &Limits,
    mut visit: impl FnMut(DirEntry),
) -> Option<Cut> {
    let walk = builder(path, filtered).max_depth(depth).build();
    for (count, entry) in walk.enumerate() {
        if let Some(cut) = limits.reached() {
            return Some(cut);
        }
        if count > MAX_ENTRIES {
            return Some(Cut::Entries);
        }
        // An unreadable folder inside is like an empty one.
        if let Ok(entry) = entry
            && (entry.depth() > 0 || entry.file_type().is_some_and(|kind| kind.is_file()))
        {
            visit(entry);
        }
    }
    None
}

/// Whether the rules leave this path itself out: then it was named on purpose, and filtering
/// what is below it would show nothing.
#[must_use]
pub fn is_left_out(workspace: &Workspace, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(workspace.root()) else { return false };
    let depth = below.components().count();
    if depth == 0 {
        return false;
    }
    let target = path.to_owned();
    let mut walk = builder(workspace.root(), true)
        .max_depth(Some(depth))
        .filter_entry(move |entry| target.starts_with(entry.path()))
        .build();
    !walk.any(|entry| entry.is_ok_and(|entry| entry.path() == path))
}

fn builder(path: &Path, filtered: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(path);
    builder
        .standard_filters(filtered)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
}

/// Checks that something is at the path.
///
/// # Errors
/// A text for the model: not found, with near names.
pub fn must_exist(workspace: &Workspace, path: &Resolved) -> Result<std::fs::Metadata, ToolError> {
    path.absolute
        .symlink_metadata()
        .map_err(|error| super::open::unreadable(workspace, path, &error))
}

/// A path as one line: control characters are written as escapes.
#[must_use]
pub fn on_one_line(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.contains(char::is_control) {
        text.chars()
            .flat_map(|char| {
                let (escaped, plain) = if char.is_control() {
                    (Some(char.escape_default()), None)
                } else {
                    (None, Some(char))
                };
                escaped.into_iter().flatten().chain(plain)
            })
            .collect()
    } else {
        text.into_owned()
    }
}

/// Where an entry is, relative to the folder that was walked.
#[must_use]
pub fn below(folder: &Path, entry: &Path) -> PathBuf {
    entry.strip_prefix(folder).unwrap_or(entry).to_owned()
}
