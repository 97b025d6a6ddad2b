//! How large a context window is, read from what servers tell and from a table of known models.
//! Owns the shapes of the answers; asks nobody.
//!
//! Invariant: pure and total. It tells what the server gives the model, not what the model could
//! take, where the two differ; and a number that cannot be meant is none.

mod known;
mod server;

use serde_json::Value;

pub(super) use server::Server;

use crate::text::number::grouped;

/// What a server on this machine is taken to give when nobody tells.
const LOCAL: u64 = 8_192;
/// What Ollama gives a model on a small machine, unless it is told otherwise.
const OLLAMA: u64 = 4_096;
/// Sizes that can be meant.
const SIZES: std::ops::RangeInclusive<u64> = 256..=100_000_000;
/// Where a list of models may say it: llama.cpp; vLLM and `SGLang`; routers and hosted services.
const LISTED: [&str; 5] =
    ["/meta/n_ctx", "/max_model_len", "/context_length", "/context_window", "/max_context_length"];

/// What can be said of a window besides its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Whether the server told the size of what it loaded: all else is a setting, a table, a guess.
    pub is_told: bool,
    /// What the user can do to have a larger one: whole sentences.
    pub widen: &'static str,
}

impl Default for Window {
    fn default() -> Self {
        Self { is_told: false, widen: Server::Other.widen() }
    }
}

/// Where a size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The server: so much is loaded.
    Told,
    /// What the model takes; what is loaded is not told.
    Published,
    /// What this kind of server does when it is told nothing.
    Usual,
    /// Nobody.
    Assumed,
    /// Nobody so far: the server did not answer in time.
    Awaited,
}

/// The window of a model as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) tokens: u64,
    pub(super) source: Source,
    pub(super) server: Server,
}

impl Known {
    /// What a server on this machine is taken to give; `is_late`: until it says.
    pub(super) fn assumed(is_late: bool) -> Self {
        let source = if is_late { Source::Awaited } else { Source::Assumed };
        Self { tokens: LOCAL, source, server: Server::Other }
    }

    /// What the table has of this model. `hosted` is whether a service serves it.
    pub(super) fn published(model: &str, hosted: bool) -> Option<Self> {
        let tokens = known::known(model, hosted)?;
        Some(Self { tokens, source: Source::Published, server: Server::Other })
    }

    fn told(server: Server, tokens: u64) -> Self {
        Self { tokens, source: Source::Told, server }
    }
}

/// The size that counts: what is set, unless the server loaded less.
pub(super) fn effective(set: Option<u64>, found: Option<Known>) -> Option<u64> {
    match (set, found) {
        (Some(set), Some(found)) if found.source == Source::Told => Some(set.min(found.tokens)),
        (Some(set), _) => Some(set),
        (None, found) => found.map(|found| found.tokens),
    }
}

/// What can be said of the size that counts.
pub(super) fn about(set: Option<u64>, found: Option<Known>) -> Window {
    let Some(found) = found else { return Window::default() };
    let counts = set.is_none_or(|set| found.tokens <= set);
    Window { is_told: counts && found.source == Source::Told, widen: found.server.widen() }
}

/// What the user should know of it: that it is a guess, or less than what is set.
pub(super) fn notice(set: Option<u64>, found: Known) -> Option<String> {
    let size = grouped(found.tokens);
    match (found.source, set) {
        (Source::Told, Some(set)) if found.tokens < set => Some(format!(
            "`context_window` is set to {}, but the server loaded the model with {size} tokens, \
             and that is what counts. {}",
            grouped(set),
            found.server.widen()
        )),
        (Source::Usual, None) => Some(format!(
            "Ollama does not say how large a context window it loaded this model with, so its \
             default is assumed: {size} tokens. If it gives more, set `context_window` in the \
             config file."
        )),
        (Source::Assumed, None) => Some(format!(
            "The server does not say how large its context window is, so {size} tokens are \
             assumed. Set `context_window` in the config file to what it gives."
        )),
        (Source::Awaited, None) => Some(format!(
            "The server did not say in time how large its context window is: {size} tokens are \
             assumed, and it is asked again after the next answer."
        )),
        _ => None,
    }
}

fn tokens(value: Option<&Value>) -> Option<u64> {
    value?.as_u64().filter(|tokens| SIZES.contains(tokens))
}

