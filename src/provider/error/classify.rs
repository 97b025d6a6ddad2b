//! Which kind of failure an answer is. Owns the table of codes and phrases; knows no JSON.
//!
//! Invariant: pure and total. A code counts before a phrase, a phrase before the status, because
//! servers choose statuses freely: a wrong key is 400 with one and 403 with another.

use super::sentence::Told;
use crate::protocol::exit::ErrorKind;

/// What the answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) kind: ErrorKind,
    pub(super) context_overflow: bool,
    pub(super) content_filter: bool,
    pub(super) tools_unsupported: bool,
}

const OVERFLOW_CODES: &[&str] =
    &["context_length_exceeded", "exceed_context_size", "too_many_prompt_tokens"];
const OVERFLOW_PHRASES: &[&str] = &[
    "context length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "prompt too long",
    "messages is too long",
    "input is too long",
    "request too large for the model",
    // Ollama, once it has cut the message of the user away
    "no user query found in messages",
];
const FILTER_CODES: &[&str] =
    &["content_filter", "data_inspection_failed", "content_policy_violation", "responsibleai"];
const FILTER_PHRASES: &[&str] = &[
    "content management policy",
    "content violates",
    "inappropriate content",
    "violates our usage policies",
    "flagged by",
];
const NO_TOOLS_PHRASES: &[&str] = &[
    "does not support tools",
    "support tool use",
    "tool calling` is not supported",
    "tool calling is not supported",
    "tools are not supported",
    "does not support function calling",
    "function calling is not supported",
    "--enable-auto-tool-choice",
];
const QUOTA_CODES: &[&str] = &["insufficient_quota", "billing_hard_limit", "insufficient_balance"];
const QUOTA_PHRASES: &[&str] =
    &["insufficient balance", "more credits", "credit balance", "quota exceeded"];
const RATE_CODES: &[&str] = &["rate_limit", "ratelimit", "resource_exhausted", "too_many_requests"];
const RATE_PHRASES: &[&str] = &["rate limit", "rate-limit", "too many requests"];
const AUTH_CODES: &[&str] = &["invalid_api_key", "authentication_error", "invalid_authentication"];
const AUTH_PHRASES: &[&str] = &[
    "incorrect api key",
    "invalid api key",
    "api key not valid",
    "api key is invalid",
    "missing api key",
    "no api key",
];
const MODEL_CODES: &[&str] =
    &["model_not_found", "model_decommissioned", "deploymentnotfound", "unknown_model"];
const MODEL_PHRASES: &[&str] = &[
    "not found",
    "not exist",
    "unknown model",
    "invalid model",
    "not a valid model",
    "decommissioned",
    "deprecated",
    "has ended",
    "model names are",
    "not support model",
];

/// Reads the answer.
pub(super) fn classify(status: Option<u16>, told: &Told) -> Verdict {
    let sentence = told.sentence.to_lowercase();
    let code = |list: &[&str]| list.iter().any(|word| told.words.contains(word));
    let said = |list: &[&str]| list.iter().any(|words| sentence.contains(words));
    let plain = |kind| Verdict {
        kind,
        context_overflow: false,
        content_filter: false,
        tools_unsupported: false,
    };
    let refused = plain(ErrorKind::BadRequest);

    let throttled = matches!(status, Some(429));
    if !throttled && (code(OVERFLOW_CODES) || said(OVERFLOW_PHRASES)) || status == Some(413) {
        return Verdict { context_overflow: true, ..refused };
    }
    if code(FILTER_CODES) || said(FILTER_PHRASES) {
        return Verdict { content_filter: true, ..refused };
    }
    if said(NO_TOOLS_PHRASES) {
        return Verdict { tools_unsupported: true, ..refused };
    }
    plain(if code(&["tool_use_failed"]) {
        ErrorKind::Protocol
    } else if code(QUOTA_CODES) || status == Some(402) || (!throttled && said(QUOTA_PHRASES)) {
        ErrorKind::Quota
    } else if throttled || code(RATE_CODES) || said(RATE_PHRASES) {
        ErrorKind::RateLimit
    } else if status == Some(401) || code(AUTH_CODES) || said(AUTH_PHRASES) {
        ErrorKind::Auth
    } else if code(MODEL_CODES) || is_about_model(status, &sentence) {
        ErrorKind::ModelNotFound
    } else {
        by_status(status, &sentence)
    })
}

fn is_about_model(status: Option<u16>, sentence: &str) -> bool {
    let may_be = matches!(status, None | Some(200 | 400 | 404 | 410 | 422));
    let missing = MODEL_PHRASES.iter().any(|words| sentence.contains(words));
    may_be && sentence.contains("model") && missing
        || status == Some(404) && sentence.contains("no endpoints found")
}

fn by_status(status: Option<u16>, sentence: &str) -> ErrorKind {
    match status {
        Some(403) => ErrorKind::Auth,
        Some(300..=399) => ErrorKind::Config,
        Some(408 | 504) => ErrorKind::Timeout,
        // The same request would fail in the same way again.
        Some(500) if sentence.contains("failed to parse tool call") => ErrorKind::BadRequest,
        Some(400..=499) => ErrorKind::BadRequest,
        Some(200..=299) => ErrorKind::Protocol,
        _ => ErrorKind::Server,
    }
}
