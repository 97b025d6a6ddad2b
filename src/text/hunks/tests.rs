//! What `hunks` promises, tested.

use proptest::prelude::*;
use similar::{ChangeTag, TextDiff};

use super::*;

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| line.to_string() + "\n").collect()
}

#[test]
fn differences_farther_apart_than_twice_the_context_are_two_hunks() {
    let old = numbered(20);
    let near = old.replace("5\n", "five\n").replace("12\n", "twelve\n");
    let hunks = between(&old, &near.replace("1five\n", "15\n"));
    let place = |hunk: &Hunk| (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines);
    assert_eq!(hunks.iter().map(place).collect::<Vec<_>>(), [(4, 8, 4, 8)]);
    let far = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\nthirteen\n14\n15\n16\n17\n18\n19\n20\n";
    let hunks = between(&old, far);
    assert_eq!(hunks.iter().map(place).collect::<Vec<_>>(), [(4, 1, 4, 1), (12, 1, 12, 1)]);
    let second = apply(&old, far, &hunks, |n| n == 1);
    assert_eq!(second, old.replace("13\n", "thirteen\n"));
}

#[test]
fn a_hunk_that_only_adds_is_put_in_at_its_place() {
    let old = numbered(3);
    let hunks = between(&old, "1\n2\n2.5\n3\n");
    assert_eq!(hunks, [Hunk { old_start: 2, old_lines: 0, new_start: 2, new_lines: 1 }]);
}

#[test]
fn a_hunk_that_fits_no_text_changes_nothing() {
    let wrong = Hunk { old_start: 7, old_lines: usize::MAX, new_start: 0, new_lines: 1 };
    assert_eq!(apply("a\nb", "c\n", &[wrong], |_| true), "a\nb");
}

/// Texts that have lines in common, with all kinds of line ends.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a\n", "b\n", "c\r\n", "\n", "d\r", "e\n", "f\n", "g\n"]);
    let end = prop::sample::select(vec!["", "end", "\r"]);
    (prop::collection::vec(line, 0..60), end).prop_map(|(lines, end)| lines.concat() + end)
}

proptest! {
    #[test]
    fn all_hunks_give_the_new_text_and_none_the_old(old in text(), new in text()) {
        let hunks = between(&old, &new);
        prop_assert_eq!(apply(&old, &new, &hunks, |_| true), new.clone());
        prop_assert_eq!(apply(&old, &new, &hunks, |_| false), old);
    }

    #[test]
    fn a_subset_is_what_the_diff_says_with_the_other_hunks_undone(
        old in text(), new in text(), chosen in any::<u64>(),
    ) {
        let hunks = between(&old, &new);
        let taken = |n: usize| chosen >> (n % 64) & 1 == 1;
        let (a, b) = (lines(&old), lines(&new));
        let diff = TextDiff::configure().newline_terminated(true).diff_slices(&a, &b);
        let mut expected = String::new();
        for change in diff.iter_all_changes() {
            let inside = |hunk: &Hunk| {
                change.old_index().is_some_and(|at| hunk.goes().contains(&at))
                    || change.new_index().is_some_and(|at| hunk.comes().contains(&at))
            };
            let is_taken = hunks.iter().position(inside).is_some_and(taken);
            let is_kept = match change.tag() {
                ChangeTag::Equal => true,
                ChangeTag::Delete => !is_taken,
                ChangeTag::Insert => is_taken,
            };
            if is_kept {
                expected.push_str(change.value());
            }
        }
        prop_assert_eq!(apply(&old, &new, &hunks, taken), expected);
    }
}

#[test]
fn the_line_for_what_is_left_out_can_be_read_again_and_no_other_is_one() {
    assert_eq!(left_out(104), "[... 104 more lines of the diff left out ...]");
    assert_eq!(read_left_out(&left_out(104)), Some(104));
    for other in ["", "+x", "[... 3 lines, 9 bytes left out ...]", &format!("+{}", left_out(1))] {
        assert_eq!(read_left_out(other), None, "{other}");
    }
}
