//! Scrolling through lines of which there may be very many: only what is in view is wrapped.
//!
//! Owns the place: at the end, following it, or at a row that stays put. Must not know what the
//! lines mean. Invariant: a frame wraps a number of lines that depends on the screen's height and
//! on how far was scrolled by rows, never on how many lines there are.

use ratatui::text::Line;

/// What can be scrolled through.
pub(in crate::tui) trait Lines {
    /// How many lines there are.
    fn count(&self) -> usize;

    /// The rows of one line at this width; at least one.
    fn rows(&self, line: usize, width: u16) -> Vec<Line<'static>>;
}

/// A row: a line, and a row of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tui) struct Place {
    pub(in crate::tui) line: usize,
    pub(in crate::tui) row: usize,
}

/// A place in lines.
#[derive(Default)]
pub(in crate::tui) struct Pager {
    /// The row at the top; `None` while the end is followed.
    top: Option<Place>,
    /// Rows to move before the next frame; up is negative.
    moves: i64,
    /// A row to bring into view with the next frame.
    wanted: Option<Place>,
    /// Lines above and below the last frame.
    hidden: (usize, usize),
    /// The rows of the last frame.
    seen: Vec<Place>,
    height: usize,
    width: u16,
    /// Somebody wants to see the end with the next frame.
    to_end: bool,
}

impl Pager {
    /// At the beginning, or at the end and following it.
    pub(in crate::tui) fn new(follows: bool) -> Self {
        Self { top: (!follows).then(Place::default), ..Self::default() }
    }

    pub(in crate::tui) fn scroll(&mut self, rows: i64) {
        self.moves = self.moves.saturating_add(rows);
    }

    /// By so many screens, with a little of the last one still in view.
    pub(in crate::tui) fn page(&mut self, pages: i64) {
        let rows = i64::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        self.scroll(rows.saturating_mul(pages));
    }

    /// By so many halves of a screen.
    pub(in crate::tui) fn half_page(&mut self, halves: i64) {
        let rows = i64::try_from((self.height / 2).max(1)).unwrap_or(1);
        self.scroll(rows.saturating_mul(halves));
    }

    pub(in crate::tui) fn go_to_top(&mut self) {
        (self.moves, self.wanted) = (0, None);
        self.top = Some(Place::default());
    }

    pub(in crate::tui) fn go_to_end(&mut self) {
        (self.moves, self.wanted, self.top, self.to_end) = (0, None, None, true);
    }

    /// Brings a row into view with the next frame.
    pub(in crate::tui) fn show(&mut self, place: Place) {
        (self.moves, self.wanted) = (0, Some(place));
    }

    /// The line at the top of the last frame; none while the end is followed.
    pub(in crate::tui) fn top_line(&self) -> Option<usize> {
        self.top.map(|top| top.line)
    }

    /// How many lines stand above what the last frame showed, and how many below.
    pub(in crate::tui) fn hidden(&self) -> (usize, usize) {
        self.hidden
    }

    /// Stays where it is with the next frame, also at the end.
    pub(in crate::tui) fn hold(&mut self) {
        if !self.to_end {
            self.top = self.top.or(self.seen.first().copied());
        }
    }

    /// Which rows the last frame showed.
    pub(in crate::tui) fn seen(&self) -> &[Place] {
        &self.seen
    }

    /// The rows in view; settles where we are.
    pub(in crate::tui) fn window(
        &mut self,
        lines: &dyn Lines,
        width: u16,
        height: usize,
    ) -> Vec<Line<'static>> {
        let moves = std::mem::take(&mut self.moves);
        self.to_end = false;
        self.height = height;
        if height == 0 || lines.count() == 0 {
            self.seen.clear();
            return Vec::new();
        }
        let wrapped = Wrapped { lines, width };
        let before = std::mem::replace(&mut self.width, width);
        if let Some(top) =
            self.top.as_mut().filter(|top| top.row > 0 && before > 0 && before != width)
        {
            // Of a line that takes more rows now, or fewer, about the same text stays at the top.
            let top_line = wrapped.clamp(Place { row: 0, ..*top }).line;
            let rows = Wrapped { lines, width: before }.height(top_line);
            top.row = top.row * wrapped.height(top_line) / rows;
        }
        let end = wrapped.up(wrapped.last(), height - 1);
        let mut top = self.top.map_or(end, |top| wrapped.clamp(top)).min(end);
        if let Some(wanted) = self.wanted.take() {
            let wanted = wrapped.clamp(wanted);
            if wanted < top || wrapped.up(wanted, height - 1) > top {
                top = wrapped.up(wanted, height / 3).min(end);
            }
        }
        let by = usize::try_from(moves.unsigned_abs()).unwrap_or(usize::MAX);
        top = if moves < 0 { wrapped.up(top, by) } else { wrapped.down(top, by, end) };
        self.top = (top < end).then_some(top);
        let rows;
        (self.seen, rows) = wrapped.collect(top, height).into_iter().unzip();
        let last = self.seen.last().map_or(top.line, |last| last.line);
        self.hidden = (top.line, lines.count().saturating_sub(last + 1));
        rows
    }
}

struct Wrapped<'a> {
    lines: &'a dyn Lines,
    width: u16,
}

impl Wrapped<'_> {
    fn height(&self, line: usize) -> usize {
        self.lines.rows(line, self.width).len().max(1)
    }

    fn last(&self) -> Place {
        let line = self.lines.count().saturating_sub(1);
        Place { line, row: self.height(line) - 1 }
    }

    /// The place, if lines have become fewer or shorter: a row that exists.
    fn clamp(&self, place: Place) -> Place {
        let line = place.line.min(self.lines.count().saturating_sub(1));
        let row = if place.row == 0 { 0 } else { place.row.min(self.height(line) - 1) };
        Place { line, row }
    }

    fn up(&self, from: Place, rows: usize) -> Place {
        let (mut place, mut left) = (from, rows);
        loop {
            if place.row >= left {
                return Place { row: place.row - left, ..place };
            }
            left -= place.row + 1;
            let Some(line) = place.line.checked_sub(1) else { return Place::default() };
            place = Place { line, row: self.height(line) - 1 };
        }
    }

    fn down(&self, from: Place, rows: usize, end: Place) -> Place {
        let (mut place, mut left) = (from, rows);
        while left > 0 && place < end {
            let rest = self.height(place.line) - place.row;
            if left < rest {
                return Place { row: place.row + left, ..place }.min(end);
            }
            left -= rest;
            place = Place { line: place.line + 1, row: 0 };
        }
        place.min(end)
    }

    /// So many rows from there on.
    fn collect(&self, from: Place, height: usize) -> Vec<(Place, Line<'static>)> {
        let mut rows = Vec::with_capacity(height);
        let mut skip = from.row;
        for line in from.line..self.lines.count() {
            let own = self.lines.rows(line, self.width).into_iter().enumerate().skip(skip);
            rows.extend(own.map(|(row, text)| (Place { line, row }, text)));
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
