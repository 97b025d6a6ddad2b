//! What of a cell can be selected: a prompt, a block of an answer, a thought, a call, a notice.
//! Owns where these stand in the cell's rows, what is copied of each, and which of them are folded.
//! Must not know the transcript.

use std::ops::Range;

use super::{Cell, Fixed, Kind, Look};
use crate::tui::markdown::blocks;

/// What one item says, for the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) struct Written {
    /// What it is, in a word for the user: `code`, `prompt`.
    pub(in crate::tui) what: &'static str,
    /// As it was written.
    pub(in crate::tui) text: String,
    /// The blocks of code in it.
    pub(in crate::tui) codes: Vec<String>,
}

/// What a result is called of which the model got, and this program kept, only a part.
const GOT: &str = "result, cut as the model got it";

impl Written {
    fn plain(what: &'static str, text: &str) -> Self {
        Self { what, text: text.to_owned(), codes: Vec::new() }
    }

    /// Of a block of an answer. Code is taken without its fences.
    fn block(source: &str) -> Self {
        let what = blocks::kind(source);
        let codes = blocks::codes(source);
        let text = match codes.as_slice() {
            [code] if what == "code" => code.clone(),
            _ => source.trim_end().to_owned(),
        };
        Self { what, text, codes }
    }
}

impl Cell {
    /// The rows of each item, among the cell's rows with this look.
    pub(in crate::tui) fn items(&mut self, look: Look<'_>) -> Vec<Range<usize>> {
        let rows = self.rows(look).len();
        match self {
            Self::Assistant(markdown) => {
                markdown.blocks().into_iter().map(|block| block.rows).collect()
            }
            Self::Iteration(iteration) => {
                let starts = iteration.lines();
                let ends = starts.iter().skip(1).chain([&rows]);
                starts.iter().zip(ends).map(|(start, end)| *start..*end).collect()
            }
            // How a turn ended well is no text that somebody needs.
            Self::Fixed(Fixed { kind: Kind::Success, .. }) => Vec::new(),
            _ if rows == 0 => Vec::new(),
            _ => std::iter::once(0..rows).collect(),
        }
    }

    /// What an item says; of a call, what came of it.
    pub(in crate::tui) fn written(&self, item: usize) -> Option<Written> {
        match self {
            Self::Assistant(markdown) => {
                let block = markdown.blocks().into_iter().nth(item)?;
                Some(Written::block(markdown.source().get(block.source)?))
            }
            Self::Iteration(iteration) => {
                let call = iteration.calls().get(item)?;
                let what = if call.whole().is_some() { GOT } else { "result" };
                Some(Written::plain(what, call.text()?))
            }
            Self::Fixed(fixed) => Some(Written::plain(fixed.what(), &fixed.text)),
            Self::Reasoning(reasoning) => Some(Written::plain("thought", reasoning.text.trim())),
            Self::Discarded(discarded) => Some(Written::plain("text", discarded.text().trim())),
        }
    }

    /// Folds or unfolds one item whatever the others are, or lets it be as they are. Gives whether
    /// it has anything to fold.
    pub(in crate::tui) fn fold(&mut self, item: usize, unfold: Option<bool>) -> bool {
        match self {
            Self::Iteration(iteration) => iteration.fold(item, unfold),
            Self::Reasoning(reasoning) => reasoning.unfold = unfold,
            Self::Discarded(discarded) => discarded.fold(unfold),
            Self::Fixed(fixed) => {
                fixed.unfold = unfold;
                return fixed.is_long();
            }
            Self::Assistant(_) => return false,
        }
        true
    }

    /// Lets every item be as all are.
    pub(in crate::tui) fn fold_as_all(&mut self) {
        match self {
            Self::Iteration(iteration) => iteration.fold_as_all(),
            _ => {
                self.fold(0, None);
            }
        }
    }

    /// Shows all of every item.
    pub(in crate::tui) fn unfold(&mut self) {
        let items = match self {
            Self::Iteration(iteration) => iteration.calls().len(),
            _ => 1,
        };
        for item in 0..items {
            self.fold(item, Some(true));
        }
    }
}

impl Look<'_> {
    /// Whether something is shown whole that was folded or unfolded by itself, if it was.
    pub(super) fn unfolds(self, by_itself: Option<bool>) -> bool {
        self.all || by_itself.unwrap_or(self.unfolded)
    }
}
