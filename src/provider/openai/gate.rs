//! The one service under the API crate: sends a request once and looks at the answer before
//! anyone else does. Owns what counts as a stream; knows no deltas and no retry policy.
//!
//! Invariant: what passes is an event stream with status 200 whose body is a [`Feed`]; all else is
//! a [`Refusal`] with status, waiting time and the server's own words. The key goes into a header
//! here and nowhere else.

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use async_openai::middleware::HttpRequestFactory;
use futures_util::{FutureExt, StreamExt, TryStreamExt, future::BoxFuture, stream};
use reqwest::{
    Body, Client, Request, Response,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue},
};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};
use tower::{BoxError, Service};

use super::{
    chunk,
    endpoint::Endpoint,
    fault,
    feed::{self, Bytes, Feed},
    handover::Handover,
};
use crate::{
    protocol::exit::ErrorKind,
    provider::{
        ProviderError,
        error::{HttpAnswer, Origin, wait},
    },
    text::{
        balance::{self, MAX_VALUES},
        cut,
    },
};

/// The most bytes of an error's body that are read.
const MAX_ERROR: usize = 64 * 1024;
/// The most bytes of an answer that is one JSON text.
const MAX_JSON: usize = 8 * 1024 * 1024;
/// How an event stream can begin.
const STARTS: [&str; 5] = ["data:", "event:", "retry:", "id:", ":"];
/// Bytes after which none of these can still follow, a byte order mark included.
const LONGEST_START: usize = 9;
/// How long the body of an error may take, in all.
const ERROR_PATIENCE: Duration = Duration::from_secs(10);

/// What every request of a provider needs.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) http: Client,
    pub(super) authorization: Option<HeaderValue>,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) origin: Arc<Origin>,
    pub(super) connect: Duration,
    pub(super) idle: Duration,
}

/// The service for one request.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) line: Line,
    pub(super) handover: Arc<Handover>,
}

/// An answer that is no stream.
#[derive(Debug)]
pub(super) struct Refusal {
    /// What it means.
    pub(super) error: ProviderError,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Refusal {}

impl From<ProviderError> for Refusal {
    fn from(error: ProviderError) -> Self {
        Self { error }
    }
}

impl Service<HttpRequestFactory> for Gate {
    type Response = Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let gate = self.clone();
        async move {
            let request = factory.build().await?;
            let response = gate.line.send(request).await?;
            Ok(gate.admit(response).await?)
        }
        .boxed()
    }
}

impl Line {
    /// The request for the list of models.
    ///
    /// # Errors
    /// `Config`: the address cannot be used.
    pub(super) fn ask_for_models(&self) -> Result<Request, ProviderError> {
        self.http.get(format!("{}/models", self.endpoint.base())).build().map_err(|error| {
            ProviderError::new(ErrorKind::Config, error.to_string(), "Correct --base-url.")
        })
    }

    /// Sends one request, once, and takes any answer.
    ///
    /// # Errors
    /// Nothing came back.
    pub(super) async fn execute(&self, mut request: Request) -> Result<Response, ProviderError> {
        request.headers_mut().remove(AUTHORIZATION);
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        match timeout(self.idle, self.http.execute(request)).await {
            Err(_) => Err(fault::silent(&self.endpoint, self.idle)),
            Ok(Err(error)) => Err(fault::sending(&error, &self.endpoint, self.connect)),
            Ok(Ok(response)) => Ok(response),
        }
    }

    /// Sends one request, once.
    ///
    /// # Errors
    /// Nothing came back, or a status that is no success.
    pub(super) async fn send(&self, request: Request) -> Result<Response, Refusal> {
        let response = self.execute(request).await?;
        if !response.status().is_success() {
            return Err(self.refuse(response).await);
        }
        match encoding(&response) {
            None => Ok(response),
            Some(encoding) => Err(compressed(&encoding).into()),
        }
    }

    async fn refuse(&self, response: Response) -> Refusal {
        let status = response.status().as_u16();
        let header =
            |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after = wait::from_headers(header, SystemTime::now());
        let moved = header("location").map(str::to_owned);
        let body = match encoding(&response) {
            None => read_text(response, MAX_ERROR, ERROR_PATIENCE).await,
            Some(encoding) => compressed(&encoding).message,
        };
        let answer = HttpAnswer { status, retry_after, body: &body };
        let mut error = ProviderError::from_http(&answer, &self.origin);
        // Never followed: the key must not go to a server that the user did not name.
        if let Some(place) = moved.filter(|_| (300..400).contains(&status)) {
            error.message = self.origin.redact(&format!(
                "The server answered {status} and points to another address: {place}"
            ));
        }
        Refusal { error }
    }
}

