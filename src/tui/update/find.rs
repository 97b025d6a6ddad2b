//! The search: opened, typed into, closed. Owns which key of it does what.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::{app::App, search::Search};

/// Opens the search; if it is open, to the next hit.
pub(super) fn open(app: &mut App) {
    if app.search.is_some() {
        return step(app, true);
    }
    super::input::close_recall(app);
    let from = app.transcript.last_shown();
    app.search = Some(Search::new(from, app.searched.clone()));
}

/// Opens the search of which Enter ends the words; if it is open, its words begin anew.
pub(super) fn open_for_hits(app: &mut App) {
    if let Some(search) = &mut app.search {
        return search.type_anew();
    }
    let from = app.transcript.last_shown();
    app.search = Some(Search::until_enter(from, app.searched.clone()));
}

/// To the next hit or the one before; a search that is closed is opened for it once more.
pub(super) fn next_hit(app: &mut App, forward: bool) {
    if app.search.is_some() {
        return step(app, forward);
    }
    if app.searched.typed.is_empty() {
        return app.say("nothing searched for yet: / searches");
    }
    open_for_hits(app);
    end_typing(app);
}

/// The words are complete, if Enter ends them. False if it does not.
pub(super) fn end_typing(app: &mut App) -> bool {
    app.search.as_mut().is_some_and(Search::end_typing)
}

/// Closes it, at the place where it has led; whoever asks a question waits for a moment without
/// keys first.
pub(super) fn close(app: &mut App) {
    let now = app.now;
    let Some(search) = app.search.take() else { return };
    if !search.query().is_empty() {
        app.searched = search.sought();
    }
    if let Some(approval) = app.questions.front_mut() {
        approval.rearm(now);
    }
}

pub(super) fn step(app: &mut App, forward: bool) {
    if let Some(search) = &mut app.search {
        search.step(forward);
    }
}

/// Gives a key to the line, if the search is open.
pub(super) fn key(app: &mut App, key: KeyEvent) -> bool {
    let Some(search) = &mut app.search else { return false };
    let typed = (key.modifiers - KeyModifiers::SHIFT).is_empty();
    if !search.is_typing() {
        let is_word = typed && matches!(key.code, KeyCode::Char(_));
        if is_word {
            // Whoever begins to write is done with the hits.
            close(app);
        }
        return !is_word;
    }
    match key.code {
        KeyCode::Char(c) if typed => search.type_in(c.encode_utf8(&mut [0; 4])),
        KeyCode::Char('h') if key.modifiers == KeyModifiers::CONTROL => search.take_back(),
        KeyCode::Char('r') if key.modifiers == KeyModifiers::CONTROL => search.switch_regex(),
        KeyCode::Backspace => search.take_back(),
        _ => {}
    }
    true
}

/// Gives a paste to the line, if the search is open.
pub(super) fn paste(app: &mut App, text: &str) -> bool {
    // The line has no other place for the end of one.
    let words = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    let is_one = !text.contains(['\n', '\r']);
    app.search.as_mut().map(|search| search.type_in(if is_one { text } else { &line })).is_some()
}

/// Empties the line, if the search is open.
pub(super) fn clear(app: &mut App) {
    if let Some(search) = &mut app.search {
        search.clear();
    }
}
