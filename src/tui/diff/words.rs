//! Which words of a changed line changed. Pure.
//!
//! Owns when two lines are so unlike that no words are named. Invariant: the ranges lie in their
//! lines, on character boundaries, in order; the time for a pair of lines is bounded.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

/// Of a pair of lines, this part at least must be equal for the rest to be emphasised.
const MIN_EQUAL: usize = 3;
/// Lines of more words are compared from their ends only: comparing takes time by the square.
const MAX_WORDS: usize = 200;

/// The changed parts of the old and of the new line.
pub(super) type Changed = (Vec<Range<usize>>, Vec<Range<usize>>);

/// What changed between two lines; `None` if they have too little in common.
pub(super) fn changed(old: &str, new: &str) -> Option<Changed> {
    let old_words: Vec<&str> = old.split_word_bounds().take(MAX_WORDS + 1).collect();
    let new_words: Vec<&str> = new.split_word_bounds().take(MAX_WORDS + 1).collect();
    let (in_old, in_new) = if old_words.len().max(new_words.len()) > MAX_WORDS {
        between_ends(old, new)?
    } else {
        by_words(&old_words, &new_words)
    };
    let changed = |ranges: &[Range<usize>]| ranges.iter().map(Range::len).sum::<usize>();
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let equal = old.len().saturating_sub(changed(&in_old)).saturating_sub(blanks(old));
    let longest = old.trim().len().max(new.trim().len());
    (equal * MIN_EQUAL >= longest).then_some((in_old, in_new))
}

fn by_words(old: &[&str], new: &[&str]) -> Changed {
    let (mut in_old, mut in_new) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (0, 0);
    let length = |words: Option<&[&str]>| words.unwrap_or_default().concat().len();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (words, others) = (old.get(op.old_range()), new.get(op.new_range()));
        let (from, to) = (length(words), length(others));
        if op.tag() == DiffTag::Equal {
            // A blank between two changed words reads as one change.
            let is_blank =
                words.is_some_and(|words| words.iter().all(|word| word.trim().is_empty()));
            let both = !in_old.is_empty() && !in_new.is_empty() && old_at + from > 0;
            let at_end = op.old_range().end == old.len() || op.new_range().end == new.len();
            if !(is_blank && both && !at_end) {
                old_at += from;
                new_at += to;
                continue;
            }
        }
        add(&mut in_old, old_at..old_at + from);
        add(&mut in_new, new_at..new_at + to);
        old_at += from;
        new_at += to;
    }
    (in_old, in_new)
}

/// Appends a part; parts that touch become one.
fn add(parts: &mut Vec<Range<usize>>, part: Range<usize>) {
    if part.is_empty() {
        return;
    }
    match parts.last_mut() {
        Some(last) if last.end == part.start => last.end = part.end,
        _ => parts.push(part),
    }
}

/// What stands between the words that two lines have in common at their beginnings and ends.
fn between_ends(old: &str, new: &str) -> Option<Changed> {
    let same = |(a, b): &(&str, &str)| a == b;
    let words = old.split_word_bounds().zip(new.split_word_bounds());
    let head: usize = words.take_while(same).map(|(word, _)| word.len()).sum();
    let (old_rest, new_rest) = (old.get(head..)?, new.get(head..)?);
    let words = old_rest.split_word_bounds().rev().zip(new_rest.split_word_bounds().rev());
    let tail: usize = words.take_while(same).map(|(word, _)| word.len()).sum();
    let part = |text: &str| {
        let range = head..text.len() - tail;
        if range.is_empty() { Vec::new() } else { vec![range] }
    };
    Some((part(old), part(new)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The changed parts of both lines, marked.
    fn marked(old: &str, new: &str) -> Option<(String, String)> {
        let (in_old, in_new) = changed(old, new)?;
        let mark = |text: &str, parts: &[Range<usize>]| {
            let mut text = text.to_owned();
            for part in parts.iter().rev() {
                text.insert(part.end, ']');
                text.insert(part.start, '[');
            }
            text
        };
        Some((mark(old, &in_old), mark(new, &in_new)))
    }

    #[test]
    fn changed_words_are_named_one_by_one() {
        assert_eq!(marked("a b c", "a x c"), Some(("a [b] c".to_owned(), "a [x] c".to_owned())));
        assert_eq!(
            marked("aaa bbb", "aaa bbb ccc"),
            Some(("aaa bbb".to_owned(), "aaa bbb[ ccc]".to_owned()))
        );
        assert_eq!(
            marked("let one = f(two);", "let six = f(ten);"),
            Some(("let [one] = f([two]);".to_owned(), "let [six] = f([ten]);".to_owned()))
        );
    }

    #[test]
    fn neighbouring_words_are_one_change() {
        assert_eq!(
            marked("keep one two keep", "keep six ten keep"),
            Some(("keep [one two] keep".to_owned(), "keep [six ten] keep".to_owned()))
        );
    }

    #[test]
    fn lines_that_have_little_in_common_are_not_compared() {
        assert_eq!(changed("    fn a() {}", "    struct Other;"), None);
    }

    #[test]
    fn lines_of_very_many_words_are_compared_from_their_ends() {
        let old = "a ".repeat(500);
        let new = format!("{old}b");
        assert_eq!(marked(&old, &new), Some((old.clone(), format!("{old}[b]"))));
    }

    proptest! {
        #[test]
        fn what_is_not_changed_is_equal(old in "[ab 漢é]{0,30}", new in "[ab 漢é]{0,30}") {
            if let Some((in_old, in_new)) = changed(&old, &new) {
                prop_assert_eq!(without(&old, &in_old), without(&new, &in_new));
            }
        }
    }

    fn without(text: &str, parts: &[Range<usize>]) -> String {
        let inside = |at: usize| parts.iter().any(|part| part.contains(&at));
        // Blanks between changed words belong to the change.
        let kept = text.char_indices().filter(|(at, _)| !inside(*at));
        kept.map(|(_, c)| c).filter(|c| *c != ' ').collect()
    }
}
