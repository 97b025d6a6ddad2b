//! What is selected with the mouse in the view of a call.
//!
//! Owns where on the screen the text stands that is pressed on, and when a selection goes. Must not
//! know what is done with the text. Invariant: what is selected is what was selected: where that
//! text is not there any more, nothing is.

use std::time::Instant;

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    CallView, Look,
    page::{
        Renewal, Shown,
        spot::{Ends, Spot},
    },
};
use crate::tui::{
    cell::iteration::call::Call,
    overlay::pager::Place,
    selection::{Grain, Selection},
};

/// A selection, and what it was made on.
#[derive(Default)]
pub(super) struct Selected {
    selection: Option<Selection<Spot>>,
    /// Where the rows of the last frame stand, and the age of the page that they are of.
    body: Rect,
    age: u64,
    /// What is drawn over while the call runs, as far as it is selected; and where it stands.
    open: Option<(usize, String)>,
    /// What is selected of the output and where it stands, if it is not too long to be kept.
    text: Option<(usize, String)>,
}

/// Bytes of a selection that are compared with what stands there when the output becomes a result.
const KEPT: usize = 64 * 1024;

/// What is looked at: the page, and the rows of it in the last frame.
type Seen<'a> = (&'a Shown<'a>, &'a [Place]);

impl Selected {
    /// What became of the page; what is not there any more is not selected either.
    pub(super) fn settle(&mut self, renewal: &Renewal, shown: &Shown<'_>) {
        let is_drawn_over = self.open.as_ref().is_some_and(|(at, text)| !shown.has_at(*at, text));
        match renewal {
            Renewal::Page => {
                let stays = |(at, text): &(usize, String)| shown.has_at(*at, text);
                self.selection =
                    self.selection.take().filter(|_| self.text.as_ref().is_some_and(stays));
            }
            Renewal::Width(head) => {
                let moved = |mut selection: Selection<Spot>| {
                    let before = selection.range();
                    selection.origin = shown.moved(selection.origin, head)?;
                    selection.head = shown.moved(selection.head, head)?;
                    let is_same = shown.is_same(selection.range(), (before, head));
                    is_same.then_some(selection)
                };
                self.selection = self.selection.take().and_then(moved);
            }
            Renewal::Nothing => {}
        }
        if is_drawn_over {
            self.selection = None;
        }
        if self.selection.is_none() {
            (self.open, self.text) = (None, None);
        }
    }

    /// Whether the button is down.
    pub(super) fn is_pressed(&self) -> bool {
        self.selection.as_ref().is_some_and(|selection| selection.pointer().is_some())
    }

    /// The rows of a frame stand there; what the pointer is on is selected.
    pub(super) fn lay_out(&mut self, body: Rect, seen: Seen<'_>) {
        (self.body, self.age) = (body, seen.0.age());
        self.follow_pointer(seen);
    }

    /// Draws it over the rows.
    pub(super) fn draw(&self, buffer: &mut Buffer, (shown, places): Seen<'_>, style: Style) {
        let made = self.selection.as_ref().filter(|selection| selection.is_made());
        let Some(ends) = made.map(Selection::range) else { return };
        let Rect { x, width, .. } = self.body;
        let mut rows = (self.body.top()..self.body.bottom()).zip(places).peekable();
        while let Some((_, Place { line, .. })) = rows.peek().copied() {
            let columns = shown.columns(*line, width, ends);
            while let Some((y, place)) = rows.next_if(|(_, place)| place.line == *line) {
                for run in columns.get(place.row).into_iter().flatten() {
                    let marked = Rect::new(x + run.start, y, run.end - run.start, 1);
                    buffer.set_style(marked.intersection(self.body), style);
                }
            }
        }
    }

    fn press(&mut self, pointer: (u16, u16), grain: Grain, seen: Seen<'_>) {
        let is_inside = (self.body.top()..self.body.bottom()).contains(&pointer.1);
        let origin = self.at(pointer, grain, seen).filter(|_| is_inside);
        self.selection = origin.map(|origin| Selection::new(pointer, grain, origin));
        self.remember(seen.0);
    }

    fn drag(&mut self, to: (u16, u16), seen: Seen<'_>) {
        if self.selection.as_mut().is_some_and(|selection| selection.drag(to)) {
            self.follow_pointer(seen);
        }
    }

