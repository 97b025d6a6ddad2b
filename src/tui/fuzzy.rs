//! Finds names by parts of them: `qwco` finds `qwen2.5-coder`. The only file that names the
//! matcher.
//!
//! Owns how a pattern is read: its words, in any order and case, each as letters that follow one
//! another with gaps. Must not know what the names are of.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{AtomKind, CaseMatching, Normalization, Pattern},
};

/// A matcher with its working memory.
pub(super) struct Fuzzy {
    matcher: Matcher,
}

/// One name that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Place of the name in the list.
    pub(super) index: usize,
    /// How well it fits: more is better.
    pub(super) score: u32,
    /// Which graphemes of the name fit, in order.
    pub(super) graphemes: Vec<usize>,
}

impl Fuzzy {
    pub(super) fn new() -> Self {
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        Self { matcher: Matcher::new(config) }
    }

    /// One that takes names for paths.
    pub(super) fn for_paths() -> Self {
        Self { matcher: Matcher::new(Config::DEFAULT.match_paths()) }
    }

    /// The names that fit best, the best first, at most so many; of those that fit alike, the
    /// earlier ones.
    pub(super) fn best<'a>(
        &mut self,
        pattern: &str,
        names: impl Iterator<Item = &'a str>,
        most: usize,
    ) -> Vec<Hit> {
        let parsed =
            Pattern::new(pattern, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let mut characters = Vec::new();
        let mut scored: Vec<_> = names
            .enumerate()
            .filter_map(|(index, name)| {
                let haystack = Utf32Str::new(name, &mut characters);
                Some((index, parsed.score(haystack, &mut self.matcher)?, name))
            })
            .collect();
        let rank = |(index, score, _): &(usize, u32, &str)| (std::cmp::Reverse(*score), *index);
        if scored.len() > most && most > 0 {
            scored.select_nth_unstable_by_key(most - 1, rank);
        }
        scored.truncate(most);
        scored.sort_unstable_by_key(rank);
        let hit = |(index, _, name)| {
            let found = self.find(pattern, [name]).pop()?;
            Some(Hit { index, ..found })
        };
        scored.into_iter().filter_map(hit).collect()
    }

    /// The names that fit, in their order. All of them fit a blank pattern.
    pub(super) fn find<'a>(
        &mut self,
        pattern: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Hit> {
        let pattern =
            Pattern::new(pattern, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let (mut characters, mut found) = (Vec::new(), Vec::new());
        let hit = |(index, name)| {
            found.clear();
            let name = Utf32Str::new(name, &mut characters);
            let score = pattern.indices(name, &mut self.matcher, &mut found)?;
            let places = found.iter().filter_map(|at| usize::try_from(*at).ok());
            let mut graphemes: Vec<usize> = places.collect();
            graphemes.sort_unstable();
            graphemes.dedup();
            Some(Hit { index, score, graphemes })
        };
        names.into_iter().enumerate().filter_map(hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, names: &[&str]) -> Vec<usize> {
        let hits = Fuzzy::new().find(pattern, names.iter().copied());
        hits.into_iter().map(|hit| hit.index).collect()
    }

    #[test]
    fn letters_in_order_fit_whatever_their_case_and_words_in_any_order() {
        let names = ["qwen2.5-coder:7b", "llama3.2", "Qwen3-8B"];
        assert_eq!(found("", &names), [0, 1, 2]);
        assert_eq!(found("QWCO", &names), [0]);
        assert_eq!(found("qwen", &names), [0, 2]);
        assert_eq!(found("8b qwen", &names), [2]);
        assert_eq!(found("ocwq", &names), Vec::<usize>::new());
    }

    #[test]
    fn signs_that_are_operators_elsewhere_are_only_characters() {
        assert_eq!(found("!a", &["a", "!a"]), [1]);
        assert_eq!(found("^b", &["b"]), Vec::<usize>::new());
        assert_eq!(found("'c $", &["c"]), Vec::<usize>::new());
    }

    #[test]
    fn a_name_that_begins_so_fits_better_than_one_that_holds_it() {
        let hits = Fuzzy::new().find("qwen", ["my-qwen", "qwen"]);
        assert!(hits[1].score > hits[0].score, "{hits:?}");
    }

    #[test]
    fn the_best_come_first_and_no_more_than_wanted() {
        let names = ["xaybzc", "src/abc.rs", "abc", "abd"];
        let hits = Fuzzy::for_paths().best("abc", names.iter().copied(), 2);
        let found: Vec<_> = hits.iter().map(|hit| hit.index).collect();
        assert!(found.contains(&2) && found.contains(&1), "{hits:?}");
        let all = Fuzzy::for_paths().best("", names.iter().copied(), 3);
        assert_eq!(all.iter().map(|hit| hit.index).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn what_fits_is_told_in_graphemes() {
        // "e" with an accent in two code points, then a wide character: one grapheme each
        let hits = Fuzzy::new().find("b漢", ["e\u{301}漢b漢"]);
        assert_eq!(hits[0].graphemes, [2, 3]);
    }
}
