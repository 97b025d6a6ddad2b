//! Repairs of the messages in a body. Owns the forms of a history that picky servers take; knows
//! no refusals.
//!
//! Invariant: no word of the user, the model or a tool is lost, and calls stay beside their
//! results.

use serde_json::{Map, Value, json};

use super::Asked;
use crate::protocol::message::Message;

/// What stands for reasoning that nobody has: Moonshot takes an empty text for a missing one.
const NO_REASONING: &str = " ";
/// What the assistant says where the results of tools would meet the user's next words.
const BRIDGE: &str = "Noted.";

fn messages(body: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    body.get_mut("messages")?.as_array_mut()
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn text(message: &Value) -> &str {
    message.get("content").and_then(Value::as_str).unwrap_or_default()
}

/// Gives back what the model thought. The messages must stand as they were asked.
pub(super) fn reasoning(body: &mut Map<String, Value>, asked: &Asked<'_>) {
    let Some(messages) = messages(body) else { return };
    for (value, message) in messages.iter_mut().zip(&asked.request.messages) {
        if let (Message::Assistant(answer), Some(value)) = (message, value.as_object_mut()) {
            let thought = answer.reasoning.as_str();
            let thought = if thought.trim().is_empty() { NO_REASONING } else { thought };
            value.insert("reasoning_content".to_owned(), thought.into());
        }
    }
}

/// The messages that only call tools.
fn wordless(body: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    messages(body)
        .into_iter()
        .flatten()
        .filter(|message| message.get("tool_calls").is_some() && text(message).is_empty())
        .filter_map(Value::as_object_mut)
}

pub(super) fn null_content(body: &mut Map<String, Value>) {
    for message in wordless(body) {
        message.insert("content".to_owned(), Value::Null);
    }
}

pub(super) fn no_content(body: &mut Map<String, Value>) {
    for message in wordless(body) {
        message.remove("content");
    }
}

/// Puts an answer between the results of tools and the user.
pub(super) fn answer_after_tools(body: &mut Map<String, Value>) {
    let Some(messages) = messages(body) else { return };
    let mut bridged: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        if role(&message) == "user" && bridged.last().is_some_and(|last| role(last) == "tool") {
            bridged.push(json!({ "role": "assistant", "content": BRIDGE }));
        }
        bridged.push(message);
    }
    *messages = bridged;
}

/// The same, and makes one message of several that follow each other with the same role.
pub(super) fn alternate_roles(body: &mut Map<String, Value>) {
    answer_after_tools(body);
    let Some(messages) = messages(body) else { return };
    let mut merged: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        match merged.last_mut() {
            Some(last) if may_join(last, &message) => append(last, text(&message)),
            _ => merged.push(message),
        }
    }
    *messages = merged;
}

fn may_join(last: &Value, next: &Value) -> bool {
    let plain = |message: &Value| message.get("tool_calls").is_none();
    role(last) == role(next)
        && matches!(role(next), "user" | "assistant")
        && plain(last)
        && plain(next)
}

fn append(message: &mut Value, more: &str) {
    let joined = joined(text(message), more);
    if let Some(message) = message.as_object_mut() {
        message.insert("content".to_owned(), joined.into());
    }
}

fn joined(first: &str, second: &str) -> String {
    format!("{first}\n\n{second}")
}

/// Puts the instructions in front of the user's first message.
pub(super) fn system_in_user(body: &mut Map<String, Value>) {
    let Some(messages) = messages(body) else { return };
    if messages.first().is_none_or(|first| role(first) != "system") {
        return;
    }
    let instructions = text(&messages.remove(0)).to_owned();
    match messages.first_mut() {
        Some(first) if role(first) == "user" => {
            let whole = joined(&instructions, text(first));
            if let Some(first) = first.as_object_mut() {
                first.insert("content".to_owned(), whole.into());
            }
        }
        _ => messages.insert(0, json!({ "role": "user", "content": instructions })),
    }
}
