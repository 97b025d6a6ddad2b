//! The transcript: all cells, and which rows of them are on the screen.
//!
//! Owns the place: at the end, following it, or at a row that stays put. Must not know what the
//! cells mean. Invariant: drawing costs what is visible, not what there is; a cell that is not
//! on the screen is not touched. At another width the row at the top holds the same text.
//!
//! A screen so large that the end comes into view takes no place away: whoever does nothing but
//! change its size has the place again as soon as the end is out of view. It is given up by going
//! anywhere, and by what comes while the end is followed and moves the rows that are seen.

pub(super) mod anchor;
mod calls;
mod hits;
mod items;
pub(super) mod pieces;
pub(super) mod selection;
pub(super) mod text;

use std::ops::Range;

use ratatui::{layout::Rect, text::Line};

use super::{
    cell::{Cell, Look},
    selection::Selection,
};
use anchor::Anchor;
pub(super) use items::Item;

/// All cells, with a blank row between each two.
#[derive(Default)]
pub(super) struct Transcript {
    cells: Vec<Cell>,
    /// The row at the top; `None` while the end is followed.
    top: Option<Place>,
    /// Rows to move before the next frame; up is negative.
    moves: i64,
    below: bool,
    /// The place of somebody who sees the end only since the screen is larger.
    left: Option<Place>,
    /// Columns and rows of the last frame, and the top of the last full screen of that size.
    seen: Option<((u16, usize), Place)>,
    /// The width that all places are for.
    width: u16,
    /// A place that a change of the width has led to, and what text it stands for: the next
    /// change begins from there, so that no number of changes leads away from it.
    kept: Option<(Place, Anchor)>,
    /// Where the last frame stands on the screen, and its rows.
    area: Rect,
    shown: Vec<Row>,
    selection: Option<Selection<Spot>>,
    /// Counts what was folded or unfolded by itself.
    folds: u64,
}

/// A grapheme in the text: a cell, a row of it (the blank before it not counted), and how many
/// graphemes of text stand before it in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    cell: usize,
    row: usize,
    glyph: usize,
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
    cell: usize,
    /// Which row of the cell; `None` for the blank before it.
    number: Option<usize>,
    /// Columns that look different, counted from the indent; a later one lies on top.
    pub(super) marks: Vec<(Range<u16>, Mark)>,
    /// It belongs to the item that is selected, which is no call.
    pub(super) selected: bool,
}

/// Why some columns look different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Selected,
    Hit,
    /// The hit that was gone to.
    HitHere,
}

impl Row {
    fn new(indent: u16, line: Line<'static>, (cell, number): (usize, Option<usize>)) -> Self {
        Self { indent, line, cell, number, marks: Vec::new(), selected: false }
    }
}

impl Transcript {
    pub(super) fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// What was said from this cell on does not count any more.
    pub(super) fn discard_from(&mut self, first: usize) {
        self.cells.iter_mut().skip(first).for_each(Cell::discard);
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
        self.left = None;
        self.top = Some(Place { cell: 0, row: 0 });
    }

    /// To the end, and follow it.
    pub(super) fn go_to_end(&mut self) {
        self.moves = 0;
        self.left = None;
        self.top = None;
    }

    /// Whether there is more below what the last frame showed.
    pub(super) fn more_below(&self) -> bool {
        self.below
    }

    /// Lays the rows out that fit into this part of the screen; settles where we are.
    pub(super) fn lay_out(&mut self, area: Rect, look: Look<'_>) {
        self.area = area;
        self.take_width(look);
        self.shown = self.visible(usize::from(area.height), look);
        self.follow_pointer(look);
        self.mark_selection(look);
    }

    /// Columns of the last frame.
    pub(super) fn width(&self) -> u16 {
        self.width.max(1)
    }

    /// The rows of the last frame.
    pub(super) fn shown(&self) -> &[Row] {
        &self.shown
    }

    fn visible(&mut self, height: usize, look: Look<'_>) -> Vec<Row> {
        let moves = std::mem::take(&mut self.moves);
        if height == 0 {
            return Vec::new();
        }
        let end = self.end_place(height, look);
        let is_resized = self.settle_left(moves, (look.width, height), end);
        let place = self.top.map_or(end, |place| self.clamp(place, look));
        let mut top = place.min(end);
        if moves < 0 {
            top = self.up(top, usize::try_from(-moves).unwrap_or(usize::MAX), look);
        } else if moves > 0 {
            top = self.down(top, usize::try_from(moves).unwrap_or(usize::MAX), end, look);
        }
        let at_end = top >= end;
        self.below = !at_end;
        if at_end && is_resized && moves == 0 && self.top.is_some() {
            self.left = Some(place);
        }
        self.top = (!at_end).then_some(top);
        self.collect(top, height, look)
    }

    /// Gives the place back that the size alone took away, or forgets it. Whether the size is
    /// another one than before.
    fn settle_left(&mut self, moves: i64, size: (u16, usize), end: Place) -> bool {
        let seen = self.seen.replace((size, end));
        let is_resized = seen.is_none_or(|(seen, _)| seen != size);
        let is_followed = !is_resized && seen.is_some_and(|(_, seen)| seen != end);
        if moves != 0 || is_followed || self.top.is_some() {
            self.left = None;
        }
        if self.left.is_some_and(|left| left < end) {
            self.top = self.left.take();
        }
        is_resized
    }

    /// Leads every place to the row that holds its text at a new width.
    pub(super) fn take_width(&mut self, look: Look<'_>) {
        let old = Look { width: std::mem::replace(&mut self.width, look.width), ..look };
        if old.width == look.width || old.width == 0 {
            return;
        }
        self.top = self.top.map(|place| self.same_text(place, old, look));
        self.left = self.left.map(|place| self.same_text(place, old, look));
        self.move_selection(old, look);
    }

    fn same_text(&mut self, place: Place, old: Look<'_>, new: Look<'_>) -> Place {
        let blank = usize::from(place.cell > 0);
        let Some(row) = place.row.checked_sub(blank) else { return place };
        let anchor = match self.kept {
            Some((kept, anchor)) if kept == place => anchor,
            _ => Anchor::of(self.rows(place.cell, old), row, 0),
        };
        let (row, _) = anchor.place(self.rows(place.cell, new));
        let place = Place { row: row + blank, ..place };
        self.kept = Some((place, anchor));
        place
    }

    fn rows(&mut self, cell: usize, look: Look<'_>) -> &[Line<'static>] {
        self.cells.get_mut(cell).map_or(&[], |cell| cell.rows(look))
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
                    rows.push(Row::new(0, Line::default(), (n, None)));
                }
                skip = skip.saturating_sub(1);
            }
            let indent = cell.indent(look.width);
            let room = height.saturating_sub(rows.len());
            let lines = cell.rows(look).iter().enumerate().skip(skip).take(room);
            rows.extend(lines.map(|(row, line)| Row::new(indent, line.clone(), (n, Some(row)))));
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
