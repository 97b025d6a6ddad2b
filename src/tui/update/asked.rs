//! Who gets a key while a question waits.
//!
//! Owns that what is typed as words answers nothing. Invariant: no key that anybody may have meant
//! for the prompt is an answer, and none of them is lost.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::tui::{app::App, keymap::Action, overlay::approval::Approval};

/// A letter behind the first press of the two that open the whole session: both are words, and
/// the prompt's. Gives whether the key is done with.
pub(super) fn key(app: &mut App, key: KeyEvent, action: Option<Action>) -> bool {
    let is_unsure = app.question().is_some_and(|approval| approval.sure.is_some());
    if !is_unsure || action == Some(Action::AllowSession) {
        return false;
    }
    if key.code == KeyCode::Backspace {
        if let Some(approval) = app.questions.front_mut() {
            approval.sure = None;
        }
        return true;
    }
    if !is_letter(&key) {
        return false;
    }
    other(app, key);
    true
}

/// Keys that came together, or one that is held down, answer nothing and send nothing beside a
/// question: nobody decides so fast. Gives whether the key is done with.
pub(super) fn is_no_answer(app: &mut App, action: Action, key: &KeyEvent) -> bool {
    if key.kind != KeyEventKind::Repeat || app.questions.is_empty() {
        return false;
    }
    match action {
        Action::AllowOnce | Action::AllowSession => other(app, *key),
        Action::Send => {
            app.say("keys that come at once send nothing while a question waits");
        }
        _ => return false,
    }
    true
}

/// The question that the keys for pages are for.
pub(super) fn scrolled(app: &mut App) -> Option<&mut Approval> {
    let is_asked = !app.has_list() && app.question().is_some();
    app.questions.front_mut().filter(|_| is_asked)
}

/// A key that is no answer: it scrolls the question, or it is the prompt's.
pub(super) fn other(app: &mut App, key: KeyEvent) {
    let had_focus = app.question().is_some();
    let Some(approval) = app.questions.front_mut() else { return };
    match key.code {
        KeyCode::Up if had_focus => approval.scroll(-1),
        KeyCode::Down if had_focus => approval.scroll(1),
        KeyCode::Home if had_focus => approval.scroll(i64::MIN),
        KeyCode::End if had_focus => approval.scroll(i64::MAX),
        // It may be meant as a yes, and it may be meant for the prompt: it is neither.
        KeyCode::Enter if had_focus => {
            let words = approval.answers(&app.keys, app.transcript.width());
            app.say(&words);
        }
        _ => {
            to_prompt(app, |app| app.composer.key(key));
            if had_focus && !app.composer.is_empty() {
                let tab = app.keys.label(Action::Focus, super::keys::moment(app));
                let tab = tab.unwrap_or("Tab").to_owned();
                app.say(&format!("a question waits: {tab} answers it"));
            }
        }
    }
}

/// Something is done in the prompt while a question waits. Whoever writes there keeps the keys,
/// also when nothing is left in it; what was the first of two presses was a letter then.
pub(super) fn to_prompt(app: &mut App, write: impl FnOnce(&mut App)) {
    let now = app.now;
    let was_empty = app.composer.is_empty();
    let first = app.questions.front_mut().and_then(|approval| {
        approval.put_off(now);
        approval.sure.take().filter(is_letter)
    });
    if let Some(first) = first {
        app.composer.key(first);
    }
    write(app);
    let is_written = !was_empty || !app.composer.is_empty();
    if let Some(approval) = app.questions.front_mut().filter(|_| is_written) {
        approval.leave_keys();
    }
}

/// A key of the prompt is about to do its work: what it works on is the prompt's.
pub(super) fn before(app: &mut App, action: Action) {
    let is_of_prompt = matches!(
        action,
        Action::Send
            | Action::NewLine
            | Action::DeleteToHead
            | Action::HistoryBack
            | Action::HistoryForward
            | Action::Complete
            | Action::Input(_)
    );
    if is_of_prompt && !app.questions.is_empty() {
        to_prompt(app, |_| {});
    }
}

/// Tab: the keys are the prompt's, or the question's, until it is pressed again.
pub(super) fn switch_focus(app: &mut App) {
    let drafting = app.is_drafting();
    if let Some(approval) = app.questions.front_mut() {
        approval.switch_keys(drafting);
        app.hint = None;
    }
}

fn is_letter(key: &KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char(_))
        && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}
