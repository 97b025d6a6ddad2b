//! What the input box can do besides being typed into: naming files, searching the history,
//! steering, the editor, pastes that are shown in full.
//!
//! Owns what these keys do to the state. Invariant: nothing typed is lost.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{asked, calls, command, stream};
use crate::{
    protocol::op::Op,
    tui::{
        app::App,
        cell::Cell,
        command::Typed,
        effect::{Editing, Effect, Whose},
        history::recall::Recall,
        keymap::prompt::Input,
    },
};

/// Does what a key of the box means.
pub(super) fn act(app: &mut App, input: Input) -> Vec<Effect> {
    app.quit_until = None;
    // Whoever begins to write is done with the calls.
    if app.calls.selected().is_some() {
        calls::leave(app);
    }
    match input {
        Input::TakeFile => take_file(app),
        Input::PreviousFile => app.files.step(-1),
        Input::NextFile => app.files.step(1),
        Input::CloseFiles => app.files.close(),
        Input::Recall => recall(app),
        Input::RecallNewer => {
            if let Some(recall) = &mut app.recall {
                recall.newer(app.composer.history());
            }
        }
        Input::TakeRecalled => take_recalled(app),
        Input::CloseRecall => close_recall(app),
        Input::Undo => app.composer.undo(),
        Input::Redo => app.composer.redo(),
        Input::Unfold => unfold(app),
        Input::Edit => return edit(app),
        Input::Steer => return steer(app),
        Input::DropQueued => drop_queued(app),
        Input::LineStart => edit_by(app, 'a', KeyModifiers::CONTROL),
        Input::LineEnd => edit_by(app, 'e', KeyModifiers::CONTROL),
        Input::TextStart => edit_by(app, '<', KeyModifiers::ALT),
        Input::TextEnd => edit_by(app, '>', KeyModifiers::ALT),
        Input::WordBack => edit_by(app, 'b', KeyModifiers::ALT),
        Input::WordOn => edit_by(app, 'f', KeyModifiers::ALT),
        Input::DeleteWord => edit_by(app, 'w', KeyModifiers::CONTROL),
        Input::DeleteNextWord => edit_by(app, 'd', KeyModifiers::ALT),
        Input::DeleteToEnd => edit_by(app, 'k', KeyModifiers::CONTROL),
        Input::PutBack => edit_by(app, 'y', KeyModifiers::CONTROL),
    }
    Vec::new()
}

/// Moves or edits as the box knows it by this key, whichever key it was.
fn edit_by(app: &mut App, letter: char, modifiers: KeyModifiers) {
    let key = KeyEvent::new(KeyCode::Char(letter), modifiers);
    asked::to_prompt(app, |app| app.composer.key(key));
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
        Some(false) => app.say("too large to show: Ctrl-G edits it"),
        None => app.say("there is no folded paste in the box"),
    }
}

fn edit(app: &App) -> Vec<Effect> {
    let text = app.composer.text();
    vec![Effect::Edit(Editing { whose: Whose::Prompt, file_name: "prompt.md".to_owned(), text })]
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
    stream::end_reasoning(app);
    stream::end_text(app);
    app.transcript.push(Cell::steered(text));
}

/// The turn is over: what it did not hear is the next to be said.
pub(super) fn unheard(app: &mut App) {
    while let Some(text) = app.steered.pop_back() {
        app.queued.push_front(text);
    }
}

/// What was queued comes back into the box. A command of the user's own comes back only by itself:
/// joined to other words it would run them, or be sent as one of them.
pub(super) fn bring_back(app: &mut App, texts: Vec<String>) {
    let is_alone = texts.len() == 1 && app.composer.is_empty();
    let is_apart = |text: &String| !is_alone && is_command(text);
    let (apart, together): (Vec<_>, Vec<_>) = texts.into_iter().partition(is_apart);
    if !together.is_empty() {
        app.composer.give_back(&together.join("\n"));
    }
    for command in &apart {
        app.composer.history().remember(command);
    }
    match (together.is_empty(), apart.is_empty()) {
        (false, true) => app.say("queued prompts are back in the box"),
        (false, false) => {
            app.say("queued prompts are back in the box; Ctrl-R finds the ! commands");
        }
        (true, false) => app.say("Ctrl-R finds the queued ! commands"),
        (true, true) => {}
    }
}

fn drop_queued(app: &mut App) {
    match app.queued.pop_back() {
        Some(text) => {
            app.composer.history().remember(&text);
            app.say("removed; Up brings it back");
        }
        None => app.say("nothing is queued"),
    }
}

/// Whether the text is a shell command of the user's own.
pub(super) fn is_command(text: &str) -> bool {
    text.strip_prefix('!').is_some_and(|command| !command.trim().is_empty())
}

/// Opens the search in the history; in it, to an older prompt.
fn recall(app: &mut App) {
    app.hint = None;
    let history = app.composer.history();
    match &mut app.recall {
        Some(recall) => recall.older(history),
        None => app.recall = Some(Recall::new(history)),
    }
}

/// A key that is no command goes to the search in the history, if that has the keys. One that
/// would move or edit does it in what was found: `false`, and it is to be looked up once more.
pub(super) fn recall_key(app: &mut App, key: KeyEvent) -> bool {
    let Some(recall) = &mut app.recall else { return false };
    let history = app.composer.history();
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('h') if is_ctrl => recall.remove(history),
        KeyCode::Backspace => recall.remove(history),
        KeyCode::Char(c) if !is_ctrl && !key.modifiers.contains(KeyModifiers::ALT) => {
            recall.add(history, c.encode_utf8(&mut [0; 4]));
        }
        KeyCode::F(_) => {}
        _ => {
            take_recalled(app);
            return false;
        }
    }
    true
}

fn take_recalled(app: &mut App) {
    let found = app.recall.as_ref().and_then(|recall| recall.found().map(str::to_owned));
    close_recall(app);
    if let Some(text) = found {
        app.composer.take_over(&text);
    }
}

/// Closes the search; a question that stood there meanwhile has to be seen before it takes keys.
pub(super) fn close_recall(app: &mut App) {
    let now = app.now;
    if app.recall.take().is_some()
        && let Some(question) = app.questions.front_mut()
    {
        question.rearm(now);
    }
}

/// Gives a paste to the search in the history, if one is open.
pub(super) fn recall_paste(app: &mut App, text: &str) -> bool {
    let Some(recall) = &mut app.recall else { return false };
    recall.add(app.composer.history(), text);
    true
}
