//! The question for the context window, at the end of a response: the model is loaded by then, and
//! never beside a response, since some servers break that one off for any other request.
//!
//! Owns how long the end of a response waits for the answer, and what becomes of a later one.
//! Invariants: a slow server holds up a response once, and briefly; a question ends when the next
//! request begins, and is asked again after that one.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, task::AbortHandle, time::timeout};

use super::board::{Board, News};
use crate::provider::openai::OpenAi;

/// How long the end of a response waits: most servers answer in a tenth of that.
const PATIENCE: Duration = Duration::from_millis(500);

/// The question that is open, if one is.
#[derive(Default)]
pub(super) struct Question(Mutex<State>);

#[derive(Default)]
struct State {
    open: Option<AbortHandle>,
    /// Whether the answer took longer than the end of a response waits.
    is_slow: bool,
}

impl Question {
    /// Ends the question that is open.
    pub(super) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = state.open.take() {
            open.abort();
        }
    }

    /// Asks. Gives what the user should know, if that is known soon; the board gets it else.
    pub(super) async fn ask(&self, server: Arc<OpenAi>, board: Arc<Board>) -> Option<String> {
        let (soon, heard) = oneshot::channel();
        let asking = async move {
            let notice = server.learn_window().await;
            if let Err(notice) = soon.send(notice) {
                board.put(News { texts: notice.into_iter().collect(), choose: false });
            }
        };
        let patience = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.open = Some(tokio::spawn(asking).abort_handle());
            if state.is_slow { Duration::ZERO } else { PATIENCE }
        };
        let answer = timeout(patience, heard).await;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_slow |= answer.is_err();
        answer.ok()?.ok().flatten()
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.end();
    }
}
