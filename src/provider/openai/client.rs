//! Sets up the HTTP client of one server. Owns time-outs, proxies and certificates; sends nothing.
//!
//! Invariant: it follows no redirect, so that a key goes nowhere but to the server that was named.

use std::time::Duration;

use reqwest::{Client, header::HeaderMap, redirect};

use super::{USER_AGENT, endpoint::Endpoint};
use crate::{protocol::exit::ErrorKind, provider::ProviderError};

/// A client for this server. The headers go with every request; one that we would send ourselves
/// takes its place.
///
/// # Errors
/// `Config`: certificates or proxy variables of this machine cannot be used.
pub(super) fn build(
    endpoint: &Endpoint,
    headers: HeaderMap,
    connect: Duration,
) -> Result<Client, ProviderError> {
    // An error means that one is installed already, which is as good.
    let installed = rustls::crypto::ring::default_provider().install_default();
    if installed.is_err() {
        tracing::debug!("a TLS provider was installed before");
    }
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .default_headers(headers)
        .connect_timeout(connect)
        .redirect(redirect::Policy::none());
    if let Some(socket) = endpoint.socket() {
        builder = builder.unix_socket(socket);
    }
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
    }
    if !endpoint.is_encrypted() {
        // No certificate will be looked at, and reading them all takes time.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        let message = format!("The HTTP client could not be set up: {error}.");
        ProviderError::new(
            ErrorKind::Config,
            message,
            "Check this machine's certificates (SSL_CERT_FILE names others) and the proxy \
             variables.",
        )
    })
}
