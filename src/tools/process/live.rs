//! The live view of what a command prints: small harmless pieces, not too often.
//!
//! Owns the pace and what is skipped. Knows no screen: a piece goes to a function. The pieces
//! are meant to stand one after the other; they are a view, not the whole.
//!
//! Invariant: at most one piece every [`EVERY`], each at most [`PIECE`] bytes long before
//! replacements, settled, and made of whole characters; one that draws over the line that was
//! shown last begins with a carriage return.

use std::time::Duration;

use tokio::time::Instant;

use super::capture::whole_characters;
use crate::text::sanitize::settle;

/// Shortest time between two pieces.
const EVERY: Duration = Duration::from_millis(34);

/// Shortest time between two states of a line that is drawn over and over (a progress bar).
const REDRAWN_EVERY: Duration = Duration::from_secs(1);

/// Most bytes of one piece; of more the end is shown.
const PIECE: usize = 4 << 10;

/// What was printed and not yet shown.
pub(super) struct Live {
    waiting: Vec<u8>,
    skipped: bool,
    /// What was shown last ended with a return to the start of its line.
    returned: bool,
    shown: Instant,
}

impl Live {
    pub(super) fn new(now: Instant) -> Self {
        Self { waiting: Vec::new(), skipped: false, returned: false, shown: now }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        let (skip, chunk) = chunk.split_at(chunk.len().saturating_sub(PIECE));
        self.waiting.extend_from_slice(chunk);
        let over = self.waiting.len().saturating_sub(PIECE);
        self.waiting.drain(..over);
        self.skipped |= !skip.is_empty() || over > 0;
    }

    /// When [`Live::take`] has something next, if nothing more comes.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.waiting.is_empty() {
            return None;
        }
        let only_redrawn = !self.waiting.contains(&b'\n') && is_in_motion(&self.waiting);
        Some(self.shown + if only_redrawn { REDRAWN_EVERY } else { EVERY })
    }

    /// The next piece, if it is time for one.
    pub(super) fn take(&mut self, now: Instant) -> Option<String> {
        if self.due()? > now {
            return None;
        }
        let piece = self.cut();
        self.shown = now;
        Some(piece).filter(|piece| !piece.is_empty())
    }

    /// Whatever is left.
    pub(super) fn finish(&mut self) -> Option<String> {
        self.drop_broken_start();
        let rest = std::mem::take(&mut self.waiting);
        Some(self.settled(&rest)).filter(|piece| !piece.is_empty())
    }

    /// Takes whole lines, and the open line too unless it is still being drawn over: settled by
    /// pieces it would not be settled at all.
    fn cut(&mut self) -> String {
        self.drop_broken_start();
        let lines = self.waiting.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let open = self.waiting.get(lines..).unwrap_or_default();
        let redrawn = is_in_motion(open);
        let end = if redrawn && lines > 0 { lines } else { whole_characters(&self.waiting) };
        let taken: Vec<u8> = self.waiting.drain(..end).collect();
        let mut piece = self.settled(&taken);
        if redrawn && lines == 0 && !piece.is_empty() && !piece.starts_with('\r') {
            piece.push('\n');
        }
        piece
    }

    /// What was taken, settled; behind a return if it draws over the line that was shown last.
    fn settled(&mut self, taken: &[u8]) -> String {
        let mut lines = taken.split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        // At the end of a line it is a part of that end.
        let first =
            if lines.next().is_some() { first.strip_suffix(b"\r").unwrap_or(first) } else { first };
        let draws_over = self.returned || first.contains(&b'\r');
        self.returned = taken.last() == Some(&b'\r');
        let settled = settle(&String::from_utf8_lossy(taken)).into_owned();
        if draws_over && !settled.is_empty() { format!("\r{settled}") } else { settled }
    }

    /// After a skip the view goes on at the beginning of a line, or at least of a character.
    fn drop_broken_start(&mut self) {
        if !std::mem::take(&mut self.skipped) {
            return;
        }
        let line = self.waiting.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let character = self.waiting.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
        let start = line.filter(|start| *start < self.waiting.len()).unwrap_or(character);
        self.waiting.drain(..start);
    }
}

/// Whether an open line may still be changed, or ends inside an escape sequence.
fn is_in_motion(line: &[u8]) -> bool {
    line.iter().any(|byte| matches!(byte, b'\r' | 0x08 | 0x1B))
}

#[cfg(test)]
mod tests;
