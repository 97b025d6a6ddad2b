//! The tool that searches file contents with a regular expression.
//!
//! Owns what is searched and how matches are told; [`find`] searches one file. Must not change
//! anything.
//!
//! Invariant: the result depends on the files alone, not on timing: ordered by path, then line;
//! what is left out is counted.

pub mod find;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use futures_util::future::BoxFuture;
use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::workspace::blocking::blocking;
use super::workspace::walk::{self, Cut, Limits};
use super::{Run, Tool, ToolContext, ToolError, ToolOutput, arguments, output};
use crate::protocol::access::{Access, Resource};
use crate::protocol::question::Preview;
use crate::protocol::tool::{ToolSpec, ToolStatus};
use find::{Found, Wish};

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1_000;
const DEFAULT_FILES: usize = 250;
const MAX_CONTEXT: usize = 20;
const MAX_THREADS: usize = 8;
/// Files searched before results are put in order: bounds what is held.
const WAVE: usize = 64;

/// `search_code`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchCode;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Content,
    Files,
    Count,
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Rust regular expression, matched line by line
    pattern: String,
    /// File or folder, default `.`
    path: Option<String>,
    /// Only files like this, e.g. `*.rs` or `src/**/*.ts`
    glob: Option<String>,
    ignore_case: Option<bool>,
    /// Lines around each match
    context: Option<usize>,
    /// Matching lines (default), names of files, or counts
    mode: Option<Mode>,
    /// Default 100 matches, or 250 files
    limit: Option<usize>,
}

impl Arguments {
    fn path(&self) -> &str {
        self.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".")
    }

    fn mode(&self) -> Mode {
        self.mode.unwrap_or_default()
    }

    fn limit(&self) -> usize {
        let default = if self.mode() == Mode::Content { DEFAULT_LIMIT } else { DEFAULT_FILES };
        self.limit.unwrap_or(default).clamp(1, MAX_LIMIT)
    }
}

impl Tool for SearchCode {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "search_code".to_owned(),
            description: "Search the contents of files. Gives `path:line: text`, sorted. Skips \
                          binary, hidden and git-ignored files."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let path = context.workspace.resolve(arguments.path())?;
        let is_file = path.absolute.is_file();
        let resource = if is_file { Resource::File } else { Resource::Tree };
        Ok(Access::read(resource(path.absolute)))
    }

    fn preview<'a>(
        &'a self,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        Box::pin(async move { self.access(arguments, context).map(|_| Preview::Nothing) })
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
            blocking(&run.stop, move |stop| search(&arguments, &context, stop)).await
        })
    }
}

fn search(
    arguments: &Arguments,
    context: &ToolContext,
    stop: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let workspace = &context.workspace;
    let path = workspace.resolve(arguments.path())?;
    let metadata = walk::must_exist(workspace, &path)?;
    if !metadata.is_dir() {
        super::workspace::open::check_kind(&path, &metadata)?;
    }
    let matcher = matcher(&arguments.pattern, arguments.ignore_case.unwrap_or(false))?;
    let glob = arguments.glob.as_deref().map(Glob::parse).transpose()?;
    let limits = Limits::start(stop);
    let filtered = !walk::is_left_out(workspace, &path.absolute);
    let mut files = Vec::new();
    let cut = walk::walk(&path.absolute, None, filtered, &limits, |entry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let fits = |glob: &Glob| {
            glob.fits(&walk::below(workspace.root(), entry.path()))
                || glob.fits_below(&walk::below(&path.absolute, entry.path()))
        };
        if is_file && glob.as_ref().is_none_or(fits) {
            files.push(entry.into_path());
        }
    });
    files.sort();
    let mut report = Report { cut, searched: files.len(), filtered, ..Report::default() };
    for wave in files.chunks(WAVE) {
        let wish = Wish {
            lines: if arguments.mode() == Mode::Content {
                arguments.limit().saturating_sub(report.shown)
            } else {
                0
            },
            context: arguments.context.unwrap_or(0).min(MAX_CONTEXT),
            first_only: arguments.mode() == Mode::Files,
        };
        for (file, found) in wave.iter().zip(search_wave(wave, &matcher, wish, &limits)) {
            report.add(&workspace.relative(file), found, arguments);
        }
        if report.cut.is_none() {
            report.cut = limits.reached();
        }
        if report.cut.is_some() {
            break;
        }
    }
    Ok(report.output(arguments))
}

/// Searches some files side by side; results in the order of the files.
fn search_wave(
    files: &[PathBuf],
    matcher: &RegexMatcher,
    wish: Wish,
    limits: &Limits,
) -> Vec<Option<Found>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Found>>> = files.iter().map(|_| Mutex::new(None)).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.min(MAX_THREADS).min(files.len()) {
            scope.spawn(|| {
                let mut searcher = find::searcher(wish);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(file), Some(result)) = (files.get(index), results.get(index)) else {
                        break;
                    };
                    if limits.reached().is_some() {
                        break;
                    }
                    let found = find::find(&mut searcher, matcher, file, wish, limits);
                    *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                }
            });
        }
    });
    results
        .into_iter()
        .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

