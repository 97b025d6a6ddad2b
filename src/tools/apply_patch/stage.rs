//! What a patch makes of the files of a folder, worked out before any of them is touched.
//!
//! Owns which files are read, what may be overwritten or removed, and the errors that teach.
//! Must not write.
//!
//! Invariant: each part of a patch sees what the parts before it made.

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt;

use super::apply::{self, Applied};
use super::patch::{Action, FilePatch, Hunk, Patch};
use super::told::{explain, line_list};
use crate::tools::edit_file;
use crate::tools::workspace::change::Change;
use crate::tools::workspace::plan::Plan;
use crate::tools::workspace::rewrite::{self, MAX_CONTENT, Moved, Rewrite};
use crate::tools::workspace::{Resolved, open, text};
use crate::tools::write_file;
use crate::tools::{ToolContext, ToolError};

/// A file that a patch names.
struct Staged {
    path: Resolved,
    /// What is on the disk.
    old: Option<Vec<u8>>,
    /// What will be.
    new: Option<Vec<u8>>,
    moved: Moved,
    /// What was there before the move, for the diff.
    source: Option<Vec<u8>>,
    told: String,
}

/// Works out what a patch does.
///
/// # Errors
/// A text for the model: which part does not fit, and why. Then nothing of it is done.
pub(super) fn plan(patch: &Patch, context: &ToolContext) -> Result<Plan, ToolError> {
    let mut stage = Stage { context, files: Vec::new(), notes: patch.notes.clone() };
    for part in &patch.files {
        stage.take(part)?;
    }
    Ok(stage.finish())
}

struct Stage<'a> {
    context: &'a ToolContext,
    files: Vec<Staged>,
    notes: Vec<String>,
}

impl Stage<'_> {
    fn take(&mut self, part: &FilePatch) -> Result<(), ToolError> {
        match &part.action {
            Action::Add(content) => self.add(&part.path, content),
            Action::Delete(hunks) => self.delete(&part.path, hunks),
            Action::Update { to, hunks } => self.update(&part.path, to.as_deref(), hunks),
        }
    }

    /// The file as the parts so far leave it.
    fn open(&mut self, path: &str) -> Result<usize, ToolError> {
        let path = self.context.workspace.resolve(path)?;
        if let Some(known) = self.files.iter().position(|file| file.path == path) {
            return Ok(known);
        }
        let old = rewrite::current(&self.context.workspace, &path)?;
        let new = old.clone();
        let told = String::new();
        self.files.push(Staged { path, old, new, moved: Moved::No, source: None, told });
        Ok(self.files.len() - 1)
    }

    fn file(&mut self, index: usize) -> Result<&mut Staged, ToolError> {
        let lost = || ToolError::failed("internal error", "a file of the patch was lost.");
        self.files.get_mut(index).ok_or_else(lost)
    }

    fn add(&mut self, path: &str, content: &str) -> Result<(), ToolError> {
        if content.len() as u64 > MAX_CONTENT {
            let max = open::size(MAX_CONTENT);
            let text = format!("the content for `{path}` has more than {max}. Write it in parts.");
            return Err(ToolError::failed("too large", text));
        }
        let index = self.open(path)?;
        let context = self.context;
        let file = self.file(index)?;
        let mut notes = Vec::new();
        let new = match &file.new {
            None => content.as_bytes().to_vec(),
            Some(now) => {
                let old = text::decode(now);
                let (_, new, kept) = write_file::keep_traits(&old, content.to_owned());
                if &new != now {
                    file.must_be_seen(context)?;
                }
                notes = kept;
                new
            }
        };
        let verb = if file.old.is_some() { "replaced" } else { "created" };
        file.told = format!("{verb} `{}`", file.path.relative);
        file.new = Some(new);
        self.notes.extend(notes);
        Ok(())
    }

    fn delete(&mut self, path: &str, hunks: &[Hunk]) -> Result<(), ToolError> {
        self.refuse_link(path)?;
        let index = self.open(path)?;
        let context = self.context;
        let file = self.file(index)?;
        let Some(now) = file.new.clone() else {
            return Err(open::not_found(&context.workspace, &file.path));
        };
        if hunks.is_empty() {
            file.must_be_seen(context)?;
        } else if !apply_to(&file.path, &now, hunks)?.0.text.is_empty() {
            return Err(ToolError::failed(
                "more is in it",
                format!(
                    "the patch deletes `{}`, but does not have all that is in it. Read it first.",
                    file.path.relative
                ),
            ));
        }
        file.told = format!("deleted `{}`", file.path.relative);
        file.new = None;
        Ok(())
    }

    fn update(&mut self, path: &str, to: Option<&str>, hunks: &[Hunk]) -> Result<(), ToolError> {
        let index = self.open(path)?;
        let context = self.context;
        let file = self.file(index)?;
        let Some(now) = file.new.clone() else {
            return Err(open::not_found(&context.workspace, &file.path));
        };
        let mut new = now.clone();
        let mut told = format!("changed `{}`", file.path.relative);
        if !hunks.is_empty() {
            let (applied, bytes) = apply_to(&file.path, &now, hunks)?;
            new = bytes;
            write!(told, " at {}", line_list(&applied.lines)).unwrap_or_default();
            if applied.shifted {
                told.push_str(", with the file's indentation");
            } else if applied.lenient {
                told.push_str(", read leniently");
            }
        }
        if context.seen.is_stale(&file.path.absolute, &now) && file.old.as_ref() == Some(&now) {
            told.push_str("; it had been changed since you last saw it, but the patch fitted");
        }
        match to {
            None => {
                file.new = Some(new);
                file.told = told;
                Ok(())
            }
            Some(to) => self.rename((path, index), to, new),
        }
    }

    fn rename(
        &mut self,
        (from, source): (&str, usize),
        to: &str,
        new: Vec<u8>,
    ) -> Result<(), ToolError> {
        self.refuse_link(from)?;
        self.refuse_link(to)?;
        let target = self.open(to)?;
        if target == source {
            return Err(ToolError::failed(
                "same file",
                format!("`{from}` and `{to}` are the same file. Leave out the move."),
            ));
        }
        let context = self.context;
        let file = self.file(source)?;
        let mode = match &file.moved {
            Moved::From(_, mode) => Some(*mode),
            _ => file.path.absolute.symlink_metadata().ok().map(|metadata| metadata.mode()),
        };
        let before = file.source.take().or_else(|| file.old.clone());
        let name = match std::mem::replace(&mut file.moved, Moved::Away) {
            Moved::From(name, _) => name,
            _ => file.path.relative.clone(),
        };
        file.new = None;
        file.told = String::new();
        let file = self.file(target)?;
        if file.new.as_ref().is_some_and(|now| *now != new) {
            file.must_be_seen(context)?;
        }
        file.told = format!("moved `{name}` to `{}`", file.path.relative);
        file.new = Some(new);
        // A file that was there keeps its mode, a new one gets that of the source.
        file.moved = Moved::From(name, mode.unwrap_or(0o644));
        file.source = before;
        Ok(())
    }

    /// What a link leads to is meant by a change, but not by a move or a removal.
    fn refuse_link(&self, path: &str) -> Result<(), ToolError> {
        if !self.context.workspace.is_link(path) {
            return Ok(());
        }
        Err(ToolError::failed(
            "symbolic link",
            format!("`{path}` is a symbolic link. Move or remove it with a command."),
        ))
    }

    fn finish(self) -> Plan {
        let files = self.files.into_iter().filter(|file| {
            // Created and removed by the same patch.
            file.old.is_some() || file.new.is_some()
        });
        let mut told = Vec::new();
        let mut rewrites = Vec::new();
        for file in files {
            let change = file.change();
            if !file.told.is_empty() {
                told.push(format!("{} ({})", file.told, change.summary()));
            }
            let Staged { path, old, new, moved, .. } = file;
            rewrites.push(Rewrite { path, old, new, change, moved });
        }
        let told = match told.as_slice() {
            [only] => format!("Applied the patch: {only}."),
            several => {
                format!("Applied the patch to {} files:\n{}", several.len(), several.join("\n"))
            }
        };
        Plan { rewrites, told, notes: self.notes }
    }
}

