//! The context window of the present model: what was learnt of it, and whom to ask. Owns the
//! questions and their order; `provider::window` owns what the answers mean.
//!
//! Invariant: each model is asked about once, but Ollama again after each answer, as it may have
//! loaded the model anew; and no question disturbs a stream. So the list of models is only asked
//! for where that is known to be harmless: some servers take it for the next request and break off
//! the stream that runs.

use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::json;
use tokio::time::timeout;

use super::peek::Peek;
use crate::provider::window::{self, Known, Server, Source, Window};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of the model that was asked about last, and what was said of windows.
#[derive(Debug, Default)]
pub(super) struct Learnt(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    model: Option<String>,
    found: Option<Known>,
    said: Vec<String>,
}

/// What is to be asked about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Everything: nothing is known of it.
    New,
    /// Whether Ollama still runs it as it did.
    Again,
}

impl Learnt {
    /// The size of this model's window in tokens that counts, if this one is `set`.
    pub(super) fn size(&self, model: &str, set: Option<u64>) -> Option<u64> {
        window::effective(set, self.of(model))
    }

    /// What can be said of that size.
    pub(super) fn about(&self, model: &str, set: Option<u64>) -> Window {
        window::about(set, self.of(model))
    }

    /// What the caller should ask about this model, if anything.
    pub(super) fn begin(&self, model: &str) -> Option<Question> {
        let mut state = self.lock();
        if state.model.as_deref() != Some(model) {
            state.model = Some(model.to_owned());
            state.found = None;
            return Some(Question::New);
        }
        let is_ollama = state.found.is_some_and(|found| found.server == Server::Ollama);
        is_ollama.then_some(Question::Again)
    }

    /// Keeps the answer, unless another model was asked about meanwhile. Gives what the user
    /// should know of it and was not told.
    pub(super) fn end(&self, model: &str, found: Known, set: Option<u64>) -> Option<String> {
        let mut state = self.lock();
        if state.model.as_deref() != Some(model) {
            return None;
        }
        state.found = Some(found);
        let notice = window::notice(set, found)?;
        if state.said.contains(&notice) {
            return None;
        }
        state.said.push(notice.clone());
        Some(notice)
    }

    fn of(&self, model: &str) -> Option<Known> {
        let state = self.lock();
        state.found.filter(|_| state.model.as_deref() == Some(model))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The size by the surest of those who know it. None if nobody does.
pub(super) async fn find(peek: &Peek, model: &str, question: Question) -> Option<Known> {
    let told = ask(peek, model, question).await;
    if question == Question::Again {
        return told;
    }
    let published = || Known::published(model, peek.is_hosted());
    told.or_else(published).or_else(|| peek.is_loopback().then(Known::assumed))
}

/// Asks the server. None if it does not tell, or not in time.
async fn ask(peek: &Peek, model: &str, question: Question) -> Option<Known> {
    if question == Question::Again {
        return in_time(async { window::ollama_runs(&peek.native("api/ps").await?, model) }).await;
    }
    if peek.is_hosted() {
        let list = async { window::listed(&peek.api("models").await?, model, Server::Other) };
        return in_time(list).await;
    }
    let (llama, ollama, studio, served) = tokio::join!(
        in_time(async { window::llama(&peek.native("props").await?) }),
        ollama(peek, model),
        in_time(async { window::studio(&peek.native("api/v0/models").await?, model) }),
        in_time(served(peek, model)),
    );
    let found = [llama, ollama, studio, served];
    let told = |known: &Known| known.source == Source::Told;
    found.into_iter().flatten().find(told).or_else(|| found.into_iter().flatten().next())
}

async fn in_time(answer: impl Future<Output = Option<Known>>) -> Option<Known> {
    timeout(PATIENCE, answer).await.ok().flatten()
}

/// Each question has its own time: one that is not answered does not hide the other's answer.
async fn ollama(peek: &Peek, model: &str) -> Option<Known> {
    let question = json!({ "model": model });
    let (runs, set) = tokio::join!(
        in_time(async { window::ollama_runs(&peek.native("api/ps").await?, model) }),
        in_time(async { window::ollama_set(&peek.native_about("api/show", &question).await?) }),
    );
    runs.or(set)
}

/// vLLM and `SGLang` serve many requests at once, so their list can be asked for while they stream.
async fn served(peek: &Peek, model: &str) -> Option<Known> {
    let (version, info) = tokio::join!(peek.native("version"), peek.native("get_model_info"));
    let server = if version.as_ref().is_some_and(window::is_vllm) {
        Server::Vllm
    } else if info.as_ref().is_some_and(window::is_sglang) {
        Server::Sglang
    } else {
        return None;
    };
    window::listed(&peek.api("models").await?, model, server)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(tokens: u64, source: Source, server: Server) -> Known {
        Known { tokens, source, server }
    }

    #[test]
    fn each_model_is_asked_about_once_and_keeps_its_own_answer() {
        let learnt = Learnt::default();
        let told = known(4_096, Source::Told, Server::Llama);
        assert_eq!(learnt.begin("a"), Some(Question::New));
        assert_eq!(learnt.begin("a"), None);
        assert_eq!(learnt.size("a", None), None);
        assert_eq!(learnt.end("a", told, None), None);
        assert_eq!((learnt.size("a", None), learnt.size("b", None)), (Some(4_096), None));
        assert_eq!(learnt.begin("b"), Some(Question::New));
        assert_eq!(learnt.end("a", told, None), None);
        assert_eq!((learnt.size("a", None), learnt.size("b", None)), (None, None));
    }

    #[test]
    fn ollama_is_asked_again_as_it_may_have_loaded_the_model_anew() {
        let learnt = Learnt::default();
        learnt.begin("a");
        learnt.end("a", known(4_096, Source::Told, Server::Ollama), None);
        assert_eq!(learnt.begin("a"), Some(Question::Again));
        learnt.end("a", known(32_768, Source::Told, Server::Ollama), None);
        assert_eq!(learnt.size("a", None), Some(32_768));
    }

    #[test]
    fn what_is_said_of_a_window_is_said_once() {
        let learnt = Learnt::default();
        let guess = Known::assumed();
        learnt.begin("a");
        assert!(learnt.end("a", guess, None).is_some());
        learnt.begin("b");
        assert_eq!(learnt.end("b", guess, None), None);
    }
}