fn matcher(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, ToolError> {
    if pattern.is_empty() {
        return Err(ToolError::refused(
            "empty pattern",
            "the pattern is empty. Give a word or a regular expression to search for.",
        ));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        .line_terminator(Some(b'\n'))
        .build(pattern)
        .map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            let way_out = if pattern.contains('\n') || pattern.contains(r"\n") {
                "The search goes line by line: search for one of the lines.".to_owned()
            } else {
                let literal = Value::String(escape(pattern));
                format!("To search for just this text, use \"pattern\": {literal}.")
            };
            ToolError::failed(
                "bad pattern",
                format!(
                    "{pattern:?} is not a regular expression in Rust syntax: {reason}. {way_out}"
                ),
            )
        })
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Which files are searched, by name.
struct Glob {
    matcher: GlobMatcher,
    negated: bool,
    by_name: bool,
}

impl Glob {
    fn parse(glob: &str) -> Result<Self, ToolError> {
        let (negated, pattern) = match glob.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, glob),
        };
        let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
        let matcher =
            GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
                ToolError::failed(
                    "bad glob",
                    format!("{glob:?} is not a glob: {}. Use one like `*.rs`.", error.kind()),
                )
            })?;
        let by_name = !pattern.contains('/');
        Ok(Self { matcher: matcher.compile_matcher(), negated, by_name })
    }

    fn fits(&self, path: &Path) -> bool {
        let matched = if self.by_name {
            path.file_name().is_some_and(|name| self.matcher.is_match(name))
        } else {
            self.matcher.is_match(path)
        };
        matched != self.negated
    }

    /// A glob with folders may also be meant from the folder that is searched.
    fn fits_below(&self, path: &Path) -> bool {
        !self.negated && !self.by_name && self.matcher.is_match(path)
    }
}

/// The result as it grows, file by file.
#[derive(Default)]
struct Report {
    text: String,
    /// Matches, or files, in `text`.
    shown: usize,
    matches: usize,
    files: usize,
    searched: usize,
    filtered: bool,
    binary: usize,
    unreadable: Vec<String>,
    lossy: bool,
    cut: Option<Cut>,
}

impl Report {
    fn add(&mut self, path: &str, found: Option<Found>, arguments: &Arguments) {
        let Some(found) = found else { return };
        self.binary += usize::from(found.binary);
        if let Some(error) = &found.error {
            self.unreadable.push(format!("{path} ({error})"));
        }
        if found.matches == 0 {
            return;
        }
        self.matches += found.matches;
        self.files += 1;
        self.lossy |= found.lossy;
        let path = walk::on_one_line(Path::new(path));
        let room = arguments.limit().saturating_sub(self.shown);
        if room == 0 {
            return;
        }
        match arguments.mode() {
            Mode::Files => writeln!(self.text, "{path}").unwrap_or_default(),
            Mode::Count => writeln!(self.text, "{path}: {}", found.matches).unwrap_or_default(),
            Mode::Content => {
                let context = arguments.context.unwrap_or(0) > 0;
                if context && !self.text.is_empty() {
                    self.text.push_str("--\n");
                }
                self.shown += found.write(&path, room, &mut self.text);
                return;
            }
        }
        self.shown += 1;
    }

    fn output(&self, arguments: &Arguments) -> ToolOutput {
        let mut text = output::cut_end(&self.text, "search a smaller folder, or with a glob");
        if self.matches == 0 {
            write!(
                text,
                "no matches for {:?} in {} ({}{})",
                arguments.pattern,
                arguments.path(),
                plural(self.searched, "file", "files"),
                if self.filtered { "; hidden and git-ignored ones are left out" } else { "" }
            )
            .unwrap_or_default();
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        for note in self.notes(arguments) {
            output::add_note(&mut text, &note);
        }
        let matches = plural(self.matches, "match", "matches");
        let files = plural(self.files, "file", "files");
        ToolOutput {
            status: match self.cut {
                Some(Cut::Stopped) => Some(ToolStatus::Cancelled),
                Some(Cut::Time) => Some(ToolStatus::TimedOut),
                _ => None,
            },
            text,
            summary: match (self.matches, arguments.mode()) {
                (0, _) => "no matches".to_owned(),
                (_, Mode::Files) => files,
                _ => format!("{matches} in {files}"),
            },
            diff: None,
        }
    }

    fn notes(&self, arguments: &Arguments) -> Vec<String> {
        let mut notes = Vec::new();
        let (all, one, many) = match arguments.mode() {
            Mode::Content => (self.matches, "more match", "more matches"),
            Mode::Files | Mode::Count => (self.files, "more file", "more files"),
        };
        let more = all.saturating_sub(self.shown);
        if more > 0 {
            let more = plural(more, one, many);
            notes.push(format!("{more} not shown; narrow the search or raise limit"));
        }
        if self.binary > 0 {
            notes.push(format!("{} skipped", plural(self.binary, "binary file", "binary files")));
        }
        if let Some(first) = self.unreadable.first() {
            let count = plural(self.unreadable.len(), "file", "files");
            notes.push(format!("{count} could not be searched, for instance {first}"));
        }
        if self.lossy {
            notes.push("bytes that are not UTF-8 are shown as U+FFFD".to_owned());
        }
        notes.extend(self.cut.map(Cut::words));
        notes
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
