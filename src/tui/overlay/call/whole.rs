//! The whole output of a command, fit to be shown: settled, bounded, with its lines found.
//!
//! Owns the bound and what goes beyond it: the middle. Must not know where the output comes from,
//! nor how it is drawn.
//!
//! Invariant: with what is known of its lines it takes at most [`MOST`] bytes, also while it is
//! gathered; what is not kept of it is counted.

use super::page::{Piece, pieces};
use crate::text::{cut, number::grouped, sanitize::settle_drawn_over};

/// Bytes that are kept.
const MOST: usize = 16 << 20;
/// Bytes of an open line that are held until it is over; of a longer one they are settled alone.
const LONG: usize = 256 << 10;
/// Room for what is added at once: an open line, as it came and settled.
const ROOM: usize = 2 << 20;
/// Bytes by which the room for the text grows.
const STEP: usize = 256 << 10;
/// Bytes that it takes to know a line.
const WEIGHT: usize = size_of::<u32>();
/// Marks a place where a line goes on that began before. No place is as large.
const JOINED: u32 = 1 << 31;

/// A whole output.
#[derive(Debug)]
pub(in crate::tui) struct WholeText {
    text: String,
    /// Where the lines begin, and the pieces of long ones.
    starts: Vec<u32>,
    /// The line that stands for what is not kept.
    gap: Option<usize>,
    is_short: bool,
    /// What is missing, and why.
    notes: Vec<String>,
}

impl WholeText {
    /// How many lines there are, with the pieces of long ones.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    pub(in crate::tui) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn piece(&self, line: usize) -> Option<Piece> {
        let start = *self.starts.get(line)?;
        let next = self.starts.get(line + 1).copied();
        let goes_on = next.is_some_and(|next| next & JOINED != 0);
        let end = next.map_or(self.text.len(), place);
        let is_ended = self.text.get(..end).is_some_and(|text| text.ends_with('\n'));
        let end = end - usize::from(is_ended && !goes_on);
        Some(Piece::new(place(start)..end, start & JOINED != 0))
    }

    /// The line that stands for what is not kept, if not all is.
    pub(super) fn gap(&self) -> Option<usize> {
        self.gap
    }

    /// Whether the end of the output is missing.
    pub(super) fn is_short(&self) -> bool {
        self.is_short
    }

    /// What is missing, and why: nothing, if this is all.
    pub(in crate::tui) fn notes(&self) -> &[String] {
        &self.notes
    }
}

fn place(start: u32) -> usize {
    usize::try_from(start & !JOINED).unwrap_or(usize::MAX)
}

/// An output on its way to be whole.
pub(in crate::tui) struct Gathering {
    text: String,
    /// Lines that end in the text.
    ends: usize,
    /// The line that is still open, as it came.
    open: Vec<u8>,
    gap: Option<Gap>,
    /// From so many bytes on, some of the middle go.
    limit: usize,
}

/// What is not kept.
struct Gap {
    /// Where it was.
    at: usize,
    lines: usize,
    bytes: usize,
}

impl Gathering {
    /// Nothing yet.
    pub(in crate::tui) fn new() -> Self {
        Self::bounded(MOST)
    }

    fn bounded(most: usize) -> Self {
        let limit = most - ROOM.min(most / 8);
        Self { text: String::new(), ends: 0, open: Vec::new(), gap: None, limit }
    }

    /// Takes what was printed next, cut anywhere.
    pub(in crate::tui) fn push(&mut self, chunk: &[u8]) {
        let from = self.open.len();
        self.open.extend_from_slice(chunk);
        let last = chunk.iter().rposition(|byte| *byte == b'\n');
        if let Some(end) = last {
            let rest = self.open.split_off(from + end + 1);
            let lines = std::mem::replace(&mut self.open, rest);
            self.add(&settled(&lines));
        }
        if self.open.len() > LONG {
            self.shorten_the_open_line();
        }
    }

