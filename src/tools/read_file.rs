//! The tool that reads a text file in pages of numbered lines.
//!
//! Owns the form of a page and what is said about it; [`scan`] reads. Must not change anything
//! but the memory of what was seen.
//!
//! Invariant: a page that is not the whole file says so, and how to read on.

pub mod scan;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::{Encoding, UTF_8};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::seen::Shown;
use super::workspace::walk::{Cut, Limits};
use super::workspace::{Resolved, Workspace, blocking::blocking, open, text};
use super::{Run, Tool, ToolContext, ToolError, ToolOutput, arguments, output};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;
use scan::{Line, MAX_LINE_CHARACTERS, MAX_LINES, Scan, Wanted};

/// So much is looked at to guess a legacy encoding.
const GUESSED_FROM: u64 = 256 * 1024;

/// `read_file`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadFile;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    path: String,
    /// First line, from 1; negative counts from the end
    offset: Option<i64>,
    /// Lines, at most 2000
    limit: Option<u64>,
}

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_file".to_owned(),
            description: "Read a text file. Gives lines as number, tab, text (the number and tab \
                          are not part of the file). Long files come in pages."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn access(&self, arguments: &Value, context: &ToolContext) -> Result<Access, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let path = context.resolve_to_read(&arguments.path)?;
        Ok(Access::read(path.file()))
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
            blocking(&run.stop, move |stop| read(&arguments, &context, &Limits::start(stop))).await
        })
    }
}

fn read(
    arguments: &Arguments,
    context: &ToolContext,
    limits: &Limits,
) -> Result<ToolOutput, ToolError> {
    if arguments.limit == Some(0) {
        return Err(ToolError::refused("limit is 0", "`limit` must be at least 1."));
    }
    let path = context.resolve_to_read(&arguments.path)?;
    let mut file = open::open_regular(&context.workspace, &path)?;
    let unreadable = |error: io::Error| open::unreadable(&context.workspace, &path, &error);
    refuse_binary(&path, &mut file).map_err(unreadable)??;
    let count = arguments.limit.unwrap_or(MAX_LINES).min(MAX_LINES);
    let offset = arguments.offset.unwrap_or(1);
    // From the end, the first line is only known after counting.
    let first = u64::try_from(offset).map_or(u64::MAX, |offset| offset.max(1));
    let mut page = scan_as_text(&mut file, Wanted { first, count }, limits).map_err(unreadable)?;
    if offset < 0 && page.scan.cut.is_none() {
        let first = page.scan.lines.saturating_sub(offset.unsigned_abs()).saturating_add(1);
        let wanted = Wanted { first, count };
        page.scan = scan::scan(&mut file, page.encoding, wanted, limits).map_err(unreadable)?;
        page.first = first;
    }
    if page.scan.cut.is_none() {
        context.seen.note_lines(&path.absolute, page.scan.fingerprint, page.shown());
    }
    page.output(&path, &context.workspace)
}

fn refuse_binary(path: &Resolved, file: &mut File) -> io::Result<Result<(), ToolError>> {
    let mut start = Vec::new();
    file.by_ref().take(8 * 1024).read_to_end(&mut start)?;
    let Some(kind) = text::binary_type(&start) else { return Ok(Ok(())) };
    let size = open::size(file.metadata()?.len().max(start.len() as u64));
    Ok(Err(ToolError::failed(
        "binary",
        format!(
            "`{}` is binary ({kind}, {size}), not text. Use a command made for that type of file.",
            path.relative
        ),
    )))
}

/// What was read of a file, with all that is said about it.
struct Page {
    scan: Scan,
    encoding: &'static Encoding,
    bom: bool,
    first: u64,
}

fn scan_as_text(file: &mut File, wanted: Wanted, limits: &Limits) -> io::Result<Page> {
    file.seek(SeekFrom::Start(0))?;
    let mut mark = Vec::new();
    file.by_ref().take(4).read_to_end(&mut mark)?;
    let by_bom = text::encoding_by_bom(&mark);
    let mut encoding = by_bom.map_or(UTF_8, |(encoding, _)| encoding);
    let mut scanned = scan::scan(file, encoding, wanted, limits)?;
    if let Some(place) = scanned.first_malformed
        && by_bom.is_none()
        && !text::is_damaged_utf8(scanned.multibyte, scanned.malformed)
    {
        file.seek(SeekFrom::Start(place))?;
        let mut sample = Vec::new();
        file.by_ref().take(GUESSED_FROM).read_to_end(&mut sample)?;
        encoding = text::guess_encoding(&sample);
        scanned = scan::scan(file, encoding, wanted, limits)?;
    }
    Ok(Page { scan: scanned, encoding, bom: by_bom.is_some(), first: wanted.first })
}

