//! How large a context window is, read from what servers tell and from a table of known models.
//! Owns the shapes of the answers; asks nobody.
//!
//! Invariant: pure and total. It tells what the server gives the model, not what the model could
//! take, where the two differ; and a number that cannot be meant is none.

mod known;

use serde_json::Value;

pub(super) use known::known;

/// What a server on this machine is taken to give when nobody tells.
pub(super) const LOCAL: u64 = 8_192;
/// What Ollama gives a model on a small machine, unless it is told otherwise.
const OLLAMA: u64 = 4_096;
/// Sizes that can be meant.
const SIZES: std::ops::RangeInclusive<u64> = 256..=100_000_000;
/// Where a list of models may say it: llama.cpp; vLLM and `SGLang`; routers and hosted services.
const LISTED: [&str; 5] =
    ["/meta/n_ctx", "/max_model_len", "/context_length", "/context_window", "/max_context_length"];

fn tokens(value: Option<&Value>) -> Option<u64> {
    value?.as_u64().filter(|tokens| SIZES.contains(tokens))
}

fn entries<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is(entry: &Value, key: &str, word: &str) -> bool {
    entry.get(key).and_then(Value::as_str) == Some(word)
}

/// From a list of models as the API has it. A server of one model goes by any name.
pub(super) fn listed(list: &Value, model: &str) -> Option<u64> {
    let entries = entries(list, "data");
    let entry = match entries {
        [only] => only,
        many => many.iter().find(|entry| is(entry, "id", model))?,
    };
    LISTED.iter().find_map(|place| tokens(entry.pointer(place)))
}

/// From llama.cpp's `/props`: the window of one slot.
pub(super) fn llama(props: &Value) -> Option<u64> {
    tokens(props.pointer("/default_generation_settings/n_ctx"))
}

/// From LM Studio's `/api/v0/models`: as loaded, else the most that the model takes.
pub(super) fn studio(list: &Value, model: &str) -> Option<u64> {
    let entry = entries(list, "data").iter().find(|entry| is(entry, "id", model))?;
    ["loaded_context_length", "max_context_length"].iter().find_map(|key| tokens(entry.get(*key)))
}

/// From Ollama's `/api/ps` and `/api/show`: as it runs, else as it is told to run. The length that
/// the model was trained for counts only where Ollama passes the request on to a service: on this
/// machine it gives less, and cuts what is longer without a word.
pub(super) fn ollama(running: Option<&Value>, details: Option<&Value>, model: &str) -> Option<u64> {
    let runs = |entry: &&Value| {
        ["name", "model"].iter().any(|key| {
            entry.get(*key).and_then(Value::as_str).is_some_and(|name| full(name) == full(model))
        })
    };
    let running = running.and_then(|list| entries(list, "models").iter().find(runs));
    if let Some(given) = running.and_then(|entry| tokens(entry.get("context_length"))) {
        return Some(given);
    }
    let details = details?;
    let parameters = details.get("parameters").and_then(Value::as_str);
    let set = parameters.and_then(|text| text.lines().find_map(num_ctx));
    let trained = trained(details);
    let is_passed_on = details.get("remote_model").and_then(Value::as_str).is_some();
    set.or(if is_passed_on { trained } else { trained.map(|length| length.min(OLLAMA)) })
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

#[cfg(test)]
mod tests;
