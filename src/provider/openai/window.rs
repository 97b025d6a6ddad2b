//! The context window of the present model: what was learnt of it, and whom to ask. Owns the
//! questions and their order; `provider::window` owns what the answers mean.
//!
//! Invariant: each model is asked about once, and no question disturbs a stream. So the list of
//! models is only asked for where that is known to be harmless: some servers take it for the next
//! request and break off the stream that runs.

use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::json;
use tokio::time::timeout;

use super::peek::Peek;
use crate::provider::window;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of the model that was asked about last.
#[derive(Debug, Default)]
pub(super) struct Learnt(Mutex<Option<(String, Option<u64>)>>);

impl Learnt {
    /// The window of this model in tokens, if it is known.
    pub(super) fn of(&self, model: &str) -> Option<u64> {
        let known = self.lock();
        let (name, tokens) = known.as_ref()?;
        tokens.filter(|_| name == model)
    }

    /// True the first time for this model: then the caller is the one who asks.
    pub(super) fn begin(&self, model: &str) -> bool {
        let mut known = self.lock();
        let is_new = known.as_ref().is_none_or(|(name, _)| name != model);
        if is_new {
            *known = Some((model.to_owned(), None));
        }
        is_new
    }

    /// Keeps the answer, unless another model was asked about meanwhile.
    pub(super) fn end(&self, model: &str, tokens: Option<u64>) {
        if let Some((name, known)) = &mut *self.lock()
            && name == model
        {
            *known = tokens;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(String, Option<u64>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks the server. None if it does not tell, or not in time.
pub(super) async fn ask(peek: &Peek, model: &str) -> Option<u64> {
    ask_where(peek, model).await.map(|(tokens, _)| tokens)
}

/// As [`ask`], with the place where the server told it.
pub(super) async fn ask_where(peek: &Peek, model: &str) -> Option<(u64, &'static str)> {
    let at = |place: &'static str| move |tokens: u64| (tokens, place);
    if peek.is_hosted() {
        let told = in_time(async { window::listed(&peek.api("models").await?, model) }).await;
        return told.map(at("in its list of models"));
    }
    let (llama, ollama, studio, vllm) = tokio::join!(
        in_time(async { window::llama(&peek.native("props").await?) }),
        in_time(ollama(peek, model)),
        in_time(async { window::studio(&peek.native("api/v0/models").await?, model) }),
        in_time(vllm(peek, model)),
    );
    llama
        .map(at("by llama.cpp's /props"))
        .or(ollama.map(at("by Ollama's /api")))
        .or(studio.map(at("by LM Studio's /api/v0/models")))
        .or(vllm.map(at("in vLLM's list of models")))
}

async fn in_time(answer: impl Future<Output = Option<u64>>) -> Option<u64> {
    timeout(PATIENCE, answer).await.ok().flatten()
}

async fn ollama(peek: &Peek, model: &str) -> Option<u64> {
    let question = json!({ "model": model });
    let (running, details) =
        tokio::join!(peek.native("api/ps"), peek.native_about("api/show", &question));
    window::ollama(running.as_ref(), details.as_ref(), model)
}

/// vLLM serves many requests at once, so its list can be asked for while it streams.
async fn vllm(peek: &Peek, model: &str) -> Option<u64> {
    if !window::is_vllm(&peek.native("version").await?) {
        return None;
    }
    window::listed(&peek.api("models").await?, model)
}

#[cfg(test)]
mod tests {
    use super::Learnt;

    #[test]
    fn each_model_is_asked_about_once_and_keeps_its_own_answer() {
        let learnt = Learnt::default();
        assert!(learnt.begin("a"));
        assert!(!learnt.begin("a"));
        assert_eq!(learnt.of("a"), None);
        learnt.end("a", Some(4_096));
        assert_eq!((learnt.of("a"), learnt.of("b")), (Some(4_096), None));
        assert!(learnt.begin("b"));
        learnt.end("a", Some(1));
        assert_eq!((learnt.of("a"), learnt.of("b")), (None, None));
    }
}
