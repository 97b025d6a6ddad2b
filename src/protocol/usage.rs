//! Token counts of responses. Owns the sums, and
//! the estimate where nobody counts; knows no prices and no context windows.

use serde::{Deserialize, Serialize};

/// Tokens of one response, or the sum over several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the request, cached ones included.
    pub prompt: u64,
    /// Tokens of the answer, reasoning included where the server counts it so.
    pub completion: u64,
    /// Part of the answer spent on reasoning, if told.
    #[serde(default)]
    pub reasoning: u64,
    /// Tokens of the answer that are not in `completion`: some servers count reasoning beside it,
    /// and tell it only in the sum of all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beside: u64,
    /// Part of `prompt` that the server had in its cache, if told.
    #[serde(default)]
    pub cached: u64,
}

/// A rough size in tokens of so many bytes: bytes / 3.5, the mean of English text and code.
#[must_use]
pub fn estimated_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.saturating_mul(2) / 7).unwrap_or(u64::MAX)
}

impl TokenUsage {
    /// All tokens that were processed.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.prompt.saturating_add(self.answer())
    }

    /// Tokens of the answer, reasoning included however it is counted.
    #[must_use]
    pub fn answer(&self) -> u64 {
        self.completion.saturating_add(self.beside)
    }

    /// Adds another response's tokens to these. Hostile numbers saturate, they never wrap.
    pub fn add(&mut self, other: TokenUsage) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cached = self.cached.saturating_add(other.cached);
        self.beside = self.beside.saturating_add(other.beside);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
