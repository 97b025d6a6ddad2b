//! The transcript: all cells, and which rows of them are on the screen.
//!
//! Owns the place: at the end, following it, or at a row that stays put. Must not know what the
//! cells mean. Invariant: drawing costs what is visible, not what there is; a cell that is not
//! on the screen is not touched.

mod calls;

use ratatui::text::Line;

use super::cell::{Cell, Look};
pub(super) use calls::CallPlace;

/// All cells, with a blank row between each two.
#[derive(Default)]
pub(super) struct Transcript {
    cells: Vec<Cell>,
    /// The row at the top; `None` while the end is followed.
    top: Option<Place>,
    /// Rows to move before the next frame; up is negative.
    moves: i64,
    below: bool,
}

/// A row: a cell, and a row of it. Row 0 of every cell but the first is the blank before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    cell: usize,
    row: usize,
}

/// One row of the screen.
pub(super) struct Row {
    /// Columns left of it.
    pub(super) indent: u16,
    pub(super) line: Line<'static>,
}

impl Transcript {
    pub(super) fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Cell> {
        self.cells.last_mut()
    }

    /// The cells, the newest first.
    pub(super) fn newest_first(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.cells.iter_mut().rev()
    }

    /// Moves by so many rows with the next frame; up is negative.
    pub(super) fn scroll(&mut self, rows: i64) {
        self.moves = self.moves.saturating_add(rows);
    }

    /// To the first row.
    pub(super) fn go_to_top(&mut self) {
        self.moves = 0;
        self.top = Some(Place { cell: 0, row: 0 });
    }

    /// To the end, and follow it.
    pub(super) fn go_to_end(&mut self) {
        self.moves = 0;
        self.top = None;
    }

    /// Whether there is more below what the last frame showed.
    pub(super) fn more_below(&self) -> bool {
        self.below
    }

    /// The rows for a screen of this height; settles where we are.
    pub(super) fn visible(&mut self, height: usize, look: Look<'_>) -> Vec<Row> {
        let moves = std::mem::take(&mut self.moves);
        if height == 0 {
            return Vec::new();
        }
        let end = self.end_place(height, look);
        let mut top = self.top.map_or(end, |place| self.clamp(place, look));
        if moves < 0 {
            top = self.up(top, usize::try_from(-moves).unwrap_or(usize::MAX), look);
        } else if moves > 0 {
            top = self.down(top, usize::try_from(moves).unwrap_or(usize::MAX), end, look);
        }
        let at_end = (top.cell, top.row) >= (end.cell, end.row);
        self.below = !at_end;
        self.top = (!at_end).then_some(top);
        self.collect(if at_end { end } else { top }, height, look)
    }

    /// Rows of a cell, the blank before it included.
    fn height(&mut self, cell: usize, look: Look<'_>) -> usize {
        let rows = self.cells.get_mut(cell).map_or(0, |cell| cell.rows(look).len());
        rows + usize::from(cell > 0)
    }

    /// The top of the last full screen.
    fn end_place(&mut self, height: usize, look: Look<'_>) -> Place {
        let mut missing = height;
        for cell in (0..self.cells.len()).rev() {
            let rows = self.height(cell, look);
            if rows >= missing {
                return Place { cell, row: rows - missing };
            }
            missing -= rows;
        }
        Place { cell: 0, row: 0 }
    }

    /// The place, if cells have become shorter: a row that exists.
    fn clamp(&mut self, place: Place, look: Look<'_>) -> Place {
        let rows = self.height(place.cell, look);
        Place { row: place.row.min(rows.saturating_sub(1)), ..place }
    }

    fn up(&mut self, from: Place, rows: usize, look: Look<'_>) -> Place {
        let (mut place, mut left) = (from, rows);
        loop {
            if place.row >= left {
                return Place { row: place.row - left, ..place };
            }
            left -= place.row;
            let Some(cell) = place.cell.checked_sub(1) else { return Place { cell: 0, row: 0 } };
            place = Place { cell, row: self.height(cell, look) };
        }
    }

    fn down(&mut self, from: Place, rows: usize, end: Place, look: Look<'_>) -> Place {
        let (mut place, mut left) = (from, rows);
        while (place.cell, place.row) < (end.cell, end.row) {
            let rest = self.height(place.cell, look).saturating_sub(place.row);
            if left < rest {
                return Place { row: place.row + left, ..place };
            }
            left -= rest;
            place = Place { cell: place.cell + 1, row: 0 };
        }
        end
    }

    fn collect(&mut self, from: Place, height: usize, look: Look<'_>) -> Vec<Row> {
        let mut rows = Vec::with_capacity(height);
        let mut skip = from.row;
        for (n, cell) in self.cells.iter_mut().enumerate().skip(from.cell) {
            if n > 0 {
                if skip == 0 {
                    rows.push(Row { indent: 0, line: Line::default() });
                }
                skip = skip.saturating_sub(1);
            }
            let indent = cell.indent(look.width);
            let room = height.saturating_sub(rows.len());
            let lines = cell.rows(look).iter().skip(skip).take(room);
            rows.extend(lines.map(|line| Row { indent, line: line.clone() }));
            skip = 0;
            if rows.len() >= height {
                break;
            }
        }
        rows.truncate(height);
        rows
    }
}

#[cfg(test)]
mod tests;
