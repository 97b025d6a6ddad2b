//! The permission question: what will be done, and the keys that decide.
//!
//! Owns its focus: it takes no key until it has stood for a moment without one and the prompt is
//! empty (or Tab was pressed), so that a key meant for the prompt cannot answer it. Must not know
//! what the answer leads to.
//!
//! Invariant: once the user has typed or gone to the prompt, no time that passes gives the keys
//! back to the question; only Tab does.

mod keys;
pub(in crate::tui) mod review;
mod title;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::Style,
    text::{Line, Span},
};

use crate::{
    protocol::question::{Preview, Question},
    tui::{
        composer::Composer, highlight::Highlighter, keymap::Keys, theme::Theme, visible::visible,
        wrap,
    },
};
use review::Review;

/// How long no key must have been pressed before a key is an answer, and how long that can be put
/// off by keys.
const ARMING: Duration = Duration::from_millis(300);
const ARMING_AT_MOST: Duration = Duration::from_secs(2);
/// Rows of the preview that come before the words for the keys.
const LEAST: usize = 2;

/// What is to be known before a file of secrets is read.
const SECRETS: &str = "Its name says that it holds secrets. What is in it goes to the model.";

/// One open question.
pub(in crate::tui) struct Approval {
    pub(in crate::tui) question: Question,
    /// Since when it has not taken keys, and when it does.
    inert_since: Instant,
    armed_at: Instant,
    /// The word to the model that is being typed, if one is.
    pub(in crate::tui) word: Option<Composer>,
    /// Rows of the preview above the visible ones.
    scroll: usize,
    /// Rows of the preview that were visible in the last frame.
    page: usize,
    holder: Holder,
    /// The first press of the two that open the session; the second one counts.
    pub(in crate::tui) sure: Option<KeyEvent>,
    /// What is made of a write.
    review: Option<Review>,
    /// The rows of a command, and the width that they were made for.
    command: (u16, Vec<Line<'static>>),
    /// The width at which the title has no room for the whole path: it scrolls with the rest then.
    path_cut_at: Option<u16>,
    /// Where the last frame shows it.
    area: Rect,
}

/// Whom the user gave the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// Nobody yet: the prompt has them while something stands in it, else the question.
    Nobody,
    Question,
    Prompt,
}

/// What it is drawn with.
pub(in crate::tui) struct Look<'a> {
    pub(in crate::tui) theme: &'a Theme,
    pub(in crate::tui) highlighter: &'a Highlighter,
    pub(in crate::tui) keys: &'a Keys,
    /// Whether it has the keys.
    pub(in crate::tui) focus: bool,
    /// Whether something stands in the prompt.
    pub(in crate::tui) drafting: bool,
    /// Whether a search has the keys, of which Esc is the way out.
    pub(in crate::tui) searching: bool,
}

impl Approval {
    pub(in crate::tui) fn new(question: Question, now: Instant) -> Self {
        let armed_at = now + ARMING;
        let review = Review::of(&question.preview);
        let command = (0, Vec::new());
        Self {
            question,
            inert_since: now,
            armed_at,
            word: None,
            scroll: 0,
            page: 0,
            holder: Holder::Nobody,
            sure: None,
            review,
            command,
            path_cut_at: None,
            area: Rect::default(),
        }
    }

    /// What the user makes of the write, if it is one.
    pub(in crate::tui) fn review_mut(&mut self) -> Option<&mut Review> {
        self.review.as_mut()
    }

    /// Whether parts can be chosen or edited.
    pub(in crate::tui) fn is_review(&self) -> bool {
        self.review.is_some()
    }

    /// Whether keys are for this question now. `drafting`: the prompt is not empty.
    pub(in crate::tui) fn has_focus(&self, now: Instant, drafting: bool) -> bool {
        self.is_armed(now) && !self.leaves_keys(drafting)
    }

    /// Whether the prompt has the keys until Tab is pressed.
    pub(in crate::tui) fn leaves_keys(&self, drafting: bool) -> bool {
        match self.holder {
            Holder::Nobody => drafting,
            Holder::Question => false,
            Holder::Prompt => true,
        }
    }

