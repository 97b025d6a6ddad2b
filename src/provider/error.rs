//! What can go wrong with a provider. Owns the kinds and their reading out of an HTTP answer;
//! knows no retry policy, no HTTP library and no screen.
//!
//! Invariant: the message keeps the server's own sentence, the hint names something that the
//! user can do, and neither holds the key.

mod classify;
mod hint;
mod sentence;
pub(crate) mod wait;

pub(crate) use hint::{BY_MODEL, check_address, doubt};

use std::{fmt, time::Duration};

use serde_json::Value;

use crate::protocol::exit::ErrorKind;

/// A request that got no whole answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// Whether the request was too long for the model's context window.
    pub context_overflow: bool,
    /// Whether the server refused or filtered the content.
    pub content_filter: bool,
    /// Whether the model or the server cannot take tools.
    pub tools_unsupported: bool,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// How long the server asks to wait before the next try.
    pub retry_after: Option<Duration>,
    /// What is known of the chances of a second try, besides the kind.
    pub outlook: Outlook,
    /// What happened, with the server's own sentence where there is one.
    pub message: String,
    /// What the user can do: which variable, which flag.
    pub hint: String,
}

/// What a transport fault says about a second try of the same request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outlook {
    /// Nothing: the kind decides.
    #[default]
    Open,
    /// Nothing listens on that port of this machine.
    NothingListens,
    /// Nobody knows the name of the host.
    UnknownName,
    /// The same would come of it: a certificate that is not accepted, no TLS at all.
    Lasting,
}

/// Where a request went and with what, for hints. Its `Debug` shows no secret.
#[derive(Clone, Default)]
pub struct Origin {
    /// The server's address as the user gave it.
    pub base_url: String,
    /// The model that was asked for.
    pub model: String,
    /// Name of the variable that holds the key, e.g. `OPENAI_API_KEY`.
    pub key_source: String,
    /// The key that was sent, if one was.
    pub key: Option<String>,
    /// What else was sent that no text may show, the longest first.
    pub secrets: Vec<String>,
}

/// The parts of an HTTP answer that say what went wrong.
#[derive(Clone, Copy, Debug)]
pub struct HttpAnswer<'a> {
    /// The status.
    pub status: u16,
    /// What the headers say about waiting.
    pub retry_after: Option<Duration>,
    /// The body, or its start.
    pub body: &'a str,
}

impl ProviderError {
    /// An error without an HTTP answer.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind,
            context_overflow: false,
            content_filter: false,
            tools_unsupported: false,
            status: None,
            retry_after: None,
            outlook: Outlook::Open,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Reads an HTTP answer that is no success, or one with status 200 whose body is an error.
    #[must_use]
    pub fn from_http(answer: &HttpAnswer<'_>, origin: &Origin) -> Self {
        let told = sentence::read(answer.body);
        let wait = answer.retry_after.or(told.wait);
        let said = match told.sentence.as_str() {
            "" => {
                format!("The server answered {} and gave no reason.", status_words(answer.status))
            }
            sentence => format!("The server answered {}: {sentence}", answer.status),
        };
        Self::build(Some(answer.status), &told, wait, &said, origin)
    }

    /// Reads an error that came inside of a stream, as the value of its `error` key.
    #[must_use]
    pub fn from_event(error: &Value, origin: &Origin) -> Self {
        let told = sentence::read_value(error);
        let said = match told.sentence.as_str() {
            "" => "The server broke off its answer with an error and gave no reason.".to_owned(),
            sentence => format!("The server broke off its answer: {sentence}"),
        };
        let status = told.status;
        Self::build(status, &told, told.wait, &said, origin)
    }

    fn build(
        status: Option<u16>,
        told: &sentence::Told,
        wait: Option<Duration>,
        said: &str,
        origin: &Origin,
    ) -> Self {
        let verdict = classify::classify(status, told);
        Self {
            kind: verdict.kind,
            context_overflow: verdict.context_overflow,
            content_filter: verdict.content_filter,
            tools_unsupported: verdict.tools_unsupported,
            status,
            retry_after: wait,
            outlook: Outlook::Open,
            message: origin.redact(said),
            hint: hint::hint(verdict, (status, told), wait, origin),
        }
    }
}

impl Origin {
    /// The text without the key and the other secrets. Very short ones are placeholders.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let long = |secret: &&String| secret.len() >= 8;
        let text = self
            .key
            .iter()
            .filter(long)
            .fold(text.to_owned(), |text, key| text.replace(key.as_str(), "[key]"));
        self.secrets
            .iter()
            .filter(long)
            .fold(text, |text, secret| text.replace(secret.as_str(), "[secret]"))
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("key_source", &self.key_source)
            .field("key", &self.key.as_ref().map(|_| "[key]"))
            .finish_non_exhaustive()
    }
}

fn status_words(status: u16) -> String {
    let words = match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Payload Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return status.to_string(),
    };
    format!("{status} {words}")
}

#[cfg(test)]
mod tests;
