//! A request in the words of the protocol of labels. Pure.
//!
//! Owns the form of a history for a model without tool calls: what it called stands as its own
//! text, what came of it as messages of the user. Must not know how a reply is read.
//!
//! Invariant: user and assistant take turns, as the chat templates of many small models demand,
//! and no message is empty.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    protocol::message::{AssistantMessage, Message},
    provider::{
        Request,
        text::{prompt, written},
    },
    text::cut,
};

/// Bytes of reasoning that are sent back as the thought before an action: its end.
const THOUGHT: usize = 800;

/// The request without tools: they are told in the instructions.
pub(super) fn as_text(request: &Request) -> Request {
    let mut messages: Vec<Message> = Vec::new();
    // Actions of one reply that stand behind the first: each follows the result of the one before.
    let mut later = VecDeque::new();
    for message in &request.messages {
        match message {
            Message::System { text } => {
                let text = format!("{text}\n\n{}", prompt::section(&request.tools));
                messages.push(Message::System { text });
            }
            Message::User { text } => messages.push(Message::User { text: text.clone() }),
            Message::Tool(result) => {
                messages.push(Message::User { text: prompt::observation(&result.text) });
                messages.extend(later.pop_front().map(assistant));
            }
            Message::Assistant(answer) => {
                let calls = answer.calls.iter();
                later = calls.map(|call| written::action(call, &request.tools)).collect();
                let said = said(answer, later.pop_front());
                messages.extend(Some(said).filter(|said| !said.trim().is_empty()).map(assistant));
            }
        }
    }
    Request {
        messages: taking_turns(messages),
        tools: Arc::new([]),
        aliases: Arc::new([]),
        stop: Some(prompt::STOP.to_owned()),
    }
}

fn assistant(text: String) -> Message {
    Message::Assistant(AssistantMessage { text, ..AssistantMessage::default() })
}

/// What the assistant said, as it would have written it.
fn said(answer: &AssistantMessage, action: Option<String>) -> String {
    let text = answer.text.trim();
    let Some(action) = action else {
        let is_answer = !answer.incomplete && !text.is_empty();
        return format!("{}{text}", if is_answer { "Answer: " } else { "" });
    };
    match if text.is_empty() { last_of(&answer.reasoning) } else { text } {
        "" => action,
        thought => format!("Thought: {thought}\n{action}"),
    }
}

/// The end of the reasoning, from the beginning of a line.
fn last_of(reasoning: &str) -> &str {
    let reasoning = reasoning.trim();
    let tail = cut::tail(reasoning, THOUGHT);
    let is_whole = tail.len() == reasoning.len();
    let line = if is_whole { Some(tail) } else { tail.split_once('\n').map(|(_, rest)| rest) };
    line.unwrap_or(tail).trim()
}

/// Neighbours of one role become one message.
fn taking_turns(messages: Vec<Message>) -> Vec<Message> {
    let mut joined: Vec<Message> = Vec::new();
    for message in messages {
        match (joined.last_mut(), message) {
            (Some(Message::User { text }), Message::User { text: more }) => join(text, &more),
            (Some(Message::Assistant(last)), Message::Assistant(more)) => {
                join(&mut last.text, &more.text);
            }
            (_, message) => joined.push(message),
        }
    }
    joined
}

fn join(text: &mut String, more: &str) {
    text.push_str("\n\n");
    text.push_str(more);
}
