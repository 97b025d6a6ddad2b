//! One block of the transcript: what the user said, what the model said, an iteration with its
//! calls, a notice, the end of a turn.
//!
//! Owns how each looks at a width. Must not know scrolling or the engine. Every text that comes
//! in is neutralised here, at the border of the screen.

mod discarded;
mod fixed;
mod growing;
mod items;
pub(super) mod iteration;
mod rows;

use std::time::Instant;

use ratatui::text::{Line, Span};

use super::{highlight::Highlighter, links::Links, markdown::Markdown, theme::Theme, wrap};
use crate::text::sanitize::Stream;
use discarded::Discarded;
use fixed::{Fixed, Kind};
use growing::Growing;
pub(super) use items::Written;
use iteration::Iteration;
pub(super) use rows::two_ends;

/// What drawing a cell depends on.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// Columns for the whole transcript.
    pub(super) width: u16,
    pub(super) theme: &'a Theme,
    pub(super) highlighter: &'a Highlighter,
    pub(super) now: Instant,
    /// Whether diffs and outputs are shown whole, where nothing else was asked for.
    pub(super) unfolded: bool,
    /// Whether everything is shown whole, whatever is folded: for a search.
    pub(super) all: bool,
}

/// One block.
pub(super) enum Cell {
    /// What the user said, a notice, the end of a turn: fixed text.
    Fixed(Fixed),
    /// What the model said.
    Assistant(Box<Markdown>),
    /// What the model thought.
    Reasoning(Reasoning),
    /// What came of an answer that broke off.
    Discarded(Discarded),
    /// A request and the calls it led to.
    Iteration(Iteration),
}

/// Columns that stand free at the left and the right of everything.
const MARGIN: u16 = 1;
/// Further columns that the model's words are moved in.
const INSET: u16 = 2;

impl Cell {
    pub(super) fn user(text: &str) -> Self {
        Self::Fixed(Fixed::new(Kind::User, text))
    }

    /// What the user told the running turn.
    pub(super) fn steered(text: &str) -> Self {
        Self::Fixed(Fixed::new(Kind::Steered, text))
    }

    pub(super) fn notice(text: &str) -> Self {
        Self::Fixed(Fixed::new(Kind::Notice, text))
    }

    /// The end of a turn, in these words.
    pub(super) fn ending(success: bool, words: &str) -> Self {
        let kind = if success { Kind::Success } else { Kind::Failure };
        Self::Fixed(Fixed::new(kind, words.trim_start_matches("■ ")))
    }

    pub(super) fn assistant(links: &Links) -> Self {
        Self::Assistant(Box::new(Markdown::linking(links.clone())))
    }

    /// What the model said or thought in it does not count, and its calls never ran.
    pub(super) fn discard(&mut self) {
        match self {
            Self::Assistant(markdown) => {
                *self = Self::Discarded(Discarded::new(markdown.source().to_owned()));
            }
            Self::Reasoning(reasoning) => {
                let text = std::mem::take(&mut reasoning.text);
                *self = Self::Discarded(Discarded::new(text));
            }
            Self::Iteration(iteration) => iteration.discard(),
            Self::Fixed(_) | Self::Discarded(_) => {}
        }
    }

    /// Whether a turn begins here.
    pub(super) fn is_prompt(&self) -> bool {
        matches!(self, Self::Fixed(Fixed { kind: Kind::User, .. }))
    }

    /// Columns left of the cell's rows.
    pub(super) fn indent(&self, width: u16) -> u16 {
        match self {
            Self::Assistant(_) | Self::Reasoning(_) | Self::Discarded(_) if width >= 40 => {
                MARGIN + INSET
            }
            _ if width >= 20 => MARGIN,
            _ => 0,
        }
    }

