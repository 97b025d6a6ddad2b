//! Searching a call's view: what is looked for, and where it was found.
//!
//! Owns the field and the hits. Must not know how a pattern is read, nor how a hit is drawn.
//!
//! Invariant: every line is looked through once for each pattern, a bounded number of them with
//! each frame.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    Frame,
    layout::{Position, Rect},
    text::{Line, Span},
};

use super::page::Shown;
use crate::{
    text::cut,
    tui::{composer::Composer, search::Pattern, theme::Theme, wrap},
};

/// Hits that are kept; of more it is only said that there are more.
const MOST: usize = 100_000;
/// Bytes that are looked through with one frame, and what a line costs besides its own.
const FRAME: usize = 1 << 20;
const LINE: usize = 32;

/// Where the pattern was found: bytes of a line's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) line: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// All hits, in order.
#[derive(Default)]
pub(super) struct Hits {
    list: Vec<Hit>,
    current: usize,
}

impl Hits {
    pub(super) fn in_line(&self, line: usize) -> &[Hit] {
        let from = self.list.partition_point(|hit| hit.line < line);
        let to = self.list.partition_point(|hit| hit.line <= line);
        self.list.get(from..to).unwrap_or_default()
    }

    pub(super) fn current(&self) -> Option<Hit> {
        self.list.get(self.current).copied()
    }
}

/// What is to be brought into view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Nothing,
    /// The first hit from the origin on, which becomes the current one.
    First,
    /// The current hit.
    Current,
}

/// One search.
pub(super) struct Search {
    field: Composer,
    is_typing: bool,
    pattern: Pattern,
    hits: Hits,
    /// Lines that were looked through, and of which age they were.
    scanned: (usize, u64),
    /// There are more lines to look through.
    is_pending: bool,
    /// The line from which on the first hit is wanted.
    origin: usize,
    goal: Goal,
}

impl Search {
    /// A search for nothing yet, from this line on.
    pub(super) fn new(origin: usize) -> Self {
        Self {
            field: Composer::new(),
            is_typing: true,
            pattern: Pattern::default(),
            hits: Hits::default(),
            scanned: (0, 0),
            is_pending: false,
            origin,
            goal: Goal::First,
        }
    }

    pub(super) fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Whether the next frame has more to look through.
    pub(super) fn is_pending(&self) -> bool {
        self.is_pending
    }

    pub(super) fn hits(&self) -> &Hits {
        &self.hits
    }

