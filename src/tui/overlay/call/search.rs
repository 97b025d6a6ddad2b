//! Searching a call's view: what is looked for, and where it was found.
//!
//! Owns the field, the pattern and the hits. Must not know how a hit is drawn.
//!
//! Invariant: every line is looked through once for each pattern, a bounded number of them with
//! each frame; a pattern that does not compile
//! finds nothing and says so.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ratatui::{
    Frame,
    layout::{Position, Rect},
    text::{Line, Span},
};

use super::page::Shown;
use crate::{
    text::cut,
    tui::{composer::Composer, theme::Theme, wrap},
};

/// Hits that are kept; of more it is only said that there are more.
const MOST: usize = 100_000;
/// Bytes that are looked through with one frame, and what a line costs besides its own.
const FRAME: usize = 1 << 20;
const LINE: usize = 32;
/// Bytes that a compiled pattern may take.
const PATTERN: usize = 4 << 20;
/// Characters of an error that are shown.
const ERROR: usize = 60;

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
    /// Whether what is typed is a regular expression.
    is_regex: bool,
    matcher: Option<RegexMatcher>,
    error: Option<String>,
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
            is_regex: false,
            matcher: None,
            error: None,
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
                self.is_regex = !self.is_regex;
                self.compile();
            }
            _ => {
                let before = self.field.text();
                self.field.key(key);
                if self.field.text() != before {
                    self.compile();
                }
            }
        }
        true
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.field.paste(&cut::one_line(text, 1_000));
        self.compile();
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

    fn compile(&mut self) {
        let pattern = self.field.text();
        let mut builder = RegexMatcherBuilder::new();
        builder.case_smart(true).fixed_strings(!self.is_regex).size_limit(PATTERN);
        let built = (!pattern.is_empty()).then(|| builder.build(&pattern));
        (self.matcher, self.error) = match built {
            None => (None, None),
            Some(Ok(matcher)) => (Some(matcher), None),
            Some(Err(error)) => {
                let told = error.to_string();
                let last = told.lines().last().unwrap_or_default();
                (None, Some(cut::one_line(last, ERROR)))
            }
        };
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
        self.is_pending = self.matcher.is_some() && is_more(line, self.hits.list.len());
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
        let Some(matcher) = &self.matcher else { return shown.settled() };
        let is_joined = |line: usize| shown.piece(line).is_some_and(|piece| piece.joined);
        let next = (line + 1..=shown.settled()).find(|next| !is_joined(*next)).unwrap_or(line + 1);
        let text = shown.text_of(line, next);
        *cost += text.len();
        let begin = |line: usize| shown.piece(line).map_or(0, |piece| piece.range().start);
        let starts: Vec<_> = (line..next).map(|piece| begin(piece) - begin(line)).collect();
        let hits = &mut self.hits.list;
        let _ended = matcher.find_iter(text.as_bytes(), |found| {
            if found.start() < found.end() {
                let piece = starts.partition_point(|start| *start <= found.start()) - 1;
                let start = starts.get(piece).copied().unwrap_or(0);
                let end = starts.get(piece + 1).copied().unwrap_or(text.len());
                let to = found.end().min(end) - start;
                hits.push(Hit { line: line + piece, from: found.start() - start, to });
            }
            hits.len() < MOST
        });
        next
    }

    /// How it went: `3 of 17`. `is_all`: what is shown is all that was printed.
    fn told(&self, is_all: bool) -> String {
        let count = self.hits.list.len();
        let mode = if self.is_regex { "regex · " } else { "" };
        let found = match (&self.error, count) {
            (Some(error), _) => error.clone(),
            _ if self.field.is_empty() => String::new(),
            (_, 0) if self.is_pending => "searching ...".to_owned(),
            (_, 0) if is_all => "no match".to_owned(),
            (_, 0) => "no match in what is shown".to_owned(),
            (_, count) if self.is_pending || count >= MOST => {
                format!("{} of {count} or more", self.hits.current + 1)
            }
            (_, count) => format!("{} of {count}", self.hits.current + 1),
        };
        format!("  {mode}{found}")
    }

    /// Draws the field, and how it went in what is shown, which may be all; gives where the caret stands while it is typed into.
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        (theme, is_all): (&Theme, bool),
    ) -> Option<Position> {
        let told = Line::from(Span::styled(self.told(is_all), theme.dim));
        let told = wrap::cut_line(&told, area.width / 2);
        let right = u16::try_from(wrap::width(&told.to_string())).unwrap_or(area.width);
        let sign = Line::from(Span::styled("/ ", theme.running));
        frame.buffer_mut().set_line(area.x, area.y, &sign, area.width);
        let left = 2.min(area.width);
        let width = area.width.saturating_sub(left + right);
        let field = Rect { x: area.x + left, width, ..area };
        frame.buffer_mut().set_line(field.right(), area.y, &told, right);
        if self.is_typing {
            return self.field.draw(frame, field, "text; Ctrl-R: a regular expression", theme);
        }
        let text = Line::from(Span::styled(self.field.text(), theme.text));
        frame.buffer_mut().set_line(field.x, field.y, &wrap::cut_line(&text, width), width);
        None
    }
}
