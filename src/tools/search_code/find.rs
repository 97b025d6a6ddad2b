//! Searches one file.
//!
//! Owns what is kept of a match. Must not know the other files or the limits over all of them.
//!
//! Invariant: every matching line is counted, kept or not; no file makes the memory grow beyond
//! its bound.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind,
    SinkFinish, SinkMatch,
};

use crate::text::cut;
use crate::tools::workspace::{open, text, walk::Limits};

/// Characters of a line that are shown.
const MAX_LINE: usize = 500;

/// Longest line that is searched, in bytes.
const MAX_HEAP: usize = 16 * 1024 * 1024;

/// After so many matches the limits are looked at again.
const MATCHES_A_CHECK: usize = 1024;

/// What is wanted of a file.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Matching lines that are kept.
    pub lines: usize,
    /// Lines kept around each.
    pub context: usize,
    /// Whether the first match is enough.
    pub first_only: bool,
}

/// What was found in a file.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Matching lines, kept or not.
    pub matches: usize,
    /// Whether the file is binary: then it has no matches.
    pub binary: bool,
    /// Whether bytes were replaced in what is kept.
    pub lossy: bool,
    /// Why the file could not be searched to its end.
    pub error: Option<String>,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
enum Line {
    Match(u64, String),
    Before(u64, String),
    After(u64, String),
    Break,
}

impl Found {
    /// Writes at most `room` matches as `path:line: text` and gives how many it wrote.
    pub fn write(&self, path: &str, room: usize, out: &mut String) -> usize {
        let mut written = 0;
        for line in &self.lines {
            match line {
                Line::Match(..) | Line::Before(..) | Line::Break if written == room => break,
                Line::Match(number, text) => {
                    written += 1;
                    writeln!(out, "{path}:{number}: {text}").unwrap_or_default();
                }
                Line::Before(number, text) | Line::After(number, text) => {
                    writeln!(out, "{path}-{number}- {text}").unwrap_or_default();
                }
                Line::Break => out.push_str("--\n"),
            }
        }
        written
    }
}

/// A searcher that [`find`] can use for many files.
#[must_use]
pub fn searcher(wish: Wish) -> Searcher {
    let context = if wish.lines == 0 { 0 } else { wish.context };
    SearcherBuilder::new()
        .line_number(true)
        .line_terminator(LineTerminator::crlf())
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(b'\0'))
        .memory_map(MmapChoice::never())
        .heap_limit(Some(MAX_HEAP))
        .build()
}

/// Searches a file; an error is part of what is found.
#[must_use]
pub fn find(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    path: &Path,
    wish: Wish,
    limits: &Limits,
) -> Found {
    let mut keep = Keep { matcher, wish, limits, found: Found::default() };
    let result = open::open_nofollow(path).and_then(|file| {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let reader = Interruptible { file, limits };
        searcher.search_reader(matcher, reader, &mut keep)
    });
    let mut found = keep.found;
    if found.binary {
        return Found { binary: true, ..Found::default() };
    }
    if let Err(error) = result
        && limits.reached().is_none()
    {
        found.error = Some(if error.to_string().contains("allocation limit") {
            "a line is too long".to_owned()
        } else {
            error.to_string()
        });
    }
    found
}

/// Ends the search of a huge file when the call has to end.
struct Interruptible<'a> {
    file: std::fs::File,
    limits: &'a Limits,
}

impl io::Read for Interruptible<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.limits.reached().is_some() {
            return Err(io::Error::other("stopped"));
        }
        self.file.read(buffer)
    }
}

struct Keep<'a> {
    matcher: &'a RegexMatcher,
    wish: Wish,
    limits: &'a Limits,
    found: Found,
}

impl Keep<'_> {
    /// A line as text, cut around the match.
    fn text(&mut self, bytes: &[u8], around_match: bool) -> String {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        self.found.lossy |= matches!(text, std::borrow::Cow::Owned(_));
        let range =
            if around_match { self.matcher.find(text.as_bytes()).ok().flatten() } else { None };
        let (start, end) = range.map_or((0, 0), |range| (range.start(), range.end()));
        text::visible(&around(&text, start, end)).into_owned()
    }
}

/// At most [`MAX_LINE`] characters of a line, with the match in the middle where that is cut.
pub(super) fn around(text: &str, start: usize, end: usize) -> String {
    let total = text.chars().count();
    if total <= MAX_LINE {
        return text.to_owned();
    }
    let before = cut::head(text, start).chars().count();
    let matched = cut::head(text, end).chars().count().saturating_sub(before).min(MAX_LINE);
    let first = before.saturating_sub((MAX_LINE - matched) / 2).min(total - MAX_LINE);
    let shown: String = text.chars().skip(first).take(MAX_LINE).collect();
    let left = if first > 0 { format!("[{first} characters …] ") } else { String::new() };
    let after = total - MAX_LINE - first;
    let right = if after > 0 { format!(" [… {after} characters]") } else { String::new() };
    format!("{left}{shown}{right}")
}

impl Sink for Keep<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.matches += 1;
        if self.found.matches <= self.wish.lines {
            let text = self.text(found.bytes(), true);
            self.found.lines.push(Line::Match(found.line_number().unwrap_or(0), text));
        }
        let check = self.found.matches.is_multiple_of(MATCHES_A_CHECK);
        Ok(!(self.wish.first_only || check && self.limits.reached().is_some()))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let before = *context.kind() == SinkContextKind::Before;
        // Lines before a match belong to the next one.
        if self.found.matches + usize::from(before) <= self.wish.lines {
            let text = self.text(context.bytes(), false);
            let number = context.line_number().unwrap_or(0);
            self.found.lines.push(if before {
                Line::Before(number, text)
            } else {
                Line::After(number, text)
            });
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        if self.found.matches < self.wish.lines {
            self.found.lines.push(Line::Break);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.found.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}
