//! The input box: text, history, pastes. The only file that names the text area.
//!
//! Owns what was typed until it is sent. Must not know what is done with it. Invariant: nothing
//! typed is ever lost: what leaves the box stands in the history.

use std::collections::VecDeque;

use crossterm::event::KeyEvent;
use ratatui::{Frame, layout::Position, layout::Rect, style::Style};
use tui_textarea::{AtomicRange, CursorMove, CursorRenderMode, TextArea, WrapMode};

use super::theme::Theme;
use crate::text::sanitize::sanitize;

/// A paste with more lines or characters than this stands in the box as a chip.
const CHIP_LINES: usize = 10;
const CHIP_CHARS: usize = 1_000;
/// Prompts kept for Up.
const HISTORY: usize = 500;

/// The input box.
pub(super) struct Composer {
    area: TextArea<'static>,
    history: VecDeque<String>,
    /// Place in the history while Up and Down walk it, counted from the newest.
    browsing: Option<usize>,
    /// What stood in the box before Up was pressed.
    draft: String,
    /// Long pastes, each with the chip that stands for it.
    pastes: Vec<(String, String)>,
}

impl Composer {
    pub(super) fn new() -> Self {
        Self {
            area: area(""),
            history: VecDeque::new(),
            browsing: None,
            draft: String::new(),
            pastes: Vec::new(),
        }
    }

    /// Gives a key to the box.
    pub(super) fn key(&mut self, key: KeyEvent) {
        self.guard_chips();
        if self.area.input(key) && self.browsing.take().is_some() {
            // What was being typed before Up was pressed can be reached by Up again.
            let draft = std::mem::take(&mut self.draft);
            self.remember(&draft);
        }
        self.guard_chips();
    }

    pub(super) fn new_line(&mut self) {
        self.area.insert_newline();
    }

    pub(super) fn delete_to_head(&mut self) {
        self.area.delete_line_by_head();
    }

    /// Inserts a paste, made harmless; a long one as a chip.
    pub(super) fn paste(&mut self, text: &str) {
        let text = sanitize(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned();
        let lines = text.lines().count();
        if lines <= CHIP_LINES && text.chars().count() <= CHIP_CHARS {
            self.area.insert_str(&text);
            return;
        }
        let n = self.pastes.len() + 1;
        let chip = if lines > 1 {
            format!("[pasted #{n}: {lines} lines]")
        } else {
            format!("[pasted #{n}: {} characters]", text.chars().count())
        };
        self.area.insert_str(&chip);
        self.pastes.push((chip, text));
    }

    /// What stands in the box, with the pastes in place of their chips.
    pub(super) fn text(&self) -> String {
        with_pastes(&self.area.lines().join("\n"), &self.pastes)
    }

    /// Makes each chip one piece for the caret and for deletion: half of one would stand for
    /// nothing.
    fn guard_chips(&mut self) {
        if self.pastes.is_empty() {
            return;
        }
        let mut ranges = Vec::new();
        for (row, line) in self.area.lines().iter().enumerate() {
            for (chip, _) in &self.pastes {
                for (at, _) in line.match_indices(chip.as_str()) {
                    let start_col = line.get(..at).map_or(0, |before| before.chars().count());
                    let end_col = start_col + chip.chars().count();
                    ranges.push(AtomicRange { row, start_col, end_col });
                }
            }
        }
        let _guarded = self.area.try_set_atomic_ranges(ranges).is_ok();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Whether the text begins so.
    pub(super) fn begins_with(&self, c: char) -> bool {
        self.area.lines().first().is_some_and(|line| line.starts_with(c))
    }

    /// Whether what stands in the box comes from the history, untouched.
    pub(super) fn is_browsing(&self) -> bool {
        self.browsing.is_some()
    }

    /// Puts this in place of what stands in the box.
    pub(super) fn replace(&mut self, text: &str) {
        self.pastes.clear();
        self.put(text);
    }

    /// Empties the box and gives what was in it; remembered for Up.
    pub(super) fn take(&mut self) -> String {
        let text = self.text();
        self.remember(&text);
        self.put("");
        self.pastes.clear();
        text
    }

    fn remember(&mut self, text: &str) {
        if !text.trim().is_empty() && self.history.back().is_none_or(|last| last != text) {
            self.history.push_back(text.to_owned());
            if self.history.len() > HISTORY {
                self.history.pop_front();
            }
        }
    }

    /// Puts text back before what stands in the box: a prompt that could not be sent.
    pub(super) fn give_back(&mut self, text: &str) {
        let rest = self.text();
        let text = if rest.trim().is_empty() { text.to_owned() } else { format!("{text}\n{rest}") };
        self.pastes.clear();
        self.put("");
        self.paste(&text);
    }

    /// Walks to an earlier prompt.
    pub(super) fn back(&mut self) {
        let next = self.browsing.map_or(0, |at| at + 1);
        let Some(text) = self.earlier(next) else { return };
        if self.browsing.is_none() {
            self.draft = self.text();
        }
        self.show(&text);
        self.browsing = Some(next);
    }

    /// Walks to a later prompt, and at the end back to what was being typed.
    pub(super) fn forward(&mut self) {
        let Some(at) = self.browsing else { return };
        if let Some(next) = at.checked_sub(1) {
            let text = self.earlier(next).unwrap_or_default();
            self.show(&text);
            self.browsing = Some(next);
        } else {
            let draft = std::mem::take(&mut self.draft);
            self.show(&draft);
            self.browsing = None;
        }
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

    fn earlier(&self, back: usize) -> Option<String> {
        let at = self.history.len().checked_sub(back + 1)?;
        self.history.get(at).cloned()
    }

    fn show(&mut self, text: &str) {
        self.pastes.clear();
        self.put("");
        if text.lines().count() > CHIP_LINES * 4 || text.len() > CHIP_CHARS * 8 {
            self.paste(text);
        } else {
            self.put(text);
        }
    }

    fn put(&mut self, text: &str) {
        self.area = area(text);
        self.browsing = None;
    }
}

/// The text with each paste in place of its chip: one pass, so that a paste that holds the words
/// of another chip stays as it is.
fn with_pastes(text: &str, pastes: &[(String, String)]) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let next = pastes.iter().filter_map(|paste| Some((rest.find(&paste.0)?, paste))).min();
        let Some((at, (chip, paste))) = next else {
            whole.push_str(rest);
            return whole;
        };
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        whole.push_str(before);
        whole.push_str(paste);
        rest = from.get(chip.len()..).unwrap_or("");
    }
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
