//! Where the hits of a search stand in the cells and on the screen. Must not know patterns: it
//! is given what finds them in one line.

use std::ops::Range;

use ratatui::text::Line;

use super::{Mark, Place, Row, Spot, Transcript, text};
use crate::tui::cell::Look;

/// Finds all hits in a line.
pub(in crate::tui) type Find<'a> = &'a dyn Fn(&str) -> Vec<Range<usize>>;

/// Rows above and below the screen that are looked at for hits that reach onto it.
const BEYOND: usize = 200;

impl Transcript {
    /// How many cells there are.
    pub(in crate::tui) fn len(&self) -> usize {
        self.cells.len()
    }

    /// What changes when the text of the cell does.
    pub(in crate::tui) fn revision(&self, cell: usize) -> u64 {
        self.cells.get(cell).map_or(0, super::Cell::revision)
    }

    /// The text of a cell, as it is with this look.
    pub(in crate::tui) fn text(&mut self, cell: usize, look: Look<'_>) -> String {
        text::whole(self.rows(cell, look))
    }

    /// The cell of the last row on the screen.
    pub(in crate::tui) fn last_shown(&self) -> usize {
        self.shown.last().map_or(0, |row| row.cell)
    }

    /// Where the hits in a cell begin, as it is with this look.
    pub(in crate::tui) fn hits(
        &mut self,
        cell: usize,
        find: Find<'_>,
        look: Look<'_>,
    ) -> Vec<Spot> {
        let rows = self.rows(cell, look);
        let mut spots = Vec::new();
        let mut at = 0;
        while at < rows.len() {
            let (line, next) = text::line_at(rows, at);
            let hits = find(&line);
            if !hits.is_empty() {
                let line = text::Joined::at(rows, at);
                let begins = hits.iter().filter_map(|hit| line.glyph_at(hit.start));
                spots.extend(begins.map(|(row, glyph)| Spot { cell, row, glyph }));
            }
            at = next;
        }
        spots
    }

    /// Brings a place onto the screen with the next frame, unless it is there already.
    pub(in crate::tui) fn go_to(&mut self, spot: Spot) {
        let is_it = |row: &Row| row.cell == spot.cell && row.number == Some(spot.row);
        if self.shown.iter().any(is_it) {
            return;
        }
        let row = spot.row + usize::from(spot.cell > 0);
        self.top = Some(Place { cell: spot.cell, row });
        self.moves = -i64::from(self.area.height / 3);
    }

    /// Marks every hit on the screen; the one that begins `here` in another way.
    pub(in crate::tui) fn mark_hits(&mut self, find: Find<'_>, here: Option<Spot>, look: Look<'_>) {
        let mut shown = std::mem::take(&mut self.shown);
        for rows in shown.chunk_by_mut(|one, next| one.cell == next.cell && one.number.is_some()) {
            let Some((cell, Some(first))) = rows.first().map(|row| (row.cell, row.number)) else {
                continue;
            };
            let here = here.filter(|here| here.cell == cell).map(|here| (here.row, here.glyph));
            mark(rows, self.rows(cell, look), first, (find, here));
        }
        self.shown = shown;
    }
}

/// Marks the hits in rows on the screen that are those of a cell from `first` on.
fn mark(
    shown: &mut [Row],
    all: &[Line<'static>],
    first: usize,
    (find, here): (Find<'_>, Option<(usize, usize)>),
) {
    let end = first + shown.len();
    let rows = all.get(..(end + BEYOND).min(all.len())).unwrap_or_default();
    let mut at = text::line_start(rows, first).max(first.saturating_sub(BEYOND));
    while at < end {
        let line = text::Joined::at(rows, at);
        at = line.end.max(at + 1);
        for hit in find(&line.text) {
            let is_here = here.is_some() && line.glyph_at(hit.start) == here;
            let kind = if is_here { Mark::HitHere } else { Mark::Hit };
            for (row, glyphs) in line.rows_of(&hit) {
                let Some(shown) = row.checked_sub(first).and_then(|n| shown.get_mut(n)) else {
                    continue;
                };
                let columns = text::columns(&shown.line, glyphs);
                shown.marks.extend(columns.into_iter().map(|run| (run, kind)));
            }
        }
    }
}
