//! Pastes in the box: long ones are folded to a few words, and shown in full on demand.
//!
//! Owns that the words are one piece for the caret. Must not know where a paste comes from.
//! Invariant: the text of the box is the same, folded or not.

use tui_textarea::{AtomicRange, CursorMove};

use super::{Composer, harmless, pastes};

/// A paste that is larger than this stays folded: the box would be slow.
const SHOWN_LINES: usize = 5_000;
const SHOWN_BYTES: usize = 256 * 1024;

impl Composer {
    /// Inserts a paste, made harmless; a long one as a chip.
    pub(in crate::tui) fn paste(&mut self, text: &str) {
        let text = harmless(text);
        let is_long = pastes::is_long(&text);
        self.insert(text, is_long);
    }

    fn insert(&mut self, text: String, folded: bool) {
        let text = if folded { self.pastes.fold(text) } else { text };
        self.area.insert_str(&text);
        self.leave_history();
        self.guard_chips();
    }

    /// Puts a folded paste into the box as text: that at the caret, else the first one. Gives
    /// whether it could be done: one that is too large stays folded.
    pub(in crate::tui) fn unfold(&mut self) -> Option<bool> {
        let (row, column) = self.area.cursor();
        let places = self.pastes.places(self.area.lines());
        let is_here = |place: &&pastes::Place| {
            place.row == row && (place.start..=place.end).contains(&column)
        };
        let place = *places.iter().find(is_here).or(places.first())?;
        let text = self.pastes.text(place).to_owned();
        let (Ok(to_row), Ok(to_column)) = (u16::try_from(place.row), u16::try_from(place.start))
        else {
            return Some(false);
        };
        if text.len() > SHOWN_BYTES || text.lines().nth(SHOWN_LINES).is_some() {
            return Some(false);
        }
        self.area.clear_atomic_ranges();
        self.area.move_cursor(CursorMove::Jump(to_row, to_column));
        self.area.delete_str(place.end - place.start);
        self.area.insert_str(&text);
        self.guard_chips();
        Some(true)
    }

    /// What stands in the box, with the pastes in place of their chips.
    pub(in crate::tui) fn text(&self) -> String {
        self.pastes.unfolded(&self.area.lines().join("\n"))
    }

    /// Makes each chip one piece for the caret and for deletion: half of one would stand for
    /// nothing.
    pub(super) fn guard_chips(&mut self) {
        if self.pastes.is_empty() {
            return;
        }
        let places = self.pastes.places(self.area.lines());
        let ranges = places.iter().map(|place| AtomicRange {
            row: place.row,
            start_col: place.start,
            end_col: place.end,
        });
        let _guarded = self.area.try_set_atomic_ranges(ranges).is_ok();
    }
}
