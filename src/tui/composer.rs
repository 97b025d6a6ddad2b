//! The input box: text, history, pastes. The only file that names the text area.
//!
//! Owns what was typed until it is sent. Must not know what is done with it. Invariant: nothing
//! typed is ever lost: what leaves the box stands in the history.

mod caret;
mod pastes;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{Frame, layout::Position, layout::Rect, style::Style};
use tui_textarea::{AtomicRange, CursorMove, CursorRenderMode, TextArea, WrapMode};

use super::{history::History, theme::Theme};
use crate::text::sanitize::sanitize;
pub(super) use caret::Mention;
use pastes::Pastes;

/// A text that comes back into the box and is larger than this is folded.
const BACK_LINES: usize = 200;
const BACK_BYTES: usize = 16 * 1024;
/// A paste that is larger than this stays folded: the box would be slow.
const SHOWN_LINES: usize = 5_000;
const SHOWN_BYTES: usize = 256 * 1024;

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
}

impl Composer {
    pub(super) fn new() -> Self {
        Self {
            area: area(""),
            history: History::default(),
            browsing: None,
            draft: String::new(),
            pastes: Pastes::default(),
        }
    }

    /// A box that shows this text.
    pub(super) fn showing(text: &str) -> Self {
        let mut composer = Self::new();
        composer.show(text);
        composer
    }

    /// Gives a key to the box.
    pub(super) fn key(&mut self, key: KeyEvent) {
        if is_foreign(&key) {
            return;
        }
        self.guard_chips();
        let (key, times) = self.in_graphemes(usual(key));
        let mut is_changed = false;
        for _ in 0..times {
            is_changed |= self.area.input(key);
        }
        if is_changed {
            self.leave_history();
        }
        self.guard_chips();
    }

    /// A key that moves or deletes by a character does it for all that are one on the screen.
    fn in_graphemes(&self, key: KeyEvent) -> (KeyEvent, usize) {
        let (row, column) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        let (before, behind) = caret::graphemes(line, column);
        let times = match key.code {
            _ if !key.modifiers.is_empty() => 1,
            KeyCode::Left | KeyCode::Backspace => before,
            KeyCode::Right | KeyCode::Delete => behind,
            _ => 1,
        };
        (key, times)
    }

    /// What was being typed before Up was pressed can be reached by Up again.
    fn leave_history(&mut self) {
        if self.browsing.take().is_some() {
            let draft = std::mem::take(&mut self.draft);
            self.history.remember(&draft);
        }
    }

    pub(super) fn new_line(&mut self) {
        self.area.insert_newline();
    }

    pub(super) fn delete_to_head(&mut self) {
        self.area.delete_line_by_head();
    }

    pub(super) fn undo(&mut self) {
        self.area.undo();
        self.guard_chips();
    }

    pub(super) fn redo(&mut self) {
        self.area.redo();
        self.guard_chips();
    }

    /// Takes a backslash at the end of the caret's line for a line break.
    pub(super) fn break_at_backslash(&mut self) -> bool {
        let (before, behind) = self.around();
        let is_break = behind.is_empty() && before.ends_with('\\');
        if is_break {
            self.area.delete_char();
            self.area.insert_newline();
        }
        is_break
    }

    /// Inserts a paste, made harmless; a long one as a chip.
    pub(super) fn paste(&mut self, text: &str) {
        let text = harmless(text);
        let is_long = pastes::is_long(&text);
        self.insert(text, is_long);
    }

    fn insert(&mut self, text: String, folded: bool) {
        let text = if folded { self.pastes.fold(text) } else { text };
        self.area.insert_str(&text);
        self.leave_history();
        self.guard_chips();
    }

    /// Puts a folded paste into the box as text: that at the caret, else the first one. Gives
    /// whether it could be done: one that is too large stays folded.
    pub(super) fn unfold(&mut self) -> Option<bool> {
        let (row, column) = self.area.cursor();
        let places = self.pastes.places(self.area.lines());
        let is_here = |place: &&pastes::Place| {
            place.row == row && (place.start..=place.end).contains(&column)
        };
        let place = *places.iter().find(is_here).or(places.first())?;
        let text = self.pastes.text(place).to_owned();
        let (Ok(to_row), Ok(to_column)) = (u16::try_from(place.row), u16::try_from(place.start))
        else {
            return Some(false);
        };
        if text.len() > SHOWN_BYTES || text.lines().nth(SHOWN_LINES).is_some() {
            return Some(false);
        }
        self.area.clear_atomic_ranges();
        self.area.move_cursor(CursorMove::Jump(to_row, to_column));
        self.area.delete_str(place.end - place.start);
        self.area.insert_str(&text);
        self.guard_chips();
        Some(true)
    }

