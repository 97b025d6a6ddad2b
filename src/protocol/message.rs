//! The history of a session as data, in the terms of the chat-completions API. Owns the shape;
//! `session` owns the rules about what may follow what.

use serde::{Deserialize, Serialize};

use super::tool::{ToolCall, ToolResult};

/// One message of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Instructions; only ever the first message.
    System {
        /// The instructions.
        text: String,
    },
    /// What the user typed, or what the loop says in the user's place (a nudge).
    User {
        /// The text; never empty.
        text: String,
    },
    /// What the model answered.
    Assistant(AssistantMessage),
    /// The result of one call of the assistant message before.
    Tool(ToolResult),
}

impl Message {
    /// Bytes of its text and its calls, for estimates.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::System { text } | Self::User { text } => text.len(),
            Self::Assistant(answer) => {
                let calls = answer.calls.iter().map(|call| call.name.len() + call.arguments.len());
                answer.text.len() + calls.sum::<usize>()
            }
            Self::Tool(result) => result.text.len(),
        }
    }
}

/// One whole response of the model. Never empty: it has text or calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The text; empty if the model only called tools.
    pub text: String,
    /// The reasoning that the server let us see.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The calls, in call order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Whether the response was cut off: by an abort, an error, or the length limit.
    #[serde(default)]
    pub incomplete: bool,
}
