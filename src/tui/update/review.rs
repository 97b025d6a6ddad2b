//! The parts of a write that is asked about: taken, left, edited. Owns what a key does to them.

use super::keys;
use crate::{
    protocol::{id::CallId, question::Decision},
    tui::{
        app::App,
        cell::Cell,
        effect::{Editing, Effect, Whose},
        keymap::{Action, review::OnReview},
        overlay::approval::{Approval, review::Draft},
    },
};

/// The key that does this, as people write it.
fn key(app: &App, action: Action, usual: &str) -> String {
    app.keys.label(action, keys::moment(app)).unwrap_or(usual).to_owned()
}

/// Does what a key means for a write that is asked about.
pub(super) fn act(app: &mut App, action: OnReview) -> Vec<Effect> {
    match action {
        OnReview::Take => toggle(app),
        OnReview::Previous => step(app, -1),
        OnReview::Next => step(app, 1),
        OnReview::Edit => return edit(app),
    }
    Vec::new()
}

/// Takes or leaves the part that the user is at.
fn toggle(app: &mut App) {
    let Some(review) = app.questions.front_mut().and_then(Approval::review_mut) else { return };
    if !review.toggle() {
        let deny = key(app, Action::Deny, "n");
        app.say(&format!("cannot be left out; {deny} denies all"));
    }
}

/// To the next part, or to the one before.
fn step(app: &mut App, steps: i64) {
    if let Some(review) = app.questions.front_mut().and_then(Approval::review_mut) {
        review.step(steps);
    }
}

/// Opens what is taken of the file in the user's editor.
fn edit(app: &mut App) -> Vec<Effect> {
    let Some(approval) = app.questions.front_mut() else { return Vec::new() };
    let call_id = approval.question.call_id.clone();
    if let Some(Draft { path, text }) = approval.review_mut().and_then(|review| review.draft()) {
        let whose = Whose::Write { call_id, path: path.clone() };
        return vec![Effect::Edit(Editing { whose, file_name: path, text })];
    }
    app.say("not editable: take it whole or not");
    Vec::new()
}

/// The editor ended. The question is another one now, and has to stand for a moment again.
pub(super) fn edited(
    app: &mut App,
    (call_id, path): (&CallId, &str),
    ended: Result<String, String>,
) {
    let now = app.now;
    let approval = app.questions.front_mut().filter(|front| front.question.call_id == *call_id);
    match (ended, approval) {
        (Ok(text), Some(approval)) => {
            approval.rearm(now);
            if let Some(review) = approval.review_mut() {
                review.edited(path, text);
            }
        }
        (Ok(text), None) => {
            app.composer.history().remember(&text);
            app.say("nothing was written; Up has your edit");
        }
        (Err(words), approval) => {
            if let Some(approval) = approval {
                approval.rearm(now);
            }
            app.transcript.push(Cell::notice(&words));
        }
    }
}

/// Allows what is taken.
pub(super) fn allow(app: &mut App) -> Vec<Effect> {
    let decision = match app.questions.front_mut().and_then(Approval::review_mut) {
        Some(review) => review.decision(),
        None => Some(Decision::AllowOnce),
    };
    if let Some(decision) = decision {
        keys::decide(app, decision)
    } else {
        let (take, deny) =
            (key(app, Action::Review(OnReview::Take), "Space"), key(app, Action::Deny, "n"));
        app.say(&format!("nothing is taken: {take} takes, {deny} denies"));
        Vec::new()
    }
}

/// Whether all is taken as asked: then it can be allowed for the session. Says so if not.
pub(super) fn is_whole(app: &mut App) -> bool {
    let review = app.questions.front_mut().and_then(Approval::review_mut);
    let is_whole = review.is_none_or(|review| !review.is_changed());
    if !is_whole {
        let yes = key(app, Action::AllowOnce, "y");
        app.say(&format!("a part is allowed once only: {yes}"));
    }
    is_whole
}
