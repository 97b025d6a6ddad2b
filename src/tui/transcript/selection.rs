//! What is selected with the mouse: text, not columns of the screen. Owns the way from a place
//! on the screen to the text there.
//!
//! Invariant: both ends are places in the text, so that what comes below changes nothing, and
//! another width leads them to the same text.

use std::time::Instant;

use ratatui::text::Line;

use super::{
    Mark, Spot, Transcript,
    anchor::Anchor,
    pieces,
    text::{self, Joined},
};
use crate::tui::{
    cell::Look,
    selection::{Grain, Selection, is_word},
};

impl Transcript {
    /// The button went down here; `false` if that is not in the transcript.
    pub(in crate::tui) fn press(
        &mut self,
        (x, y): (u16, u16),
        grain: Grain,
        look: Look<'_>,
    ) -> bool {
        self.selection = None;
        let inside = (self.area.top()..self.area.bottom()).contains(&y) && !self.shown.is_empty();
        let Some(origin) = self.at((x, y), grain, look).filter(|_| inside) else { return false };
        self.selection = Some(Selection::new((x, y), grain, origin));
        true
    }

    /// The pointer moved with the button down.
    pub(in crate::tui) fn drag(&mut self, to: (u16, u16), look: Look<'_>) {
        if self.selection.as_mut().is_some_and(|selection| selection.drag(to)) {
            self.follow_pointer(look);
        }
    }

    /// The button went up: gives what is selected, if anything is.
    pub(in crate::tui) fn release(&mut self, look: Look<'_>) -> Option<String> {
        let selection = self.selection.as_mut()?;
        if !selection.release() {
            return None;
        }
        if !selection.is_made() {
            self.selection = None;
        }
        self.selected(look)
    }

    /// Nothing is selected any more.
    pub(in crate::tui) fn unselect(&mut self) {
        self.selection = None;
    }

    /// Whether something is selected.
    pub(in crate::tui) fn has_selection(&self) -> bool {
        self.selection.as_ref().is_some_and(Selection::is_made)
    }

    /// What is selected, as it was written.
    pub(in crate::tui) fn selected(&mut self, look: Look<'_>) -> Option<String> {
        let (from, until) = self.range(look)?;
        let mut parts = Vec::new();
        for cell in from.cell..=until.cell {
            let rows = self.rows(cell, look);
            let start = if cell == from.cell { (from.row, from.glyph) } else { (0, 0) };
            let part = if cell == until.cell {
                text::between(rows, start, (until.row, until.glyph))
            } else {
                text::between(rows, start, (rows.len(), 0))
            };
            parts.push(part);
        }
        Some(parts.join("\n\n")).filter(|text| !text.is_empty())
    }

    /// Whether the pointer pulls at an edge, so that the transcript moves by itself.
    pub(in crate::tui) fn is_pulled(&self) -> bool {
        self.selection.as_ref().is_some_and(|selection| selection.pull(self.area) != 0)
    }

    /// Moves if the pointer pulls at an edge, and it is time.
    pub(in crate::tui) fn tick(&mut self, now: Instant) {
        let area = self.area;
        if let Some(selection) = &mut self.selection {
            let rows = selection.step(area, now);
            self.scroll(rows);
        }
    }

    /// Leads the end of the selection to what is under the pointer now.
    pub(super) fn follow_pointer(&mut self, look: Look<'_>) {
        let pointer = self.selection.as_ref().and_then(Selection::pointer);
        let Some((pointer, grain)) = pointer else { return };
        let head = self.at(pointer, grain, look);
        if let (Some(head), Some(selection)) = (head, self.selection.as_mut()) {
            selection.head = head;
        }
    }

    /// The ends of what stands at this place of the screen; of the nearest row if it is outside.
    fn at(&mut self, (x, y): (u16, u16), grain: Grain, look: Look<'_>) -> Option<(Spot, Spot)> {
        let last = self.shown.len().checked_sub(1)?;
        let row = usize::from(y.saturating_sub(self.area.y));
        let shown = self.shown.get(row.min(last))?;
        let cell = shown.cell;
        let spot = |row: usize, glyph: usize| Spot { cell, row, glyph };
        let Some(row_of_cell) = shown.number else { return Some((spot(0, 0), spot(0, 0))) };
        let column = usize::from(x.saturating_sub(self.area.x + shown.indent));
        let column = if row > last { usize::MAX } else { column };
        let (glyph, end) = text::at_column(&shown.line, column);
        let rows = self.rows(cell, look);
        let free = if end > glyph { None } else { pieces::beside(rows, row_of_cell, column) };
        let (from, until) = match grain {
            Grain::Letter => free.unwrap_or(((row_of_cell, glyph), (row_of_cell, end))),
            Grain::Word => word(rows, (row_of_cell, glyph)),
            Grain::Line => line(rows, row_of_cell),
        };
        Some((spot(from.0, from.1), spot(until.0, until.1)))
    }

