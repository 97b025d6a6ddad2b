//! The prompts that were typed, in memory and beyond the end of the program.
//!
//! Owns their order and bounds. Must not know the box. Invariant: what is kept for other runs is
//! only what was sent.

pub(super) mod file;
pub(super) mod recall;

use std::collections::VecDeque;

/// Prompts that are kept.
const MOST: usize = 1_000;
/// Bytes of prompts in memory.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Prompts, the newest last.
#[derive(Default)]
pub(super) struct History {
    past: VecDeque<String>,
    bytes: usize,
    /// What was sent and does not stand in the file yet.
    unsaved: Vec<String>,
}

impl History {
    /// Adds the newest. A blank one, and the same once more, change nothing.
    pub(super) fn remember(&mut self, text: &str) {
        if text.trim().is_empty() || self.past.back().is_some_and(|last| last == text) {
            return;
        }
        self.bytes += text.len();
        self.past.push_back(text.to_owned());
        while self.past.len() > MOST || self.bytes > MOST_BYTES && self.past.len() > 1 {
            let oldest = self.past.pop_front().unwrap_or_default();
            self.bytes -= oldest.len();
        }
    }

    /// What was sent outlives the program.
    pub(super) fn keep(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.unsaved.push(text.to_owned());
        }
    }

    /// What has to be written to the file; that is the caller's from here on.
    pub(super) fn take_unsaved(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unsaved)
    }

    /// Adds what earlier runs knew, the newest last.
    pub(super) fn put_before(&mut self, earlier: Vec<String>) {
        for text in earlier.into_iter().rev() {
            let is_twice = self.past.front().is_some_and(|next| *next == text);
            if self.past.len() >= MOST || self.bytes + text.len() > MOST_BYTES {
                return;
            }
            if !is_twice {
                self.bytes += text.len();
                self.past.push_front(text);
            }
        }
    }

    /// The prompt so many before the newest.
    pub(super) fn earlier(&self, back: usize) -> Option<&str> {
        let at = self.past.len().checked_sub(back + 1)?;
        self.past.get(at).map(String::as_str)
    }

    /// The newest that holds these words, so many back or more; not one that is just `but`. Case
    /// counts if the words have capitals.
    pub(super) fn find(&self, words: &str, from: usize, but: &str) -> Option<usize> {
        let newest_first = self.past.iter().rev().enumerate().skip(from);
        let mut found = newest_first.filter(|(_, text)| *text != but && holds(text, words));
        found.next().map(|(at, _)| at)
    }

    /// As [`Self::find`], for the oldest that is less than so many back.
    pub(super) fn find_newer(&self, words: &str, than: usize, but: &str) -> Option<usize> {
        let fits =
            |at: &usize| self.earlier(*at).is_some_and(|text| text != but && holds(text, words));
        (0..than).rev().find(fits)
    }
}

fn holds(text: &str, words: &str) -> bool {
    let any_case = !words.chars().any(char::is_uppercase);
    if any_case { text.to_lowercase().contains(words) } else { text.contains(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(texts: &[&str]) -> History {
        let mut history = History::default();
        for text in texts {
            history.remember(text);
        }
        history
    }

    #[test]
    fn the_newest_that_fits_is_found_first_and_older_ones_after_it() {
        let history = history(&["fix the parser", "run tests", "Fix docs", "say hi"]);
        assert_eq!(history.find("fix", 0, ""), Some(1));
        assert_eq!(history.find("fix", 2, "Fix docs"), Some(3));
        assert_eq!(history.find("Fix", 2, ""), None);
        assert_eq!(history.find("", 0, ""), Some(0));
    }

    #[test]
    fn what_earlier_runs_knew_stands_before_what_this_one_knows() {
        let mut history = history(&["new"]);
        history.put_before(vec!["a".into(), "b".into(), "new".into()]);
        let all: Vec<_> = (0..4).filter_map(|back| history.earlier(back)).collect();
        assert_eq!(all, ["new", "b", "a"]);
    }

    #[test]
    fn it_is_bounded_in_prompts_and_bytes() {
        let mut history = History::default();
        (0..1_500).for_each(|n| history.remember(&n.to_string()));
        assert_eq!(history.past.len(), MOST);
        assert_eq!(history.earlier(0), Some("1499"));
        for n in 0..20 {
            history.remember(&format!("{n}{}", "x".repeat(1 << 20)));
        }
        assert!(history.bytes <= MOST_BYTES && history.earlier(0).unwrap().starts_with("19x"));
        assert_eq!(history.bytes, history.past.iter().map(String::len).sum::<usize>());
    }
}
