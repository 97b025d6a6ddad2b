//! What makes a history valid for a strict server. Pure; owns the list of faults.

use std::collections::HashSet;

use crate::protocol::message::Message;

/// What a strict server would refuse, one sentence a fault; empty if nothing.
#[must_use]
pub fn problems(messages: &[Message]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    let mut seen = HashSet::new();
    for (n, message) in messages.iter().enumerate() {
        if !matches!(message, Message::Tool(_)) && !open.is_empty() {
            found.push(format!("message {n}: calls without a result: {open:?}"));
            open.clear();
        }
        match message {
            Message::System { .. } if n > 0 => {
                found.push(format!("message {n}: system message is not first"));
            }
            Message::User { text } if text.trim().is_empty() => {
                found.push(format!("message {n}: empty user message"));
            }
            Message::System { .. } | Message::User { .. } => {}
            Message::Assistant(answer) => {
                if answer.text.trim().is_empty() && answer.calls.is_empty() {
                    found.push(format!("message {n}: empty assistant message"));
                }
                for call in &answer.calls {
                    if call.id.as_str().is_empty() || !seen.insert(call.id.clone()) {
                        found.push(format!("message {n}: call id empty or twice: {}", call.id));
                    }
                    if !is_name(&call.name) {
                        found.push(format!("message {n}: {:?} is no tool's name", call.name));
                    }
                    if !is_object(&call.arguments) {
                        found.push(format!("message {n}: arguments of {} are no object", call.id));
                    }
                    open.push(call.id.clone());
                }
            }
            Message::Tool(result) => {
                if open.first() == Some(&result.call_id) {
                    open.remove(0);
                } else {
                    found.push(format!("message {n}: {} is not the next result", result.call_id));
                }
                if result.text.is_empty() {
                    found.push(format!("message {n}: empty result"));
                }
            }
        }
    }
    if !open.is_empty() {
        found.push(format!("at the end: calls without a result: {open:?}"));
    }
    found
}

/// The most characters of a tool's name.
pub(super) const NAME: usize = 64;

/// What a tool's name is made of.
pub(super) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn is_name(name: &str) -> bool {
    (1..=NAME).contains(&name.len()) && name.chars().all(is_name_character)
}

fn is_object(arguments: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(arguments).is_ok_and(|value| value.is_object())
}
