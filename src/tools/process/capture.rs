//! What a command printed, in bounded memory: its beginning, its end, and counts of the rest.
//!
//! Owns the bounds. Knows no pipes and no processes.
//!
//! Invariant: at most [`HEAD`] + [`TAIL`] bytes are held, whatever was printed; and the bytes of
//! head and tail plus those left out are all bytes that came since the last look.

use std::collections::VecDeque;

/// Bytes kept of the beginning.
pub const HEAD: usize = 32 << 10;

/// Bytes kept of the end.
pub const TAIL: usize = 224 << 10;

/// Output as it was printed, invalid UTF-8 replaced; escapes and controls are still in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, or all if nothing was left out.
    pub head: String,
    /// The end; empty if nothing was left out.
    pub tail: String,
    /// Bytes printed in all.
    pub total_bytes: u64,
    /// Lines printed in all; a last line without an end counts.
    pub total_lines: u64,
    /// Bytes between head and tail that were not kept.
    pub left_out_bytes: u64,
    /// Ends of lines among them.
    pub left_out_lines: u64,
}

impl Captured {
    /// Whether something was not kept.
    #[must_use]
    pub fn cut(&self) -> bool {
        self.left_out_bytes > 0
    }
}

/// Takes output as it comes.
#[derive(Debug, Default)]
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
    line_ends: u64,
    open_line: bool,
    /// Whether something between head and tail was not kept.
    cut: bool,
}

impl Capture {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.total_bytes += chunk.len() as u64;
        self.line_ends += line_ends(chunk);
        if let Some(last) = chunk.last() {
            self.open_line = *last != b'\n';
        }
        let room = HEAD.saturating_sub(self.head.len()).min(chunk.len());
        let (first, rest) = chunk.split_at(room);
        self.head.extend_from_slice(first);
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(TAIL));
        let over = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.cut |= over > 0 || !skipped.is_empty();
        self.tail.drain(..over);
        if self.tail.is_empty() && !rest.is_empty() {
            // Once and for all: growing by doubling would hold it twice, and more than is needed.
            self.tail.reserve_exact(TAIL);
        }
        self.tail.extend(rest);
    }

    /// What came since the last look. A character that is begun waits for the next one.
    pub(super) fn look(&mut self) -> Captured {
        let mut begun = Self::default();
        let rest: Vec<u8> = if self.cut {
            let whole = whole_characters(self.tail.make_contiguous());
            self.tail.drain(whole..).collect()
        } else {
            self.head.extend(self.tail.drain(..));
            self.head.split_off(whole_characters(&self.head))
        };
        begun.push(&rest);
        self.total_bytes -= rest.len() as u64;
        let last = self.tail.back().or(self.head.last());
        self.open_line = last.is_some_and(|last| *last != b'\n');
        std::mem::replace(self, begun).finish()
    }

    pub(super) fn finish(mut self) -> Captured {
        let total_lines = self.line_ends + u64::from(self.open_line);
        let mut captured =
            Captured { total_bytes: self.total_bytes, total_lines, ..Captured::default() };
        if !self.cut {
            self.head.extend(self.tail);
            captured.head = text(self.head);
            return captured;
        }
        // A character that the cut went through belongs to what was left out.
        self.head.truncate(whole_characters(&self.head));
        let begun = self.tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        self.tail.drain(..begun);
        let tail = Vec::from(self.tail);
        captured.left_out_bytes = self.total_bytes - (self.head.len() + tail.len()) as u64;
        captured.left_out_lines = self.line_ends - line_ends(&self.head) - line_ends(&tail);
        captured.head = text(self.head);
        captured.tail = text(tail);
        captured
    }
}

/// Valid text as it is, without a copy.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// Length without a character at the end that is begun but not complete.
pub(super) fn whole_characters(bytes: &[u8]) -> usize {
    let tail_start = bytes.len().saturating_sub(3);
    let Some(last) = bytes.get(tail_start..) else { return bytes.len() };
    let Some(back) = last.iter().rev().position(|byte| *byte & 0xC0 != 0x80) else {
        return bytes.len();
    };
    let at = bytes.len() - 1 - back;
    let incomplete = bytes
        .get(at..)
        .is_some_and(|end| matches!(std::str::from_utf8(end), Err(e) if e.error_len().is_none()));
    if incomplete { at } else { bytes.len() }
}

#[cfg(test)]
mod tests;
