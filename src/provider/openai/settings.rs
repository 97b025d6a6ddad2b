//! How to reach a server, as it was set. Owns the checks of it; opens no connection.
//!
//! Invariant: nothing secret is in the `Debug` or in an error.

use std::{fmt, time::Duration};

use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

use super::{endpoint::Endpoint, headers::Headers};
use crate::{
    protocol::{
        cost::OwnPrice,
        exit::ErrorKind,
        extra::{Header, OUR_FIELDS},
    },
    provider::ProviderError,
};

/// How to reach a server. Its `Debug` shows neither the key nor the headers.
#[derive(Clone)]
pub struct Settings {
    /// The address up to and without `/chat/completions`, e.g. `http://localhost:11434/v1`; or a
    /// socket of this machine, e.g. `unix:/run/server.sock`, with the path of the API after a
    /// further colon if that is not `/v1`.
    pub base_url: String,
    /// The key; none or blank for a server that wants none.
    pub api_key: Option<String>,
    /// Name of the variable that the key comes from or should come from, e.g. `OPENAI_API_KEY`.
    pub key_source: String,
    /// The model to begin with.
    pub model: String,
    /// Size of its context window in tokens, if known.
    pub context_window: Option<u64>,
    /// What its tokens cost, if that is set.
    pub price: Option<OwnPrice>,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest silence before and inside of an answer; a comment in the stream breaks it.
    pub idle_timeout: Duration,
    /// Whether the key may go unencrypted to another machine.
    pub allow_insecure_key: bool,
    /// What goes with every request besides.
    pub headers: Vec<Header>,
    /// What stands in the body of every request besides. None of the fields that make the request
    /// what it is.
    pub body: Map<String, Value>,
    /// Names of what the server is known not to take.
    pub quirks: Vec<String>,
}

impl Settings {
    /// A server without a key, with the usual patience.
    #[must_use]
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key: None,
            key_source: String::from("OPENAI_API_KEY"),
            model: model.into(),
            context_window: None,
            price: None,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(5),
            allow_insecure_key: false,
            headers: Vec::new(),
            body: Map::new(),
            quirks: Vec::new(),
        }
    }

    /// The settings without blanks and slashes that mean nothing.
    pub(super) fn tidied(mut self, endpoint: &Endpoint) -> Self {
        endpoint.shown().clone_into(&mut self.base_url);
        let key = self.api_key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        self.api_key = key.map(str::to_owned);
        self
    }

    /// The header that says who asks, if there is one.
    pub(super) fn authorization(
        &self,
        headers: &Headers,
    ) -> Result<Option<HeaderValue>, ProviderError> {
        if let Some(theirs) = &headers.authorization {
            return Ok(Some(theirs.clone()));
        }
        let Some(key) = &self.api_key else { return Ok(None) };
        let mut value =
            HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| self.bad_key())?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// Whether nobody on the way can read what only the server may know.
    pub(super) fn check_secrecy(
        &self,
        endpoint: &Endpoint,
        headers: &Headers,
    ) -> Result<(), ProviderError> {
        if endpoint.is_encrypted() || endpoint.is_loopback() || self.allow_insecure_key {
            return Ok(());
        }
        let what = if self.api_key.is_some() && headers.authorization.is_none() {
            format!("The key in {} is", self.key_source)
        } else if headers.are_secret {
            String::from("The headers in [headers] of your config file are")
        } else {
            return Ok(());
        };
        Err(ProviderError::new(
            ErrorKind::Config,
            format!(
                "{what} not sent to {}: the connection is not encrypted, and everyone on the way \
                 could read it.",
                self.base_url
            ),
            "Use an address that begins with https://, unset the key if the server needs none, or \
             start with --allow-insecure-key.",
        ))
    }

    /// Whether the fields for the body leave the request what it is.
    pub(super) fn check_body(&self) -> Result<(), ProviderError> {
        let Some(ours) = OUR_FIELDS.iter().find(|name| self.body.contains_key(**name)) else {
            return Ok(());
        };
        Err(ProviderError::new(
            ErrorKind::Config,
            format!("`{ours}` in [body] of the config file would replace what mcc-tui asks."),
            "Remove it there; the model is set with `model`.",
        ))
    }

    fn bad_key(&self) -> ProviderError {
        ProviderError::new(
            ErrorKind::Config,
            format!("The key in {} holds characters that no key can hold.", self.key_source),
            "Set it again, without line breaks or quotation marks.",
        )
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("base_url", &self.base_url)
            .field("api_key", &self.api_key.as_ref().map(|_| "[key]"))
            .field("key_source", &self.key_source)
            .field("model", &self.model)
            .field("context_window", &self.context_window)
            .field("price", &self.price)
            .field("connect_timeout", &self.connect_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("allow_insecure_key", &self.allow_insecure_key)
            .field("headers", &self.headers)
            .field("body", &self.body.keys().collect::<Vec<_>>())
            .field("quirks", &self.quirks)
            .finish()
    }
}
