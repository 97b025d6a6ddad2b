//! What the user can do about a failed request. Owns the sentences; they name variables, config
//! keys and flags. Knows no HTTP.

use std::time::Duration;

use super::{Origin, classify::Verdict};
use crate::protocol::exit::ErrorKind;

/// The sentence for this failure; never empty.
pub(super) fn hint(
    verdict: Verdict,
    status: Option<u16>,
    wait: Option<Duration>,
    origin: &Origin,
) -> String {
    if verdict.context_overflow {
        return "Begin a new session (/new), ask for smaller parts of the files, or use a model with a \
                larger context window with --model."
            .to_owned();
    }
    if verdict.content_filter {
        return "Word the request differently, or use another model with --model.".to_owned();
    }
    if verdict.tools_unsupported {
        return "Use a model that can call tools, with --model.".to_owned();
    }
    match verdict.kind {
        ErrorKind::Auth => auth(origin),
        ErrorKind::Quota => format!(
            "Add credit at the server, set another key in {}, or use another server with --base-url.",
            source(origin)
        ),
        ErrorKind::RateLimit => format!("{} or use another model with --model.", wait_words(wait)),
        ErrorKind::ModelNotFound => {
            format!("The server does not offer \"{}\": choose another with --model.", origin.model)
        }
        ErrorKind::Server | ErrorKind::Timeout => {
            format!("{} or use another server with --base-url.", wait_words(wait))
        }
        ErrorKind::Config => format!("Correct --base-url, now {}.", origin.base_url),
        ErrorKind::Protocol => "Try again, or use another model with --model.".to_owned(),
        _ if matches!(status, Some(404 | 405 | 410)) => {
            format!("Check --base-url, now {}: for most servers it ends in /v1.", origin.base_url)
        }
        _ => "Try another model with --model, or another server with --base-url.".to_owned(),
    }
}

fn auth(origin: &Origin) -> String {
    let source = source(origin);
    if origin.key.is_some() {
        format!(
            "Check the key in {source} and that it belongs to {}; the config key api_key_env names \
             another variable.",
            origin.base_url
        )
    } else {
        format!(
            "No key was sent: set {source}, or name another variable with the config key \
             api_key_env."
        )
    }
}

fn source(origin: &Origin) -> &str {
    if origin.key_source.is_empty() { "OPENAI_API_KEY" } else { &origin.key_source }
}

fn wait_words(wait: Option<Duration>) -> String {
    match wait.map(|wait| wait.as_secs_f64().ceil()) {
        Some(seconds) if seconds >= 120.0 => {
            format!("Wait {:.0} minutes and try again,", (seconds / 60.0).ceil())
        }
        Some(seconds) if seconds >= 1.0 => format!("Wait {seconds:.0} s and try again,"),
        _ => "Wait a moment and try again,".to_owned(),
    }
}
