//! Reads what a server tells of its models, and puts them in order. Owns the shapes; asks nobody.
//!
//! Invariant: pure and total. The shape of the list is the proof that this is a model server, so
//! it is read strictly; all else is read as it comes.

use serde_json::Value;

/// A longer name is none that anybody could choose.
const NAME: usize = 256;
/// Parts of names of models that do not converse.
const MUTE: [&str; 8] =
    ["embed", "rerank", "minilm", "bge-", "whisper", "-tts", "tts-", "moderation"];
/// Parts of names of models that are made for work like this.
const APT: [&str; 4] = ["code", "instruct", "codestral", "devstral"];

/// What a server told. What it does not have is null.
pub(super) struct Told<'a> {
    /// `/v1/models`
    pub(super) list: &'a Value,
    /// Ollama's `/api/tags`
    pub(super) tags: &'a Value,
    /// Ollama's `/api/ps`
    pub(super) running: &'a Value,
    /// LM Studio's `/api/v0/models`
    pub(super) studio: &'a Value,
}

/// The names in a list of models in the server's order. None if it is not exactly such a list.
pub(super) fn listed(list: &Value) -> Option<Vec<String>> {
    if text(list, "object") != Some("list") {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for entry in list.get("data")?.as_array()? {
        if text(entry, "object") != Some("model") {
            return None;
        }
        let name = text(entry, "id")?;
        if !name.is_empty() && name.len() <= NAME && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Some(names)
}

/// The models that converse: those in memory first, of these and of the rest those that are made
/// for this work, and otherwise as the server has them.
pub(super) fn ranked(names: Vec<String>, told: &Told<'_>) -> Vec<String> {
    let mut models: Vec<_> = names.into_iter().filter(|name| told.converses(name)).collect();
    let best = models.iter().enumerate().min_by_key(|(at, name)| {
        let lower = name.to_lowercase();
        let is_apt = APT.iter().any(|part| lower.contains(part));
        (!told.is_loaded(name), !is_apt, *at)
    });
    if let Some((at, _)) = best {
        let best = models.remove(at);
        models.insert(0, best);
    }
    models
}

/// The models in their order, but those last that by their names do not converse.
#[must_use]
pub fn mute_last(mut names: Vec<String>) -> Vec<String> {
    names.sort_by_cached_key(|name| is_mute(name));
    names
}

fn is_mute(name: &str) -> bool {
    let lower = name.to_lowercase();
    MUTE.iter().any(|part| lower.contains(part))
}

impl Told<'_> {
    fn is_loaded(&self, name: &str) -> bool {
        let runs = entries(self.running, "models").iter().any(|entry| is_named(entry, name));
        let states = [
            entry(self.studio, "data", name).and_then(|entry| entry.get("state")),
            entry(self.list, "data", name).and_then(|entry| entry.pointer("/status/value")),
        ];
        runs || states.into_iter().flatten().any(|state| state.as_str() == Some("loaded"))
    }

    fn converses(&self, name: &str) -> bool {
        if is_mute(name) {
            return false;
        }
        let kind = entry(self.studio, "data", name).and_then(|entry| text(entry, "type"));
        if kind.is_some_and(|kind| kind.starts_with("embedding")) {
            return false;
        }
        let Some(tag) = entry(self.tags, "models", name) else { return true };
        let abilities = entries(tag, "capabilities");
        let can = |word: &str| abilities.iter().any(|ability| ability.as_str() == Some(word));
        let family = tag.pointer("/details/family").and_then(Value::as_str).unwrap_or_default();
        (abilities.is_empty() || can("completion")) && !family.ends_with("bert")
    }
}

fn entry<'a>(answer: &'a Value, key: &str, name: &str) -> Option<&'a Value> {
    entries(answer, key).iter().find(|entry| is_named(entry, name))
}

fn entries<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_named(entry: &Value, name: &str) -> bool {
    ["id", "name", "model"].iter().any(|key| text(entry, key) == Some(name))
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