impl Page {
    fn shown(&self) -> Shown {
        let last = self.first.saturating_add(self.scan.page.len() as u64).saturating_sub(1);
        Shown { first: self.first, last, of: self.scan.lines }
    }

    fn output(&self, path: &Resolved, workspace: &Workspace) -> Result<ToolOutput, ToolError> {
        let name = workspace.relative(&path.absolute);
        let status = self.scan.cut.and_then(Cut::status);
        let lines = self.scan.page.len() as u64;
        if lines == 0 && self.scan.cut.is_none() {
            if self.scan.lines > 0 {
                return Err(ToolError::failed(
                    "past the end",
                    format!(
                        "`{name}` has only {}, but offset is {}. Use an offset from 1 to {}.",
                        counted(self.scan.lines),
                        self.first,
                        self.scan.lines
                    ),
                ));
            }
            let text = format!("`{name}` is empty ({} bytes).", self.scan.bytes);
            return Ok(ToolOutput { text, summary: "empty".to_owned(), ..ToolOutput::default() });
        }
        let mut text = String::new();
        for (line, number) in self.scan.page.iter().zip(self.first..) {
            text.push_str(&numbered(number, line));
        }
        for note in self.notes() {
            output::add_note(&mut text, &note);
        }
        let summary = match self.scan.cut {
            None if lines < self.scan.lines => format!("{lines} of {}", counted(self.scan.lines)),
            _ => counted(lines),
        };
        Ok(ToolOutput { status, text, summary, diff: None, whole: None })
    }

    fn notes(&self) -> Vec<String> {
        let scan = &self.scan;
        let last = self.shown().last;
        let mut notes = Vec::new();
        if let Some(cut) = scan.cut {
            let next = last.saturating_add(1);
            notes.push(format!(
                "{}; at least {} lines; read on with offset {next}",
                cut.words(),
                scan.lines
            ));
        } else if last < scan.lines {
            notes.push(format!(
                "lines {}-{last} of {}; read on with offset {}",
                self.first,
                scan.lines,
                last.saturating_add(1)
            ));
        } else if self.first > 1 {
            notes.push(format!("lines {}-{last} of {}; end of file", self.first, scan.lines));
        }
        match (scan.crlf, scan.lf.saturating_sub(scan.crlf)) {
            (0, _) => {}
            (_, 0) => notes.push("all lines end with CRLF".to_owned()),
            (crlf, lf) => notes.push(format!("mixed line ends: {crlf} CRLF, {lf} LF")),
        }
        if scan.lone_cr {
            notes.push("a carriage return inside a line is shown as \\r".to_owned());
        }
        if scan
            .page
            .iter()
            .any(|line| text::visible(&line.text).contains("\\u{") && !line.text.contains("\\u{"))
        {
            notes.push("control characters are shown as \\u{...}".to_owned());
        }
        if self.encoding != UTF_8 {
            notes.push(format!("decoded from {}", self.encoding.name()));
        } else if self.bom {
            notes.push("begins with a UTF-8 byte order mark".to_owned());
        }
        if scan.malformed > 0 {
            let name = self.encoding.name();
            let count = scan.malformed;
            let places = if count == 1 { "place" } else { "places" };
            notes.push(format!("invalid {name} in {count} {places}, shown as U+FFFD"));
        }
        notes
    }
}

fn numbered(number: u64, line: &Line) -> String {
    let text = text::visible(&line.text);
    if line.characters > MAX_LINE_CHARACTERS {
        let all = line.characters;
        format!("{number}\t{text} [... {MAX_LINE_CHARACTERS} of {all} characters shown ...]\n")
    } else {
        format!("{number}\t{text}\n")
    }
}

fn counted(lines: u64) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}
