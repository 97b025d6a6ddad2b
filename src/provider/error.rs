//! What can go wrong with a provider. Owns the kinds and their reading out of an HTTP answer;
//! knows no retry policy and no screen.

use crate::protocol::exit::ErrorKind;

/// A request that got no whole answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// Whether the request was too long for the model's context window.
    pub context_overflow: bool,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What happened, with the server's own sentence where there is one.
    pub message: String,
    /// What the user can do: which variable, which flag.
    pub hint: String,
}

impl ProviderError {
    /// An error without an HTTP answer.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind,
            context_overflow: false,
            status: None,
            message: message.into(),
            hint: hint.into(),
        }
    }
}
