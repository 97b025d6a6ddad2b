//! The result of a search, put together file by file.
//!
//! Owns the words and the counts. Must not search.
//!
//! Invariant: what is found and not shown is counted.

use std::fmt::Write as _;

use super::find::Found;
use super::{Arguments, Mode};
use crate::text::line;
use crate::tools::workspace::walk::{Cut, Walked};
use crate::tools::{ToolOutput, output};

/// The result as it grows, file by file.
#[derive(Default)]
pub(super) struct Report {
    text: String,
    /// Matches, or files, in `text`.
    pub(super) shown: usize,
    matches: usize,
    files: usize,
    searched: usize,
    filtered: bool,
    binary: usize,
    unreadable: Vec<String>,
    lossy: bool,
    of_walk: Vec<String>,
    pub(super) cut: Option<Cut>,
}

impl Report {
    /// Nothing found yet in so many files, which a walk gave.
    pub(super) fn new(searched: usize, walked: Walked) -> Self {
        let Walked { cut, filtered, notes, .. } = walked;
        Self { searched, filtered, cut, of_walk: notes, ..Self::default() }
    }

    /// Adds what was found in the next file, in order of paths.
    pub(super) fn add(&mut self, path: &str, found: Option<Found>, arguments: &Arguments) {
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
        let path = line::escaped(path);
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

    /// The finished result.
    pub(super) fn output(&self, arguments: &Arguments) -> ToolOutput {
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
            status: self.cut.and_then(Cut::status),
            text,
            summary: match (self.matches, arguments.mode()) {
                (0, _) => "no matches".to_owned(),
                (_, Mode::Files) => files,
                _ => format!("{matches} in {files}"),
            },
            diff: None,
            whole: None,
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
        notes.extend(self.of_walk.iter().cloned());
        notes.extend(self.cut.map(Cut::words));
        notes
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
