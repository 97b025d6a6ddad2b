//! The commands in the background: what is told of them, and the key that ends one.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::{
    protocol::{
        background::{BackgroundCommand, BackgroundState},
        op::Op,
    },
    text::{cut::one_line, sanitize::sanitize},
    tui::{app::App, effect::Effect},
};

/// Characters of how a command ended.
const HOW: usize = 60;

/// Takes what the engine tells.
pub(super) fn changed(app: &mut App, command: BackgroundCommand) {
    let now = app.now;
    let Some(BackgroundCommand { id, state: BackgroundState::Ended { how, .. }, .. }) =
        app.in_background.told(command, now)
    else {
        return;
    };
    app.report(&format!("{} has ended: {}", sanitize(&id), one_line(&sanitize(&how), HOW)));
}

/// Opens the list.
pub(super) fn open(app: &mut App) {
    app.help = None;
    app.in_background.open();
}

/// Closes the list. Whoever asks a question waits for a moment without keys first.
pub(super) fn close(app: &mut App) {
    let now = app.now;
    if app.in_background.close()
        && let Some(approval) = app.questions.front_mut()
    {
        approval.rearm(now);
    }
}

/// A key that is no command, if the list is open.
pub(super) fn key(app: &mut App, key: KeyEvent) -> Option<Vec<Effect>> {
    if !app.in_background.is_open() {
        return None;
    }
    let ends = matches!(key.code, KeyCode::Char('x' | 'X') | KeyCode::Delete);
    let is_letter = matches!(key.code, KeyCode::Char(_))
        && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    // Whoever types is done with the list.
    if is_letter && !(ends && app.in_background.marked().is_some()) {
        close(app);
        return None;
    }
    let ending = ends.then(|| app.in_background.end_marked()).flatten();
    Some(ending.map(|id| Effect::Send(Op::EndBackground { id })).into_iter().collect())
}
