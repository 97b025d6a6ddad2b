//! What the input box can do besides being typed into: naming files, searching the history,
//! steering, the editor, pastes that are shown in full.
//!
//! Owns what these keys do to the state. Invariant: nothing typed is lost.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::command;
use crate::{
    protocol::op::Op,
    tui::{
        app::App, cell::Cell, command::Typed, effect::Effect, history::search::Search,
        keymap::prompt::Input,
    },
};

/// Does what a key of the box means.
pub(super) fn act(app: &mut App, input: Input) -> Vec<Effect> {
    match input {
        Input::TakeFile => take_file(app),
        Input::PreviousFile => app.files.step(-1),
        Input::NextFile => app.files.step(1),
        Input::CloseFiles => app.files.close(),
        Input::Search => app.search = Some(Search::new(app.composer.history())),
        Input::Undo => app.composer.undo(),
        Input::Redo => app.composer.redo(),
        Input::Unfold => unfold(app),
        Input::Edit => return vec![Effect::Edit(app.composer.text())],
        Input::Steer => return steer(app),
        Input::DropQueued => drop_queued(app),
    }
    Vec::new()
}

/// Looks for a file that is being named, after anything that may have changed the box.
pub(super) fn look(app: &mut App) -> Vec<Effect> {
    if app.files.look(&app.composer, app.now) { vec![Effect::ListFiles] } else { Vec::new() }
}

fn take_file(app: &mut App) {
    if let Some(path) = app.files.marked().map(str::to_owned) {
        app.composer.complete_mention(&path);
    }
}

fn unfold(app: &mut App) {
    match app.composer.unfold() {
        Some(true) => {}
        Some(false) => app.say("too large for the box: Ctrl-G shows it in the editor"),
        None => app.say("there is no folded paste in the box"),
    }
}

/// The text comes back from the editor.
pub(super) fn edited(app: &mut App, ended: Result<String, String>) {
    match ended {
        Ok(text) => app.composer.take_over(text.strip_suffix('\n').unwrap_or(&text)),
        Err(words) => app.transcript.push(Cell::notice(&words)),
    }
}

/// Tells the running turn what stands in the box, or what waits; what cannot be told a turn is
/// sent as ever.
fn steer(app: &mut App) -> Vec<Effect> {
    if !app.is_busy() {
        return command::send(app);
    }
    let text = if app.composer.is_empty() {
        match app.queued.pop_back() {
            Some(text) if !is_command(&text) => text,
            Some(text) => {
                app.queued.push_back(text);
                app.say("a command waits for the turn to end");
                return Vec::new();
            }
            None => return Vec::new(),
        }
    } else {
        let text = app.composer.text();
        let is_message = crate::tui::command::read(&text) == Typed::Message;
        if text.trim().is_empty() || !is_message || app.composer.begins_with('!') {
            return command::send(app);
        }
        app.composer.take_sent()
    };
    app.hint = None;
    app.transcript.go_to_end();
    app.steered.push_back(text.clone());
    vec![Effect::Send(Op::Steer { text })]
}

/// The running turn heard it.
pub(super) fn steered(app: &mut App, text: &str) {
    if let Some(at) = app.steered.iter().position(|waiting| waiting == text) {
        app.steered.remove(at);
    }
    // It is said now: the prompt that began the turn does not come back any more.
    app.progress.anything = true;
    app.transcript.push(Cell::user(text));
}

/// The turn is over: what it did not hear is the next to be said.
pub(super) fn unheard(app: &mut App) {
    while let Some(text) = app.steered.pop_back() {
        app.queued.push_front(text);
    }
}

fn drop_queued(app: &mut App) {
    match app.queued.pop_back() {
        Some(text) => {
            app.composer.history().remember(&text);
            app.say("removed what was queued last; Up brings it back");
        }
        None => app.say("nothing is queued"),
    }
}

/// Whether the text is a shell command of the user's own.
pub(super) fn is_command(text: &str) -> bool {
    text.strip_prefix('!').is_some_and(|command| !command.trim().is_empty())
}

/// A key for the search, if one is open; `None` if it is for somebody else.
pub(super) fn search_key(app: &mut App, key: KeyEvent) -> Option<Vec<Effect>> {
    let is_hidden = app.help.is_some() || app.picker.is_some();
    let search = app.search.as_mut().filter(|_| !is_hidden)?;
    let history = app.composer.history();
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('r') if is_ctrl => search.older(history),
        KeyCode::Char('c' | 'g') if is_ctrl => app.search = None,
        KeyCode::Esc => app.search = None,
        KeyCode::Char('h') if is_ctrl => search.remove(history),
        KeyCode::Backspace => search.remove(history),
        KeyCode::Char(c) if !is_ctrl && !key.modifiers.contains(KeyModifiers::ALT) => {
            search.add(history, c.encode_utf8(&mut [0; 4]));
        }
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::F(_) => return None,
        KeyCode::Char('z' | 'l' | 'o') if is_ctrl => return None,
        code => {
            take_found(app);
            // Whatever else moves or edits does it in what was found.
            if !matches!(code, KeyCode::Enter | KeyCode::Tab) {
                return None;
            }
        }
    }
    Some(Vec::new())
}

fn take_found(app: &mut App) {
    let found = app.search.take().and_then(|search| search.found().map(str::to_owned));
    if let Some(text) = found {
        app.composer.take_over(&text);
    }
}

/// Gives a paste to the search, if one is open.
pub(super) fn search_paste(app: &mut App, text: &str) -> bool {
    let Some(search) = &mut app.search else { return false };
    search.add(app.composer.history(), text);
    true
}
