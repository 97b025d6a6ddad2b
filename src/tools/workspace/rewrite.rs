//! One file about to get another content: shown first, then done.
//!
//! Owns what write and edit have in common: their access, their preview, and saving with what
//! is told about it. Must not know how the new content came about.
//!
//! Invariant: what is saved is what the preview showed, on top of the content it was made from.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;

use super::change::Change;
use super::{Resolved, Workspace, open, save};
use crate::protocol::access::{Access, Resource};
use crate::protocol::question::Preview;
use crate::tools::{ToolContext, ToolError, ToolOutput};

/// Largest content that is written, and largest file that is changed, in bytes.
pub const MAX_CONTENT: u64 = 10 * 1024 * 1024;

/// A file's content now and as it will be.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// Which file.
    pub path: Resolved,
    /// What is there; `None` if the file does not exist.
    pub old: Option<Vec<u8>>,
    /// What will be there.
    pub new: Vec<u8>,
    /// The difference, as text.
    pub change: Change,
}

/// What writing a file may touch: the file, and, if folders have to be created, all that is
/// below the deepest one that exists.
#[must_use]
pub fn access(path: &Resolved) -> Access {
    let mut access = Access::write(Resource::File(path.absolute.clone()));
    let missing = path.absolute.parent().filter(|parent| !parent.exists());
    if let Some(existing) =
        missing.and_then(|parent| parent.ancestors().find(|folder| folder.exists()))
    {
        access.writes.push(Resource::Tree(existing.to_owned()));
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
    /// Whether nothing would change.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.old.as_ref() == Some(&self.new)
    }

    /// What the user decides on; [`Preview::Nothing`] if nothing would change.
    #[must_use]
    pub fn preview(self) -> Preview {
        if self.is_nothing() {
            return Preview::Nothing;
        }
        Preview::Write {
            path: self.path.relative,
            diff: self.change.diff,
            creates: self.old.is_none(),
            added: self.change.added,
            removed: self.change.removed,
        }
    }

    /// Saves. `told` is the first sentence of the result; `notes` follow it.
    ///
    /// # Errors
    /// A text for the model, if the file changed in the meantime or cannot be written.
    pub fn apply(
        self,
        context: &ToolContext,
        told: String,
        notes: Vec<String>,
    ) -> Result<ToolOutput, ToolError> {
        let name = &self.path.relative;
        if current(&context.workspace, &self.path)? != self.old {
            return Err(ToolError::failed(
                "changed meanwhile",
                format!("`{name}` was changed by something else just now. Read it again."),
            ));
        }
        let saved = save::save(context.workspace.root(), &self.path.absolute, &self.new);
        let saved = saved.map_err(|error| {
            ToolError::failed(
                "not written",
                format!(
                    "`{name}` could not be written: {error}. Check its folder with list_files."
                ),
            )
        })?;
        context.seen.note(&self.path.absolute, &self.new);
        let mut text = told;
        if !saved.created_folders.is_empty() {
            let folders: Vec<String> = saved
                .created_folders
                .iter()
                .map(|folder| format!("`{}`", context.workspace.relative(folder)))
                .collect();
            write!(text, "\nCreated the folders {}.", folders.join(", ")).unwrap_or_default();
        }
        if let Some(reason) = saved.in_place {
            write!(text, "\nIt was written in place, because {reason}.").unwrap_or_default();
        }
        for note in notes {
            text.push('\n');
            text.push_str(&note);
        }
        Ok(ToolOutput {
            status: None,
            text,
            summary: self.change.summary(),
            diff: Some(self.change.diff),
        })
    }
}
