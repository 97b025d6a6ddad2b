//! What the user can do about a failed request. Owns the sentences; they name variables, config
//! keys and flags. Knows no HTTP.

use std::time::Duration;

use super::{Origin, classify::Verdict, sentence::Told};
use crate::protocol::{exit::ErrorKind, tally::short_time};

/// How another model is chosen: in the full screen, and for a run without it.
pub(crate) const BY_MODEL: &str = "with /model or --model NAME";

/// Words of a server that is not content with the key.
const OF_KEYS: &[&str] =
    &["key", "token", "auth", "credential", "login", "log in", "signed in", "permission"];
/// A longer wait is told, and not advised.
const LONG: f64 = 60.0;

/// The sentence for this failure; never empty.
pub(super) fn hint(
    verdict: Verdict,
    (status, told): (Option<u16>, &Told),
    wait: Option<Duration>,
    origin: &Origin,
) -> String {
    if verdict.context_overflow {
        return format!(
            "Begin a new session (/new), ask for smaller parts of the files, or use a model with a \
             larger context window {BY_MODEL}."
        );
    }
    if verdict.content_filter {
        return format!("Word the request differently, or use another model {BY_MODEL}.");
    }
    if verdict.tools_unsupported {
        return format!("Use a model that can call tools, {BY_MODEL}.");
    }
    match verdict.kind {
        ErrorKind::Auth if is_of_key(status, told) => auth(origin),
        ErrorKind::Auth => format!(
            "The server does not allow this. Use another model {BY_MODEL}, or another server with \
             --base-url."
        ),
        ErrorKind::Quota => format!(
            "Add credit at the server, set another key in {}, or use another server with --base-url.",
            source(origin)
        ),
        ErrorKind::RateLimit => {
            format!("{} or use another model {BY_MODEL}.", wait_words(wait))
        }
        ErrorKind::ModelNotFound => {
            format!("The server does not offer \"{}\": choose another {BY_MODEL}.", origin.model)
        }
        ErrorKind::Server | ErrorKind::Timeout => {
            format!("{} or use another server with --base-url.", wait_words(wait))
        }
        ErrorKind::Config => format!("Correct --base-url, now {}.", origin.base_url),
        ErrorKind::Protocol => format!("Try again, or use another model {BY_MODEL}."),
        _ if matches!(status, Some(404 | 405 | 410)) => check_address(&origin.base_url),
        _ => format!("Try another model {BY_MODEL}, or another server with --base-url."),
    }
}

/// What to do where it may be the address that is wrong.
pub(crate) fn check_address(base_url: &str) -> String {
    doubt(base_url).unwrap_or_else(|| format!("Check --base-url, now {base_url}."))
}

/// The same, if the address itself looks wrong: it ends in no version of the API.
pub(crate) fn doubt(base_url: &str) -> Option<String> {
    let last = base_url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_version = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    let is_good = last.strip_prefix('v').is_some_and(is_version) || base_url.starts_with("unix:");
    let told = || format!("Check --base-url, now {base_url}: for most servers it ends in /v1.");
    (!is_good).then(told)
}

/// Whether it may be the key that is wrong: a server may well forbid something for other reasons.
fn is_of_key(status: Option<u16>, told: &Told) -> bool {
    let sentence = told.sentence.to_lowercase();
    let speaks = |text: &str| OF_KEYS.iter().any(|word| text.contains(word));
    status == Some(401) || sentence.is_empty() || speaks(&sentence) || speaks(&told.words)
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
        Some(seconds) if seconds > LONG => {
            let ms = wait.map_or(0, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
            format!("The server asks to wait {}: try again then,", short_time(ms))
        }
        Some(seconds) if seconds >= 1.0 => format!("Wait {seconds:.0} s and try again,"),
        _ => "Wait a moment and try again,".to_owned(),
    }
}
