//! Keys that the user has chosen: read from their settings, and put into the table.
//!
//! Invariant: with any keys that are taken a turn can be stopped, the program left, a prompt sent
//! and a list closed; and no letter is taken from a prompt that is being typed.

mod names;

use std::borrow::Cow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use names::{shown, unknown_action, unknown_key};

use super::{Action, Binding, Keys, Moment, When, bindings};
use crate::config::{ConfigError, KeyChoice};

/// Keys that have names.
const NAMED: [(&str, &str, KeyCode); 17] = [
    ("enter", "Enter", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backtab", "Shift-Tab", KeyCode::BackTab),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Delete", KeyCode::Delete),
    ("insert", "Insert", KeyCode::Insert),
    ("space", "Space", KeyCode::Char(' ')),
    ("up", "Up", KeyCode::Up),
    ("down", "Down", KeyCode::Down),
    ("left", "Left", KeyCode::Left),
    ("right", "Right", KeyCode::Right),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pageup", "PageUp", KeyCode::PageUp),
    ("pagedown", "PageDown", KeyCode::PageDown),
    ("minus", "-", KeyCode::Char('-')),
];
/// A key, and how people write it.
type Key = (KeyModifiers, KeyCode, String);

impl Keys {
    /// The usual keys with the user's.
    ///
    /// # Errors
    /// A key or an action that there is not, or one that would leave no way out: names file, line
    /// and fix.
    pub fn with(choices: &[KeyChoice]) -> Result<Self, ConfigError> {
        let mut keys = Self::default();
        for choice in choices {
            let fault = |what| ConfigError { path: choice.path.clone(), line: choice.line, what };
            let key = read(&choice.key).map_err(fault)?;
            let action = action(&choice.action).map_err(fault)?;
            keys.bind(&key, action).map_err(fault)?;
            if let Some(lost) = keys.lost() {
                return Err(fault(format!(
                    "`{}` = `{}` would leave no key to {lost}. Bind another key to that first, \
                     or remove this line.",
                    shown(&choice.key),
                    action.name()
                )));
            }
        }
        Ok(keys)
    }

    /// The usual keys with the user's, if there are any; or the usual ones alone, and why.
    #[must_use]
    pub fn or_usual(choices: &Result<Vec<KeyChoice>, ConfigError>) -> (Self, Option<String>) {
        let keys = choices.as_ref().map_err(Clone::clone);
        match keys.and_then(|choices| Self::with(choices)) {
            Ok(keys) => (keys, None),
            Err(fault) => {
                let why = format!("{fault} Until then every key means what it usually does.");
                (Self::default(), Some(why))
            }
        }
    }

    /// Puts a key before the usual ones, wherever its action counts.
    fn bind(&mut self, (modifiers, code, label): &Key, action: Action) -> Result<(), String> {
        let usual = || bindings().filter(|row| row.action == action);
        let types = matches!(code, KeyCode::Char(_))
            && !modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if types && !usual().all(|row| is_free_of_text(row.when)) {
            return Err(format!(
                "`{label}` is a letter, and {} counts while a prompt is typed. Use Ctrl, Alt or a \
                 function key with it.",
                action.name()
            ));
        }
        let mut seen = Vec::new();
        for row in usual() {
            if seen.contains(&row.when) {
                continue;
            }
            seen.push(row.when);
            let when = row.when;
            let is_gone = |old: &Binding| {
                old.code == *code && old.modifiers == *modifiers && covers(when, old.when)
            };
            self.rows.retain(|old| !is_gone(old));
            let help = usual().find(|row| row.when == when && !row.help.is_empty());
            let new = Binding {
                code: *code,
                modifiers: *modifiers,
                when,
                action,
                label: help.map_or(Cow::Borrowed(""), |_| Cow::Owned(label.clone())),
                help: help.map_or("", |row| row.help),
            };
            // What lies over the prompt keeps its own keys: they stand first.
            let at = self.rows.iter().position(|row| !is_overlay(row.when));
            let at = at.unwrap_or(self.rows.len());
            self.rows.insert(at, new);
        }
        Ok(())
    }