    /// Takes a key; gives whether the search goes on.
    pub(super) fn key(&mut self, key: KeyEvent) -> bool {
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return false,
            KeyCode::Enter if self.field.is_empty() => return false,
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Up => self.step(false),
            KeyCode::Down => self.step(true),
            KeyCode::Char('r') if is_ctrl => {
                self.pattern.read_as(!self.pattern.is_regex());
                self.begin();
            }
            _ => {
                let before = self.field.text();
                self.field.key(key);
                if self.field.text() != before {
                    self.take_field();
                }
            }
        }
        true
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.field.paste(&cut::one_line(text, 1_000));
        self.take_field();
    }

    /// To the next hit or the one before, round and round.
    pub(super) fn step(&mut self, forward: bool) {
        let count = self.hits.list.len();
        if count > 0 {
            let by = if forward { 1 } else { count - 1 };
            self.hits.current = (self.hits.current + by) % count;
            self.goal = Goal::Current;
        }
    }

    fn take_field(&mut self) {
        self.pattern.set(&self.field.text());
        self.begin();
    }

    fn begin(&mut self) {
        self.forget();
        self.goal = Goal::First;
    }

    fn forget(&mut self) {
        self.hits.list.clear();
        self.scanned.0 = 0;
    }

    /// Looks through lines that are new; gives the hit that is to be brought into view.
    pub(super) fn look_through(&mut self, shown: &Shown<'_>) -> Option<Hit> {
        if self.scanned.1 != shown.age() {
            if self.hits.list.is_empty() {
                // What was in vain may not be any more.
                self.goal = Goal::First;
            }
            self.forget();
            self.scanned.1 = shown.age();
        }
        let (mut line, mut cost) = (self.scanned.0, 0);
        let is_more = |line: usize, found: usize| line < shown.settled() && found < MOST;
        while is_more(line, self.hits.list.len()) && cost < FRAME {
            cost += LINE;
            line = self.look_at(shown, line, &mut cost);
        }
        self.scanned.0 = line;
        self.is_pending = self.pattern.finds() && is_more(line, self.hits.list.len());
        if self.goal == Goal::First {
            let first = self.hits.list.iter().position(|hit| hit.line >= self.origin);
            if first.is_none() && self.is_pending {
                return None;
            }
            self.hits.current = first.unwrap_or(0);
        }
        let goal = std::mem::replace(&mut self.goal, Goal::Nothing);
        let current = self.hits.current.min(self.hits.list.len().saturating_sub(1));
        self.hits.current = current;
        self.hits.current().filter(|_| goal != Goal::Nothing)
    }

    /// Looks through a line with all pieces that it is drawn in; gives the next line.
    fn look_at(&mut self, shown: &Shown<'_>, line: usize, cost: &mut usize) -> usize {
        if !self.pattern.finds() {
            return shown.settled();
        }
        let is_joined = |line: usize| shown.piece(line).is_some_and(|piece| piece.joined);
        let next = (line + 1..=shown.settled()).find(|next| !is_joined(*next)).unwrap_or(line + 1);
        let text = shown.text_of(line, next);
        *cost += text.len();
        let begin = |line: usize| shown.piece(line).map_or(0, |piece| piece.range().start);
        let starts: Vec<_> = (line..next).map(|piece| begin(piece) - begin(line)).collect();
        let hits = &mut self.hits.list;
        self.pattern.each(&text, |found| {
            let piece = starts.partition_point(|start| *start <= found.start) - 1;
            let start = starts.get(piece).copied().unwrap_or(0);
            let end = starts.get(piece + 1).copied().unwrap_or(text.len());
            let to = found.end.min(end) - start;
            hits.push(Hit { line: line + piece, from: found.start - start, to });
            hits.len() < MOST
        });
        next
    }

    /// How it went: `3 of 17`. `is_all`: what is shown is all that was printed.
    fn told(&self, is_all: bool) -> String {
        let count = self.hits.list.len();
        let how = match count {
            _ if !self.pattern.finds() => String::new(),
            0 if self.is_pending => "searching…".to_owned(),
            0 => self.pattern.told_none(if is_all { "" } else { " in what is shown" }),
            count if self.is_pending || count >= MOST => {
                format!("{} of {count} or more", self.hits.current + 1)
            }
            count => format!("{} of {count}", self.hits.current + 1),
        };
        format!("  {}", self.pattern.told(&how))
    }

    /// Draws the field, and how it went in what is shown, which may be all; gives where the caret
    /// stands while it is typed into.
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        (theme, is_all): (&Theme, bool),
    ) -> Option<Position> {
        let told = Line::from(Span::styled(self.told(is_all), theme.dim));
        // The words may take what is typed does not need.
        let typed = wrap::width(&self.field.text()).saturating_add(3);
        let free = area.width.saturating_sub(u16::try_from(typed).unwrap_or(u16::MAX));
        let told = wrap::cut_line(&told, free.max(area.width / 2));
        let right = u16::try_from(wrap::width(&told.to_string())).unwrap_or(area.width);
        let sign = Line::from(Span::styled("/ ", theme.running));
        frame.buffer_mut().set_line(area.x, area.y, &sign, area.width);
        let left = 2.min(area.width);
        let width = area.width.saturating_sub(left + right);
        let field = Rect { x: area.x + left, width, ..area };
        frame.buffer_mut().set_line(field.right(), area.y, &told, right);
        if self.is_typing {
            return self.field.draw(frame, field, "words; Ctrl-R reads them as a regex", theme);
        }
        let text = Line::from(Span::styled(self.field.text(), theme.text));
        frame.buffer_mut().set_line(field.x, field.y, &wrap::cut_line(&text, width), width);
        None
    }
}
