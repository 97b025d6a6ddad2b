//! Calls among the items: which there are, one after the other, and whose row somebody points at.
//!
//! Owns the way from a row to its call. Must not know what is done with a call.
//!
//! Invariant: a place that does not exist any more is no place: nothing is guessed.

use super::{Item, Transcript};
use crate::tui::cell::{
    Cell, Look,
    iteration::{Iteration, call::Call},
};

impl Transcript {
    /// The call at this place.
    pub(in crate::tui) fn call(&self, place: Item) -> Option<&Call> {
        match self.cells.get(place.cell)? {
            Cell::Iteration(iteration) => iteration.calls().get(place.number),
            _ => None,
        }
    }

    /// Changes the iteration of a call.
    pub(in crate::tui) fn with_call<T>(
        &mut self,
        place: Item,
        change: impl FnOnce(&mut Iteration, usize) -> T,
    ) -> Option<T> {
        match self.cells.get_mut(place.cell)? {
            Cell::Iteration(iteration) => Some(change(iteration, place.number)),
            _ => None,
        }
    }

    /// The last call.
    pub(in crate::tui) fn newest_call(&self) -> Option<Item> {
        let cells = self.cells.iter().enumerate().rev();
        cells.flat_map(|(cell, it)| places(cell, it).rev()).next()
    }

    /// The next call after this one, or the one before it.
    pub(in crate::tui) fn call_beside(&self, place: Item, later: bool) -> Option<Item> {
        let cells = self.cells.iter().enumerate();
        if later {
            let mut places = cells.skip(place.cell).flat_map(|(cell, it)| places(cell, it));
            places.find(|other| *other > place)
        } else {
            let cells = cells.take(place.cell + 1).rev();
            let mut places = cells.flat_map(|(cell, it)| places(cell, it).rev());
            places.find(|other| *other < place)
        }
    }

    /// The iterations of the last turn, in order.
    pub(in crate::tui) fn last_turn(&self) -> Vec<&Iteration> {
        let cells = self.cells.iter().rev().take_while(|cell| !cell.is_prompt());
        let iterations = cells.filter_map(|cell| match cell {
            Cell::Iteration(iteration) => Some(iteration),
            _ => None,
        });
        let mut iterations: Vec<_> = iterations.collect();
        iterations.reverse();
        iterations
    }

    /// The call whose line stands in this row of the last frame.
    pub(in crate::tui) fn call_in_row(
        &mut self,
        row: usize,
        height: usize,
        look: Look<'_>,
    ) -> Option<Item> {
        let end = self.end_place(height, look);
        let top = self.top.map_or(end, |place| self.clamp(place, look));
        let mut left = top.row + row;
        for cell in top.cell..self.cells.len() {
            let rows = self.height(cell, look);
            if left >= rows {
                left -= rows;
                continue;
            }
            let line = left.checked_sub(usize::from(cell > 0))?;
            let Cell::Iteration(iteration) = self.cells.get(cell)? else { return None };
            let number = iteration.lines().iter().position(|at| *at == line)?;
            return Some(Item { cell, number });
        }
        None
    }
}

fn places(cell: usize, it: &Cell) -> impl DoubleEndedIterator<Item = Item> {
    let calls = match it {
        Cell::Iteration(iteration) => iteration.calls().len(),
        _ => 0,
    };
    (0..calls).map(move |number| Item { cell, number })
}

#[cfg(test)]
mod tests;
