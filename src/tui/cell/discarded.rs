//! What came of an answer that broke off: said, and worth nothing.
//!
//! Owns how it is told from what counts. Invariant: no row of it looks like an answer, and nothing
//! of it is lost.

use ratatui::text::{Line, Span};

use super::{Cached, Look, rows};
use crate::tui::wrap;

/// So much on one line is shown at once: the words for the rest would be as long.
const SHORT: usize = 160;

/// A text that does not count any more, folded to one row.
pub(in crate::tui) struct Discarded {
    text: String,
    /// It was folded or unfolded by itself.
    unfold: Option<bool>,
    cached: Cached<(u16, bool)>,
}

impl Discarded {
    /// The text is harmless already.
    pub(super) fn new(text: String) -> Self {
        Self { text, unfold: None, cached: Cached::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Folds or unfolds it, or lets it be as all are.
    pub(super) fn fold(&mut self, unfold: Option<bool>) {
        self.unfold = unfold;
    }

    pub(super) fn revision(&self) -> u64 {
        // No text that still counts is so long.
        u64::MAX - self.text.len() as u64
    }

    pub(super) fn rows(&mut self, width: u16, look: Look<'_>) -> &[Line<'static>] {
        let (text, is_unfolded) = (&self.text, look.unfolds(self.unfold));
        self.cached.get((width, is_unfolded), || {
            let dim = look.theme.dim;
            if text.trim().is_empty() {
                return Vec::new();
            }
            let is_short = text.len() <= SHORT && text.trim().lines().count() <= 1;
            let words = text.split_whitespace().count();
            let line = if is_short {
                format!("× discarded: {}", text.trim())
            } else if is_unfolded {
                "× discarded:".to_owned()
            } else {
                format!("× discarded, {words} words (Ctrl-O shows them)")
            };
            let line = Line::from(Span::styled(line, dim));
            let mut shown = wrap::wrap_line(&line, width, &[], &[]);
            if is_unfolded && !is_short {
                shown.extend(rows::plain(text, width, "× ", dim));
            }
            shown
        })
    }
}
