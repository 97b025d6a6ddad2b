//! What can be selected among the cells, in the order of the screen: prompts, blocks of answers,
//! thoughts, calls, notices.
//!
//! Owns the way from an item to its rows. Must not know what is done with it.
//!
//! Invariant: an item that does not exist any more is none: nothing is guessed. Only cells on the
//! way from one item to the next are laid out.

use std::ops::Range;

use super::{Place, Spot, Transcript};
use crate::tui::cell::{Look, Written};

/// Rows that stay between what is brought into view and the edge.
const MARGIN: usize = 1;

/// Something that can be selected: its cell, and which one of the cell's items it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tui) struct Item {
    pub(super) cell: usize,
    pub(super) number: usize,
}

impl Transcript {
    /// Whether it is there, with this look.
    pub(in crate::tui) fn has(&mut self, item: Item, look: Look<'_>) -> bool {
        item.number < self.items(item.cell, look).len()
    }

    /// The first one of all, or the last.
    pub(in crate::tui) fn item_at_edge(&mut self, last: bool, look: Look<'_>) -> Option<Item> {
        let count = self.cells.len();
        if last { self.item_before(count, look) } else { self.item_from(0, look) }
    }

    /// The next one, or the one before.
    pub(in crate::tui) fn item_beside(
        &mut self,
        item: Item,
        later: bool,
        look: Look<'_>,
    ) -> Option<Item> {
        let Item { cell, number } = item;
        match (later, number.checked_sub(1)) {
            (true, _) if number + 1 < self.items(cell, look).len() => {
                Some(Item { cell, number: number + 1 })
            }
            (true, _) => self.item_from(cell + 1, look),
            (false, Some(number)) => Some(Item { cell, number }),
            (false, None) => self.item_before(cell, look),
        }
    }

    /// The prompt of the next turn, or of this turn; of the turn before, if it is that itself.
    pub(in crate::tui) fn turn_beside(&self, item: Item, later: bool) -> Option<Item> {
        let is_prompt = |cell: usize| self.cells.get(cell).is_some_and(super::Cell::is_prompt);
        let cell = if later {
            (item.cell + 1..self.cells.len()).find(|cell| is_prompt(*cell))
        } else {
            (0..item.cell).rev().find(|cell| is_prompt(*cell))
        };
        cell.map(|cell| Item { cell, number: 0 })
    }

    /// How many turns began after the one that it belongs to; `None` if it stands before any.
    pub(in crate::tui) fn turns_after(&self, item: Item) -> Option<usize> {
        let (to, after) = self.cells.split_at_checked(item.cell + 1)?;
        to.iter()
            .any(super::Cell::is_prompt)
            .then(|| after.iter().filter(|it| it.is_prompt()).count())
    }

    /// What it says.
    pub(in crate::tui) fn written(&self, item: Item) -> Option<Written> {
        self.cells.get(item.cell)?.written(item.number)
    }

    /// Folds or unfolds it, whatever all are. Gives whether there is something to fold.
    pub(in crate::tui) fn fold(&mut self, item: Item, unfold: bool) -> bool {
        self.folds += 1;
        self.cells.get_mut(item.cell).is_some_and(|cell| cell.fold(item.number, Some(unfold)))
    }

    /// Nothing is folded or unfolded by itself any more.
    pub(in crate::tui) fn fold_as_all(&mut self) {
        self.folds += 1;
        self.cells.iter_mut().for_each(super::Cell::fold_as_all);
    }

    /// Shows all that is folded in a cell.
    pub(in crate::tui) fn unfold_cell(&mut self, cell: usize) {
        self.folds += 1;
        if let Some(cell) = self.cells.get_mut(cell) {
            cell.unfold();
        }
    }

    /// Folds again what was unfolded in a cell.
    pub(in crate::tui) fn fold_cell(&mut self, cell: usize) {
        self.folds += 1;
        if let Some(cell) = self.cells.get_mut(cell) {
            cell.fold_as_all();
        }
    }

    /// The one that this place is in.
    pub(in crate::tui) fn item_at(&mut self, spot: Spot, look: Look<'_>) -> Option<Item> {
        let rows = self.items(spot.cell, look);
        let number = rows.iter().position(|rows| rows.contains(&spot.row))?;
        Some(Item { cell: spot.cell, number })
    }

    /// Changes whenever something is folded or unfolded by itself.
    pub(in crate::tui) fn folds(&self) -> u64 {
        self.folds
    }

    /// Scrolls as little as needed for it to be in view; of what is longer than the screen, its
    /// beginning. Follows the end still, if it is in view there.
    pub(in crate::tui) fn reveal(&mut self, item: Item, height: usize, look: Look<'_>) {
        let Some(rows) = self.items(item.cell, look).into_iter().nth(item.number) else { return };
        let Some(room) = height.checked_sub(1) else { return };
        let blank = usize::from(item.cell > 0);
        let margin = MARGIN.min(room / 2);
        // Of a call its line counts; what it printed may be long, and is looked at by opening it.
        let length = if self.call(item).is_some() { 1 } else { rows.len().max(1) };
        let last = (length - 1).min(room.saturating_sub(2 * margin));
        let place = |row: usize| Place { cell: item.cell, row: row + blank };
        let end = self.end_place(height, look);
        let top = self.top.map_or(end, |place| self.clamp(place, look));
        let highest = self.up(place(rows.start), margin, look);
        let lowest = self.up(place(rows.start + last), room - margin, look).min(highest);
        let wanted = top.min(end).clamp(lowest, highest);
        if wanted != top.min(end) {
            self.moves = 0;
            self.top = (wanted < end).then_some(wanted);
        }
    }

    /// Says of the rows on the screen which ones are its. Those of a call say so themselves.
    pub(in crate::tui) fn mark_item(&mut self, item: Item, look: Look<'_>) {
        if self.call(item).is_some() {
            return;
        }
        let Some(rows) = self.items(item.cell, look).into_iter().nth(item.number) else { return };
        let of_cell = self.shown.iter_mut().filter(|row| row.cell == item.cell);
        for row in of_cell {
            row.selected = row.number.is_some_and(|number| rows.contains(&number));
        }
    }

    pub(super) fn items(&mut self, cell: usize, look: Look<'_>) -> Vec<Range<usize>> {
        self.cells.get_mut(cell).map_or_else(Vec::new, |cell| cell.items(look))
    }

    fn item_from(&mut self, first: usize, look: Look<'_>) -> Option<Item> {
        let cell = (first..self.cells.len()).find(|cell| !self.items(*cell, look).is_empty())?;
        Some(Item { cell, number: 0 })
    }

    fn item_before(&mut self, end: usize, look: Look<'_>) -> Option<Item> {
        (0..end).rev().find_map(|cell| {
            let number = self.items(cell, look).len().checked_sub(1)?;
            Some(Item { cell, number })
        })
    }
}

#[cfg(test)]
mod tests;
