//! The context window of the present model: what was learnt of it, and whom to ask. Owns the
//! questions and their order; `provider::window` owns what the answers mean.
//!
//! Invariant: each model is asked about until its server has answered or refused to, and Ollama
//! again after each answer, as it may have loaded the model anew; and no question disturbs a stream. So the list of models is only asked
//! for where that is known to be harmless: some servers take it for the next request and break off
//! the stream that runs.

use std::{
    future::Future,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use serde_json::json;
use tokio::time::timeout;

use super::peek::Peek;
use crate::provider::window::{self, Known, Server, Source, Window};

/// How long an answer may take. A server that has just loaded a model may be slow; nobody waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is known of the model that was asked about last, and what was said of windows.
#[derive(Debug, Default)]
pub(super) struct Learnt(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    model: Option<String>,
    found: Option<Known>,
    /// Whether the question about it was answered, or refused.
    is_answered: bool,
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
            (state.found, state.is_answered) = (None, false);
        }
        if !state.is_answered {
            return Some(Question::New);
        }
        let is_ollama = state.found.is_some_and(|found| found.server == Server::Ollama);
        is_ollama.then_some(Question::Again)
    }

    /// Keeps the answer, unless another model was asked about meanwhile. Gives what the user
    /// should know of it and was not told.
    pub(super) fn end(&self, model: &str, answer: Answer, set: Option<u64>) -> Option<String> {
        let mut state = self.lock();
        if state.model.as_deref() != Some(model) {
            return None;
        }
        state.is_answered |= !answer.is_late;
        let found = answer.known?;
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

/// What came of asking about a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The size by the surest of those who know it. None if nobody does.
    pub(super) known: Option<Known>,
    /// Whether the server may know better, and did not say so in time.
    pub(super) is_late: bool,
}

/// The size by the surest of those who know it.
pub(super) async fn find(peek: &Peek, model: &str, question: Question) -> Answer {
    let asking = Asking { peek, model, is_late: AtomicBool::new(false) };
    let told = asking.ask(question).await;
    let is_told = told.is_some_and(|known| known.source == Source::Told);
    let is_late = !is_told && asking.is_late.into_inner();
    if question == Question::Again {
        return Answer { known: told, is_late };
    }
    let published = || Known::published(model, peek.is_hosted());
    let assumed = || peek.is_loopback().then(|| Known::assumed(is_late));
    Answer { known: told.or_else(published).or_else(assumed), is_late }
}

/// The questions about one model.
struct Asking<'a> {
    peek: &'a Peek,
    model: &'a str,
    is_late: AtomicBool,
}

impl Asking<'_> {
    /// Asks the server. None if it does not tell, or not in time.
    async fn ask(&self, question: Question) -> Option<Known> {
        let Self { peek, model, .. } = self;
        if question == Question::Again {
            return self.runs().await;
        }
        if peek.is_hosted() {
            let list = async { window::listed(&peek.api("models").await?, model, Server::Other) };
            return self.in_time(list).await;
        }
        let llama = async { window::llama(&peek.native("props").await?) };
        let studio = async { window::studio(&peek.native("api/v0/models").await?, model) };
        let mut answers = FuturesUnordered::from_iter([
            self.in_time(llama).boxed(),
            self.ollama().boxed(),
            self.in_time(studio).boxed(),
            self.in_time(served(peek, model)).boxed(),
        ]);
        let mut first = None;
        while let Some(answer) = answers.next().await {
            if answer.is_some_and(|known| known.source == Source::Told) {
                return answer;
            }
            first = first.or(answer);
        }
        first
    }

    /// Each question has its own time: one that is not answered does not hide the other's answer.
    async fn in_time(&self, answer: impl Future<Output = Option<Known>>) -> Option<Known> {
        let answer = timeout(PATIENCE, answer).await;
        self.is_late.fetch_or(answer.is_err(), Ordering::Relaxed);
        answer.ok().flatten()
    }

    async fn ollama(&self) -> Option<Known> {
        let question = json!({ "model": self.model });
        let show = self.peek.native_about("api/show", &question);
        let set = async { window::ollama_set(&show.await?) };
        let (runs, set) = tokio::join!(self.runs(), self.in_time(set));
        runs.or(set)
    }

    async fn runs(&self) -> Option<Known> {
        let runs = async { window::ollama_runs(&self.peek.native("api/ps").await?, self.model) };
        self.in_time(runs).await
    }
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

    fn answer(tokens: u64, server: Server) -> Answer {
        Answer { known: Some(Known { tokens, source: Source::Told, server }), is_late: false }
    }

    #[test]
    fn each_model_is_asked_about_once_and_keeps_its_own_answer() {
        let learnt = Learnt::default();
        let told = answer(4_096, Server::Llama);
        assert_eq!(learnt.begin("a"), Some(Question::New));
        assert_eq!(learnt.size("a", None), None);
        assert_eq!(learnt.end("a", told, None), None);
        assert_eq!(learnt.begin("a"), None);
        assert_eq!((learnt.size("a", None), learnt.size("b", None)), (Some(4_096), None));
        assert_eq!(learnt.begin("b"), Some(Question::New));
        assert_eq!(learnt.end("a", told, None), None);
        assert_eq!((learnt.size("a", None), learnt.size("b", None)), (None, None));
    }

    #[test]
    fn a_question_that_was_dropped_or_not_answered_in_time_is_asked_again() {
        let learnt = Learnt::default();
        assert_eq!(learnt.begin("a"), Some(Question::New));
        assert_eq!(learnt.begin("a"), Some(Question::New), "it was dropped");
        let late = Answer { known: Some(Known::assumed(true)), is_late: true };
        let notice = learnt.end("a", late, None).unwrap();
        assert!(notice.contains("did not say in time"), "{notice}");
        assert_eq!(learnt.begin("a"), Some(Question::New));
        assert_eq!(learnt.end("a", late, None), None, "it is said once");
        learnt.end("a", answer(65_536, Server::Llama), None);
        assert_eq!((learnt.size("a", None), learnt.begin("a")), (Some(65_536), None));
    }

    #[test]
    fn ollama_is_asked_again_as_it_may_have_loaded_the_model_anew() {
        let learnt = Learnt::default();
        learnt.begin("a");
        learnt.end("a", answer(4_096, Server::Ollama), None);
        assert_eq!(learnt.begin("a"), Some(Question::Again));
        learnt.end("a", answer(32_768, Server::Ollama), None);
        assert_eq!(learnt.size("a", None), Some(32_768));
    }

    #[test]
    fn what_is_said_of_a_window_is_said_once() {
        let learnt = Learnt::default();
        let guess = Answer { known: Some(Known::assumed(false)), is_late: false };
        learnt.begin("a");
        assert!(learnt.end("a", guess, None).is_some());
        learnt.begin("b");
        assert_eq!(learnt.end("b", guess, None), None);
    }
}
