//! Reads one chunk of a stream. Owns the dialects of servers; knows no network and no framing.
//!
//! Invariant: pure and total: a chunk of any shape gives what it holds and never fails. Only
//! choice 0 counts.

use serde_json::{Map, Value};

use crate::{
    protocol::usage::TokenUsage,
    provider::{CallFragment, Delta, FinishReason},
};

/// The slot of the old `function_call` field, which has no index of its own.
const LEGACY_INDEX: i64 = i64::MIN;
/// Where reasoning stands; servers that fill several repeat themselves.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// The deltas of one chunk, in the order in which they take effect.
pub(super) fn deltas(chunk: &Value) -> Vec<Delta> {
    let mut out = Vec::new();
    let usages = [chunk.get("usage"), chunk.pointer("/x_groq/usage")];
    out.extend(usages.into_iter().flatten().find_map(usage).map(Delta::Usage));
    for choice in first_choices(chunk) {
        if let Some(delta) = choice.get("delta").and_then(Value::as_object) {
            content(delta, &mut out);
            calls(delta, &mut out);
            if let Some(refusal) = text(delta.get("refusal")) {
                out.push(Delta::Text(refusal.to_owned()));
                out.push(Delta::Finish(FinishReason::ContentFilter));
            }
        }
        out.extend(choice.get("usage").and_then(usage).map(Delta::Usage));
        out.extend(finish(choice).map(FinishReason::from_word).map(Delta::Finish));
    }
    out
}

/// Whether a chunk ends the response. A refusal alone does not: the rest of it may follow.
pub(super) fn is_last(chunk: &Value) -> bool {
    first_choices(chunk).any(|choice| finish(choice).is_some())
}

/// The error that a chunk carries, in any of the places where servers put one.
pub(super) fn error(chunk: &Value) -> Option<&Value> {
    let set = |error: &&Value| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => true,
    };
    let whole = chunk.get("error").filter(set);
    let refused = chunk.get("base_resp").filter(|answer| {
        answer.get("status_code").and_then(Value::as_i64).is_some_and(|code| code != 0)
    });
    whole
        .or(refused)
        .or_else(|| first_choices(chunk).find_map(|choice| choice.get("error").filter(set)))
}

/// Whether this is a whole completion and no chunk of one.
pub(super) fn is_completion(value: &Value) -> bool {
    let choice = value.pointer("/choices/0").and_then(Value::as_object);
    choice.is_some_and(|choice| choice.contains_key("message") && !choice.contains_key("delta"))
}

/// Turns a whole completion into a chunk: `message` becomes `delta`, and each call gets an index.
/// None if it holds no message.
pub(super) fn from_completion(mut completion: Value) -> Option<Value> {
    let mut found = false;
    let choices = completion.get_mut("choices").and_then(Value::as_array_mut)?;
    for choice in choices.iter_mut().filter_map(Value::as_object_mut) {
        let Some(Value::Object(mut message)) = choice.remove("message") else { continue };
        found = true;
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for (place, call) in calls.into_iter().flatten().enumerate() {
            if let Some(call) = call.as_object_mut() {
                call.insert("index".to_owned(), place.into());
            }
        }
        choice.insert("delta".to_owned(), Value::Object(message));
        // A whole answer has ended, also when the server leaves out why.
        if choice.get("finish_reason").and_then(word).is_none() {
            choice.insert("finish_reason".to_owned(), "stop".into());
        }
    }
    found.then_some(completion)
}

fn first_choices(chunk: &Value) -> impl Iterator<Item = &Value> {
    let choices = chunk.get("choices").and_then(Value::as_array);
    choices.into_iter().flatten().filter(|choice| match choice.get("index") {
        None | Some(Value::Null) => true,
        Some(index) => index.as_f64() == Some(0.0),
    })
}

/// Why a choice ended, if it did.
fn finish(choice: &Value) -> Option<&str> {
    choice.get("finish_reason").and_then(word)
}