    /// What stands in the box, with the pastes in place of their chips.
    pub(super) fn text(&self) -> String {
        self.pastes.unfolded(&self.area.lines().join("\n"))
    }

    /// Makes each chip one piece for the caret and for deletion: half of one would stand for
    /// nothing.
    fn guard_chips(&mut self) {
        if self.pastes.is_empty() {
            return;
        }
        let places = self.pastes.places(self.area.lines());
        let ranges = places.iter().map(|place| AtomicRange {
            row: place.row,
            start_col: place.start,
            end_col: place.end,
        });
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

    /// Puts this in place of what stands in the box.
    pub(super) fn replace(&mut self, text: &str) {
        self.pastes.clear();
        self.put(text);
    }

    /// Puts what came back from elsewhere in place of the text, which stays in the history.
    pub(super) fn take_over(&mut self, text: &str) {
        if self.text() == text {
            return;
        }
        let text = harmless(text);
        // Undo leads back to what was there before.
        self.clear();
        if is_long(&text) {
            self.show(&text);
        } else {
            self.area.insert_str(&text);
            self.guard_chips();
        }
    }

    /// Empties the box and gives what was in it; remembered for Up.
    pub(super) fn take(&mut self) -> String {
        let text = self.text();
        self.history.remember(&text);
        self.put("");
        self.pastes.clear();
        text
    }

    /// Empties the box so that undo brings back what was in it; remembered for Up, too.
    pub(super) fn clear(&mut self) {
        self.leave_history();
        let text = self.text();
        self.history.remember(&text);
        self.area.clear_atomic_ranges();
        self.area.cancel_selection();
        self.area.clear();
    }

    /// As [`Self::take`], and remembered beyond the end of the program.
    pub(super) fn take_sent(&mut self) -> String {
        let text = self.take();
        self.history.keep(&text);
        text
    }

    /// Puts text back before what stands in the box: a prompt that could not be sent.
    pub(super) fn give_back(&mut self, text: &str) {
        let rest = self.text();
        let text = if rest.trim().is_empty() { text.to_owned() } else { format!("{text}\n{rest}") };
        self.show(&harmless(&text));
    }

    /// The prompts that were sent.
    pub(super) fn history(&mut self) -> &mut History {
        &mut self.history
    }

    /// Walks to an earlier prompt.
    pub(super) fn back(&mut self) {
        let next = self.browsing.map_or(0, |at| at + 1);
        let Some(text) = self.history.earlier(next).map(str::to_owned) else { return };
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
            let text = self.history.earlier(next).unwrap_or_default().to_owned();
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

    fn show(&mut self, text: &str) {
        self.pastes.clear();
        self.put("");
        if is_long(text) {
            let chip = self.pastes.fold(text.to_owned());
            self.put(&chip);
            self.guard_chips();
        } else {
            self.put(text);
        }
    }

    fn put(&mut self, text: &str) {
        self.area = area(text);
        self.browsing = None;
    }
}

/// Whether text that comes back is folded.
fn is_long(text: &str) -> bool {
    text.len() > BACK_BYTES || text.lines().nth(BACK_LINES).is_some()
}

/// Control characters dropped, and line ends of one kind.
fn harmless(text: &str) -> String {
    sanitize(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned()
}

/// Keys to which the text area gives a meaning that nobody looks for there: pages, and paragraphs
/// by letters.
fn is_foreign(key: &KeyEvent) -> bool {
    match key.modifiers - KeyModifiers::SHIFT {
        KeyModifiers::CONTROL => key.code == KeyCode::Char('v'),
        KeyModifiers::ALT => matches!(key.code, KeyCode::Char('v' | 'n' | '[' | ']')),
        _ => false,
    }
}

/// Other keys that people know for the same.
fn usual(key: KeyEvent) -> KeyEvent {
    match (key.code, key.modifiers) {
        (KeyCode::Left | KeyCode::Right, KeyModifiers::ALT) => {
            KeyEvent { modifiers: KeyModifiers::CONTROL, ..key }
        }
        (KeyCode::Backspace | KeyCode::Delete, KeyModifiers::CONTROL) => {
            KeyEvent { modifiers: KeyModifiers::ALT, ..key }
        }
        _ => key,
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
