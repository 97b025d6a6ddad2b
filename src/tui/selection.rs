//! [`Selection`]: what is selected with the mouse, whatever it is a part of.
//!
//! Owns how a selection grows while the button is down, and how fast the pointer pulls at an edge.
//! Must not know what a place in the text is. Invariant: what was pressed on is always part of it,
//! and a press alone selects no letter.

use std::time::{Duration, Instant};

use ratatui::layout::Rect;

/// Between two steps while the pointer pulls at an edge.
const PULL: Duration = Duration::from_millis(50);
/// The most rows of one such step.
const PULL_ROWS: i64 = 8;

/// How much one step of the pointer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    Letter,
    Word,
    Line,
}

/// A selection between places of this kind, perhaps still growing.
pub(super) struct Selection<S> {
    grain: Grain,
    /// What was pressed on, from where to where.
    pub(super) origin: (S, S),
    /// What the pointer is on.
    pub(super) head: (S, S),
    /// Where the pointer is on the screen, while its button is down.
    pointer: Option<(u16, u16)>,
    /// Whether it is one: a press alone selects no letter.
    is_made: bool,
    pulled: Option<Instant>,
}

impl<S: Copy + Ord> Selection<S> {
    /// The button went down at this place of the screen, and on this.
    pub(super) fn new(pointer: (u16, u16), grain: Grain, origin: (S, S)) -> Self {
        Self {
            grain,
            origin,
            head: origin,
            pointer: Some(pointer),
            is_made: grain != Grain::Letter,
            pulled: None,
        }
    }

    /// The pointer moved; false if its button is not down.
    pub(super) fn drag(&mut self, to: (u16, u16)) -> bool {
        let Some(pointer) = &mut self.pointer else { return false };
        self.is_made |= *pointer != to;
        *pointer = to;
        true
    }

    /// The button went up; false if it was not down.
    pub(super) fn release(&mut self) -> bool {
        self.pointer.take().is_some()
    }

    pub(super) fn is_made(&self) -> bool {
        self.is_made
    }

    /// Where the pointer is, while its button is down, and how much it takes.
    pub(super) fn pointer(&self) -> Option<((u16, u16), Grain)> {
        Some((self.pointer?, self.grain))
    }

    /// Both ends, in order.
    pub(super) fn range(&self) -> (S, S) {
        (self.origin.0.min(self.head.0), self.origin.1.max(self.head.1))
    }

    /// Rows to move now, because the pointer pulls at an edge of this area.
    pub(super) fn step(&mut self, area: Rect, now: Instant) -> i64 {
        let rows = self.pull(area);
        let is_due = self.pulled.is_none_or(|pulled| now.saturating_duration_since(pulled) >= PULL);
        if rows == 0 || !is_due {
            return 0;
        }
        self.pulled = Some(now);
        rows
    }

    /// Rows to move in one step; the further outside the pointer is, the more.
    pub(super) fn pull(&self, area: Rect) -> i64 {
        let Some((_, y)) = self.pointer else { return 0 };
        // Nothing is above the first row of the screen.
        let (top, bottom) = (area.top().max(1), area.bottom());
        let above = i64::from(top.saturating_sub(y));
        let below = if y >= bottom { i64::from(y - bottom) + 1 } else { 0 };
        (below - above).clamp(-PULL_ROWS, PULL_ROWS)
    }
}

/// Whether a grapheme belongs to a word: also of a name, a path or an address.
pub(super) fn is_word(grapheme: &str) -> bool {
    let is_in_it = |c: char| c.is_alphanumeric() || "_-./~@%+#=&?:".contains(c);
    !grapheme.is_empty() && grapheme.chars().all(is_in_it)
}
