//! Pastes that were folded when they left the box, to be folded again when they come back.
//!
//! Owns which texts these are, in bounds. Must not know where a text was meanwhile: wherever a
//! paste stands in what comes back, it is found by its own words. Invariant: the parts of a text
//! are the text.

use std::{cmp::Reverse, collections::VecDeque};

/// Pastes that are known.
const MOST: usize = 64;
/// Bytes of them; one that is larger is known all the same.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Pastes, the newest last.
#[derive(Default)]
pub(super) struct Known {
    texts: VecDeque<String>,
    bytes: usize,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// It was typed, or nothing is known of it.
    Typed(&'a str),
    /// It was pasted and folded.
    Pasted(&'a str),
}

impl Known {
    /// A paste leaves the box folded.
    pub(super) fn remember(&mut self, text: &str) {
        if text.is_empty() || self.texts.iter().any(|known| known == text) {
            return;
        }
        self.bytes += text.len();
        self.texts.push_back(text.to_owned());
        while self.texts.len() > MOST || self.bytes > MOST_BYTES && self.texts.len() > 1 {
            let oldest = self.texts.pop_front().unwrap_or_default();
            self.bytes -= oldest.len();
        }
    }

    /// The parts of a text; where two pastes begin in the same place, the longer one.
    pub(super) fn parts<'a>(&self, text: &'a str) -> Vec<Part<'a>> {
        let here: Vec<_> =
            self.texts.iter().filter(|known| text.contains(known.as_str())).collect();
        let (mut parts, mut rest) = (Vec::new(), text);
        loop {
            let found = here.iter().filter_map(|known| Some((rest.find(known.as_str())?, *known)));
            let first = found.min_by_key(|(at, known)| (*at, Reverse(known.len())));
            let split = first.and_then(|(at, known)| {
                let (before, from) = rest.split_at_checked(at)?;
                Some((before, from.split_at_checked(known.len())?))
            });
            let before = split.map_or(rest, |(before, _)| before);
            if !before.is_empty() {
                parts.push(Part::Typed(before));
            }
            let Some((_, (pasted, behind))) = split else { return parts };
            parts.push(Part::Pasted(pasted));
            rest = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(texts: &[&str]) -> Known {
        let mut known = Known::default();
        for text in texts {
            known.remember(text);
        }
        known
    }

    #[test]
    fn pastes_are_found_among_what_was_typed() {
        use Part::{Pasted, Typed};
        let known = known(&["1\n2", "1\n2\n3", "", "漢\n字"]);
        for (text, parts) in [
            ("", &[][..]),
            ("typed", &[Typed("typed")]),
            ("1\n2", &[Pasted("1\n2")]),
            ("a1\n2\n3b", &[Typed("a"), Pasted("1\n2\n3"), Typed("b")]),
            ("1\n21\n2", &[Pasted("1\n2"), Pasted("1\n2")]),
            ("é漢\n字 1\n2", &[Typed("é"), Pasted("漢\n字"), Typed(" "), Pasted("1\n2")]),
        ] {
            assert_eq!(known.parts(text), parts, "{text:?}");
        }
    }

    #[test]
    fn it_is_bounded_in_number_and_bytes_but_knows_the_newest() {
        let mut known = Known::default();
        (0..100).for_each(|n| known.remember(&n.to_string()));
        assert_eq!(known.texts.len(), MOST);
        known.remember(&"x".repeat(2 * MOST_BYTES));
        known.remember("99");
        assert_eq!((known.texts.len(), known.bytes), (1, 2));
    }
}
