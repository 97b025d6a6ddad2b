//! What there is to know of a server besides its answers: whether it is there, what it calls
//! itself, and where the size of the context window comes from. For a check of the server; a turn
//! asks none of it.
//!
//! Invariant: what a server says of itself is one short line, and never the reason of a failure.

use std::time::{Duration, Instant};

use reqwest::{Response, header::SERVER};
use serde_json::Value;
use tokio::time::timeout;

use super::{OpenAi, window};
use crate::{
    provider::{ProviderError, window as size},
    text::{cut, sanitize::sanitize},
};

/// How long the places beside the API may take, all together.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most characters of a name.
const MAX_NAME: usize = 60;
/// What stands in front of servers of many kinds, so that it says nothing of this one.
const NAMELESS: [&str; 8] =
    ["uvicorn", "nginx", "cloudflare", "envoy", "hypercorn", "gunicorn", "caddy", "istio"];

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// From the request to the first byte of the answer.
    pub first_byte: Duration,
    /// The status of the answer, which may be no success.
    pub status: u16,
    /// What the server calls itself, if it tells: one short line without escape sequences.
    pub name: Option<String>,
}

/// Where the size of a context window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The settings.
    Set,
    /// The server, and where there.
    Told(&'static str),
    /// The table of known models.
    Known,
    /// Nobody tells: what a server on this machine is taken to give.
    Assumed,
}

impl OpenAi {
    /// Asks for the list of models and takes any answer for a sign of life. Cancel-safe.
    ///
    /// # Errors
    /// `Network`, `Timeout` or `Config`: no answer came.
    pub async fn reach(&self) -> Result<Reached, ProviderError> {
        let line = self.line(&self.model())?;
        let request = line.ask_for_models()?;
        let began = Instant::now();
        let response = line.execute(request).await?;
        let first_byte = began.elapsed();
        let status = response.status().as_u16();
        let header = header(&response);
        drop(response);
        let telling = |name: &String| {
            let lower = name.to_lowercase();
            !NAMELESS.iter().any(|nameless| lower.contains(nameless))
        };
        let name = match header {
            Some(name) if telling(&name) => Some(name),
            header => timeout(PATIENCE, self.own_name()).await.ok().flatten().or(header),
        };
        Ok(Reached { first_byte, status, name })
    }

    /// The size of the present model's context window and where it comes from; takes at most two
    /// seconds. To be asked when no answer streams. Cancel-safe.
    pub async fn find_window(&self) -> Option<(u64, WindowSource)> {
        let model = self.model();
        let found = window::find(&self.peek()?, &model, window::Question::New).await;
        let set = self.set_window(&model);
        let tokens = size::effective(set, found)?;
        let source = match found {
            Some(found) if set != Some(tokens) => source(found),
            _ => WindowSource::Set,
        };
        Some((tokens, source))
    }

    /// Which of the servers for one's own machine this is, by what it has beside the API.
    async fn own_name(&self) -> Option<String> {
        let peek = self.peek()?;
        if peek.is_hosted() {
            return None;
        }
        let (props, ollama, studio, version) = tokio::join!(
            peek.native("props"),
            peek.native("api/version"),
            peek.native("api/v0/models"),
            peek.native("version"),
        );
        let versioned = |name: &str, answer: Option<Value>, key: &str| {
            let answer = answer?;
            let version = answer.get(key)?.as_str()?;
            Some(short(&format!("{name} {version}")))
        };
        versioned("llama.cpp", props, "build_info")
            .or_else(|| versioned("Ollama", ollama, "version"))
            .or_else(|| is_studio(&studio?).then(|| "LM Studio".to_owned()))
            .or_else(|| versioned("vLLM", version, "version"))
    }
}

/// LM Studio says of each model whether it is loaded.
fn is_studio(list: &Value) -> bool {
    let entries = list.get("data").and_then(Value::as_array);
    entries.is_some_and(|entries| entries.iter().any(|entry| entry.get("state").is_some()))
}

fn header(response: &Response) -> Option<String> {
    let name = short(response.headers().get(SERVER)?.to_str().ok()?);
    (!name.is_empty()).then_some(name)
}

fn short(name: &str) -> String {
    cut::one_line(&sanitize(name), MAX_NAME)
}
/// Where the size comes from, for people.
fn source(found: size::Known) -> WindowSource {
    match (found.source, found.server) {
        (size::Source::Told, size::Server::Llama) => WindowSource::Told("by llama.cpp's /props"),
        (size::Source::Told, size::Server::Ollama) => WindowSource::Told("by Ollama's /api/ps"),
        (size::Source::Told, size::Server::Studio) => {
            WindowSource::Told("by LM Studio's /api/v0/models")
        }
        (size::Source::Told, _) => WindowSource::Told("in its list of models"),
        (size::Source::Published, _) => WindowSource::Known,
        (size::Source::Usual | size::Source::Assumed, _) => WindowSource::Assumed,
    }
}
