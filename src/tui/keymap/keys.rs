//! The keys that count, of the table and of the user. Owns how one is looked up.

use crossterm::event::KeyEvent;

use super::{Action, Binding, Moment, bindings, counts, custom, edge, significant};

impl Action {
    /// The name by which a key is bound to it: `HistoryBack` is `history-back`.
    pub(in crate::tui) fn name(self) -> String {
        let mut name = String::new();
        // `Calls(Open)` is `calls-open`.
        for c in format!("{self:?}").chars().filter(|c| !matches!(c, '(' | ')')) {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

/// The keys that count: the table's, and the user's before them.
#[derive(Clone, Debug)]
pub struct Keys {
    pub(super) rows: Vec<Binding>,
}

impl Default for Keys {
    /// The table's.
    fn default() -> Self {
        // What lies over the prompt has its keys first: those of the user go behind them.
        let (over, rest): (Vec<_>, Vec<_>) =
            bindings().cloned().partition(|row| custom::is_overlay(row.when));
        Self { rows: over.into_iter().chain(rest).collect() }
    }
}

impl Keys {
    /// What this key means now; `None` if it is for whatever has the focus.
    pub(in crate::tui) fn lookup(&self, key: &KeyEvent, moment: Moment) -> Option<Action> {
        let modifiers = significant(key);
        let fits = |binding: &&Binding| {
            binding.code == key.code
                && binding.modifiers == modifiers
                && counts(binding.when, moment)
                && edge(binding.action, moment)
        };
        self.rows.iter().find(fits).map(|binding| binding.action)
    }

    /// The rows that count.
    pub(in crate::tui) fn rows(&self) -> &[Binding] {
        &self.rows
    }

    /// The names of all actions, each once, in the order of the table.
    pub(in crate::tui) fn actions() -> Vec<String> {
        let mut names = Vec::new();
        for name in bindings().map(|row| row.action.name()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The key that means this now, as people write it.
    pub(in crate::tui) fn label(&self, action: Action, moment: Moment) -> Option<&str> {
        let means_it = |row: &&Binding| {
            let key = KeyEvent::new(row.code, row.modifiers);
            row.action == action
                && !row.label.is_empty()
                && self.lookup(&key, moment) == Some(action)
        };
        self.rows.iter().find(means_it).map(|row| row.label.as_ref())
    }
}
