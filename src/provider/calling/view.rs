//! What of a reply is shown, and which calls stand in it in a model's own markup.
//!
//! Owns the two voices of a reply by the protocol of labels, thought and text: each is looked
//! through for such calls by itself, so that what stands in the arguments of an action is never
//! taken for one.
//!
//! Invariant: nothing is lost; what was held back as a call that must not come out is shown.

use crate::{
    protocol::tool::ToolSpec,
    provider::{
        FinishReason,
        accumulate::AssembledCall,
        text::{
            leaked::{Piece, Screen},
            react::{self, Outcome},
        },
    },
};

/// The voices of one reply.
pub(super) struct Views {
    pub(super) text: Screen,
    thought: Screen,
}

/// Calls in a model's own markup.
pub(super) struct Found {
    pub(super) calls: Vec<AssembledCall>,
    /// Whether one had to be guessed at.
    pub(super) repaired: bool,
    /// Whether one began and never ended.
    pub(super) is_open: bool,
}

/// What comes at the end of a reply.
pub(super) struct Rest {
    pub(super) shown: Vec<Piece>,
    pub(super) found: Found,
    pub(super) read: react::Reply,
}

impl Views {
    pub(super) fn new(names: &[ToolSpec]) -> Self {
        Self { text: Screen::new(names), thought: Screen::new(names) }
    }

    /// What may be shown of these pieces.
    pub(super) fn push(&mut self, pieces: Vec<react::Piece>) -> Vec<Piece> {
        let mut shown = Vec::new();
        for piece in pieces {
            match piece {
                react::Piece::Thought(text) => shown.extend(thought(self.thought.push(&text))),
                react::Piece::Text(text) => shown.extend(self.text.push(&text)),
            }
        }
        shown
    }

    /// The end of a reply that was read as `read`. Its action, and an answer that is called one,
    /// count for more than any markup.
    pub(super) fn finish(mut self, mut read: react::Reply, finish: Option<&FinishReason>) -> Rest {
        let mut shown = self.push(std::mem::take(&mut read.rest));
        let settled = matches!(
            read.outcome,
            Outcome::Action { .. } | Outcome::Answer { implicit: false, .. }
        );
        let finish = finish.filter(|_| !settled);
        let (said, thought_of) = (self.text.finish(finish), self.thought.finish(finish));
        shown.extend(thought(thought_of.rest));
        shown.extend(said.rest);
        let found = Found {
            calls: thought_of.calls.into_iter().chain(said.calls).collect(),
            repaired: thought_of.repaired || said.repaired,
            is_open: said.is_open,
        };
        Rest { shown, found, read }
    }
}

/// What a thought shows is thought, whatever it is.
fn thought(pieces: Vec<Piece>) -> impl Iterator<Item = Piece> {
    pieces.into_iter().map(|piece| match piece {
        Piece::Reasoning(text) | Piece::Text(text) => Piece::Reasoning(text),
    })
}
