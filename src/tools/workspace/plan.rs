//! All that one call will change: shown first, then done.
//!
//! Owns the way from a plan to a preview or a result, for every tool that changes files. Must not
//! know which tool made it.

use std::fmt::Write as _;
use std::path::Path;

use super::commit::{self, Failed};
use super::rewrite::{self, Moved, Rewrite};
use crate::protocol::question::Preview;
use crate::tools::{ToolContext, ToolError, ToolOutput};

/// Files that a preview names before it only counts them.
const FILES_NAMED: usize = 6;

/// All that one call will change.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The files, each at most once.
    pub rewrites: Vec<Rewrite>,
    /// First sentence of the result.
    pub told: String,
    /// What follows it, a line each.
    pub notes: Vec<String>,
}

impl Plan {
    /// What the user decides on; [`Preview::Nothing`] if nothing would change.
    #[must_use]
    pub fn preview(self) -> Preview {
        if self.is_nothing() {
            return Preview::Nothing;
        }
        let changes = self.changes();
        let (added, removed) = self.counts();
        Preview::Write {
            path: self.label(),
            diff: self.diff(),
            creates: changes.iter().all(|rewrite| rewrite.is_plain() && rewrite.old.is_none()),
            added,
            removed,
            files: changes.iter().map(|rewrite| rewrite.shown(changes.len() == 1)).collect(),
        }
    }

    /// Does it, all or nothing.
    ///
    /// # Errors
    /// A text for the model, if a file changed in the meantime or cannot be written; it tells
    /// what stands then.
    pub fn apply(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        self.apply_noting(context, |_| true)
    }

    /// As [`Plan::apply`]; the model has seen only the new contents of those files that `is_seen`
    /// names.
    pub fn apply_noting(
        self,
        context: &ToolContext,
        is_seen: impl Fn(&Path) -> bool,
    ) -> Result<ToolOutput, ToolError> {
        if self.is_nothing() {
            return Ok(self.no_change(context));
        }
        for rewrite in &self.rewrites {
            if rewrite::current(&context.workspace, &rewrite.path)? != rewrite.old {
                let name = &rewrite.path.relative;
                return Err(ToolError::failed(
                    "changed meanwhile",
                    format!("`{name}` was changed by something else just now. Read it again."),
                ));
            }
        }
        let saved = commit::commit(context.workspace.root(), &self.rewrites, &mut |_| Ok(()))
            .map_err(|failed| not_written(&failed, context))?;
        for rewrite in &self.rewrites {
            if let Some(new) = rewrite.new.as_ref().filter(|_| is_seen(&rewrite.path.absolute)) {
                context.seen.note(&rewrite.path.absolute, new);
            }
        }
        let (added, removed) = self.counts();
        let diff = self.diff();
        let mut text = self.told;
        let folders: Vec<String> = saved
            .iter()
            .flat_map(|saved| &saved.created_folders)
            .map(|folder| format!("`{}`", context.workspace.relative(folder)))
            .collect();
        if !folders.is_empty() {
            write!(text, "\nCreated the folders {}.", folders.join(", ")).unwrap_or_default();
        }
        for (rewrite, saved) in self.rewrites.iter().zip(&saved) {
            let Some(reason) = saved.in_place else { continue };
            let name = if self.rewrites.len() == 1 { "It" } else { rewrite.path.relative.as_str() };
            write!(text, "\n{name} was written in place, because {reason}.").unwrap_or_default();
        }
        for note in self.notes {
            text.push('\n');
            text.push_str(&note);
        }
        let summary = format!("+{added} −{removed}");
        Ok(ToolOutput { status: None, text, summary, diff: Some(diff), whole: None })
    }

    fn is_nothing(&self) -> bool {
        self.rewrites.iter().all(Rewrite::is_nothing)
    }

    fn no_change(self, context: &ToolContext) -> ToolOutput {
        for rewrite in &self.rewrites {
            if let Some(new) = &rewrite.new {
                context.seen.note(&rewrite.path.absolute, new);
            }
        }
        ToolOutput {
            text: format!("`{}` has just this content already: no change.", self.label()),
            summary: "no change".to_owned(),
            ..ToolOutput::default()
        }
    }

    /// The files as the user sees them: a move is one.
    fn changes(&self) -> Vec<&Rewrite> {
        self.rewrites.iter().filter(|rewrite| rewrite.moved != Moved::Away).collect()
    }

    fn counts(&self) -> (usize, usize) {
        let changes = self.rewrites.iter().map(|rewrite| &rewrite.change);
        changes.fold((0, 0), |(added, removed), change| {
            (added + change.added, removed + change.removed)
        })
    }

    fn label(&self) -> String {
        let changes = self.changes();
        if let [only] = changes.as_slice() {
            return only.label();
        }
        let named: Vec<String> =
            changes.iter().take(FILES_NAMED).map(|rewrite| rewrite.label()).collect();
        let more = if changes.len() > FILES_NAMED { ", …" } else { "" };
        format!("{} files: {}{more}", changes.len(), named.join(", "))
    }

    pub(super) fn diff(&self) -> String {
        match self.changes().as_slice() {
            [only] if only.is_plain() => only.change.diff.clone(),
            changes => changes.iter().map(|rewrite| rewrite.diff_with_head()).collect(),
        }
    }
}

fn not_written(failed: &Failed, context: &ToolContext) -> ToolError {
    let relative = |path| context.workspace.relative(path);
    let name = relative(&failed.path);
    let mut text = format!("`{name}` could not be changed: {}.", failed.error);
    if failed.stands.is_empty() {
        text.push_str(" Nothing was changed. Check its folder with list_files.");
    } else {
        text.push_str(" What had been changed before was put back, but not");
        for (path, error) in &failed.stands {
            write!(text, "\n`{}`: {error}", relative(path)).unwrap_or_default();
        }
        text.push_str("\nRead these again before anything else.");
    }
    ToolError::failed("not written", text)
}