    fn release(&mut self, (shown, _): Seen<'_>) -> Option<String> {
        let selection = self.selection.as_mut()?;
        if !selection.release() {
            return None;
        }
        if !selection.is_made() {
            self.selection = None;
        }
        self.text(shown)
    }

    fn text(&self, shown: &Shown<'_>) -> Option<String> {
        let made = self.selection.as_ref().filter(|selection| selection.is_made());
        let text = shown.between(made?.range());
        Some(text).filter(|text| !text.is_empty())
    }

    fn follow_pointer(&mut self, seen: Seen<'_>) {
        let Some((pointer, grain)) = self.selection.as_ref().and_then(Selection::pointer) else {
            return;
        };
        let head = self.at(pointer, grain, seen);
        if let (Some(head), Some(selection)) = (head, &mut self.selection) {
            selection.head = head;
        }
        self.remember(seen.0);
    }

    fn remember(&mut self, shown: &Shown<'_>) {
        let range = self.selection.as_ref().map(Selection::range);
        self.open = range.and_then(|(_, until)| shown.open_before(until));
        self.text = match range {
            Some((Spot::Output(from), Spot::Output(until))) if until - from <= KEPT => {
                Some((from, shown.printed(from..until)))
            }
            _ => None,
        };
    }

    /// The ends of what stands at this place of the screen; of the nearest row if it is outside.
    fn at(&self, (x, y): (u16, u16), grain: Grain, (shown, places): Seen<'_>) -> Option<Ends> {
        // What was seen there may be gone by now.
        if shown.age() != self.age {
            return None;
        }
        let last = places.len().checked_sub(1)?;
        let row = usize::from(y.saturating_sub(self.body.y));
        let column =
            if row > last { usize::MAX } else { usize::from(x.saturating_sub(self.body.x)) };
        shown.at(*places.get(row.min(last))?, column, (self.body.width, grain))
    }
}

impl CallView {
    /// The button went down here.
    pub(in crate::tui) fn press(&mut self, at: (u16, u16), grain: Grain, of: (&Call, &Look<'_>)) {
        self.unselect();
        self.with_seen(of, |selected, seen| selected.press(at, grain, seen));
    }

    /// The pointer moved with the button down.
    pub(in crate::tui) fn drag(&mut self, to: (u16, u16), of: (&Call, &Look<'_>)) {
        self.with_seen(of, |selected, seen| selected.drag(to, seen));
    }

    /// The button went up: gives what is selected, if anything is.
    pub(in crate::tui) fn release(&mut self, of: (&Call, &Look<'_>)) -> Option<String> {
        self.with_seen(of, Selected::release)
    }

    /// What is selected, as it was printed.
    pub(in crate::tui) fn selected(&mut self, of: (&Call, &Look<'_>)) -> Option<String> {
        self.with_seen(of, |selected, seen| selected.text(seen.0))
    }

    /// Whether something is selected.
    pub(in crate::tui) fn has_selection(&self) -> bool {
        self.selected.selection.as_ref().is_some_and(Selection::is_made)
    }

    /// Nothing is selected any more.
    pub(in crate::tui) fn unselect(&mut self) {
        (self.selected.selection, self.selected.open, self.selected.text) = (None, None, None);
    }

    /// Whether the pointer pulls at an edge, so that the page moves by itself.
    pub(in crate::tui) fn is_pulled(&self) -> bool {
        let selection = self.selected.selection.as_ref();
        selection.is_some_and(|selection| selection.pull(self.selected.body) != 0)
    }

    /// Moves if the pointer pulls at an edge, and it is time.
    pub(in crate::tui) fn tick(&mut self, now: Instant) {
        let body = self.selected.body;
        if let Some(selection) = &mut self.selected.selection {
            let rows = selection.step(body, now);
            self.pager.scroll(rows);
        }
    }

    fn with_seen<T>(
        &mut self,
        (call, look): (&Call, &Look<'_>),
        does: impl FnOnce(&mut Selected, Seen<'_>) -> T,
    ) -> T {
        self.take(call, self.selected.body.width, look);
        let shown = self.page.with((call, &self.whole), None, look.theme);
        does(&mut self.selected, (&shown, self.pager.seen()))
    }
}
