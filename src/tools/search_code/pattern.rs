//! What is searched for, and in files of which names.
//!
//! Owns the syntax of patterns and globs, and the errors that teach it. Must not search.
//!
//! Invariant: any text is compiled, or refused with a way out.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
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

/// Which files are searched, by name.
pub(super) struct Glob {
    matcher: GlobMatcher,
    negated: bool,
    by_name: bool,
}

impl Glob {
    pub(super) fn parse(glob: &str) -> Result<Self, ToolError> {
        let (negated, pattern) = match glob.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, glob),
        };
        let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
        let matcher =
            GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
                ToolError::failed(
                    "bad glob",
                    format!("{glob:?} is not a glob: {}. Use one like `*.rs`.", error.kind()),
                )
            })?;
        let by_name = !pattern.contains('/');
        Ok(Self { matcher: matcher.compile_matcher(), negated, by_name })
    }

    pub(super) fn fits(&self, path: &Path) -> bool {
        let matched = if self.by_name {
            path.file_name().is_some_and(|name| self.matcher.is_match(name))
        } else {
            self.matcher.is_match(path)
        };
        matched != self.negated
    }

    /// A glob with folders may also be meant from the folder that is searched.
    pub(super) fn fits_below(&self, path: &Path) -> bool {
        !self.negated && !self.by_name && self.matcher.is_match(path)
    }
}
