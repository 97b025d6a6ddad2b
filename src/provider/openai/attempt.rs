//! One request on its way to being taken: its body, and what becomes of it after a refusal. Owns
//! the loop of refusal, lesson and repair; knows no network.
//!
//! Invariant: a body that was refused is never sent again as it was, and each quirk changes the
//! body once.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Map, Value};

use super::{
    quirks::{self, Asked, Quirks, Set},
    request,
};
use crate::{
    protocol::exit::ErrorKind,
    provider::{Delta, DeltaStream, ProviderError, Request},
};

/// A request and the body that stands for it now.
pub(super) struct Attempt {
    model: String,
    request: Request,
    fields: Arc<Map<String, Value>>,
    quirks: Arc<Quirks>,
    applied: Set,
    body: Value,
    /// The bodies that were refused before this one.
    refused: Vec<Value>,
}

impl Attempt {
    /// The request with all that is known of the server. `fields` are what the user adds.
    pub(super) fn new(
        model: String,
        request: Request,
        fields: Arc<Map<String, Value>>,
        quirks: Arc<Quirks>,
    ) -> Self {
        let applied = quirks.of(&model);
        let (body, refused) = (Value::Null, Vec::new());
        let mut attempt = Self { model, request, fields, quirks, applied, body, refused };
        attempt.body = attempt.with(applied);
        attempt
    }

    pub(super) fn body(&self) -> &Value {
        &self.body
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    fn with(&self, quirks: Set) -> Value {
        let asked = Asked { request: &self.request, fields: &self.fields };
        let mut body = request::body(&self.model, &asked);
        quirks.repair(&mut body, &asked);
        Value::Object(body)
    }

    /// Learns from a refusal. True if there is another body to try.
    pub(super) fn learn(&mut self, error: &ProviderError) -> bool {
        // Without a status it came inside of a stream, or from the network and not from the server.
        let told = error.status.is_some() || error.kind == ErrorKind::Server;
        if !told {
            return false;
        }
        for quirk in quirks::recognised(error.status, &error.message) {
            let wider = self.applied.with(quirk);
            if self.applied.holds(quirk) {
                continue;
            }
            let body = self.with(wider);
            if body != self.body && !self.refused.contains(&body) {
                self.refused.push(std::mem::replace(&mut self.body, body));
                self.applied = wider;
                self.quirks.learn(&self.model, quirk);
                return true;
            }
        }
        false
    }

    /// The stream that was opened. If all that comes is an error, as from servers that look at a
    /// request after they have answered, that is a lesson too: for the next try.
    pub(super) fn listen(self, stream: DeltaStream) -> DeltaStream {
        let mut before_first = Some(self);
        let lesson = move |item: Result<Delta, ProviderError>| {
            let first = before_first.take();
            item.map_err(|error| match first {
                Some(mut attempt) => {
                    attempt.learn(&error);
                    attempt.explain(error)
                }
                None => error,
            })
        };
        stream.map(lesson).boxed()
    }

    /// The refusal for the user: if it is about a field of their own, the hint says where that is.
    pub(super) fn explain(&self, mut error: ProviderError) -> ProviderError {
        if error.kind == ErrorKind::BadRequest
            && !error.context_overflow
            && let Some(field) = quirks::named_field(&error.message, &self.fields)
        {
            error.hint = format!(
                "`{field}` stands in [body] of the config file: change it or remove it there."
            );
        }
        error
    }
}