    /// What stands before the last carriage return is drawn over: it is settled at once. A line
    /// that is long nonetheless is settled as far as it came.
    fn shorten_the_open_line(&mut self) {
        if let Some(last) = self.open.iter().rposition(|byte| *byte == b'\r') {
            let rest = self.open.split_off(last);
            self.open = settled(&self.open).into_bytes();
            self.open.extend(rest);
        }
        if self.open.len() > LONG / 2 {
            // A character that is begun waits for its end.
            let whole = self.open.iter().rev().take(3).position(|byte| *byte & 0xC0 != 0x80);
            let begun = whole
                .filter(|back| self.open.iter().rev().nth(*back).is_some_and(|byte| *byte >= 0xC0));
            let rest = self.open.split_off(self.open.len() - begun.map_or(0, |back| back + 1));
            let line = std::mem::replace(&mut self.open, rest);
            self.add(&settled(&line));
        }
    }

    fn add(&mut self, settled: &str) {
        let mut rest = settled;
        while !rest.is_empty() {
            let part = cut::head(rest, (self.limit / 16).max(4));
            rest = rest.get(part.len()..).unwrap_or_default();
            // Growing by doubling would take twice as much.
            if self.text.capacity() - self.text.len() < part.len() {
                self.text.reserve_exact(part.len().max(STEP));
            }
            self.text.push_str(part);
            self.ends += line_ends(part);
            while self.text.len() + self.ends * WEIGHT > self.limit && self.drop_some() {}
        }
    }

    /// The first half stays; of what comes after it the older half goes. False if that is nothing.
    fn drop_some(&mut self) -> bool {
        let (text, within) = (&self.text, self.limit / 16);
        let half = || line_start(text, text.len() / 2, within);
        let at = self.gap.as_ref().map_or_else(half, |gap| gap.at);
        let to = line_start(text, at + text.len().saturating_sub(at).div_ceil(2), within);
        let dropped = text.get(at..to).unwrap_or_default();
        let (lines, bytes) = (line_ends(dropped), dropped.len());
        let gap = self.gap.get_or_insert(Gap { at, lines: 0, bytes: 0 });
        gap.lines += lines;
        gap.bytes += bytes;
        self.ends -= lines;
        self.text.drain(at..at + bytes);
        bytes > 0
    }

    /// That was all. `short` says why it is not all of the output, if it is not; `path` where it
    /// is.
    pub(in crate::tui) fn finish(mut self, short: Option<String>, path: &str) -> WholeText {
        let last = settled(&std::mem::take(&mut self.open));
        self.add(&last);
        let is_short = short.is_some();
        let mut notes = Vec::from_iter(short);
        let mut gap_at = None;
        if let Some(Gap { at, lines, bytes }) = self.gap {
            let (lines, bytes) = (grouped(lines as u64), grouped(bytes as u64));
            let told = format!("{lines} lines, {bytes} bytes are not shown here");
            let is_open = !self.text.get(..at).unwrap_or_default().ends_with('\n');
            let before = if is_open { "\n" } else { "" };
            let row = format!("{before}[... {told} ...]\n");
            self.text.reserve_exact(row.len());
            self.text.insert_str(at, &row);
            gap_at = Some(at + before.len());
            notes.push(format!("Of the middle {told}: it is too much. The file has them: {path}"));
        }
        let mut starts = Vec::with_capacity(self.ends + 2);
        let mut gap = None;
        for piece in pieces(&self.text) {
            if Some(piece.range().start) == gap_at {
                gap = Some(starts.len());
            }
            let start = u32::try_from(piece.range().start).unwrap_or(u32::MAX);
            starts.push(if piece.joined { start | JOINED } else { start });
        }
        WholeText { text: self.text, starts, gap, is_short, notes }
    }
}

/// What a terminal shows of it in the end.
fn settled(bytes: &[u8]) -> String {
    settle_drawn_over(&String::from_utf8_lossy(bytes)).into_owned()
}

fn line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Where a line begins, so many bytes later at most; or else a character.
fn line_start(text: &str, from: usize, within: usize) -> usize {
    let from = text.ceil_char_boundary(from);
    let near = cut::head(text.get(from..).unwrap_or_default(), within);
    near.find('\n').map_or(from, |end| from + end + 1)
}

#[cfg(test)]
mod tests;
