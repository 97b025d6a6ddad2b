//! The tool that searches file contents with a regular expression.
//!
//! Owns what is searched and how matches are told; [`find`] searches one file,
//! `report` puts the results together. Must not change
//! anything.
//!
//! Invariant: the result depends on the files alone, not on timing: ordered by path, then line;
//! what is left out is counted.

pub mod find;
mod pattern;
mod report;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use futures_util::future::BoxFuture;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::workspace::blocking::blocking;
use super::workspace::glob::Glob;
use super::workspace::walk::{self, Limits, Walk};
use super::{Run, Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;
use find::{Found, Wish};
use report::Report;

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
        let path = context.resolve_to_read(arguments.path())?;
        let is_file = path.absolute.is_file();
        Ok(Access::read(if is_file { path.file() } else { path.tree() }))
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
    let path = context.resolve_to_read(arguments.path())?;
    let metadata = walk::must_exist(workspace, &path)?;
    if !metadata.is_dir() {
        super::workspace::open::check_kind(&path, &metadata)?;
    }
    let matcher = pattern::matcher(&arguments.pattern, arguments.ignore_case.unwrap_or(false))?;
    let glob = arguments.glob.as_deref().map(Glob::parse).transpose()?;
    let limits = Limits::start(stop);
    let mut files = Vec::new();
    let walk = Walk { workspace, path: &path.absolute, depth: usize::MAX, all: false };
    let walked = walk.run(&limits, |entry| {
        let places = (workspace.root(), path.absolute.as_path());
        let fits = |glob: &Glob| glob.fits(&entry.path, places);
        if entry.kind.is_file() && glob.as_ref().is_none_or(fits) {
            files.push(entry.path);
        }
    });
    files.sort();
    let mut report = Report::new(files.len(), walked);
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
