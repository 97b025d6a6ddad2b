//! The tool that lists a folder, or finds files below it by their names.
//!
//! Owns the form of a listing. Must not read any file, and leaves the ignore rules to the walk.
//!
//! Invariant: what a listing leaves out is counted in it; the order depends on names alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::workspace::glob::Glob;
use super::workspace::walk::{self, Cut, Limits, Walk, Walked};
use super::workspace::{Resolved, blocking::blocking, open};
use super::{Run, Tool, ToolContext, ToolError, ToolOutput, arguments, output};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;
use crate::text::line;

const DEFAULT_LIMIT: usize = 500;

/// `list_files`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListFiles;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Default: the whole folder, `.`
    path: Option<String>,
    /// Only files like this, on all levels, e.g. `*.rs` or `src/**/*.ts`
    glob: Option<String>,
    /// Levels of folders, default 1
    depth: Option<usize>,
    /// Entries, default 500
    limit: Option<usize>,
    /// Also what is hidden or ignored by git
    include_ignored: Option<bool>,
}

impl Arguments {
    fn path(&self) -> &str {
        self.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".")
    }

    fn glob(&self) -> Result<Option<Glob>, ToolError> {
        self.glob.as_deref().filter(|glob| !glob.is_empty()).map(Glob::parse).transpose()
    }
}

impl Tool for ListFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_files".to_owned(),
            description:
                "List a folder: folders (with /), then files with sizes; or find files by \
                          a glob. Leaves out what is hidden or ignored by git, and says how much."
                    .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let path = context.workspace.resolve(arguments.path())?;
        Ok(Access::read(path.tree()))
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
        run: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let arguments: Arguments = arguments::read(arguments)?;
            let context = context.clone();
            blocking(&run.stop, move |stop| list(&arguments, &context, stop)).await
        })
    }
}

fn list(
    arguments: &Arguments,
    context: &ToolContext,
    stop: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let path = context.workspace.resolve(arguments.path())?;
    if !walk::must_exist(&context.workspace, &path)?.is_dir() {
        return Err(ToolError::failed(
            "not a folder",
            format!("`{}` is a file, not a folder. Use read_file to read it.", path.relative),
        ));
    }
    let folder = &path.absolute;
    if let Err(error) = folder.read_dir() {
        return Err(open::unreadable(&context.workspace, &path, &error));
    }
    let glob = arguments.glob()?;
    let fits = |entry: &walk::Entry| {
        glob.as_ref().is_none_or(|glob| {
            !entry.kind.is_dir() && glob.fits(&entry.path, (context.workspace.root(), folder))
        })
    };
    let levels = if glob.is_some() { usize::MAX } else { 1 };
    let walk = Walk {
        workspace: &context.workspace,
        path: folder,
        depth: arguments.depth.unwrap_or(levels).max(1),
        all: arguments.include_ignored.unwrap_or(false),
    };
    let mut entries = Vec::new();
    let walked = walk.run(&Limits::start(stop), |entry| {
        if fits(&entry) {
            entries.push(Entry::of(folder, &entry));
        }
    });
    entries.sort_by(|a, b| (!a.is_folder, &a.path).cmp(&(!b.is_folder, &b.path)));
    let listing = Listing { entries, walked, chosen: glob.is_some() };
    Ok(listing.output(&path, arguments.limit.unwrap_or(DEFAULT_LIMIT).max(1)))
}

struct Entry {
    /// Relative to the folder that is listed.
    path: PathBuf,
    is_folder: bool,
    /// What follows the name.
    rest: String,
}

impl Entry {
    fn of(folder: &Path, entry: &walk::Entry) -> Self {
        let kind = entry.kind;
        let rest = if kind.is_dir() {
            "/".to_owned()
        } else if kind.is_symlink() {
            let target = entry.path.read_link().unwrap_or_default();
            format!(" -> {}", line::escaped(&target.to_string_lossy()))
        } else if kind.is_file() {
            let size = entry
                .path
                .symlink_metadata()
                .map_or_else(|_| "?".to_owned(), |data| open::size(data.len()));
            format!("  {size}")
        } else {
            format!("  {}", open::kind_word(kind))
        };
        Self { path: walk::below(folder, &entry.path), is_folder: kind.is_dir(), rest }
    }
}

struct Listing {
    entries: Vec<Entry>,
    walked: Walked,
    /// Whether only some files were wished.
    chosen: bool,
}

impl Listing {
    fn output(&self, path: &Resolved, limit: usize) -> ToolOutput {
        let mut text = String::new();
        for entry in self.entries.iter().take(limit) {
            text.push_str(&line::escaped(&entry.path.to_string_lossy()));
            text.push_str(&entry.rest);
            text.push('\n');
        }
        let count = self.entries.len();
        if count == 0 && self.walked.cut.is_none() {
            let nothing = if self.chosen {
                "has no file that fits the glob"
            } else if self.walked.hidden + self.walked.ignored == 0 {
                "is empty"
            } else {
                "shows no entries"
            };
            writeln!(text, "`{}` {nothing}.", path.relative).unwrap_or_default();
        }
        let mut text = output::cut_end(&text, "list a smaller folder");
        if !text.ends_with('\n') {
            text.push('\n');
        }
        for note in self.notes(limit) {
            output::add_note(&mut text, &note);
        }
        ToolOutput {
            status: self.walked.cut.and_then(Cut::status),
            text,
            summary: if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") },
            diff: None,
            whole: None,
        }
    }

    fn notes(&self, limit: usize) -> Vec<String> {
        let mut notes = Vec::new();
        let more = self.entries.len().saturating_sub(limit);
        if more > 0 {
            notes.push(format!("{more} more entries; list a smaller folder or raise limit"));
        }
        let walked = &self.walked;
        let left_out: Vec<String> = [(walked.hidden, "hidden"), (walked.ignored, "ignored")]
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !left_out.is_empty() && walked.cut.is_none() {
            notes.push(format!("{} left out; include_ignored shows them", left_out.join(" and ")));
        }
        notes.extend(walked.notes.iter().cloned());
        notes.extend(walked.cut.map(Cut::words));
        notes
    }
}