    pub(super) fn move_selection(&mut self, old: Look<'_>, new: Look<'_>) {
        let Some(mut selection) = self.selection.take() else { return };
        let (origin, head) = (&mut selection.origin, &mut selection.head);
        for spot in [&mut origin.0, &mut head.0] {
            let anchor = Anchor::of(self.rows(spot.cell, old), spot.row, spot.glyph);
            (spot.row, spot.glyph) = anchor.place(self.rows(spot.cell, new));
        }
        // An end stays behind the last grapheme that is selected.
        for spot in [&mut origin.1, &mut head.1] {
            let Some(last) = spot.glyph.checked_sub(1) else {
                let anchor = Anchor::of(self.rows(spot.cell, old), spot.row, 0);
                (spot.row, spot.glyph) = anchor.place(self.rows(spot.cell, new));
                continue;
            };
            let anchor = Anchor::of(self.rows(spot.cell, old), spot.row, last);
            (spot.row, spot.glyph) = anchor.behind(self.rows(spot.cell, new));
        }
        self.selection = Some(selection);
    }

    /// Both ends of what is selected, in the order in which it is read.
    fn range(&mut self, look: Look<'_>) -> Option<(Spot, Spot)> {
        let selection = self.selection.as_ref().filter(|it| it.is_made())?;
        let (origin, head) = (selection.origin, selection.head);
        if origin.0.cell != head.0.cell {
            return Some(selection.range());
        }
        let rows = self.rows(origin.0.cell, look);
        let order = |spot: Spot, is_end| pieces::order(rows, (spot.row, spot.glyph), is_end);
        let is_first = order(origin.0, false) <= order(head.0, false);
        let is_last = order(origin.1, true) >= order(head.1, true);
        let from = if is_first { origin.0 } else { head.0 };
        Some((from, if is_last { origin.1 } else { head.1 }))
    }

    pub(super) fn mark_selection(&mut self, look: Look<'_>) {
        let Some((from, until)) = self.range(look) else { return };
        let mut shown = std::mem::take(&mut self.shown);
        for shown in &mut shown {
            let Some(row) = shown.number.filter(|_| (from.cell..=until.cell).contains(&shown.cell))
            else {
                continue;
            };
            let end = |spot: Spot| (spot.cell == shown.cell).then_some((spot.row, spot.glyph));
            let ends = (end(from), end(until));
            let columns = pieces::columns_within(self.rows(shown.cell, look), row, ends);
            shown.marks.extend(columns.into_iter().map(|run| (run, Mark::Selected)));
        }
        self.shown = shown;
    }
}

/// The ends of the line that this row belongs to.
pub(in crate::tui) fn line(rows: &[Line<'static>], row: usize) -> ((usize, usize), (usize, usize)) {
    let line = text::line_rows(rows, text::line_start(rows, row));
    let last = line.end.saturating_sub(1);
    let length = rows.get(last).map_or(0, |row| text::glyphs(row).len());
    let end = pieces::beside(rows, last, usize::MAX).map_or((last, length), |(_, end)| end);
    ((line.start, 0), end)
}

/// The ends of the word that this grapheme belongs to; of a grapheme that is no letter, its own.
pub(in crate::tui) fn word(
    rows: &[Line<'static>],
    at: (usize, usize),
) -> ((usize, usize), (usize, usize)) {
    let joined = Joined::at(rows, text::line_start(rows, at.0));
    let places = &joined.glyphs;
    let Some(n) = places.iter().position(|&(_, row, glyph)| (row, glyph) == at) else {
        return (at, at);
    };
    let text_of = |n: usize| {
        let start = places.get(n).map(|place| place.0)?;
        let end = places.get(n + 1).map_or(joined.text.len(), |place| place.0);
        joined.text.get(start..end)
    };
    // Blanks that were left out stand behind a grapheme here, and end the word.
    let is_word = |n: usize| text_of(n).is_some_and(|text| is_word(text.trim_end()));
    let ends = |n: usize| text_of(n).is_none_or(|text| text.ends_with(' '));
    let (mut from, mut until) = (n, n);
    if is_word(n) {
        while from > 0 && is_word(from - 1) && !ends(from - 1) {
            from -= 1;
        }
        while !ends(until) && until + 1 < places.len() && is_word(until + 1) {
            until += 1;
        }
    }
    let place = |n: usize| places.get(n).map_or(at, |&(_, row, glyph)| (row, glyph));
    let end = place(until);
    (place(from), (end.0, end.1 + 1))
}
