//! Small questions to a server beside the conversation: what it is, and what it offers. Owns the
//! way to ask; knows nothing of what the answers mean.
//!
//! Invariant: an answer is JSON with a status of success and of bounded size, or it is none; no
//! error comes of it. It has no time-out of its own: the caller bounds it.

use std::time::Duration;

use reqwest::{
    Client, RequestBuilder,
    header::{AUTHORIZATION, HeaderMap, HeaderValue},
};
use serde_json::Value;

use super::{client, endpoint::Endpoint, gate};

/// The most bytes of an answer.
const MAX_ANSWER: usize = 4 * 1024 * 1024;
/// The longest silence inside of an answer.
const IDLE: Duration = Duration::from_secs(10);

/// A server that can be asked.
pub(in crate::provider) struct Peek {
    http: Client,
    authorization: Option<HeaderValue>,
    endpoint: Endpoint,
}

impl Peek {
    pub(super) fn new(
        http: Client,
        authorization: Option<HeaderValue>,
        endpoint: &Endpoint,
    ) -> Self {
        Self { http, authorization, endpoint: endpoint.clone() }
    }

    /// A server that nobody has set, and that gets no key. None if the address is none.
    pub(in crate::provider) fn without_key(base_url: &str, connect: Duration) -> Option<Self> {
        let endpoint = Endpoint::parse(base_url).ok()?;
        let http = client::build(&endpoint, HeaderMap::new(), connect).ok()?;
        Some(Self::new(http, None, &endpoint))
    }

    /// The server for the screen.
    pub(in crate::provider) fn place(&self) -> String {
        self.endpoint.place()
    }

    /// Whether the server is out of the user's own reach: a service, and none of the local servers.
    pub(super) fn is_hosted(&self) -> bool {
        self.endpoint.is_encrypted() && !self.is_loopback()
    }

    /// Whether the server is on this machine.
    pub(super) fn is_loopback(&self) -> bool {
        self.endpoint.is_loopback()
    }

    /// Asks below the base URL. Cancel-safe.
    pub(in crate::provider) async fn api(&self, path: &str) -> Option<Value> {
        self.answer(self.http.get(format!("{}/{path}", self.endpoint.base()))).await
    }

    /// Asks for what a server has beside the API. Cancel-safe.
    pub(in crate::provider) async fn native(&self, path: &str) -> Option<Value> {
        self.answer(self.http.get(format!("{}/{path}", self.endpoint.root()))).await
    }

    /// As [`Peek::native`], with a question in JSON.
    pub(super) async fn native_about(&self, path: &str, question: &Value) -> Option<Value> {
        self.answer(self.http.post(format!("{}/{path}", self.endpoint.root())).json(question)).await
    }

    async fn answer(&self, request: RequestBuilder) -> Option<Value> {
        let request = match &self.authorization {
            Some(authorization) => request.header(AUTHORIZATION, authorization.clone()),
            None => request,
        };
        let response = request.send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let text = gate::read_text(response, MAX_ANSWER, IDLE).await;
        serde_json::from_str(&text).ok()
    }
}
