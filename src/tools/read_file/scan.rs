//! Reads a file once from start to end: takes one page of lines and counts all others.
//!
//! Owns decoding in pieces and the limits of a page. Must not know how a page is shown.
//!
//! Invariant: needs a few hundred kilobytes of memory, whatever the file's size and however
//! long its lines.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::{DecoderResult, Encoding};

use crate::tools::seen::{Fingerprint, Fingerprinter};
use crate::tools::workspace::walk::{Cut, Limits};

/// Lines of a page.
pub const MAX_LINES: u64 = 2_000;

/// Characters of a line that are shown.
pub const MAX_LINE_CHARACTERS: u64 = 2_000;

/// One more than is shown: a carriage return there may still turn out to end the line.
const KEPT: u64 = MAX_LINE_CHARACTERS + 1;

/// Bytes of a page.
const MAX_BYTES: usize = 50 * 1024;

const CHUNK: usize = 64 * 1024;

/// The lines that are taken: numbered from 1.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The first one.
    pub first: u64,
    /// How many at most.
    pub count: u64,
}

/// One line of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its first [`MAX_LINE_CHARACTERS`] characters, without the line end.
    pub text: String,
    /// How many characters it has.
    pub characters: u64,
}

/// What one pass over a file found.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The wanted lines, as many as fit into a page.
    pub page: Vec<Line>,
    /// Lines of the whole file; an unfinished last line counts.
    pub lines: u64,
    /// Bytes of the whole file.
    pub bytes: u64,
    /// Line feeds, and how many of them follow a carriage return.
    pub lf: u64,
    /// Line feeds after a carriage return.
    pub crlf: u64,
    /// Whether there are carriage returns that end no line.
    pub lone_cr: bool,
    /// Characters beyond ASCII, without those that stand for malformed places.
    pub multibyte: u64,
    /// Places that the encoding does not allow.
    pub malformed: u64,
    /// Where the piece with the first such place begins, in bytes.
    pub first_malformed: Option<u64>,
    /// Of the whole content, unless cut.
    pub fingerprint: Fingerprint,
    /// Why the end was not reached, if so.
    pub cut: Option<Cut>,
}

/// Reads the whole file, whatever its position is.
///
/// # Errors
/// What the system says.
pub fn scan(
    file: &mut File,
    encoding: &'static Encoding,
    wanted: Wanted,
    limits: &Limits,
) -> io::Result<Scan> {
    file.seek(SeekFrom::Start(0))?;
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut fingerprinter = Fingerprinter::default();
    let mut pass = Pass::new(wanted);
    let mut chunk = Vec::with_capacity(CHUNK);
    let capacity = decoder.max_utf8_buffer_length(CHUNK).unwrap_or(CHUNK.saturating_mul(4));
    let mut piece = String::with_capacity(capacity);
    let mut bytes: u64 = 0;
    let (mut malformed, mut first_malformed) = (0, None);
    loop {
        pass.cut = limits.reached();
        if pass.cut.is_some() {
            break;
        }
        chunk.clear();
        let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)?;
        let last = read < CHUNK;
        fingerprinter.update(&chunk);
        let mut rest = chunk.as_slice();
        loop {
            let (result, consumed) =
                decoder.decode_to_string_without_replacement(rest, &mut piece, last);
            rest = rest.get(consumed..).unwrap_or_default();
            match result {
                DecoderResult::InputEmpty => break,
                DecoderResult::Malformed(..) => {
                    malformed += 1;
                    first_malformed = first_malformed.or(Some(bytes));
                    if piece.capacity() - piece.len() < 64 {
                        pass.take(&piece);
                        piece.clear();
                    }
                    piece.push('\u{FFFD}');
                }
                DecoderResult::OutputFull => {
                    pass.take(&piece);
                    piece.clear();
                }
            }
        }
        pass.take(&piece);
        piece.clear();
        bytes = bytes.saturating_add(read as u64);
        if last {
            break;
        }
    }
    let fingerprint = fingerprinter.finish();
    let scan = pass.finish();
    // Each malformed place was given to the pass as a character beyond ASCII.
    let multibyte = scan.multibyte.saturating_sub(malformed);
    Ok(Scan { bytes, multibyte, malformed, first_malformed, fingerprint, ..scan })
}