impl Staged {
    /// What is lost with this file must have been seen.
    fn must_be_seen(&self, context: &ToolContext) -> Result<(), ToolError> {
        let Some(now) = &self.new else { return Ok(()) };
        // What an earlier part of the same patch made is known.
        let is_own = self.old.as_ref() != Some(now);
        if now.is_empty() || is_own || context.seen.knows(&self.path.absolute, now) {
            return Ok(());
        }
        Err(match text::binary_type(now) {
            Some(kind) => ToolError::failed(
                "binary",
                format!(
                    "`{}` is binary ({kind}) and cannot be seen. Leave it, or use a command.",
                    self.path.relative
                ),
            ),
            None => write_file::unread(&self.path, now, context),
        })
    }

    fn change(&self) -> Change {
        let name = self.path.relative.as_str();
        let shown = |bytes: &Vec<u8>| match text::binary_type(bytes) {
            Some(kind) => format!("({kind}, {})\n", open::size(bytes.len() as u64)),
            None => text::decode(bytes).text,
        };
        let old = self.old.as_ref().map(shown);
        match (&self.moved, self.new.as_ref().map(shown)) {
            (Moved::Away, _) | (_, None) if self.moved == Moved::Away => Change::default(),
            (_, None) => Change::deletion(name, &old.unwrap_or_default()),
            (Moved::From(from, _), Some(new)) => {
                let before = self.source.as_ref().map(shown).unwrap_or_default();
                Change::renaming((from, &before), (name, &new))
            }
            (_, Some(new)) => Change::between(name, old.as_deref(), &new),
        }
    }
}

fn apply_to(
    path: &Resolved,
    bytes: &[u8],
    hunks: &[Hunk],
) -> Result<(Applied, Vec<u8>), ToolError> {
    let file = edit_file::decode(path, bytes)?;
    let name = &path.relative;
    let applied = apply::apply(&file.text, hunks).map_err(|(index, miss)| {
        let which =
            if hunks.len() == 1 { "the hunk".to_owned() } else { format!("hunk {}", index + 1) };
        explain((&which, name), &file.text, hunks.get(index), &miss)
    })?;
    let new = text::encode(&applied.text, file.encoding, file.bom).ok_or_else(|| {
        ToolError::failed(
            "not encodable",
            format!(
                "`{name}` is encoded as {}, which lacks a character of the patch. Use other \
                 characters.",
                file.encoding.name()
            ),
        )
    })?;
    if new.len() as u64 > MAX_CONTENT {
        let max = open::size(MAX_CONTENT);
        return Err(ToolError::failed(
            "too large",
            format!("`{name}` would have more than {max}."),
        ));
    }
    Ok((applied, new))
}
