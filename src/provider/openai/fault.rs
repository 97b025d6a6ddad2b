//! Puts transport faults into plain words. Owns the reading of error chains; knows no bodies.
//!
//! Invariant: says which address was tried, why it failed and what to do, and keeps apart what
//! was refused, what was silent and what broke off.

use std::{error::Error, io, time::Duration};

use super::endpoint::Endpoint;
use crate::{
    protocol::exit::ErrorKind,
    provider::{
        ProviderError,
        error::{BY_MODEL, Outlook},
    },
};

/// The words for an answer that ends too early.
pub(super) const BROKE_OFF: &str = "The connection broke off before the answer was complete";

/// A fault before the headers of the answer.
pub(super) fn sending(
    error: &reqwest::Error,
    endpoint: &Endpoint,
    patience: Duration,
) -> ProviderError {
    let address = endpoint.address();
    if error.is_connect() {
        return connecting(error, endpoint, patience);
    }
    if error.is_timeout() {
        return silent(endpoint, patience);
    }
    ProviderError::new(
        ErrorKind::Network,
        format!("{address} closed the connection before it answered ({}).", root(error)),
        "Try again; if it stays so, look at the server's own log.",
    )
}

/// A fault while the answer was read.
pub(super) fn reading(error: Option<&reqwest::Error>) -> ProviderError {
    let message = match error.map(|error| root(error)) {
        Some(cause) => format!("{BROKE_OFF} ({cause})."),
        None => format!("{BROKE_OFF}."),
    };
    ProviderError::new(
        ErrorKind::Network,
        message,
        "Try again; if it stays so, look at the server's own log.",
    )
}

/// Nothing came for too long.
pub(super) fn silent(endpoint: &Endpoint, patience: Duration) -> ProviderError {
    ProviderError::new(
        ErrorKind::Timeout,
        format!("{} sent nothing for {} s.", endpoint.address(), seconds(patience)),
        format!("Try again, ask for less at once, or use a faster model {BY_MODEL}."),
    )
}

fn connecting(error: &reqwest::Error, endpoint: &Endpoint, patience: Duration) -> ProviderError {
    let address = endpoint.address();
    if error.is_timeout() {
        return ProviderError::new(
            ErrorKind::Timeout,
            format!("No connection to {address} within {} s.", seconds(patience)),
            "Check --base-url, the network, and the proxy variables.",
        );
    }
    let kinds: Vec<_> = chain(error).filter_map(io_kind).collect();
    if let Some(socket) = endpoint.socket() {
        let socket = socket.display().to_string();
        return no_socket(&kinds, &socket, &root(error));
    }
    let words: Vec<_> = chain(error).map(ToString::to_string).collect();
    let said = |part: &str| words.iter().any(|words| words.contains(part));
    let mut outlook = Outlook::Open;
    let (why, hint) = if kinds.contains(&io::ErrorKind::ConnectionRefused) {
        let start = if endpoint.is_loopback() {
            outlook = Outlook::NothingListens;
            "Start the server, or give another address with --base-url."
        } else {
            "Check --base-url and that the server runs."
        };
        (format!("connection refused: nothing listens on {address}"), start)
    } else if said("dns error") || said("failed to lookup address") {
        outlook = Outlook::UnknownName;
        (
            format!("the name {} is not known", endpoint.host()),
            "Check the spelling in --base-url, and the network.",
        )
    } else if let Some(tls) = chain(error).find_map(|error| error.downcast_ref::<rustls::Error>()) {
        outlook = Outlook::Lasting;
        secure(tls)
    } else {
        (root(error), "Check --base-url, the network, and the proxy variables.")
    };
    let message = format!("No connection to {}: {why}.", endpoint.shown());
    ProviderError { outlook, ..ProviderError::new(ErrorKind::Network, message, hint) }
}

/// Why a socket of this machine could not be used.
fn no_socket(kinds: &[io::ErrorKind], socket: &str, other: &str) -> ProviderError {
    let is = |kind| kinds.contains(&kind);
    let start = "Start the server, or give another path with --base-url unix:/path/to/server.sock.";
    let (why, hint, outlook) = if is(io::ErrorKind::NotFound) {
        ("there is no such socket".to_owned(), start, Outlook::NothingListens)
    } else if is(io::ErrorKind::ConnectionRefused) {
        ("nothing listens on it".to_owned(), start, Outlook::NothingListens)
    } else if is(io::ErrorKind::PermissionDenied) {
        (
            "you may not write to it".to_owned(),
            "Change the rights of the socket and of the folders above it, or join its group.",
            Outlook::Lasting,
        )
    } else {
        (other.to_owned(), "Check the path in --base-url.", Outlook::Open)
    };
    let message = format!("No connection to the socket {socket}: {why}.");
    ProviderError { outlook, ..ProviderError::new(ErrorKind::Network, message, hint) }
}

/// The error and all that caused it, also where an `io::Error` hides it.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let hidden = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        hidden.map(|hidden| hidden as &(dyn Error + 'static)).or_else(|| error.source())
    })
    .take(16)
}

fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    error.downcast_ref::<io::Error>().map(io::Error::kind)
}

/// Why no encrypted connection came about.
fn secure(error: &rustls::Error) -> (String, &'static str) {
    match error {
        rustls::Error::InvalidCertificate(_) => (
            format!("its certificate was not accepted ({error})"),
            "Check the clock of this machine and its certificates (SSL_CERT_FILE names others).",
        ),
        rustls::Error::InvalidMessage(_) => (
            format!("it does not speak TLS there ({error})"),
            "If the server is not encrypted, --base-url must begin with http://.",
        ),
        _ => (
            format!("no encrypted connection came about ({error})"),
            "Check --base-url and the proxy variables.",
        ),
    }
}

/// The innermost cause, in its own words.
fn root(error: &(dyn Error + 'static)) -> String {
    chain(error).last().map_or_else(String::new, ToString::to_string)
}

fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        time.as_secs().to_string()
    } else {
        time.as_secs_f64().to_string()
    }
}
