//! The end of a response that gives deltas to the turn. Owns when a response counts as complete;
//! knows no sockets.
//!
//! Invariant: the last item of a response that did not end with a finish is an error; after an
//! error comes nothing. Dropping it closes the connection.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use async_openai::error::OpenAIError;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{chunk, fault, gate::Refusal, handover::Handover};
use crate::{
    protocol::exit::ErrorKind,
    provider::{
        Delta, DeltaStream, ProviderError,
        accumulate::Size,
        error::{HttpAnswer, Origin},
    },
    text::cut,
};

/// How long more is waited for once the response is finished or failed, in all: usage comes last.
/// Only what belongs to the answer itself prolongs it.
const GRACE: Duration = Duration::from_secs(5);

/// The items of the API crate's stream.
pub(super) type Chunks = BoxStream<'static, Result<Value, OpenAIError>>;

/// One response that is being read.
pub(super) struct Reading {
    chunks: Option<Chunks>,
    ready: VecDeque<Delta>,
    handover: Arc<Handover>,
    origin: Arc<Origin>,
    error: Option<ProviderError>,
    finished: bool,
    /// When no more is waited for.
    until: Option<Instant>,
    any: bool,
    size: Size,
}

impl Reading {
    /// Reads this stream.
    pub(super) fn new(chunks: Chunks, handover: Arc<Handover>, origin: Arc<Origin>) -> Self {
        Self {
            chunks: Some(chunks),
            ready: VecDeque::new(),
            handover,
            origin,
            error: None,
            finished: false,
            until: None,
            any: false,
            size: Size::default(),
        }
    }

    /// The deltas.
    pub(super) fn deltas(self) -> DeltaStream {
        stream::unfold(self, |mut reading| async move {
            let item = reading.next().await?;
            Some((item, reading))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<Result<Delta, ProviderError>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Some(Ok(delta));
            }
            let chunks = self.chunks.as_mut()?;
            let item = match self.until {
                // A server that never pauses would never be timed out.
                Some(until) if Instant::now() >= until => None,
                Some(until) => timeout_at(until, chunks.next()).await.unwrap_or(None),
                None => chunks.next().await,
            };
            if let Some(item) = item {
                self.handover.leave();
                self.take(item);
            } else {
                self.chunks = None;
            }
            if self.chunks.is_none() && self.ready.is_empty() {
                return self.end().map(Err);
            }
        }
    }

    fn take(&mut self, item: Result<Value, OpenAIError>) {
        let chunk = match item {
            // A server that cannot stream may send the whole in one event.
            Ok(first) if !self.any && chunk::is_completion(&first) => {
                chunk::from_completion(first).unwrap_or_default()
            }
            Ok(chunk) => chunk,
            Err(error) => return self.broken(&error),
        };
        self.any = true;
        let deltas = chunk::deltas(&chunk);
        if let Err(error) = deltas.iter().try_for_each(|delta| self.size.add(delta)) {
            return self.fail(error);
        }
        self.finished |= chunk::is_last(&chunk);
        if let Some(error) = chunk::error(&chunk)
            && self.error.is_none()
        {
            self.error = Some(ProviderError::from_event(error, &self.origin));
        }
        let over = self.finished || self.error.is_some();
        if over && (self.until.is_none() || deltas.iter().any(|delta| size(delta) > 0)) {
            self.until = Some(Instant::now() + GRACE);
        }
        self.ready.extend(deltas);
    }

    /// A piece that is no JSON leaves a hole in the text or in a call: the rest is worthless.
    fn broken(&mut self, error: &OpenAIError) {
        let excerpt = match error {
            OpenAIError::JSONDeserialize(_, text) => cut::one_line(text, 200),
            other => cut::one_line(&other.to_string(), 200),
        };
        self.fail(ProviderError::new(
            ErrorKind::Protocol,
            self.origin.redact(&format!("A piece of the answer is no JSON: {excerpt}")),
            "Try again; if it stays so, the server is at fault.",
        ));
    }

    /// Stops reading because of this error, unless the server told of one before.
    fn fail(&mut self, error: ProviderError) {
        self.chunks = None;
        self.error.get_or_insert(error);
    }

    /// How the response ended; asked once, when all deltas are out.
    fn end(&mut self) -> Option<ProviderError> {
        if let Some(error) = self.error.take() {
            return Some(error);
        }
        let fault = self.handover.take_fault();
        if self.finished {
            return None;
        }
        if let Some(fault) = fault {
            return Some(fault);
        }
        let stray = self.handover.take_stray();
        if !self.any && !stray.is_empty() {
            let answer = HttpAnswer { status: 200, retry_after: None, body: &stray };
            return Some(ProviderError::from_http(&answer, &self.origin));
        }
        Some(fault::reading(None))
    }
}

/// The error of a stream that never began.
pub(super) fn refusal(error: OpenAIError) -> Refusal {
    match error {
        OpenAIError::Boxed(boxed) => match boxed.downcast::<Refusal>() {
            Ok(refusal) => *refusal,
            Err(other) => internal(&other.to_string()),
        },
        other => internal(&other.to_string()),
    }
}

fn internal(words: &str) -> Refusal {
    let message = format!("The request could not be built: {words}");
    ProviderError::new(ErrorKind::Internal, message, "Please report this.").into()
}

fn size(delta: &Delta) -> usize {
    match delta {
        Delta::Text(text) | Delta::Reasoning(text) => text.len(),
        Delta::Call(call) => call.arguments.len(),
        Delta::Usage(_) | Delta::Finish(_) | Delta::Remark(_) => 0,
    }
}

#[cfg(test)]
mod tests;
