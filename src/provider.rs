//! Where answers come from: the trait [`Provider`] and the words around it.
//!
//! Owns the seam between the turn machine and a model. Must not know sessions, tools or screens.
//!
//! Invariant: dropping a [`DeltaStream`] closes the connection at once; a stream that ends
//! without [`Delta::Finish`] was cut off and is never a success.

pub mod accumulate;
pub mod calling;
pub mod discover;
pub mod error;
pub mod openai;
mod price;
pub mod retry;
pub mod scripted;
pub mod text;
mod window;

use std::sync::Arc;

use futures_util::{
    StreamExt,
    future::{BoxFuture, ready},
    stream::{self, BoxStream},
};

use crate::{
    protocol::{
        about::About, cost::Price, message::Message, models::ServerModels, tool::ToolSpec,
        usage::TokenUsage,
    },
    text::cut,
};
pub use error::ProviderError;
pub use window::Window;

/// Streams answers to requests.
pub trait Provider: Send + Sync {
    /// What the screen says about this provider.
    fn about(&self) -> About;

    /// What can be said of the context window, whose size `about` tells.
    fn window(&self) -> Window {
        Window::default()
    }

    /// What the model in use costs, if that is known.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Sends the request; resolves when the response's headers are there.
    /// Cancel-safe: dropping the future or the stream closes the connection.
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>>;

    /// Uses another model from the next request on.
    fn use_model(&self, model: String);

    /// What all servers in reach offer: at once what is known, and again whenever more is. Asks no
    /// server beside a response that it sends. Cancel-safe. One that knows of no other model offers
    /// the one that it uses.
    fn offers(&self) -> BoxStream<'_, Vec<ServerModels>> {
        let About { model, place, .. } = self.about();
        let known = ServerModels {
            present: true,
            ..ServerModels::known(place.clone(), place, vec![model])
        };
        stream::once(ready(vec![known])).boxed()
    }

    /// Uses a model of one of these servers, by its base URL, from the next request on.
    ///
    /// # Errors
    /// `Config`: no such server was offered.
    fn use_offer(&self, _base_url: &str, model: String) -> Result<(), ProviderError> {
        self.use_model(model);
        Ok(())
    }
}

/// One request to the model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The history, valid for the API.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Arc<[ToolSpec]>,
    /// The same tools under other names that models use for them; for the reading of text only.
    pub aliases: Arc<[ToolSpec]>,
    /// Where the server should end the answer, if it takes such a word.
    pub stop: Option<String>,
}

impl Request {
    /// A request without aliases and without a word to stop at.
    #[must_use]
    pub fn new(messages: Vec<Message>, tools: Arc<[ToolSpec]>) -> Self {
        Self { messages, tools, aliases: Arc::new([]), stop: None }
    }
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
    /// Something about the response that is no part of it.
    Remark(Remark),
}

/// What is to be known of a response besides its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A call in it had to be guessed at: what writes or runs something must be asked about.
    Repaired,
    /// What the model is told beside the results of its calls, e.g. that one was not taken.
    Note(String),
    /// What the user should know.
    Notice(String),
    /// Neither a call nor an answer came out of it.
    Unusable(Unusable),
}

/// A reply out of which neither a call nor an answer came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The reply as the model wrote it.
    pub raw: String,
    /// What the model is told about it.
    pub told: String,
    /// What the user is told about it: a few words.
    pub fault: String,
    /// If there was only thought, the thought: the second time it is taken for the answer.
    pub thought: Option<String>,
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
    /// A word that nobody knows, as the server wrote it but no longer than 64 characters. Not a
    /// success: servers have words of their own for answers that they gave up.
    Other(String),
}

/// How many characters of a word that nobody knows are kept.
const MAX_WORD: usize = 64;

/// The words for [`FinishReason::Stop`].
const STOP: &[&str] = &[
    "stop",
    "stop_sequence",
    "stop_token",
    "end_turn",
    "end",
    "eos",
    "eos_token",
    "eos_found",
    "complete",
    "completed",
    "completion",
    "done",
    "finish",
    "finished",
    "success",
];
/// The words for [`FinishReason::ToolCalls`].
const TOOL_CALLS: &[&str] =
    &["tool_calls", "tool_call", "tool_use", "function_call", "function_calls", "toolcalls"];
/// The words for [`FinishReason::Length`].
const LENGTH: &[&str] = &[
    "length",
    "max_length",
    "max_tokens",
    "max_new_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "token_limit",
    "length_limit",
    "output_limit",
    "model_length",
    "context_length",
    "context_length_exceeded",
    "context_window_exceeded",
    "model_context_window_exceeded",
    "truncated",
];
/// The words for [`FinishReason::ContentFilter`].
const CONTENT_FILTER: &[&str] = &[
    "content_filter",
    "content_filtered",
    "content_policy",
    "content_policy_violation",
    "refusal",
    "safety",
    "sensitive",
    "blocked",
    "blocklist",
    "prohibited_content",
    "recitation",
    "spii",
    "moderation",
    "guardrail_intervened",
];

impl FinishReason {
    /// Reads the API's word, however it is written. Total: every word means something.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let shown = cut::one_line(word.trim(), MAX_WORD);
        let word = shown.to_lowercase().replace(['-', ' '], "_");
        let is_in = |words: &[&str]| words.contains(&word.as_str());
        if is_in(STOP) {
            Self::Stop
        } else if is_in(TOOL_CALLS) {
            Self::ToolCalls
        } else if is_in(LENGTH) {
            Self::Length
        } else if is_in(CONTENT_FILTER) {
            Self::ContentFilter
        } else {
            Self::Other(shown)
        }
    }

    /// What two of them in one response mean: the worse one, else the later one. An answer that
    /// was cut is not made whole by a server that closes it with `stop`.
    #[must_use]
    pub fn and_then(self, later: Self) -> Self {
        if later.rank() >= self.rank() { later } else { self }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Stop | Self::ToolCalls => 0,
            Self::Other(_) => 1,
            Self::ContentFilter => 2,
            Self::Length => 3,
        }
    }
}

#[cfg(test)]
mod tests;
