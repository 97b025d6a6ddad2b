//! Calls among the cells: which there are, one after the other, and where they are drawn.
//!
//! Owns the way from a call to its row and back. Must not know what is done with a call.
//!
//! Invariant: a place that does not exist any more is no place: nothing is guessed.

use super::{Place, Transcript};
use crate::tui::cell::{
    Cell, Look,
    iteration::{Iteration, call::Call},
};

/// Rows that stay between what is brought into view and the edge.
const MARGIN: usize = 1;

/// A call: its cell, and its place among the cell's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tui) struct CallPlace {
    cell: usize,
    call: usize,
}

impl Transcript {
    /// The call at this place.
    pub(in crate::tui) fn call(&self, place: CallPlace) -> Option<&Call> {
        match self.cells.get(place.cell)? {
            Cell::Iteration(iteration) => iteration.calls().get(place.call),
            _ => None,
        }
    }

    /// Changes the iteration of a call.
    pub(in crate::tui) fn with_call<T>(
        &mut self,
        place: CallPlace,
        change: impl FnOnce(&mut Iteration, usize) -> T,
    ) -> Option<T> {
        match self.cells.get_mut(place.cell)? {
            Cell::Iteration(iteration) => Some(change(iteration, place.call)),
            _ => None,
        }
    }

    /// The last call.
    pub(in crate::tui) fn newest_call(&self) -> Option<CallPlace> {
        let cells = self.cells.iter().enumerate().rev();
        cells.flat_map(|(cell, it)| places(cell, it).rev()).next()
    }

    /// The next call after this one, or the one before it.
    pub(in crate::tui) fn call_beside(&self, place: CallPlace, later: bool) -> Option<CallPlace> {
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

    /// The first call of the next turn that has calls, or of this turn; of the turn before, if it
    /// is the first one itself.
    pub(in crate::tui) fn turn_beside(&self, place: CallPlace, later: bool) -> Option<CallPlace> {
        let mut begins = true;
        let mut heads = self.cells.iter().enumerate().filter_map(|(cell, it)| {
            begins |= it.is_prompt();
            let head = places(cell, it).next().filter(|_| begins);
            begins &= head.is_none();
            head
        });
        if later {
            heads.find(|head| *head > place)
        } else {
            heads.take_while(|head| *head < place).last()
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

    /// Scrolls as little as needed for the call's line to be in view. Follows the end still, if
    /// the line is in view there.
    pub(in crate::tui) fn reveal(&mut self, call: CallPlace, height: usize, look: Look<'_>) {
        let Some(line) = self.line_of(call, look) else { return };
        let Some(room) = height.checked_sub(1) else { return };
        let margin = MARGIN.min(room / 2);
        let end = self.end_place(height, look);
        let top = self.top.map_or(end, |place| self.clamp(place, look));
        let highest = self.up(line, margin, look);
        let lowest = self.up(line, room - margin, look);
        let wanted = top.min(end).clamp(lowest, highest);
        if wanted != top.min(end) {
            self.moves = 0;
            self.top = (wanted < end).then_some(wanted);
        }
    }

    /// The call whose line stands in this row of the last frame.
    pub(in crate::tui) fn call_in_row(
        &mut self,
        row: usize,
        height: usize,
        look: Look<'_>,
    ) -> Option<CallPlace> {
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
            let call = iteration.lines().iter().position(|at| *at == line)?;
            return Some(CallPlace { cell, call });
        }
        None
    }

    fn line_of(&mut self, place: CallPlace, look: Look<'_>) -> Option<Place> {
        // The lines are known for the rows as they are now.
        self.height(place.cell, look);
        let Cell::Iteration(iteration) = self.cells.get(place.cell)? else { return None };
        let line = iteration.lines().get(place.call)?;
        Some(Place { cell: place.cell, row: line + usize::from(place.cell > 0) })
    }
}

fn places(cell: usize, it: &Cell) -> impl DoubleEndedIterator<Item = CallPlace> {
    let calls = match it {
        Cell::Iteration(iteration) => iteration.calls().len(),
        _ => 0,
    };
    (0..calls).map(move |call| CallPlace { cell, call })
}

#[cfg(test)]
mod tests;