    /// Changes whenever what the cell says changes, whatever it looks like.
    pub(super) fn revision(&self) -> u64 {
        let grown = |length: usize, over: bool| length as u64 * 2 + u64::from(over);
        match self {
            Self::Fixed(_) => 0,
            Self::Assistant(markdown) => grown(markdown.source().len(), markdown.is_finished()),
            Self::Reasoning(reasoning) => grown(reasoning.text.len(), reasoning.over),
            Self::Discarded(discarded) => discarded.revision(),
            Self::Iteration(iteration) => iteration.revision(),
        }
    }

    /// The cell's rows; cached as long as nothing that they depend on changes.
    pub(super) fn rows(&mut self, look: Look<'_>) -> &[Line<'static>] {
        let indent = self.indent(look.width);
        let inner = look.width.saturating_sub(indent + indent.min(MARGIN)).max(1);
        match self {
            Self::Fixed(fixed) => fixed.rows(inner, look),
            Self::Assistant(markdown) => markdown.lines(inner, look.theme, look.highlighter),
            Self::Reasoning(reasoning) => reasoning.rows(inner, look),
            Self::Discarded(discarded) => discarded.rows(inner, look),
            Self::Iteration(iteration) => iteration.rows(inner, look),
        }
    }
}

/// Rows with what they were made for.
#[derive(Default)]
pub(super) struct Cached<K> {
    key: Option<K>,
    rows: Vec<Line<'static>>,
}

impl<K: PartialEq> Cached<K> {
    /// The rows for this key, made anew if they were made for another.
    fn get(&mut self, key: K, make: impl FnOnce() -> Vec<Line<'static>>) -> &[Line<'static>] {
        if self.key.as_ref() != Some(&key) {
            self.rows = make();
            self.key = Some(key);
        }
        &self.rows
    }
}

/// What the model thought: its last lines while it thinks, one line afterwards.
pub(super) struct Reasoning {
    stream: Stream,
    text: String,
    over: bool,
    /// It was folded or unfolded by itself.
    unfold: Option<bool>,
    cached: Cached<(u16, usize, bool)>,
    /// The rows of all of it, where it is unfolded.
    whole: Growing,
}

/// Rows of reasoning that are shown while it streams.
const THOUGHT_ROWS: usize = 3;
/// A thought of one line and so many bytes is not folded: the words for it would be as long.
const SHORT_THOUGHT: usize = 160;
/// Bytes of reasoning that the folded view looks at: more than its rows can hold.
const THOUGHT_BYTES: usize = 4_096;

impl Reasoning {
    pub(super) fn new() -> Self {
        let stream = Stream::default();
        Self {
            stream,
            text: String::new(),
            over: false,
            unfold: None,
            cached: Cached { key: None, rows: Vec::new() },
            whole: Growing::default(),
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(&self.stream.push(text));
    }

    pub(super) fn end(&mut self) {
        self.over = true;
    }

    fn rows(&mut self, width: u16, look: Look<'_>) -> &[Line<'static>] {
        if look.unfolds(self.unfold) {
            return self.whole.rows(&self.text, width, "∴ ", look.theme.dim);
        }
        let key = (width, self.text.len(), self.over);
        let (text, over, theme) = (&self.text, self.over, look.theme);
        self.cached.get(key, || {
            let is_short = text.len() <= SHORT_THOUGHT && text.lines().count() <= 1;
            let shown = crate::text::cut::tail(text, THOUGHT_BYTES);
            let mut rows = rows::plain(shown, width, "∴ ", theme.dim);
            if over && (!is_short || rows.len() > THOUGHT_ROWS) {
                let words = text.split_whitespace().count();
                let line = format!("∴ thought, {words} words (Ctrl-O shows them)");
                return wrap::wrap_line(
                    &Line::from(Span::styled(line, theme.dim)),
                    width,
                    &[],
                    &[],
                );
            }
            if rows.len() > THOUGHT_ROWS {
                rows.drain(..rows.len() - THOUGHT_ROWS);
            }
            rows
        })
    }
}
