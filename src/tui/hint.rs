//! [`Hint`]: a word for the user about what was just done or can be done now, for a moment.
//!
//! Owns until when it is true. Must not know where it is drawn. Invariant: a word about the state
//! goes when that state does, and any word goes with the next key that does something else than
//! to write on in the prompt.

use std::time::Instant;

use super::{
    app::{App, HINT},
    cell::iteration::call::Call,
    message::Msg,
    transcript::Item,
};
use crate::protocol::id::{CallId, TurnId};

/// A word for the user.
#[derive(Debug)]
pub(super) struct Hint {
    words: String,
    until: Instant,
    holds: Holds,
}

/// For as long as what a word is true.
#[derive(Debug)]
enum Holds {
    /// The message that it was said about is still being dealt with.
    New { of_state: bool },
    /// This is so.
    While(Box<Scene>),
    /// It was done, and stays done.
    Done,
}

/// What words are about. What merely goes on by itself, like the number of running calls, is none.
#[derive(Debug, PartialEq, Eq)]
struct Scene {
    turn: Option<TurnId>,
    busy: [bool; 4],
    ended: u64,
    question: Option<CallId>,
    selected: Option<(Item, bool)>,
    open: [bool; 8],
    empty: bool,
    queued: bool,
}

impl Scene {
    fn of(app: &App) -> Self {
        let runs = |place| app.transcript.call(place).is_some_and(Call::is_running);
        let question = app.questions.front();
        Self {
            turn: app.turn,
            busy: [app.sent.is_some(), app.stopping, app.must_choose, app.retry().is_some()],
            ended: app.ended,
            question: question.map(|approval| approval.question.call_id.clone()),
            selected: app.calls.selected().map(|place| (place, runs(place))),
            open: [
                app.help.is_some(),
                app.has_list(),
                app.calls.is_open(),
                app.search.is_some(),
                app.recall.is_some(),
                question.is_some_and(|approval| approval.word.is_some()),
                app.transcript.has_selection() || app.calls.has_selection(),
                app.quit_until.is_some(),
            ],
            empty: app.composer.is_empty(),
            queued: !app.queued.is_empty(),
        }
    }
}

impl Hint {
    /// What it says.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// Whether its time is over.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.until <= now
    }

    /// What to compare with after this message; nothing if nothing can become wrong by it.
    pub(super) fn before(app: &App, msg: &Msg) -> Option<String> {
        let is_key = app.hint.is_some() && matches!(msg, Msg::Key(_));
        is_key.then(|| app.composer.text())
    }

    /// A message is dealt with; `before` is what [`Hint::before`] gave. What is wrong now goes.
    pub(super) fn settle(app: &mut App, before: Option<String>) {
        let Some(hint) = &app.hint else { return };
        // Whoever writes on has not done anything else.
        let did_else = before.is_some_and(|text| text == app.composer.text());
        let holds = match &hint.holds {
            Holds::New { of_state: true } => Some(Holds::While(Box::new(Scene::of(app)))),
            Holds::New { of_state: false } => Some(Holds::Done),
            Holds::While(scene) if did_else || **scene != Scene::of(app) => None,
            Holds::Done if did_else => None,
            Holds::While(_) | Holds::Done => return,
        };
        match (holds, &mut app.hint) {
            (Some(holds), Some(hint)) => hint.holds = holds,
            (_, hint) => *hint = None,
        }
    }
}

impl App {
    /// Tells what is so now, or can be done now, until it is not so any more.
    pub(super) fn say(&mut self, words: &str) {
        self.tell_user(words, true);
    }

    /// Tells what was done: that stays true, also if the turn ends meanwhile.
    pub(super) fn report(&mut self, words: &str) {
        self.tell_user(words, false);
    }

    fn tell_user(&mut self, words: &str, of_state: bool) {
        let (words, until) = (words.to_owned(), self.now + HINT);
        self.hint = Some(Hint { words, until, holds: Holds::New { of_state } });
    }
}

#[cfg(test)]
mod tests;