/// The line that is being read.
#[derive(Default)]
struct OpenLine {
    /// Empty unless the line is wanted.
    kept: Line,
    begun: bool,
    ends_with_cr: bool,
}

/// The state of one pass, fed with text in pieces.
struct Pass {
    wanted: Wanted,
    line: OpenLine,
    /// The number of the line that is being read.
    number: u64,
    page: Vec<Line>,
    page_bytes: usize,
    page_full: bool,
    lf: u64,
    cr: u64,
    crlf: u64,
    after_cr: bool,
    multibyte: u64,
    cut: Option<Cut>,
}

impl Pass {
    fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            line: OpenLine::default(),
            number: 1,
            page: Vec::new(),
            page_bytes: 0,
            page_full: false,
            lf: 0,
            cr: 0,
            crlf: 0,
            after_cr: false,
            multibyte: 0,
            cut: None,
        }
    }

    fn take(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !text.is_ascii() {
            self.multibyte += text.bytes().filter(|byte| *byte >= 0xC0).count() as u64;
        }
        self.crlf += u64::from(self.after_cr && text.starts_with('\n'));
        if text.contains('\r') {
            self.cr += text.matches('\r').count() as u64;
            self.crlf += text.matches("\r\n").count() as u64;
        }
        self.after_cr = text.ends_with('\r');
        let feeds = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        if self.is_past() || self.number + feeds < self.wanted.first {
            self.lf += feeds;
            self.number += feeds;
            self.line.begun = !text.ends_with('\n');
            return;
        }
        for piece in text.split_inclusive('\n') {
            let (piece, ended) = match piece.strip_suffix('\n') {
                Some(piece) => (piece, true),
                None => (piece, false),
            };
            if self.is_wanted() {
                self.extend(piece);
            }
            self.line.begun = !ended;
            if ended {
                self.lf += 1;
                self.end_line(true);
            }
        }
    }

    fn is_wanted(&self) -> bool {
        self.number >= self.wanted.first && !self.is_past()
    }

    /// Whether all later lines are only counted.
    fn is_past(&self) -> bool {
        self.page_full || self.number >= self.wanted.first.saturating_add(self.wanted.count)
    }

    fn extend(&mut self, piece: &str) {
        let room = KEPT.saturating_sub(self.line.kept.characters);
        if room > 0 {
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            self.line.kept.text.extend(piece.chars().take(room));
        }
        self.line.kept.characters += piece.chars().count() as u64;
        if !piece.is_empty() {
            self.line.ends_with_cr = piece.ends_with('\r');
        }
    }

    fn end_line(&mut self, by_line_feed: bool) {
        if self.is_wanted() {
            let mut line = std::mem::take(&mut self.line.kept);
            let mut kept = line.characters.min(KEPT);
            if by_line_feed && self.line.ends_with_cr {
                if kept == line.characters {
                    line.text.pop();
                    kept -= 1;
                }
                line.characters -= 1;
            }
            if kept > MAX_LINE_CHARACTERS {
                line.text.pop();
            }
            let bytes = line.text.len() + 8;
            if self.page_bytes + bytes > MAX_BYTES && !self.page.is_empty() {
                self.page_full = true;
            } else {
                self.page_bytes += bytes;
                self.page.push(line);
            }
        }
        self.line.ends_with_cr = false;
        self.number += 1;
    }

    fn finish(mut self) -> Scan {
        let mut lines = self.number - 1;
        if self.line.begun {
            lines += 1;
            self.end_line(false);
        }
        Scan {
            page: self.page,
            lines,
            bytes: 0,
            lf: self.lf,
            crlf: self.crlf,
            lone_cr: self.cr > self.crlf,
            multibyte: self.multibyte,
            malformed: 0,
            first_malformed: None,
            fingerprint: Fingerprint::of(b""),
            cut: self.cut,
        }
    }
}
