//! What of a reply may be shown while it comes.
//!
//! Owns what is held back: white space at both ends, what may be a call, the tags around
//! thought. Must not know what a call looks like, or a terminal.
//!
//! Invariant: nothing shown is taken back. All that was shown and what comes at the end is the
//! text of the reply, and neither that text nor the calls depend on how the reply was cut into
//! pieces.

use std::cell::Cell;

use super::scan::{self, Scan};
use crate::{
    protocol::tool::ToolSpec,
    provider::{
        FinishReason,
        accumulate::AssembledCall,
        text::{cursor::Cursor, is_cut, shape::Tools},
    },
};

/// What is held back is looked at with every piece up to so many bytes, and from then on
/// whenever it has grown by half: so its bytes are read a bounded number of times each.
const SHORT: usize = 64;

/// A piece of a reply to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What stood in a think block.
    Reasoning(String),
    /// What the model says.
    Text(String),
}

/// How a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What was not shown yet. Behind what was shown it makes the whole text and reasoning.
    pub rest: Vec<Piece>,
    /// The calls in the order of the text; none if the reply was cut.
    pub calls: Vec<AssembledCall>,
    /// Whether the JSON of some call was none and had to be guessed at; then nothing of this
    /// that writes or starts something must run without a question.
    pub repaired: bool,
    /// Whether a call began that never ends; it stands in the text.
    pub is_open: bool,
}

/// Reads the content of one reply as it comes.
///
/// It finds the calls that [`super::recover`] finds, and leaves the same text, but for what
/// cannot be taken back once it is shown: white space before the text if something was taken
/// out behind it, and text before a `</think>` that nothing opened. That text stays text, calls
/// in it do not come out, the tag goes, and the reply begins anew behind it.
#[derive(Clone, Debug)]
pub struct Screen {
    tools: Tools,
    scan: Scan,
    /// What came and is not decided.
    pending: String,
    /// Not looked at again before there are so many bytes.
    again_at: usize,
    /// So much of the pending is text, whatever comes.
    safe: usize,
    /// So many bytes were shown before the scan came to them.
    ahead: usize,
}

impl Screen {
    /// A reader of one reply of a model that was offered these tools.
    #[must_use]
    pub fn new(tools: &[ToolSpec]) -> Self {
        Self {
            tools: Tools::new(tools),
            scan: Scan::of_stream(),
            pending: String::new(),
            again_at: 0,
            safe: 0,
            ahead: 0,
        }
    }

    /// Takes more of the reply, and gives what can be shown now.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        self.pending.push_str(text);
        if self.pending.len() >= self.again_at {
            self.advance();
        }
        let mut pieces = self.take();
        self.look_ahead(&mut pieces);
        pieces
    }

    /// Says what the reply is. Without a reason to finish, and after one that cut it, no call
    /// comes out, and what was held back as one is text.
    #[must_use]
    pub fn finish(mut self, finish: Option<&FinishReason>) -> Ended {
        if is_cut(finish) {
            self.scan.seal();
        }
        let pending = std::mem::take(&mut self.pending);
        self.scan.run(&mut Cursor::new(&pending, 0), &self.tools);
        self.scan.kept.end();
        let rest = self.take();
        let kept = self.scan.kept;
        Ended { rest, calls: kept.calls, repaired: kept.repaired, is_open: kept.is_open }
    }

    /// Goes on with what can be decided now.
    fn advance(&mut self) {
        let edge = Cell::new(false);
        let mut cursor = Cursor::partial(&self.pending, &edge);
        self.scan.run(&mut cursor, &self.tools);
        let decided = cursor.at();
        self.pending.drain(..decided);
        self.safe = self.safe.saturating_sub(decided);
        let left = self.pending.len();
        self.again_at = left + if left < SHORT { 1 } else { left / 2 };
    }

    /// What was decided and is not shown.
    fn take(&mut self) -> Vec<Piece> {
        let reasoning = std::mem::take(&mut self.scan.kept.reasoning);
        let mut text = std::mem::take(&mut self.scan.kept.text);
        let shown = self.ahead.min(text.len());
        text.drain(..shown);
        self.ahead -= shown;
        let pieces = [Piece::Reasoning(reasoning), Piece::Text(text)];
        pieces.into_iter().filter(|piece| !piece.is_empty()).collect()
    }

    /// What may be a piece of code is shown up to what may be a mark of a call in it.
    fn look_ahead(&mut self, pieces: &mut Vec<Piece>) {
        if !self.scan.is_in_quotation(&self.pending) {
            return;
        }
        let from = self.safe;
        while let Some(rest) = self.pending.get(self.safe..).filter(|rest| !rest.is_empty()) {
            let edge = Cell::new(false);
            if rest.starts_with(['<', '[']) && scan::may_begin(&Cursor::partial(rest, &edge)) {
                break;
            }
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let next = rest.get(first..).and_then(|rest| rest.find(['<', '[']));
            self.safe = next.map_or(self.pending.len(), |next| self.safe + first + next);
        }
        let fresh = self.pending.get(from..self.safe).unwrap_or("").trim_end();
        if fresh.is_empty() {
            return;
        }
        let end = from + fresh.len();
        let gap = self.scan.kept.gap.as_str();
        let mut text = if self.ahead == 0 { gap.to_owned() } else { String::new() };
        let start = self.ahead.saturating_sub(gap.len());
        text.push_str(self.pending.get(start..end).unwrap_or(""));
        self.ahead = gap.len() + end;
        match pieces.last_mut() {
            Some(Piece::Text(shown)) => shown.push_str(&text),
            _ => pieces.push(Piece::Text(text)),
        }
    }
}

impl Piece {
    fn is_empty(&self) -> bool {
        match self {
            Self::Reasoning(text) | Self::Text(text) => text.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests;