    /// Whether something else has the keys until a key leads here.
    fn is_left(&self, look: &Look<'_>) -> bool {
        look.searching || self.leaves_keys(look.drafting)
    }

    /// Tab: takes the keys from the prompt, or gives them back.
    pub(in crate::tui) fn switch_keys(&mut self, drafting: bool) {
        self.holder = if self.leaves_keys(drafting) { Holder::Question } else { Holder::Prompt };
        self.sure = None;
    }

    /// The user writes a prompt: it keeps the keys, also when nothing is left in it.
    pub(in crate::tui) fn leave_keys(&mut self) {
        self.holder = Holder::Prompt;
        self.sure = None;
    }

    /// It is seen anew, or has changed: it has to stand for a moment before it takes keys.
    pub(in crate::tui) fn rearm(&mut self, now: Instant) {
        (self.inert_since, self.armed_at) = (now, now + ARMING);
    }

    /// A key was no answer: the user is still typing. Keys cannot put it off for ever.
    pub(in crate::tui) fn put_off(&mut self, now: Instant) {
        if self.is_armed(now) {
            self.inert_since = now;
        }
        self.armed_at = (now + ARMING).min(self.inert_since + ARMING_AT_MOST);
    }

    /// Whether it has stood long enough without a key.
    pub(in crate::tui) fn is_armed(&self, now: Instant) -> bool {
        now >= self.armed_at
    }

    /// Whether the last frame shows it there.
    pub(in crate::tui) fn is_at(&self, (column, row): (u16, u16)) -> bool {
        self.area.contains((column, row).into())
    }

    pub(in crate::tui) fn scroll(&mut self, rows: i64) {
        if let Some(review) = &mut self.review {
            review.scroll(rows);
            return;
        }
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        self.scroll =
            if rows < 0 { self.scroll.saturating_sub(by) } else { self.scroll.saturating_add(by) };
    }

    /// Goes on by so many pages, of which the last row of one is the first of the next.
    pub(in crate::tui) fn page(&mut self, pages: i64) {
        let rows = i64::try_from(self.page.saturating_sub(1).max(1)).unwrap_or(i64::MAX);
        self.scroll(rows.saturating_mul(pages));
    }

    /// Rows that the question wants, counted no further than `most`.
    pub(in crate::tui) fn height(&mut self, (width, most): (u16, u16), look: &Look<'_>) -> u16 {
        let most = usize::from(most);
        self.lay_path(self.title((width, (0, 0)), look).1, width);
        let body = match &self.review {
            Some(review) => review.height(width, most),
            None => self.command(width, look.theme).len(),
        };
        let typing = usize::from(self.word.is_some());
        let rows = 1 + body + self.keys(width, look).len() + typing;
        u16::try_from(rows.min(most)).unwrap_or(u16::MAX)
    }

