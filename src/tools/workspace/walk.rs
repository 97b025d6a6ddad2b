//! Walks folders the way ripgrep does: what git ignores, and what is hidden, is left out.
//!
//! Owns what a walk visits. Must not know what is done with the entries.
//!
//! Invariant: symbolic links are never followed, `.git` is never entered, and a walk ends: at
//! its limits, or soon after its token is cancelled.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::limits::MAX_ENTRIES;
pub use super::limits::{Cut, Limits};
use super::rules::{self, Reading, Rules};
use super::{Resolved, Workspace};
use crate::tools::ToolError;

/// An entry that a walk visits.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// What it is; a symbolic link is not followed.
    pub kind: FileType,
}

/// What to walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The workspace that the path lies in.
    pub workspace: &'a Workspace,
    /// The folder to walk, or the one file to visit.
    pub path: &'a Path,
    /// Levels of folders; 1 is the direct entries.
    pub depth: usize,
    /// Whether to visit what is hidden or ignored too.
    pub all: bool,
}

/// How a walk went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Why it did not see everything.
    pub cut: Option<Cut>,
    /// Whether entries could be left out: not if all were wished, nor below a path that is left
    /// out itself, as that was named on purpose.
    pub filtered: bool,
    /// Entries left out because they are hidden. A folder counts as one.
    pub hidden: usize,
    /// Entries left out because of a rule. A folder counts as one.
    pub ignored: usize,
    /// Which rules were not used, and why.
    pub notes: Vec<String>,
}

impl Walk<'_> {
    /// Visits what is below the folder, but not the folder itself, or the one file. Entries
    /// come in no particular order.
    #[must_use]
    pub fn run(&self, limits: &Limits, mut visit: impl FnMut(Entry)) -> Walked {
        let mut walked = Walked::default();
        let mut reading = Reading::new(self.workspace, limits);
        let above =
            if self.all { Above::LeftOut } else { above(self.workspace, self.path, &mut reading) };
        let rules = match above {
            Above::LeftOut => None,
            Above::Rules(rules) => {
                walked.filtered = true;
                rules
            }
        };
        walked.cut = limits.reached();
        if let Ok(metadata) = self.path.symlink_metadata()
            && walked.cut.is_none()
        {
            if metadata.is_file() {
                visit(Entry { path: self.path.to_owned(), kind: metadata.file_type() });
            } else if metadata.is_dir() {
                walked.cut = self.folders(rules, &mut reading, &mut walked, &mut visit);
            }
        }
        walked.notes = reading.notes();
        walked
    }

    fn folders(
        &self,
        rules: Option<Arc<Rules>>,
        reading: &mut Reading<'_>,
        walked: &mut Walked,
        visit: &mut impl FnMut(Entry),
    ) -> Option<Cut> {
        let mut count = 0;
        let mut pending = vec![(self.path.to_owned(), 1, rules)];
        while let Some((folder, level, above)) = pending.pop() {
            if let Some(cut) = reading.limits.reached() {
                return Some(cut);
            }
            let rules =
                if walked.filtered { Rules::below(above.as_ref(), &folder, reading) } else { None };
            // An unreadable folder inside is like an empty one.
            for entry in folder.read_dir().into_iter().flatten() {
                if let Some(cut) = reading.limits.reached() {
                    return Some(cut);
                }
                let Ok(entry) = entry else { break };
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if entry.file_name() == ".git" {
                    continue;
                }
                if walked.filtered && rules::leave_out(rules.as_ref(), &path, kind.is_dir()) {
                    if rules::is_hidden(&path) {
                        walked.hidden += 1;
                    } else {
                        walked.ignored += 1;
                    }
                    continue;
                }
                if count == MAX_ENTRIES {
                    return Some(Cut::Entries);
                }
                count += 1;
                if kind.is_dir() && level < self.depth {
                    pending.push((path.clone(), level + 1, rules.clone()));
                }
                visit(Entry { path, kind });
            }
        }
        None
    }
}

enum Above {
    /// The path itself is left out.
    LeftOut,
    /// The rules that hold in the folder that the path lies in.
    Rules(Option<Arc<Rules>>),
}

/// What the folders above a path say of it, from the top of the repository that the workspace
/// lies in.
fn above(workspace: &Workspace, path: &Path, reading: &mut Reading<'_>) -> Above {
    let root = workspace.root();
    let top = root
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .unwrap_or(root);
    let Ok(below) = path.strip_prefix(top) else { return Above::Rules(None) };
    let mut rules = None;
    let mut folder = top.to_owned();
    for part in below.components() {
        rules = Rules::below(rules.as_ref(), &folder, reading);
        folder.push(part);
        let is_folder = folder.is_dir();
        let is_inside = folder != root && folder.starts_with(root);
        if is_inside
            && (folder.ends_with(".git") || rules::leave_out(rules.as_ref(), &folder, is_folder))
        {
            return Above::LeftOut;
        }
    }
    Above::Rules(rules)
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

/// Where an entry is, relative to the folder that was walked.
#[must_use]
pub fn below(folder: &Path, entry: &Path) -> PathBuf {
    entry.strip_prefix(folder).unwrap_or(entry).to_owned()
}
