//! The end of a response that reads the socket: bytes in, one clean event at a time out. Owns the
//! idle time-out and the size of a body; knows no deltas.
//!
//! Invariant: what it gives out is always a whole event, so that the reader behind it never looks
//! at a byte twice; it reads no further while the turn is behind; it never fails, but leaves its
//! fault in the [`Handover`] and ends.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use futures_util::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};
use tokio::time::timeout;

use super::{
    endpoint::Endpoint,
    fault,
    frames::{Framer, Piece},
    handover::Handover,
    surrogates,
};
use crate::{
    protocol::exit::ErrorKind,
    provider::{ProviderError, error::BY_MODEL},
};

/// The most bytes of one body, comments and all.
const MAX_BODY: u64 = 1 << 30;
/// How long the end of a complete body is waited for, so that the connection can be used again.
const DRAIN: Duration = Duration::from_secs(1);

/// The bytes of a body as they come.
pub(super) type Bytes = BoxStream<'static, Result<Vec<u8>, reqwest::Error>>;

/// One body that is being read.
pub(super) struct Feed {
    bytes: Option<Bytes>,
    framer: Framer,
    ready: VecDeque<Piece>,
    total: u64,
    idle: Duration,
    endpoint: Arc<Endpoint>,
    handover: Arc<Handover>,
}

impl Feed {
    /// A feed of these bytes.
    pub(super) fn new(
        bytes: Bytes,
        idle: Duration,
        endpoint: Arc<Endpoint>,
        handover: Arc<Handover>,
    ) -> Self {
        Self {
            bytes: Some(bytes),
            framer: Framer::default(),
            ready: VecDeque::new(),
            total: 0,
            idle,
            endpoint,
            handover,
        }
    }

    /// The events, each as it goes over the wire.
    pub(super) fn events(self) -> impl Stream<Item = Result<String, Infallible>> + Send + 'static {
        stream::unfold(self, |mut feed| async move {
            let event = feed.next().await?;
            Some((Ok(event), feed))
        })
    }

    async fn next(&mut self) -> Option<String> {
        loop {
            match self.ready.pop_front() {
                Some(Piece::Document(document)) => {
                    self.handover.enter(document.len()).await;
                    return Some(format!("data: {}\n\n", surrogates::repair(&document)));
                }
                Some(Piece::Done) => {
                    self.ready.clear();
                    self.drain();
                    return Some("data: [DONE]\n\n".to_owned());
                }
                None => self.read().await?,
            }
        }
    }

    /// Reads once. None if there is nothing more to read.
    async fn read(&mut self) -> Option<()> {
        let bytes = self.bytes.as_mut()?;
        let mut pieces = Vec::new();
        match timeout(self.idle, bytes.next()).await {
            Ok(Some(Ok(read))) => {
                self.total = self.total.saturating_add(read.len() as u64);
                if let Err(overlong) = self.framer.push(&read, &mut pieces) {
                    self.stop(Some(too_large(&overlong.bound())));
                } else if self.total > MAX_BODY {
                    self.stop(Some(too_large(&format!("{} MiB", MAX_BODY >> 20))));
                }
            }
            Ok(None) if self.total == 0 => self.stop(Some(empty())),
            Ok(None) => {
                let overlong = self.framer.finish(&mut pieces).err();
                self.stop(overlong.map(|overlong| too_large(&overlong.bound())));
            }
            Ok(Some(Err(error))) => {
                let overlong = self.framer.finish(&mut pieces).err();
                let overlong = overlong.map(|overlong| too_large(&overlong.bound()));
                self.stop(overlong.or_else(|| Some(fault::reading(Some(&error)))));
            }
            Err(_) => self.stop(Some(fault::silent(&self.endpoint, self.idle))),
        }
        self.ready.extend(pieces);
        Some(())
    }

    fn stop(&mut self, fault: Option<ProviderError>) {
        self.bytes = None;
        self.handover.keep_stray(self.framer.stray());
        if let Some(fault) = fault {
            self.handover.fail(fault);
        }
    }

    /// Reads the last bytes of a complete body beside the turn: a connection whose body was not
    /// read to its end is closed, and the next request would have to open a new one.
    fn drain(&mut self) {
        if let Some(mut bytes) = self.bytes.take() {
            tokio::spawn(timeout(
                DRAIN,
                async move { while let Some(Ok(_)) = bytes.next().await {} },
            ));
        }
    }
}

/// The answer had no body at all.
pub(super) fn empty() -> ProviderError {
    ProviderError::new(
        ErrorKind::EmptyResponse,
        "The server answered with success and an empty body.",
        "Some servers do this when a conversation is longer than the model's context window: start \
         a new session, or ask for smaller parts of the files.",
    )
}

/// The answer is larger than any honest one.
pub(super) fn too_large(what: &str) -> ProviderError {
    ProviderError::new(
        ErrorKind::Protocol,
        format!("The answer was broken off because it is larger than {what}."),
        format!("Ask for less at once, or use another model {BY_MODEL}."),
    )
}