    /// What there is no key for any more.
    fn lost(&self) -> Option<&'static str> {
        let busy = Moment { busy: true, ..Moment::default() };
        let asked = Moment { question: true, asked: true, ..busy };
        let empty = Moment { empty: true, ..Moment::default() };
        let help = Moment { help: true, ..Moment::default() };
        let picker = Moment { picker: true, ..Moment::default() };
        let wanted: [(Moment, &[Action], &str); 9] = [
            (busy, &[Action::Abort], "stop a turn"),
            (Moment { empty: true, ..busy }, &[Action::Abort], "stop a turn"),
            (asked, &[Action::Abort], "stop a turn"),
            (Moment { empty: true, ..asked }, &[Action::Abort], "stop a turn"),
            (empty, &[Action::Quit, Action::ClearOrQuit], "quit"),
            (Moment::default(), &[Action::Send], "send a prompt"),
            (busy, &[Action::Send], "send a prompt"),
            (help, &[Action::Close], "close the help"),
            (picker, &[Action::Close], "close a list"),
        ];
        let has = |moment: Moment, actions: &[Action]| {
            let found = |row: &Binding| {
                let key = KeyEvent::new(row.code, row.modifiers);
                self.lookup(&key, moment).is_some_and(|action| actions.contains(&action))
            };
            self.rows.iter().any(found)
        };
        wanted.into_iter().find(|(moment, actions, _)| !has(*moment, actions)).map(|it| it.2)
    }
}

/// Whether nothing can be typed while this holds.
fn is_free_of_text(when: When) -> bool {
    matches!(
        when,
        When::EmptyPrompt
            | When::Question
            | When::Review
            | When::Help
            | When::Browse
            | When::Pager
            | When::Hits
    )
}

/// Whether these keys are of something that lies over the prompt.
pub(super) fn is_overlay(when: When) -> bool {
    matches!(
        when,
        When::Help
            | When::Picker
            | When::List
            | When::Files
            | When::Browse
            | When::Selected
            | When::Pager
            | When::Search
            | When::Hits
            | When::Recall
    )
}

/// Whether a binding that counts at `new` always comes before one that counts at `old`.
fn covers(new: When, old: When) -> bool {
    // A key of the user for a call replaces the usual one; lists keep theirs.
    let is_own = !is_overlay(old) || matches!(old, When::Browse | When::Pager | When::Hits);
    let is_part = new == When::Question && old == When::Review;
    is_own && (new == old || is_part || (new == When::Always && !is_overlay(old)))
}

fn read(written: &str) -> Result<Key, String> {
    let lower = written.trim().to_lowercase();
    let mut rest = lower.as_str();
    let (mut modifiers, mut label) = (KeyModifiers::NONE, String::new());
    while let Some((word, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty()) {
        let (modifier, name) = match word {
            "ctrl" | "control" | "c" => (KeyModifiers::CONTROL, "Ctrl-"),
            "alt" | "meta" | "m" => (KeyModifiers::ALT, "Alt-"),
            "shift" | "s" => (KeyModifiers::SHIFT, "Shift-"),
            _ => return Err(unknown_key(written)),
        };
        modifiers |= modifier;
        label.push_str(name);
        rest = after;
    }
    let named = NAMED.iter().find(|key| key.0 == rest);
    let function = rest.strip_prefix('f').and_then(|n| n.parse::<u8>().ok());
    let mut chars = rest.chars();
    let (code, name) = match (named, function, chars.next(), chars.next()) {
        (Some((_, name, code)), ..) => (*code, (*name).to_owned()),
        (_, Some(n @ 1..=24), ..) => (KeyCode::F(n), format!("F{n}")),
        (_, _, Some(c), None) if !c.is_control() && !c.is_whitespace() => character(c, modifiers),
        _ => return Err(unknown_key(written)),
    };
    if matches!(code, KeyCode::Char(_)) {
        // Shift is in the character.
        modifiers.remove(KeyModifiers::SHIFT);
        label = label.replace("Shift-", "");
    }
    Ok((modifiers, code, format!("{label}{name}")))
}

/// As a terminal reports it: without Ctrl a capital letter is one.
fn character(c: char, modifiers: KeyModifiers) -> (KeyCode, String) {
    let capital = || c.to_uppercase().next().unwrap_or(c);
    if modifiers.contains(KeyModifiers::CONTROL) {
        (KeyCode::Char(c), capital().to_string())
    } else if modifiers.contains(KeyModifiers::SHIFT) {
        (KeyCode::Char(capital()), capital().to_string())
    } else {
        (KeyCode::Char(c), c.to_string())
    }
}

fn action(written: &str) -> Result<Action, String> {
    let wanted = written.trim().to_lowercase();
    let mut actions = bindings().map(|row| row.action);
    actions.find(|action| action.name() == wanted).ok_or_else(|| unknown_action(written))
}

#[cfg(test)]
mod tests;
