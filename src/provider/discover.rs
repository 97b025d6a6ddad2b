//! Finds model servers on this machine, for when nothing is set. Owns the places that are asked
//! and the order in which they count; `read` owns what the answers mean.
//!
//! Must not know the settings or what becomes of an offer. Invariant: it takes no longer than it
//! is given, whoever is silent; the same answers give the same order; and a web app on a model
//! server's port is not taken for one.

mod read;
mod words;

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::openai::peek::Peek;
pub use read::mute_last;

/// How long all of the usual servers together may take.
pub const PATIENCE: Duration = Duration::from_millis(300);

/// Where a server may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What people call it; empty if that is not known.
    pub name: String,
    /// Its address, up to and with `/v1`.
    pub base_url: String,
}

/// A server that offers models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Which one.
    pub server: Candidate,
    /// The server for the screen, e.g. `127.0.0.1:11434`.
    pub place: String,
    /// Its models, never none: the one to use first, then in the server's order.
    pub models: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The address to use.
    pub base_url: String,
    /// The model to use there.
    pub model: String,
    /// All that there is; the one to use is the first one's first.
    pub offers: Vec<Offer>,
}

/// The ports at which the usual servers listen.
#[must_use]
pub fn usual() -> Vec<Candidate> {
    [("Ollama", 11_434), ("LM Studio", 1_234), ("llama.cpp", 8_080), ("vLLM", 8_000)]
        .map(|(name, port)| Candidate {
            name: name.to_owned(),
            base_url: format!("http://127.0.0.1:{port}/v1"),
        })
        .to_vec()
}

/// Asks all of them at once, without a key, and waits at most this long. What has not answered
/// by then is not there. Cancel-safe: dropping the future closes the connections.
pub async fn discover(candidates: &[Candidate], patience: Duration) -> Option<Found> {
    let end = Instant::now() + patience;
    let offers = join_all(candidates.iter().map(|candidate| offer(candidate, patience, end))).await;
    let offers: Vec<_> = offers.into_iter().flatten().collect();
    let first = offers.first()?;
    let (base_url, model) = (first.server.base_url.clone(), first.models.first()?.clone());
    Some(Found { base_url, model, offers })
}

async fn offer(candidate: &Candidate, patience: Duration, end: Instant) -> Option<Offer> {
    let peek = Peek::without_key(&candidate.base_url, patience)?;
    let list = timeout_at(end, peek.api("models")).await.ok()??;
    let names = read::listed(&list)?;
    // Only asked of what is a model server, and done without if it does not come in time.
    let more = async |path: &str| -> Value {
        timeout_at(end, peek.native(path)).await.ok().flatten().unwrap_or_default()
    };
    let (tags, running, studio) =
        tokio::join!(more("api/tags"), more("api/ps"), more("api/v0/models"));
    let told = read::Told { list: &list, tags: &tags, running: &running, studio: &studio };
    let models = read::ranked(names, &told);
    if models.is_empty() {
        return None;
    }
    Some(Offer { server: candidate.clone(), place: peek.place(), models })
}

#[cfg(test)]
mod tests;
