//! Where answers come from: the trait [`Provider`] and the words around it.
//!
//! Owns the seam between the turn machine and a model. Must not know sessions, tools or screens.
//!
//! Invariant: dropping a [`DeltaStream`] closes the connection at once; a stream that ends
//! without [`Delta::Finish`] was cut off and is never a success.

pub mod accumulate;
pub mod error;
pub mod openai;
pub mod scripted;
pub mod text;

use std::sync::Arc;

use futures_util::{future::BoxFuture, stream::BoxStream};

use crate::protocol::{about::About, message::Message, tool::ToolSpec, usage::TokenUsage};
pub use error::ProviderError;

/// Streams answers to requests.
pub trait Provider: Send + Sync {
    /// What the screen says about this provider.
    fn about(&self) -> About;

    /// Sends the request; resolves when the response's headers are there.
    /// Cancel-safe: dropping the future or the stream closes the connection.
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>>;

    /// The models that the server offers, by name.
    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ProviderError>>;

    /// Uses another model from the next request on.
    fn use_model(&self, model: String);
}

/// One request to the model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The history, valid for the API.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Arc<[ToolSpec]>,
}

/// The pieces of one response, as they arrive.
pub type DeltaStream = BoxStream<'static, Result<Delta, ProviderError>>;

/// One piece of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// Text of the answer.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// A fragment of a tool call.
    Call(CallFragment),
    /// Token counts of this response; a later one replaces an earlier one.
    Usage(TokenUsage),
    /// Why the response ended. More deltas may follow (usage, mostly).
    Finish(FinishReason),
}

/// A fragment of a tool call, as lenient as servers are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFragment {
    /// Place of the call in the response, if the server says.
    pub index: Option<i64>,
    /// The call's id; only the first non-empty one of a call counts.
    pub id: Option<String>,
    /// The tool's name; only the first non-empty one of a call counts.
    pub name: Option<String>,
    /// More of the arguments' text.
    pub arguments: String,
}

/// Why one response ended, from `finish_reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The model wants its calls run.
    ToolCalls,
    /// The length limit cut it.
    Length,
    /// Refused or filtered.
    ContentFilter,
    /// A word that the API does not know; taken as [`FinishReason::Stop`].
    Other(String),
}

impl FinishReason {
    /// Reads the API's word. Total: every word means something.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" => Self::Stop,
            "tool_calls" | "function_call" | "tool_use" => Self::ToolCalls,
            "length" | "max_tokens" | "model_length" => Self::Length,
            "content_filter" | "refusal" | "safety" => Self::ContentFilter,
            other => Self::Other(other.to_owned()),
        }
    }
}
