//! Copying what is selected in the transcript: the item, the code in it, the turn it belongs to.
//!
//! Owns which text that is; the clipboard is an effect. Must not change the transcript.

use crate::tui::{app::App, clipboard::Copied, effect::Effect, record, transcript::Item};

/// Copies the item as it was written; of a call, what came of it.
pub(in crate::tui::update) fn item(app: &mut App) -> Vec<Effect> {
    let Some(item) = target(app) else { return Vec::new() };
    match app.transcript.written(item).filter(|written| !written.text.is_empty()) {
        Some(written) => copy(app, written.what, written.text),
        None if app.transcript.call(item).is_some_and(|call| call.text().is_none()) => {
            say(app, "this call has no result yet")
        }
        None => say(app, "there is nothing to copy here"),
    }
}

/// Copies the code in it; where there are several pieces, one after the other.
pub(super) fn code(app: &mut App) -> Vec<Effect> {
    let Some(item) = target(app) else { return Vec::new() };
    let codes = app.transcript.written(item).map(|written| written.codes).unwrap_or_default();
    let count = codes.len();
    let number = next_code(app.calls.code, item, count);
    let Some(code) = codes.into_iter().nth(number) else {
        return say(app, "there is no code here; y copies the whole");
    };
    app.calls.code = Some((item, number));
    let what = if count > 1 { format!("code {} of {count}", number + 1) } else { "code".into() };
    copy(app, &what, code)
}

/// Copies the turn: the prompt, the answers, the calls with their results, and how it ended.
pub(super) fn turn(app: &mut App) -> Vec<Effect> {
    let Some(item) = target(app) else { return Vec::new() };
    let Some(after) = app.transcript.turns_after(item) else {
        return say(app, "this belongs to no turn");
    };
    let text = record::markdown::turn(app.record.turn(after));
    if text.trim().is_empty() {
        return say(app, "this turn is not kept any more: it was too long ago");
    }
    copy(app, "turn", text)
}

/// What came of a copy, with what it was of.
pub(in crate::tui::update) fn copied(app: &mut App, copied: &Copied) {
    let words = match app.calls.copying.take() {
        Some(what) => format!("{what}: {}", copied.words()),
        None => copied.words(),
    };
    app.report(&words);
}

fn copy(app: &mut App, what: &str, text: String) -> Vec<Effect> {
    app.calls.copying = Some(what.to_owned());
    vec![Effect::Copy(text)]
}

/// What is meant: the open call, else what is selected.
fn target(app: &mut App) -> Option<Item> {
    let open = app.calls.view().map(|view| view.place());
    if app.calls.is_open() { open } else { app.calls.selected() }
}

/// Which piece comes after the one that was copied last.
fn next_code(copied: Option<(Item, usize)>, item: Item, count: usize) -> usize {
    match copied {
        Some((last, number)) if last == item => (number + 1) % count.max(1),
        _ => 0,
    }
}

fn say(app: &mut App, words: &str) -> Vec<Effect> {
    app.say(words);
    Vec::new()
}
