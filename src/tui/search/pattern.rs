//! What is searched for: a regular expression, or plain text if it is none. Case counts as soon
//! as a capital letter is typed.
//!
//! Invariant: any text can be searched for; no hit is empty, and none goes beyond its line.

use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// A pattern.
pub(super) struct Pattern {
    matcher: RegexMatcher,
    is_plain: bool,
}

impl Pattern {
    /// Of what was typed; nothing of nothing.
    pub(super) fn new(typed: &str) -> Option<Self> {
        if typed.is_empty() {
            return None;
        }
        let build = |is_plain: bool| {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_smart(true).multi_line(true).fixed_strings(is_plain);
            builder.line_terminator(Some(b'\n')).build(typed)
        };
        match build(false) {
            Ok(matcher) => Some(Self { matcher, is_plain: false }),
            Err(_) => build(true).ok().map(|matcher| Self { matcher, is_plain: true }),
        }
    }

    /// Whether it is searched for as text because it is no regular expression.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// All hits in a text, in bytes.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut hits = Vec::new();
        self.each(text, |hit| hits.push(hit));
        hits
    }

    /// How many hits there are in a text.
    pub(super) fn count(&self, text: &str) -> usize {
        let mut count = 0;
        self.each(text, |_| count += 1);
        count
    }

    fn each(&self, text: &str, mut take: impl FnMut(Range<usize>)) {
        let found = self.matcher.find_iter(text.as_bytes(), |hit| {
            if !hit.is_empty() {
                take(hit.start()..hit.end());
            }
            true
        });
        debug_assert!(found.is_ok(), "the matcher has no errors");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(pattern: &str, text: &'a str) -> Vec<&'a str> {
        let pattern = Pattern::new(pattern).unwrap();
        assert_eq!(pattern.count(text), pattern.find(text).len());
        pattern.find(text).into_iter().map(|hit| text.get(hit).unwrap()).collect()
    }

    #[test]
    fn case_counts_only_if_a_capital_is_typed() {
        assert_eq!(found("error", "Error error ERROR"), ["Error", "error", "ERROR"]);
        assert_eq!(found("Error", "Error error ERROR"), ["Error"]);
        assert_eq!(found("straße", "STRASSE Straße"), ["Straße"]);
    }

    #[test]
    fn regular_expressions_go_line_by_line() {
        assert_eq!(found(r"^fn \w+", "fn one()\nfn two()"), ["fn one", "fn two"]);
        assert_eq!(found(r"a.*", "abc\nad"), ["abc", "ad"]);
        assert_eq!(found(r"b\s*c", "b\nc b c"), ["b c"]);
    }

    #[test]
    fn what_is_no_regular_expression_is_text() {
        for (typed, text) in [("foo(", "a foo( b"), ("[", "x[0]"), ("*", "2*3"), (r"a\", r"a\b")] {
            assert!(Pattern::new(typed).unwrap().is_plain(), "{typed}");
            assert_eq!(found(typed, text), [typed]);
        }
        assert!(!Pattern::new("foo").unwrap().is_plain());
        assert!(Pattern::new("").is_none());
    }

    #[test]
    fn no_hit_is_empty() {
        assert_eq!(found("x*", "axxb"), ["xx"]);
        assert_eq!(found("^", "a\nb"), [""; 0]);
    }
}