/// A word that says something: some servers write "null" until they have one.
fn word(value: &Value) -> Option<&str> {
    let word = value.as_str().map(str::trim);
    word.filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("null"))
}

fn content(delta: &Map<String, Value>, out: &mut Vec<Delta>) {
    let mut thinking = |found: &str| {
        if !found.is_empty() {
            out.push(Delta::Reasoning(found.to_owned()));
        }
    };
    if let Some(found) = REASONING.iter().find_map(|field| text(delta.get(*field))) {
        thinking(found);
    } else if let Some(Value::Array(parts)) = delta.get("reasoning_details") {
        for part in parts {
            thinking(text(part.get("text")).or(text(part.get("summary"))).unwrap_or_default());
        }
    }
    match delta.get("content") {
        Some(Value::String(found)) if !found.is_empty() => out.push(Delta::Text(found.clone())),
        Some(Value::Array(parts)) => parts.iter().for_each(|found| part(found, out)),
        _ => {}
    }
}

/// One part of a content array.
fn part(part: &Value, out: &mut Vec<Delta>) {
    let reasoning =
        |found: &Value| text(Some(found)).map(|found| Delta::Reasoning(found.to_owned()));
    match part.get("type").and_then(Value::as_str) {
        Some("text") => {
            out.extend(text(part.get("text")).map(|found| Delta::Text(found.to_owned())));
        }
        Some("thinking") => match part.get("thinking") {
            Some(Value::Array(inner)) => {
                out.extend(inner.iter().filter_map(|inner| reasoning(inner.get("text")?)));
            }
            Some(found) => out.extend(reasoning(found)),
            None => {}
        },
        _ => out.extend(text(Some(part)).map(|found| Delta::Text(found.to_owned()))),
    }
}

fn calls(delta: &Map<String, Value>, out: &mut Vec<Delta>) {
    let calls = delta.get("tool_calls").and_then(Value::as_array);
    let structured = calls.is_some_and(|calls| !calls.is_empty());
    for call in calls.into_iter().flatten().filter(|call| call.is_object()) {
        let function = call.get("function").unwrap_or(&Value::Null);
        out.push(fragment(index(call), text(call.get("id")), function));
    }
    // Some servers send both; the call must not run twice.
    if let Some(function) = delta.get("function_call").filter(|call| call.is_object())
        && !structured
    {
        out.push(fragment(Some(LEGACY_INDEX), None, function));
    }
}

fn fragment(index: Option<i64>, id: Option<&str>, function: &Value) -> Delta {
    Delta::Call(CallFragment {
        index,
        id: id.map(str::to_owned),
        name: text(function.get("name")).map(str::to_owned),
        arguments: match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(arguments)) => arguments.clone(),
            Some(whole) => whole.to_string(),
        },
    })
}

fn index(call: &Value) -> Option<i64> {
    match call.get("index")? {
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.parse::<u32>().ok().map(i64::from),
        _ => None,
    }
}

/// A string that is there and not empty.
fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn usage(usage: &Value) -> Option<TokenUsage> {
    if usage.as_object().is_none_or(Map::is_empty) {
        return None;
    }
    let first = |paths: &[&str]| {
        paths.iter().find_map(|path| usage.pointer(path).and_then(tokens)).unwrap_or(0)
    };
    let prompt = first(&["/prompt_tokens", "/input_tokens"]);
    let completion = first(&["/completion_tokens", "/output_tokens"]);
    // Some count the reasoning beside the answer, and tell it only in the sum.
    let beside = first(&["/total_tokens"]).saturating_sub(prompt.saturating_add(completion));
    let reasoning = first(&["/completion_tokens_details/reasoning_tokens", "/reasoning_tokens"]);
    Some(TokenUsage {
        prompt,
        completion,
        reasoning: reasoning.max(beside),
        beside,
        cached: first(&[
            "/prompt_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cached_tokens",
        ]),
    })
}

fn tokens(value: &Value) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and a count below nothing or of a fraction means nothing"
    )]
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
}

#[cfg(test)]
mod tests;
