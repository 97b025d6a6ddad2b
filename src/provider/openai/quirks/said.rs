//! Reads out of a server's sentence what it complains of. Owns the phrases; knows no bodies.
//!
//! Invariant: pure; every sentence is given in lower case.

/// Phrases that say that something is not taken.
const REFUSALS: [&str; 7] = [
    "not supported",
    "unsupported",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown",
    "extra_forbidden",
];

pub(super) fn any(said: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| said.contains(phrase))
}

/// Whether something is not taken.
pub(super) fn is_refusal(said: &str) -> bool {
    any(said, &REFUSALS)
}

/// Whether this field is named, as a word of its own.
pub(super) fn names(said: &str, field: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    if field.chars().all(in_word) {
        said.split(|c| !in_word(c)).any(|word| word == field)
    } else {
        !field.is_empty() && said.contains(field)
    }
}

/// An empty content beside calls is not taken.
pub(super) fn content_is_empty(said: &str) -> bool {
    any(
        said,
        &[
            "content blocks must be non-empty",
            "chat content is empty",
            "must have non-empty content",
            ".text.text: field required",
        ],
    ) || said.contains("content field in the message object") && said.contains("is empty")
}

/// A content that is null is not taken.
pub(super) fn content_is_null(said: &str) -> bool {
    any(
        said,
        &[
            "invalid message content type: <nil>",
            "'content': expected a string, got null",
            "'content' field must be a string",
            "expected 'content' to be a string",
        ],
    )
}

/// The roles are in no order that the server takes.
pub(super) fn roles_alternate(said: &str) -> bool {
    said.contains("must alternate") && said.contains("roles")
}

/// Instructions in a message of their own are not taken.
pub(super) fn no_system(said: &str) -> bool {
    any(
        said,
        &[
            "system role not supported",
            "does not support 'system'",
            "role 'system' is not supported",
            "invalid message role: system",
            "role not supported yet: system",
            "developer instruction is not enabled",
        ],
    )
}

/// The id of a call is too long.
pub(super) fn id_is_too_long(said: &str) -> bool {
    said.contains("string too long") && any(said, &["tool_calls", "tool_call_id"])
}
