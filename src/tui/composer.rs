//! The input box: what stands in it, and how it is drawn. Only it and its parts name the text area.
//!
//! Owns what was typed until it is sent. Must not know what is done with it. Its parts own the keys
//! in it (`keys`), the pastes in it (`folds`), and what leaves it and comes back (`past`).
//! Invariant: nothing typed is ever lost: what leaves the box stands in the history.

mod caret;
mod folds;
mod keys;
mod known;
mod past;
mod pastes;

use ratatui::{Frame, layout::Position, layout::Rect, style::Style};
use tui_textarea::{CursorMove, CursorRenderMode, TextArea, WrapMode};

use super::{history::History, theme::Theme};
use crate::text::sanitize::sanitize;
pub(super) use caret::Mention;
use known::Known;
use pastes::Pastes;

/// The input box.
pub(super) struct Composer {
    area: TextArea<'static>,
    history: History,
    /// Place in the history while Up and Down walk it, counted from the newest.
    browsing: Option<usize>,
    /// What stood in the box before Up was pressed.
    draft: String,
    /// Long pastes, each with the chip that stands for it.
    pastes: Pastes,
    /// Those that were folded when they left the box.
    known: Known,
}

impl Composer {
    pub(super) fn new() -> Self {
        Self {
            area: area(""),
            history: History::default(),
            browsing: None,
            draft: String::new(),
            pastes: Pastes::default(),
            known: Known::default(),
        }
    }

    /// A box that shows this text.
    pub(super) fn showing(text: &str) -> Self {
        let mut composer = Self::new();
        composer.show(text);
        composer
    }

    pub(super) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Whether the text begins so.
    pub(super) fn begins_with(&self, c: char) -> bool {
        self.area.lines().first().is_some_and(|line| line.starts_with(c))
    }

    /// The file that is being named at the caret.
    pub(super) fn mention(&self) -> Option<Mention> {
        if self.is_browsing() || self.area.is_selecting() {
            return None;
        }
        caret::mention(self.around().0)
    }

    /// Writes the path of the file that is being named.
    pub(super) fn complete_mention(&mut self, path: &str) {
        let (row, column) = self.area.cursor();
        let Some(mention) = self.mention() else { return };
        let start = column.saturating_sub(mention.length);
        let (Ok(to_row), Ok(to_column)) = (u16::try_from(row), u16::try_from(start)) else {
            return;
        };
        self.area.move_cursor(CursorMove::Jump(to_row, to_column));
        self.area.delete_str(mention.length);
        self.area.insert_str(caret::mentioned(path));
        self.guard_chips();
    }

    /// The caret's line before and behind it.
    fn around(&self) -> (&str, &str) {
        let (row, column) = self.area.cursor();
        caret::split(self.area.lines().get(row).map_or("", String::as_str), column)
    }

    /// Whether the caret stands in the first line, and in the last.
    pub(super) fn edges(&self) -> (bool, bool) {
        let row = self.area.cursor().0;
        (row == 0, row + 1 >= self.area.lines().len())
    }

    /// Rows that the box wants at this width, at most `max`.
    pub(super) fn height(&mut self, width: u16, max: u16) -> u16 {
        self.area.measure(width.max(1)).content_rows.clamp(1, max.max(1))
    }

    /// Draws the box; gives where the caret stands.
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        hint: &str,
        theme: &Theme,
    ) -> Option<Position> {
        if self.area.placeholder_text() != hint {
            self.area.set_placeholder_text(hint);
        }
        self.area.set_placeholder_style(theme.dim);
        frame.render_widget(&self.area, area);
        self.area.rendered_cursor_position()
    }

    /// Makes this the text, with the caret behind it.
    fn put(&mut self, text: &str) {
        self.area = area(text);
        self.browsing = None;
    }
}

/// Control characters dropped, and line ends of one kind.
fn harmless(text: &str) -> String {
    sanitize(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned()
}

fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(Style::new());
    // The terminal's own cursor stands at the caret, where input methods look for it.
    area.set_cursor_render_mode(CursorRenderMode::Hidden);
    area.set_undo_coalescing(true);
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

#[cfg(test)]
mod tests;
