//! What is searched for: words as they are typed, or a regular expression. Case counts as soon as
//! a capital letter is typed. The one pattern of every search.
//!
//! Owns how it is read, and the words about that. Must not know what is searched.
//!
//! Invariant: any words can be searched for; no hit is empty, and none goes beyond its line. What
//! is no regular expression finds nothing and says so.

use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::text::cut;

/// Bytes that a compiled pattern may take.
const COMPILED: usize = 4 << 20;
/// Characters of an error that are shown.
const ERROR: usize = 60;

/// A pattern. That of nothing finds nothing.
#[derive(Default)]
pub(in crate::tui) struct Pattern {
    typed: String,
    is_regex: bool,
    matcher: Option<RegexMatcher>,
    error: Option<String>,
}

impl Pattern {
    /// What was typed.
    pub(in crate::tui) fn typed(&self) -> &str {
        &self.typed
    }

    /// Whether it is read as a regular expression.
    pub(in crate::tui) fn is_regex(&self) -> bool {
        self.is_regex
    }

    /// Whether it can find anything.
    pub(in crate::tui) fn finds(&self) -> bool {
        self.matcher.is_some()
    }

    /// Takes what is typed now.
    pub(in crate::tui) fn set(&mut self, typed: &str) {
        typed.clone_into(&mut self.typed);
        self.compile();
    }

    /// Reads it as a regular expression, or as words.
    pub(in crate::tui) fn read_as(&mut self, is_regex: bool) {
        self.is_regex = is_regex;
        self.compile();
    }

    fn compile(&mut self) {
        (self.matcher, self.error) = match build(&self.typed, self.is_regex) {
            _ if self.typed.is_empty() => (None, None),
            Ok(matcher) => (Some(matcher), None),
            Err(error) => (None, Some(in_words(&error))),
        };
    }

    /// How it is read, and what is wrong with it; then how it went.
    pub(in crate::tui) fn told(&self, how: &str) -> String {
        let how = self.error.as_deref().unwrap_or(how);
        match (self.is_regex, how.is_empty()) {
            (false, _) => how.to_owned(),
            (true, true) => "regex".to_owned(),
            (true, false) => format!("regex · {how}"),
        }
    }

    /// What to say where there is no hit: `no hits`, with where that was.
    pub(in crate::tui) fn told_none(&self, place: &str) -> String {
        let hint = if self.may_be_regex() { "; Ctrl-R reads it as a regex" } else { "" };
        format!("no hits{place}{hint}")
    }

    /// Whether words look as if they were meant as a regular expression.
    fn may_be_regex(&self) -> bool {
        let typed = self.typed.as_str();
        let has = |signs: &[char]| typed.contains(signs);
        let looks = has(&['\\', '*', '+', '?', '|'])
            || ["[]", "()", "{}"].iter().any(|pair| pair.chars().all(|sign| typed.contains(sign)))
            || typed.starts_with('^')
            || typed.ends_with('$');
        !self.is_regex && looks && build(typed, true).is_ok()
    }

    /// All hits in a text, in bytes.
    pub(in crate::tui) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut hits = Vec::new();
        self.each(text, |hit| {
            hits.push(hit);
            true
        });
        hits
    }

    /// How many hits there are in a text.
    pub(in crate::tui) fn count(&self, text: &str) -> usize {
        let mut count = 0;
        self.each(text, |_| {
            count += 1;
            true
        });
        count
    }

    /// Gives the hits in a text one by one, as long as more are wanted.
    pub(in crate::tui) fn each(&self, text: &str, mut take: impl FnMut(Range<usize>) -> bool) {
        let Some(matcher) = &self.matcher else { return };
        let found = matcher
            .find_iter(text.as_bytes(), |hit| hit.is_empty() || take(hit.start()..hit.end()));
        debug_assert!(found.is_ok(), "the matcher has no errors");
    }
}

fn build(typed: &str, is_regex: bool) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_smart(true).multi_line(true).fixed_strings(!is_regex).size_limit(COMPILED);
    builder.line_terminator(Some(b'\n')).build(typed)
}

/// The last line of an error says what is wrong; those before it show where.
fn in_words(error: &grep_regex::Error) -> String {
    let told = error.to_string();
    let last = told.lines().last().unwrap_or_default();
    let what = last.strip_prefix("error: ").unwrap_or(last);
    cut::one_line(&format!("invalid: {what}"), ERROR)
}

#[cfg(test)]
mod tests;
