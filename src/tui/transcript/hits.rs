//! Where the hits of a search stand in the cells and on the screen. Must not know patterns: it
//! is given what finds them in one line.

use std::ops::Range;

use super::{Mark, Place, Spot, Transcript, text};
use crate::tui::cell::Look;

/// Finds all hits in a line.
pub(in crate::tui) type Find<'a> = &'a dyn Fn(&str) -> Vec<Range<usize>>;

/// Rows of a line that begins above the screen or ends below it that are looked at for a hit.
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
        let is_it = |row: &super::Row| row.cell == spot.cell && row.row == Some(spot.row);
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
        let mut at = 0;
        while let Some(first) = shown.get(at) {
            let (cell, row) = (first.cell, first.row);
            let of_cell = |row: &&mut super::Row| row.cell == cell && row.row.is_some();
            let Some(row) = row else {
                at += 1;
                continue;
            };
            let mut visible: Vec<_> = shown.iter_mut().skip(at).take_while(of_cell).collect();
            at += visible.len();
            let rows = self.rows(cell, look);
            let end = (row + visible.len() + BEYOND).min(rows.len());
            let start = text::line_start(rows, row).max(row.saturating_sub(BEYOND));
            let rows = rows.get(..end).unwrap_or_default();
            let mut line_at = start;
            while line_at < row + visible.len() {
                let line = text::Joined::at(rows, line_at);
                for hit in find(&line.text) {
                    let begin = line.glyph_at(hit.start);
                    let begin = begin.map(|(row, glyph)| Spot { cell, row, glyph });
                    let kind =
                        if begin.is_some() && begin == here { Mark::HitHere } else { Mark::Hit };
                    for (n, glyphs) in line.rows_of(&hit) {
                        let Some(shown) = n.checked_sub(row).and_then(|n| visible.get_mut(n))
                        else {
                            continue;
                        };
                        let columns = text::columns(&shown.line, glyphs);
                        shown.marks.extend(columns.into_iter().map(|run| (run, kind)));
                    }
                }
                line_at = line.end.max(line_at + 1);
            }
        }
        self.shown = shown;
    }
}