fn entries<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is(entry: &Value, key: &str, word: &str) -> bool {
    entry.get(key).and_then(Value::as_str) == Some(word)
}

/// From a list of models as the API has it, or without the object around it, as Together does. A
/// server of one model goes by any name.
pub(super) fn listed(list: &Value, model: &str, server: Server) -> Option<Known> {
    let bare = list.as_array().map(Vec::as_slice);
    let entry = match bare.unwrap_or_else(|| entries(list, "data")) {
        [only] => only,
        many => many.iter().find(|entry| is(entry, "id", model))?,
    };
    let tokens = LISTED.iter().find_map(|place| tokens(entry.pointer(place)))?;
    Some(Known::told(server, tokens))
}

/// From llama.cpp's `/props`: the window of one slot.
pub(super) fn llama(props: &Value) -> Option<Known> {
    let tokens = tokens(props.pointer("/default_generation_settings/n_ctx"))?;
    Some(Known::told(Server::Llama, tokens))
}

/// From LM Studio's `/api/v0/models`: as loaded, else the most that the model takes.
pub(super) fn studio(list: &Value, model: &str) -> Option<Known> {
    let entry = entries(list, "data").iter().find(|entry| is(entry, "id", model))?;
    if let Some(loaded) = tokens(entry.get("loaded_context_length")) {
        return Some(Known::told(Server::Studio, loaded));
    }
    let tokens = tokens(entry.get("max_context_length"))?;
    Some(Known { tokens, source: Source::Published, server: Server::Studio })
}

/// From Ollama's `/api/ps`: as the model runs. Versions before 0.10 do not tell it.
pub(super) fn ollama_runs(running: &Value, model: &str) -> Option<Known> {
    let runs = |entry: &&Value| {
        ["name", "model"].iter().any(|key| {
            entry.get(*key).and_then(Value::as_str).is_some_and(|name| full(name) == full(model))
        })
    };
    let entry = entries(running, "models").iter().find(runs)?;
    Some(Known::told(Server::Ollama, tokens(entry.get("context_length"))?))
}

/// From Ollama's `/api/show`, where `/api/ps` does not tell: as the model is set to run, else what
/// Ollama gives by itself. The length that the model was trained for counts only where Ollama
/// passes the request on to a service: on this machine it gives less, and cuts what is longer
/// without a word.
pub(super) fn ollama_set(details: &Value) -> Option<Known> {
    let parameters = details.get("parameters").and_then(Value::as_str);
    if let Some(set) = parameters.and_then(|text| text.lines().find_map(num_ctx)) {
        return Some(Known::told(Server::Ollama, set));
    }
    let trained = trained(details);
    if details.get("remote_model").and_then(Value::as_str).is_some() {
        return trained.map(|length| Known::told(Server::Ollama, length));
    }
    let is_model =
        ["model_info", "details"].iter().any(|key| details.get(*key).is_some_and(Value::is_object));
    let tokens = trained.map_or(OLLAMA, |length| length.min(OLLAMA));
    is_model.then_some(Known { tokens, source: Source::Usual, server: Server::Ollama })
}

/// Ollama's name with its tag.
fn full(name: &str) -> String {
    let tagged = name.rsplit('/').next().is_some_and(|last| last.contains(':'));
    if tagged { name.to_owned() } else { format!("{name}:latest") }
}

fn num_ctx(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    if words.next()? != "num_ctx" {
        return None;
    }
    words.next()?.parse().ok().filter(|tokens| SIZES.contains(tokens))
}

fn trained(details: &Value) -> Option<u64> {
    let info = details.get("model_info")?.as_object()?;
    let named = info.get("general.architecture").and_then(Value::as_str);
    let named = named.and_then(|name| tokens(info.get(&format!("{name}.context_length"))));
    let mut lengths = info.iter().filter(|(key, _)| key.ends_with(".context_length"));
    named.or_else(|| lengths.find_map(|(_, length)| tokens(Some(length))))
}

/// Whether `/version` is answered as vLLM does.
pub(super) fn is_vllm(version: &Value) -> bool {
    version.get("version").is_some_and(Value::is_string)
}

/// Whether `/get_model_info` is answered as `SGLang` does.
pub(super) fn is_sglang(info: &Value) -> bool {
    info.get("model_path").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests;
