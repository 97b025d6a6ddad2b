//! Names in `[keys]` that there are not: what may have been meant by them.
//!
//! Owns how near a name has to be, and the words for it. Invariant: what is proposed can be
//! written, and where nothing is near, what can be written is told.

use super::{Keys, NAMED, read};
use crate::text::{cut::one_line, sanitize::sanitize};

/// A name is compared with no more characters of what was written.
const NAME: usize = 40;

const MODIFIERS: [(&str, &str); 8] = [
    ("ctrl", "ctrl"),
    ("alt", "alt"),
    ("shift", "shift"),
    ("control", "ctrl"),
    ("meta", "alt"),
    ("option", "alt"),
    ("opt", "alt"),
    ("strg", "ctrl"),
];
/// What keys are called elsewhere.
const KEYS: [(&str, &str); 9] = [
    ("escape", "esc"),
    ("return", "enter"),
    ("del", "delete"),
    ("ins", "insert"),
    ("pgup", "pageup"),
    ("pgdn", "pagedown"),
    ("pgdown", "pagedown"),
    ("spacebar", "space"),
    ("hyphen", "minus"),
];
/// What actions are called elsewhere.
const ACTIONS: [(&str, &str); 7] = [
    ("stop", "abort"),
    ("cancel", "abort"),
    ("interrupt", "abort"),
    ("exit", "quit"),
    ("submit", "send"),
    ("search", "find"),
    ("scroll-up", "page-up"),
];

/// That there is no such key, and which may have been meant.
pub(super) fn unknown_key(written: &str) -> String {
    let shown = shown(written);
    let like = "A key is written like `ctrl-t`, `alt-enter`, `f5`.";
    if let Some(near) = near_key(written) {
        return format!("unknown key `{shown}` in [keys]. Did you mean `{near}`? {like}");
    }
    let names: Vec<_> = NAMED.iter().map(|key| key.0).collect();
    format!(
        "unknown key `{shown}` in [keys]. {like} It is one character, f1 to f24, or one of: {}; \
         before it may stand ctrl-, alt- and shift-.",
        names.join(", ")
    )
}

/// That there is no such action, and which may have been meant.
pub(super) fn unknown_action(written: &str) -> String {
    let shown = shown(written);
    let mut names = Keys::actions();
    names.sort_unstable();
    let word = compared(written).replace(['_', ' '], "-");
    let whole = names.iter().map(|name| (name.as_str(), name.as_str()));
    // `undo` for `input-undo`.
    let ends = names.iter().filter_map(|name| Some((name.split_once('-')?.1, name.as_str())));
    let known = whole.chain(ACTIONS).chain(ends);
    if let Some(near) = nearest(&word, known) {
        return format!("unknown action `{shown}` in [keys]. Did you mean `{near}`?");
    }
    format!("unknown action `{shown}` in [keys]. The actions are: {}.", names.join(", "))
}

/// A key with its modifiers, each of which may be misspelled, or parted by other signs.
fn near_key(written: &str) -> Option<String> {
    let word = compared(written);
    let parts: Vec<&str> = word.split(['-', '+', '_', ' ']).filter(|it| !it.is_empty()).collect();
    let named = || NAMED.iter().map(|key| (key.0, key.0)).chain(KEYS);
    let with = |count: usize| {
        let (modifiers, key) = parts.split_at_checked(count)?;
        let mut near = String::new();
        for modifier in modifiers {
            near.push_str(nearest(modifier, MODIFIERS)?);
            near.push('-');
        }
        let key = key.concat();
        near.push_str(if key.chars().count() == 1 { &key } else { nearest(&key, named())? });
        read(&near).is_ok().then_some(near)
    };
    (0..parts.len()).rev().find_map(with)
}

/// The meaning of the name that is most like the word, if one is: a third of it may be wrong.
fn nearest<'a>(word: &str, known: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<&'a str> {
    let most = (word.chars().count() / 3).max(1);
    let far = |name: &str| strsim::damerau_levenshtein(word, name);
    let near = known.into_iter().map(|(name, meaning)| (far(name), name, meaning));
    // A word of two letters is like every other one.
    let is_like = |(far, name, _): &(usize, &str, &str)| *far <= most && *far < name.len() / 2 + 1;
    near.filter(is_like).min_by_key(|(far, ..)| *far).map(|(.., meaning)| meaning)
}

fn compared(written: &str) -> String {
    written.trim().to_lowercase().chars().take(NAME).collect()
}

pub(super) fn shown(written: &str) -> String {
    one_line(&sanitize(written), NAME)
}
