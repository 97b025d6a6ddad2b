//! What is searched for.
//!
//! Owns the syntax of patterns, and the errors that teach it. Must not search.
//!
//! Invariant: any text is compiled, or refused with a way out.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde_json::Value;

use crate::tools::ToolError;

/// Compiles a pattern.
///
/// # Errors
/// A text for the model: what is wrong, and the pattern for just this text.
pub(super) fn matcher(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, ToolError> {
    if pattern.is_empty() {
        return Err(ToolError::refused(
            "empty pattern",
            "the pattern is empty. Give a word or a regular expression to search for.",
        ));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        // `^` and `$` are about lines, of which the searcher hands over many at once.
        .multi_line(true)
        .crlf(true)
        .build(pattern)
        .map_err(|error| bad_pattern(pattern, &error))
}

fn bad_pattern(pattern: &str, error: &grep_regex::Error) -> ToolError {
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default().trim();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let way_out = if pattern.contains('\n') || pattern.contains(r"\n") {
        "The search goes line by line: search for one of the lines.".to_owned()
    } else {
        let literal = Value::String(escape(pattern));
        format!("To search for just this text, use \"pattern\": {literal}.")
    };
    ToolError::failed(
        "bad pattern",
        format!("{pattern:?} is not a regular expression in Rust syntax: {reason}. {way_out}"),
    )
}

/// A pattern that matches just this text.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
