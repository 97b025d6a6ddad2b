//! Digs the server's own sentence out of an error body, whatever its shape. Owns the shapes;
//! knows nothing of kinds.
//!
//! Invariant: total and bounded: every body gives a sentence of one line, perhaps an empty one.

use std::time::Duration;

use serde_json::Value;

use super::wait;
use crate::text::{balance, cut};

/// The most characters of a sentence.
const MAX_CHARS: usize = 1000;
/// How deep error objects may be nested in each other, as objects or as text.
const MAX_DEPTH: u8 = 6;
/// Where a sentence stands in an error object, the likeliest first.
const KEYS: [&str; 11] = [
    "error",
    "message",
    "msg",
    "status_msg",
    "detail",
    "details",
    "errors",
    "base_resp",
    "error_description",
    "description",
    "reason",
];

/// What an error body tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// The server's sentence, on one line; empty if there is none.
    pub(super) sentence: String,
    /// Codes and types, in lower case, each between blanks.
    pub(super) words: String,
    /// A status that the body names.
    pub(super) status: Option<u16>,
    /// A wait that the body names.
    pub(super) wait: Option<Duration>,
}

/// Reads a body: JSON, HTML or plain words.
pub(super) fn read(body: &str) -> Told {
    if balance::is_bulky(body) {
        return plain(body);
    }
    match serde_json::from_str::<Value>(body.trim()) {
        Ok(value) => read_value(&value),
        Err(_) => plain(body),
    }
}

/// Reads a body that is JSON already.
pub(super) fn read_value(value: &Value) -> Told {
    let mut told = Told { words: " ".to_owned(), ..Told::default() };
    collect(value, &mut told, MAX_DEPTH);
    told.sentence = tidy(&dig(value, MAX_DEPTH).unwrap_or_default());
    told.wait = told.wait.or_else(|| wait::in_sentence(&told.sentence));
    told
}

fn plain(body: &str) -> Told {
    let lower = body.to_ascii_lowercase();
    let html = lower.contains("<html") || lower.contains("<!doctype");
    let sentence = tidy(&if html { title(body, &lower) } else { body.to_owned() });
    Told { wait: wait::in_sentence(&sentence), sentence, ..Told::default() }
}

/// The title of an HTML page, or its text without the tags.
fn title(body: &str, lower: &str) -> String {
    let titled = lower.find("<title").and_then(|at| {
        let start = at + lower.get(at..)?.find('>')? + 1;
        let length = lower.get(start..)?.find('<')?;
        body.get(start..start + length)
    });
    if let Some(title) = titled.filter(|title| !title.trim().is_empty()) {
        return title.to_owned();
    }
    let mut text = String::new();
    let mut in_tag = false;
    for character in body.chars() {
        match character {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                text.push(' ');
            }
            _ if !in_tag => text.push(character),
            _ => {}
        }
    }
    text
}

fn tidy(text: &str) -> String {
    let line = cut::one_line(text, MAX_CHARS);
    line.chars().filter(|character| !character.is_control()).collect()
}

/// The innermost sentence of an error value.
fn dig(value: &Value, depth: u8) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::String(text) => dig_text(text, depth),
        Value::Array(items) => {
            let found: Vec<_> = items.iter().take(3).filter_map(|item| dig(item, depth)).collect();
            (!found.is_empty()).then(|| found.join("; "))
        }
        Value::Object(object) => {
            if let Some(raw) = value.pointer("/metadata/raw").and_then(|raw| dig(raw, depth)) {
                return Some(
                    match value.pointer("/metadata/provider_name").and_then(Value::as_str) {
                        Some(provider) => format!("{provider}: {raw}"),
                        None => raw,
                    },
                );
            }
            if let (Some(place), Some(said)) = (object.get("loc"), object.get("msg")) {
                return Some(format!("{}: {}", dotted(place), dig(said, depth)?));
            }
            let said = KEYS.iter().find_map(|key| dig(object.get(*key)?, depth))?;
            let more = object.get("details").filter(|details| details.is_array());
            Some(match more.and_then(|details| dig(details, depth)) {
                Some(details) if details != said => format!("{said}: {details}"),
                _ => said,
            })
        }
        _ => None,
    }
}

/// A text that may itself be, or end with, an error as JSON.
fn dig_text(text: &str, depth: u8) -> Option<String> {
    let text = text.trim();
    if let Some(at) = text.find('{')
        && let Some((before, json)) = text.split_at_checked(at)
        && let Ok(inner @ Value::Object(_)) = serde_json::from_str::<Value>(json)
        && let Some(said) = dig(&inner, depth)
    {
        return Some(format!("{before}{said}"));
    }
    (!text.is_empty()).then(|| text.to_owned())
}

fn dotted(place: &Value) -> String {
    let Value::Array(parts) = place else { return place.to_string() };
    let parts: Vec<_> = parts
        .iter()
        .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
        .collect();
    parts.join(".")
}

/// Collects codes, types, statuses and waits at every level.
fn collect(value: &Value, told: &mut Told, depth: u8) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => items.iter().take(16).for_each(|item| collect(item, told, depth)),
        Value::String(text) => {
            let json = text.find('{').and_then(|at| text.get(at..));
            if let Some(Ok(inner @ Value::Object(_))) = json.map(serde_json::from_str::<Value>) {
                collect(&inner, told, depth);
            }
        }
        Value::Object(object) => {
            for (key, value) in object.iter().take(64) {
                match key.as_str() {
                    "code" | "type" | "status" | "status_code" => note(value, told),
                    "retryDelay" => told.wait = value.as_str().and_then(wait::duration),
                    "error" | "message" | "metadata" | "raw" | "details" | "innererror" => {
                        collect(value, told, depth);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn note(value: &Value, told: &mut Told) {
    let number = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => {
            told.words.push_str(&cut::head(text, 100).to_lowercase());
            told.words.push(' ');
            text.parse().ok()
        }
        _ => None,
    };
    let status = number.and_then(|number| u16::try_from(number).ok());
    told.status = told.status.or(status.filter(|status| (400..600).contains(status)));
}
