//! Where in a review the user is. Owns the part that keys are meant for, and the first line of the
//! frame.
//!
//! Must not know how rows look, only how high they are. Invariant: every line of every row can be
//! scrolled to, however high the row and however low the screen.

use super::{Item, Review};
use crate::tui::{diff::draw::Brush, theme::Theme};

/// The first line of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Top {
    /// A row of the list.
    pub(super) row: usize,
    /// How many of its lines are above.
    pub(super) line: usize,
}

impl Top {
    /// The first line of a row.
    pub(super) const fn of(row: usize) -> Self {
        Self { row, line: 0 }
    }
}

impl Review {
    /// To another part.
    pub(in crate::tui) fn step(&mut self, steps: i64) {
        let by = usize::try_from(steps.unsigned_abs()).unwrap_or(usize::MAX);
        let last = self.units.len().saturating_sub(1);
        self.at = if steps < 0 {
            self.at.saturating_sub(by)
        } else {
            self.at.saturating_add(by).min(last)
        };
        self.show();
    }

    /// Scrolls so that the head of the part is seen, with as much of it as there is room for.
    pub(super) fn show(&mut self) {
        let room = self.room.1;
        let head = Top::of(self.head(self.at));
        let next =
            if self.at + 1 < self.units.len() { self.head(self.at + 1) } else { self.rows.len() };
        let bottom = self.behind(self.top, room);
        if head < self.top || head >= bottom {
            self.top = head;
        } else if Top::of(next) > bottom {
            self.top = self.before(Top::of(next), room).min(head);
        }
        self.show_change();
    }

    /// On a screen so low that only unchanged lines would be seen below the head of the part: what
    /// changes is shown instead, since one key allows it.
    pub(super) fn show_change(&mut self) {
        let room = self.room.1;
        let head = self.head(self.at);
        let is_change =
            |item: &Item| matches!(item, Item::Row(_, row) if self.sheet.is_change(*row));
        let first = self.rows.iter().skip(head).position(is_change).unwrap_or(0);
        let change = Top::of(head + first);
        if self.top == Top::of(head) && room > 0 && change >= self.behind(self.top, room) {
            self.top = self.before(change, room / 2);
        }
    }

    pub(super) fn head(&self, unit: usize) -> usize {
        let is_head = |item: &Item| matches!(item, Item::Unit(n) if *n == unit);
        self.rows.iter().position(is_head).unwrap_or(0)
    }

    /// Scrolls by lines of the screen.
    pub(in crate::tui) fn scroll(&mut self, lines: i64) {
        let by = usize::try_from(lines.unsigned_abs()).unwrap_or(usize::MAX);
        let before = self.top;
        self.top = if lines < 0 {
            self.before(self.top, by)
        } else {
            self.behind(self.top, by).min(self.last_top())
        };
        if self.top != before {
            self.at = self.first_seen().unwrap_or(self.at);
        }
    }

    /// The first part whose head is seen; if none is, that of the first line.
    fn first_seen(&self) -> Option<usize> {
        let bottom = self.behind(self.top, self.room.1);
        let begin = self.top.row + usize::from(self.top.line > 0);
        let rows = self.rows.iter().enumerate().skip(begin);
        let mut seen = rows.take_while(|(row, _)| Top::of(*row) < bottom);
        let first = seen.find_map(|(_, item)| match item {
            Item::Unit(unit) => Some(*unit),
            _ => None,
        });
        first.or_else(|| match self.rows.get(self.top.row) {
            Some(Item::Unit(unit) | Item::Row(unit, _)) => Some(*unit),
            _ => None,
        })
    }

    /// The place so many lines above this one.
    fn before(&self, from: Top, mut by: usize) -> Top {
        if by >= usize::MAX / 2 {
            return Top::default();
        }
        let mut top = from;
        let theme = Theme::plain();
        let mut brush = Brush::new(&self.sheet, self.room.0, &theme, None);
        while by > top.line {
            let Some(row) = top.row.checked_sub(1) else { return Top::default() };
            by -= top.line + 1;
            top = Top { row, line: self.lines_of(row, &mut brush, &theme).saturating_sub(1) };
        }
        Top { line: top.line - by, ..top }
    }

    /// The place so many lines below this one; that of the end, if there are fewer.
    fn behind(&self, from: Top, mut by: usize) -> Top {
        if by >= usize::MAX / 2 {
            return Top::of(self.rows.len());
        }
        let mut top = from;
        let theme = Theme::plain();
        let mut brush = Brush::new(&self.sheet, self.room.0, &theme, None);
        while top.row < self.rows.len() {
            let left = self.lines_of(top.row, &mut brush, &theme).saturating_sub(top.line);
            if by < left {
                return Top { line: top.line + by, ..top };
            }
            by -= left;
            top = Top::of(top.row + 1);
        }
        top
    }

    /// Has so much room from now on. Of a row that takes more lines now, or fewer, about the same
    /// text stays at the top.
    pub(super) fn take_room(&mut self, room: (u16, usize)) {
        let lines = |review: &Self| {
            let theme = Theme::plain();
            let mut brush = Brush::new(&review.sheet, review.room.0, &theme, None);
            review.lines_of(review.top.row, &mut brush, &theme)
        };
        let before = lines(self);
        self.room = room;
        let now = lines(self);
        self.top.line = (self.top.line * now).checked_div(before).unwrap_or(0);
    }

    /// From where the last line of all is the last one of the frame.
    pub(super) fn last_top(&self) -> Top {
        self.before(Top::of(self.rows.len()), self.room.1.max(1))
    }

    /// How many lines a row takes in the width of the last frame.
    fn lines_of(&self, row: usize, brush: &mut Brush<'_>, theme: &Theme) -> usize {
        let item = self.rows.get(row);
        item.map_or(0, |item| self.item(*item, self.room.0, theme, brush).len())
    }
}