impl Gate {
    /// Lets an event stream pass, and makes one of an answer that came as one JSON text.
    async fn admit(&self, response: Response) -> Result<Response, Refusal> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        let mut bytes: Bytes = response.bytes_stream().map_ok(|bytes| bytes.to_vec()).boxed();
        if !kind.starts_with("text/event-stream") {
            let first = self.first(&mut bytes).await?;
            let streams = looks_like_events(&first);
            bytes = stream::once(async { Ok(first) }).chain(bytes).boxed();
            if !streams {
                return self.whole(bytes, &kind).await;
            }
        }
        let (idle, endpoint) = (self.line.idle, Arc::clone(&self.line.endpoint));
        let feed = Feed::new(bytes, idle, endpoint, Arc::clone(&self.handover));
        Ok(http::Response::new(Body::wrap_stream(feed.events())).into())
    }

    /// The first bytes of the body, as many as it takes to tell what it is.
    async fn first(&self, bytes: &mut Bytes) -> Result<Vec<u8>, Refusal> {
        let mut first = Vec::new();
        while !looks_like_events(&first) && first.trim_ascii().len() < LONGEST_START {
            match timeout(self.line.idle, bytes.next()).await {
                Ok(Some(Ok(more))) => first.extend(more),
                Ok(Some(Err(error))) => return Err(fault::reading(Some(&error)).into()),
                Ok(None) => break,
                Err(_) => return Err(fault::silent(&self.line.endpoint, self.line.idle).into()),
            }
            // Blanks without end are no answer.
            if first.len() > MAX_ERROR {
                break;
            }
        }
        Ok(first)
    }

    /// An answer that is no stream of events: a completion in one piece, an error, or a web page.
    async fn whole(&self, bytes: Bytes, kind: &str) -> Result<Response, Refusal> {
        let (taken, end) = collect(bytes, MAX_JSON, Patience::Each(self.line.idle)).await;
        match end {
            End::Whole => {}
            End::Broken(error) => return Err(fault::reading(Some(&error)).into()),
            End::Silent => return Err(fault::silent(&self.line.endpoint, self.line.idle).into()),
            End::TooLarge => {
                return Err(feed::too_large(&format!("{} MiB", MAX_JSON >> 20)).into());
            }
        }
        let text = String::from_utf8_lossy(&taken).into_owned();
        if text.trim().is_empty() {
            return Err(feed::empty().into());
        }
        if balance::is_bulky(&text) {
            return Err(feed::too_large(&format!("{MAX_VALUES} values")).into());
        }
        if let Ok(value) = serde_json::from_str::<Value>(text.trim())
            && chunk::error(&value).is_none()
            && let Some(chunk) = chunk::from_completion(value)
        {
            self.handover.enter(1).await;
            let events = format!("data: {chunk}\n\ndata: [DONE]\n\n");
            return Ok(http::Response::new(Body::from(events)).into());
        }
        let answer = HttpAnswer { status: 200, retry_after: None, body: &text };
        let mut error = ProviderError::from_http(&answer, &self.line.origin);
        if error.kind == ErrorKind::Protocol {
            let page = kind.starts_with("text/html");
            error.hint = format!(
                "{} Check --base-url, now {}: for most servers it ends in /v1.",
                if page {
                    "This is a web page and no model."
                } else {
                    "This is no answer of a model."
                },
                self.line.endpoint.shown()
            );
        }
        Err(Refusal { error })
    }
}

/// How the reading of a body ended.
enum End {
    Whole,
    Broken(reqwest::Error),
    Silent,
    TooLarge,
}

/// How long a body may take.
#[derive(Clone, Copy)]
enum Patience {
    /// So long for each read.
    Each(Duration),
    /// So long for all of it.
    All(Duration),
}

/// Reads at most `max` bytes; keeps what came before a fault.
async fn collect(mut bytes: Bytes, max: usize, patience: Patience) -> (Vec<u8>, End) {
    let began = Instant::now();
    let mut taken = Vec::new();
    loop {
        let until = match patience {
            Patience::Each(idle) => Instant::now() + idle,
            Patience::All(all) => began + all,
        };
        match timeout_at(until, bytes.next()).await {
            Ok(Some(Ok(more))) => taken.extend(more),
            Ok(None) => return (taken, End::Whole),
            Ok(Some(Err(error))) => return (taken, End::Broken(error)),
            Err(_) => return (taken, End::Silent),
        }
        if taken.len() > max {
            taken.truncate(max);
            return (taken, End::TooLarge);
        }
    }
}

/// Reads a body that is not a stream, up to `max` bytes and for no longer than `patience` in all.
pub(super) async fn read_text(response: Response, max: usize, patience: Duration) -> String {
    let bytes = response.bytes_stream().map_ok(|bytes| bytes.to_vec()).boxed();
    let (taken, _) = collect(bytes, max, Patience::All(patience)).await;
    String::from_utf8_lossy(&taken).into_owned()
}

/// How the body is compressed, if it is.
fn encoding(response: &Response) -> Option<String> {
    let name = response.headers().get(CONTENT_ENCODING)?.to_str().unwrap_or("unknown").trim();
    let plain = name.is_empty() || name.eq_ignore_ascii_case("identity");
    (!plain).then(|| cut::one_line(name, 40))
}

fn compressed(encoding: &str) -> ProviderError {
    ProviderError::new(
        ErrorKind::Protocol,
        format!("The answer is compressed ({encoding}), which mcc-tui did not ask for."),
        "Turn off the compression of the server, or of the proxy before it.",
    )
}

/// Whether a body without the right content type is an event stream nevertheless.
fn looks_like_events(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_error_that_trickles_in_is_read_for_ten_seconds_in_all() {
        let bytes = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok(vec![b'x']), ()))
        });
        let began = Instant::now();
        let (taken, end) = collect(bytes.boxed(), MAX_ERROR, Patience::All(ERROR_PATIENCE)).await;
        assert_eq!(began.elapsed(), ERROR_PATIENCE);
        assert!(matches!(end, End::Silent) && (9..=10).contains(&taken.len()), "{}", taken.len());
    }
}
