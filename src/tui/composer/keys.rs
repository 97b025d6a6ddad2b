//! What keys do in the box.
//!
//! Owns the differences between what people expect of a key and what the text area does: whole
//! characters as they are seen, and keys that are the same elsewhere. Must not know which keys are
//! commands.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Composer, caret};

impl Composer {
    /// Gives a key to the box.
    pub(in crate::tui) fn key(&mut self, key: KeyEvent) {
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

    pub(in crate::tui) fn new_line(&mut self) {
        self.area.insert_newline();
    }

    pub(in crate::tui) fn delete_to_head(&mut self) {
        self.area.delete_line_by_head();
    }

    pub(in crate::tui) fn undo(&mut self) {
        self.area.undo();
        self.guard_chips();
    }

    pub(in crate::tui) fn redo(&mut self) {
        self.area.redo();
        self.guard_chips();
    }

    /// Takes a backslash at the end of the caret's line for a line break.
    pub(in crate::tui) fn break_at_backslash(&mut self) -> bool {
        let (before, behind) = self.around();
        let is_break = behind.is_empty() && before.ends_with('\\');
        if is_break {
            self.area.delete_char();
            self.area.insert_newline();
        }
        is_break
    }
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
