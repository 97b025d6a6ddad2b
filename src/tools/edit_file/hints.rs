//! Says why an edit found no place: near regions and the first difference. Pure.
//!
//! Owns the words; a hint is never acted on. Must not know files.
//!
//! Invariant: bounded work, however large the text and the edit are.

use super::ladder::Edit;
use crate::text::cut;
use std::fmt::Write as _;

/// Lines of a text that are compared by similarity.
const MAX_LINES: usize = 20_000;

/// Bytes of a line that are compared and shown.
const MAX_LINE: usize = 200;

/// Lines shown of a near region.
const REGION: usize = 4;

/// Reasons and near regions, each on a line of its own, beginning with a line feed or a blank.
#[must_use]
pub fn hints(text: &str, edit: Edit<'_>) -> String {
    let mut hints = String::new();
    if has_line_numbers(edit.old) {
        hints.push_str(" `old` has the line numbers of read_file in it: leave them out.");
        return hints;
    }
    let unified = |text: &str| text.replace("\r\n", "\n");
    if edit.new.trim().len() >= 4 && unified(text).contains(&unified(edit.new)) {
        hints.push_str(" But `new` is in it: already applied?");
    }
    let Some((offset, anchor)) = anchor(edit.old) else { return hints };
    let near = near_lines(text, anchor);
    if near.is_empty() {
        hints.push_str(" Nothing in it is like it. Read the file again.");
        return hints;
    }
    hints.push_str(" The nearest places are:");
    for (place, (index, line)) in near.iter().enumerate() {
        let first = index.saturating_sub(offset);
        let height = edit.old.lines().count().clamp(1, REGION).max(index - first + 1).min(REGION);
        let first = first.max((index + 1).saturating_sub(height));
        for (number, shown) in text.lines().enumerate().skip(first).take(height) {
            write!(hints, "\n{}\t{}", number + 1, cut::head(shown, MAX_LINE)).unwrap_or_default();
        }
        if place == 0 {
            write!(hints, "\n({})", difference(index + 1, line, anchor)).unwrap_or_default();
        }
    }
    hints
}

fn has_line_numbers(old: &str) -> bool {
    let numbered = |line: &str| {
        line.trim_start().split_once('\t').is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    !old.trim().is_empty() && old.lines().all(numbered)
}

/// The line of `old` that says most, and its index.
fn anchor(old: &str) -> Option<(usize, &str)> {
    old.lines()
        .enumerate()
        .take(50)
        .filter(|(_, line)| !line.trim().is_empty())
        .max_by_key(|(index, line)| (line.trim().len(), std::cmp::Reverse(*index)))
}

/// Up to three lines that are most like the anchor, in order of likeness.
fn near_lines<'a>(text: &'a str, anchor: &str) -> Vec<(usize, &'a str)> {
    let wanted = folded(anchor);
    let mut near: Vec<(f64, usize, &str)> = text
        .lines()
        .enumerate()
        .take(MAX_LINES)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| (likeness(&wanted, &folded(line)), index, line))
        .filter(|(likeness, _, _)| *likeness >= 0.6)
        .collect();
    near.sort_by(|(a, at_a, _), (b, at_b, _)| b.total_cmp(a).then(at_a.cmp(at_b)));
    near.into_iter().take(3).map(|(_, index, line)| (index, line)).collect()
}

/// Without indentation and differences of case, so that those do not hide likeness.
fn folded(line: &str) -> String {
    cut::head(line.trim(), MAX_LINE).to_lowercase()
}

fn likeness(a: &str, b: &str) -> f64 {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // Lengths this far apart cannot reach the threshold.
    if short.chars().count() * 10 < long.chars().count() * 6 {
        return 0.0;
    }
    strsim::normalized_levenshtein(a, b)
}

/// How a line of the file differs from the line of `old` that it is like.
fn difference(number: usize, line: &str, anchor: &str) -> String {
    let indent =
        |line: &str| -> String { line.chars().take_while(|char| char.is_whitespace()).collect() };
    let (of_file, of_old) = (indent(line), indent(anchor));
    if line.trim() == anchor.trim() {
        return if of_file == of_old {
            format!("line {number} is the same in both: other lines of `old` differ")
        } else if of_file.contains('\t') != of_old.contains('\t') {
            let (file, old) =
                if of_file.contains('\t') { ("tabs", "blanks") } else { ("blanks", "tabs") };
            format!("line {number} is indented with {file}, `old` with {old}")
        } else {
            format!(
                "line {number} is indented by {}, `old` by {}",
                of_file.chars().count(),
                of_old.chars().count()
            )
        };
    }
    if line.trim().to_lowercase() == anchor.trim().to_lowercase() {
        return format!("line {number} differs from `old` in upper and lower case");
    }
    let (file, old) = (line.trim_start(), anchor.trim_start());
    let same = file.chars().zip(old.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| -> String { text.chars().skip(same).take(12).collect() };
    let column = of_file.chars().count() + same + 1;
    format!(
        "line {number}, column {column}: the file has {:?}, `old` has {:?}",
        rest(file),
        rest(old)
    )
}
