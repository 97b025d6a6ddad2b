//! One file about to get another content, or none.
//!
//! Owns what all changes of files have in common: what they may touch, which files they are
//! refused for, and how one is shown. Must not know how the new content came about.
//!
//! Invariant: what is shown is what would be saved, on top of the content it was made from.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::change::Change;
use super::{Resolved, Workspace, open, spelling};
use crate::protocol::access::{Access, Resource};
use crate::tools::ToolError;

/// Largest content that is written, and largest file that is changed, in bytes.
pub const MAX_CONTENT: u64 = 10 * 1024 * 1024;

/// A file's content now and as it will be.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// Which file.
    pub path: Resolved,
    /// What is there; `None` if the file does not exist.
    pub old: Option<Vec<u8>>,
    /// What will be there; `None` if the file will not exist.
    pub new: Option<Vec<u8>>,
    /// The difference, as text.
    pub change: Change,
    /// Where the content comes from, if that is another file.
    pub moved: Moved,
}

/// Whether a content stays in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Moved {
    /// It does.
    #[default]
    No,
    /// It comes from this path, relative to the workspace, and brings this mode along.
    From(String, u32),
    /// It goes to another file, which is a rewrite of its own and shows the change.
    Away,
}

/// What writing a file may touch: the file, and, if folders have to be created, the outermost of
/// them with all that will be in it. A file with more names than one (hard links) may be any file.
#[must_use]
pub fn access(path: &Resolved) -> Access {
    let mut access = Access::write(path.file());
    let metadata = path.absolute.symlink_metadata();
    if metadata.is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1) {
        access.writes.push(Resource::Tree("/".into()));
    }
    let folders = path.absolute.ancestors().skip(1);
    if let Some(missing) = folders.take_while(|folder| !folder.exists()).last() {
        access.writes.push(Resource::Tree(spelling::compared(missing)));
    }
    access
}

/// The content of the file to be changed; `None` if it does not exist.
///
/// # Errors
/// A text for the model: a folder, a special file, too large, read-only; the workspace is gone.
pub fn current(workspace: &Workspace, path: &Resolved) -> Result<Option<Vec<u8>>, ToolError> {
    let metadata = match path.absolute.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return open::vanished(workspace).map_or(Ok(None), Err);
        }
        Err(error) => return Err(open::unreadable(workspace, path, &error)),
    };
    open::check_kind(path, &metadata)?;
    // Replacing goes past the file's own mode, which is there to prevent just that.
    if metadata.permissions().mode() & 0o222 == 0 {
        return Err(ToolError::failed(
            "read-only",
            format!("`{}` is read-only. Leave it, or ask the user.", path.relative),
        ));
    }
    open::read_whole(workspace, path, MAX_CONTENT).map(Some)
}

impl Rewrite {
    /// A file that stays where it is, or is created.
    #[must_use]
    pub fn of(path: Resolved, old: Option<Vec<u8>>, new: Vec<u8>, change: Change) -> Self {
        Self { path, old, new: Some(new), change, moved: Moved::No }
    }

    /// Whether nothing would change.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.old == self.new
    }

    /// Whether a file goes that is not moved.
    #[must_use]
    pub fn deletes(&self) -> bool {
        self.new.is_none() && self.moved != Moved::Away
    }

    /// Whether one file gets its new content where it is: then its diff says all.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.new.is_some() && self.moved == Moved::No
    }

    /// The diff with a head that tells what happens to the file, as git writes it.
    #[must_use]
    pub fn diff_with_head(&self) -> String {
        let to = &self.path.relative;
        let mut diff = match &self.moved {
            Moved::Away => return String::new(),
            Moved::From(from, _) => {
                format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n")
            }
            Moved::No => format!("diff --git a/{to} b/{to}\n"),
        };
        match (&self.old, &self.new) {
            (_, None) => diff.push_str("deleted file\n"),
            (None, _) if self.moved == Moved::No => diff.push_str("new file\n"),
            _ => {}
        }
        diff.push_str(&self.change.diff);
        if !diff.ends_with('\n') {
            diff.push('\n');
        }
        diff
    }

    /// The file and what happens to it, in a few words.
    #[must_use]
    pub fn label(&self) -> String {
        let name = &self.path.relative;
        match &self.moved {
            Moved::From(from, _) => format!("{from} (moved to {name})"),
            _ if self.deletes() => format!("{name} (deleted)"),
            _ => name.clone(),
        }
    }
}
