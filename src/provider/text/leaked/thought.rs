//! The tags around thought, and the end of thought that began before the reply did.
//!
//! Owns where such tags stand. Must not know calls.
//!
//! Invariant: thought that began before the reply ends at the beginning of a line, before any
//! other tag of thought.

use crate::provider::text::cursor::Cursor;

pub(super) const END_OF_THINK: &str = "</think>";

/// The tags around thought.
const THINK: &[(&str, &str)] = &[("<think>", END_OF_THINK), ("<thinking>", "</thinking>")];

/// The tags of the think block that begins here.
pub(super) fn open_tag(cursor: &Cursor<'_>) -> Option<(&'static str, &'static str)> {
    THINK.iter().copied().find(|(open, _)| cursor.begins(open))
}

/// The first end of thought behind a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndOfThought {
    pub(super) place: usize,
    /// Where a text must begin for it to end what came before the text: with no other tag before
    /// it, and itself at the beginning of a line.
    from: usize,
    to: usize,
}

impl EndOfThought {
    pub(super) fn after(cursor: &Cursor<'_>) -> Self {
        let (at, rest) = (cursor.at(), cursor.rest());
        let end = rest.find(END_OF_THINK);
        let Some(before) = end.and_then(|end| rest.get(..end)) else {
            return Self { place: usize::MAX, from: 1, to: 0 };
        };
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let is_blank = before.get(line..).is_some_and(|line| line.trim().is_empty());
        let from = before.rfind("<think").map_or(at, |other| at + other + 1);
        let to = at + if is_blank { line } else { 0 };
        Self { place: at + before.len(), from: if is_blank { from } else { usize::MAX }, to }
    }

    pub(super) fn place_for(self, at: usize) -> Option<usize> {
        (self.from..=self.to).contains(&at).then_some(self.place)
    }
}