    /// Draws it; gives where the caret stands, if a word is being typed.
    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: &Look<'_>,
    ) -> Option<Position> {
        self.area = area;
        let (width, theme) = (area.width, look.theme);
        let mut keys = self.keys(width, look);
        let typing = usize::from(self.word.is_some());
        let height = usize::from(area.height);
        let wanted = match &self.review {
            Some(review) => review.height(width, LEAST),
            None => self.command(width, theme).len(),
        };
        if height < 1 + wanted.min(LEAST) + keys.len() + typing {
            // What is decided on comes before the words for the keys.
            keys = vec![self.short_keys(width, look)];
        }
        let room = height.saturating_sub(1 + keys.len() + typing);
        self.page = room;
        let (mut body, mut above, mut below) = self.body((width, room), look);
        if self.lay_path(self.title((width, (above, below)), look).1, width) {
            (body, above, below) = self.body((width, room), look);
        }
        let mut rows = vec![self.title((width, (above, below)), look).0];
        rows.extend(body);
        let style = if look.focus { Style::new() } else { theme.dim };
        rows.extend(keys.into_iter().map(|line| line.style(style)));
        for (y, line) in (area.y..area.bottom()).zip(&rows) {
            frame.buffer_mut().set_line(area.x, y, line, width);
        }
        let word = self.word.as_mut()?;
        let y = area.bottom().saturating_sub(1);
        frame.buffer_mut().set_line(area.x, y, &Line::from(Span::styled("› ", theme.warning)), 2);
        let input = Rect { x: area.x + 2, y, width: width.saturating_sub(2), height: 1 };
        let long = "what should it do instead? Enter denies with this word";
        let hint =
            if wrap::width(long) <= usize::from(input.width) { long } else { "what instead?" };
        word.draw(frame, input, hint, theme)
    }

    /// The visible rows, and how many are above and below.
    fn body(
        &mut self,
        (width, room): (u16, usize),
        look: &Look<'_>,
    ) -> (Vec<Line<'static>>, usize, usize) {
        if let Some(review) = &mut self.review {
            let drawn = review.draw((width, room), look.theme, look.highlighter);
            return (drawn.lines, drawn.above, drawn.below);
        }
        let all = self.command(width, look.theme).len();
        self.scroll = self.scroll.min(all.saturating_sub(room));
        let below = all.saturating_sub(self.scroll + room);
        let shown = self.command.1.iter().skip(self.scroll).take(room).cloned().collect();
        (shown, self.scroll, below)
    }

    /// Whether the title cuts the path at this width: then all of it stands before the rest, and
    /// stays there. True if it stands there since now.
    fn lay_path(&mut self, is_cut: bool, width: u16) -> bool {
        if !is_cut || self.path_cut_at == Some(width) {
            // At another width it is found out anew.
            if self.path_cut_at.is_some_and(|at| at != width) {
                self.path_cut_at = None;
                self.command.0 = 0;
                if let Some(review) = &mut self.review {
                    review.lay_path(Vec::new());
                }
            }
            return false;
        }
        self.path_cut_at = Some(width);
        self.command.0 = 0;
        if let (Some(review), Preview::Write { path, .. }) =
            (&mut self.review, &self.question.preview)
        {
            review.lay_path(path_rows(path, width));
        }
        true
    }

    /// The rows of a command; laid out once for a width, since it may be long.
    fn command(&mut self, width: u16, theme: &Theme) -> &[Line<'static>] {
        if self.command.0 != width {
            let rows = match &self.question.preview {
                Preview::Command { command, .. } => command_lines(command, width, theme),
                Preview::Read { path } => {
                    let mut rows = Vec::new();
                    if self.path_cut_at == Some(width) {
                        let path = path_rows(path, width).into_iter();
                        rows.extend(path.map(|row| Line::from(Span::styled(row, theme.strong))));
                    }
                    let line = Line::from(Span::styled(SECRETS, theme.text));
                    rows.extend(wrap::wrap_line(&line, width, &[], &[]));
                    rows
                }
                Preview::Nothing | Preview::Write { .. } => Vec::new(),
            };
            self.command = (width, rows);
        }
        &self.command.1
    }
}

/// All of a path in rows; what is invisible in it is shown as what it is.
fn path_rows(path: &str, width: u16) -> Vec<String> {
    let path = visible(path);
    let rows = wrap::wrap_line(&Line::from(path.as_ref()), width, &[], &[]);
    rows.iter().map(ToString::to_string).collect()
}

/// The whole command; control and invisible characters are shown as what they are.
fn command_lines(command: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mark = [Span::styled("$ ", theme.warning)];
    let blank = [Span::raw("  ")];
    // As in code: a row that only goes on is no line of its own.
    let goes_on = [Span::styled("┆ ", theme.dim)];
    let mut rows = Vec::new();
    for (n, line) in command.split('\n').enumerate() {
        let line = Line::from(Span::styled(visible(line).into_owned(), theme.strong));
        let first = if n == 0 { &mark } else { &blank };
        rows.extend(wrap::wrap_line(&line, width, first, &goes_on));
    }
    rows
}
