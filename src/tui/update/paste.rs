//! Pastes, and what many keys have written at once: who gets the text.
//!
//! Owns who that is. Must not know where the text comes from. Invariant: text is never an answer
//! and moves no mark, and where nothing takes it, that is said.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{asked, calls, find, in_background, input, keys, picker};
use crate::tui::{
    app::App,
    effect::Effect,
    keymap::{Action, calls::OnCalls},
};

/// Takes what the terminal says was pasted.
pub(super) fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    give(app, text);
    input::look(app)
}

/// Takes what many keys have written at once: a paste without marks, or words of a script. Words
/// behind the key that searches are searched for.
pub(super) fn burst(app: &mut App, text: &str) -> Vec<Effect> {
    let is_line = !text.contains(['\n', '\r']);
    match text.strip_prefix('/').filter(|_| is_line && slash_searches(app)) {
        Some(words) => {
            let slash = KeyEvent::new(KeyCode::Char('/'), KeyModifiers::NONE);
            let mut effects = keys::key(app, slash);
            effects.extend(paste(app, words));
            effects
        }
        None => paste(app, text),
    }
}

fn slash_searches(app: &mut App) -> bool {
    let slash = KeyEvent::new(KeyCode::Char('/'), KeyModifiers::NONE);
    let find = Some(Action::Calls(OnCalls::Find));
    let has_field = !app.calls.is_open() || app.calls.view().is_some_and(|view| !view.is_typing());
    has_field && app.keys.lookup(&slash, keys::moment(app)) == find
}

/// Whether what to search for in an opened call is being typed.
fn is_typing_in_page(app: &mut App) -> bool {
    app.calls.view().is_some_and(|view| view.is_typing())
}

fn give(app: &mut App, text: &str) {
    app.quit_until = None;
    // Whoever types is done with the list.
    in_background::close(app);
    let is_page = app.calls.is_open() && !is_typing_in_page(app) && app.picker.is_none();
    if app.themes.is_some() || is_page {
        app.say("a paste is for the prompt: Esc closes this first");
        return;
    }
    if picker::paste(app, text) {
        return;
    }
    let is_search = app.search.is_some() && !app.calls.is_open();
    if !is_search && (calls::paste(app, text) || input::recall_paste(app, text)) {
        return;
    }
    if find::paste(app, text) {
        return;
    }
    match app.questions.front_mut() {
        Some(approval) if approval.word.is_some() => {
            if let Some(word) = &mut approval.word {
                word.paste(&text.replace(['\n', '\r'], " "));
            }
        }
        Some(_) => asked::to_prompt(app, |app| app.composer.paste(text)),
        None => app.composer.paste(text),
    }
}
