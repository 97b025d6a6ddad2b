//! Where two texts differ, and what a text becomes if only some of the differences are taken.
//!
//! Owns how a text is divided into lines and differences into hunks. Must not know files. Pure.
//!
//! Invariant: all hunks taken give the new text, none the old one, byte for byte; a line of
//! either text is in at most one hunk.

use std::{ops::Range, time::Duration};

use serde::{Deserialize, Serialize};
use similar::{DiffTag, TextDiff};

/// Time for finding the shortest differences; after that, correct but longer ones are taken.
const DEADLINE: Duration = Duration::from_millis(500);

/// Unchanged lines that are shown around a difference; nearer ones belong to one hunk.
pub const CONTEXT: usize = 3;

/// Around the number of lines in the line that stands for them; no line of a diff begins so.
const LEFT_OUT_FROM: &str = "[... ";
const LEFT_OUT_TO: &str = " more lines of the diff left out ...]";

/// Lines of the old text that are replaced by lines of the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// The first line that goes, counted from 0; also where lines are put in if none goes.
    pub old_start: usize,
    /// Lines that go.
    pub old_lines: usize,
    /// The first line that comes, counted from 0.
    pub new_start: usize,
    /// Lines that come.
    pub new_lines: usize,
}

impl Hunk {
    /// The lines that go.
    #[must_use]
    pub fn goes(&self) -> Range<usize> {
        self.old_start..self.old_start.saturating_add(self.old_lines)
    }

    /// The lines that come.
    #[must_use]
    pub fn comes(&self) -> Range<usize> {
        self.new_start..self.new_start.saturating_add(self.new_lines)
    }
}

/// The line that stands for the rest of a diff that is cut.
#[must_use]
pub fn left_out(lines: usize) -> String {
    format!("{LEFT_OUT_FROM}{lines}{LEFT_OUT_TO}")
}

/// For how many lines such a line stands; `None` if it is another one.
#[must_use]
pub fn read_left_out(line: &str) -> Option<usize> {
    line.strip_prefix(LEFT_OUT_FROM)?.strip_suffix(LEFT_OUT_TO)?.parse().ok()
}

/// The lines of a text, each with its line end; only `\n` ends one.
#[must_use]
pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The differences between two lists of lines.
#[must_use]
pub fn differences<'a>(old: &[&'a str], new: &[&'a str]) -> TextDiff<'a, 'a, str> {
    TextDiff::configure().timeout(DEADLINE).newline_terminated(true).diff_slices(old, new)
}

/// The single changes of such differences, in their order: nothing in them is equal.
#[must_use]
pub fn changes(differences: &TextDiff<'_, '_, str>) -> Vec<Hunk> {
    let mut changes: Vec<Hunk> = Vec::new();
    for op in differences.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (old, new) = (op.old_range(), op.new_range());
        match changes.last_mut() {
            Some(last) if last.goes().end == old.start && last.comes().end == new.start => {
                last.old_lines += old.len();
                last.new_lines += new.len();
            }
            _ => changes.push(Hunk {
                old_start: old.start,
                old_lines: old.len(),
                new_start: new.start,
                new_lines: new.len(),
            }),
        }
    }
    changes
}

/// Changes that are near one another, as one.
#[must_use]
pub fn grouped(changes: &[Hunk]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for change in changes {
        match hunks.last_mut() {
            Some(last) if change.old_start.saturating_sub(last.goes().end) <= 2 * CONTEXT => {
                last.old_lines = change.goes().end.saturating_sub(last.old_start);
                last.new_lines = change.comes().end.saturating_sub(last.new_start);
            }
            _ => hunks.push(*change),
        }
    }
    hunks
}

/// The hunks between two texts.
#[must_use]
pub fn between(old: &str, new: &str) -> Vec<Hunk> {
    grouped(&changes(&differences(&lines(old), &lines(new))))
}

/// The old text with those hunks in it that are taken. Hunks that fit neither text, which cannot
/// come from [`between`], change nothing.
#[must_use]
pub fn apply(old: &str, new: &str, hunks: &[Hunk], taken: impl Fn(usize) -> bool) -> String {
    let (old, new) = (lines(old), lines(new));
    let mut result = String::new();
    let mut done = 0;
    for (_, hunk) in hunks.iter().enumerate().filter(|(n, _)| taken(*n)) {
        let kept = old.get(done..hunk.old_start);
        let comes = new.get(hunk.comes());
        let (Some(kept), Some(comes)) = (kept, comes.filter(|_| hunk.goes().end <= old.len()))
        else {
            continue;
        };
        result.extend(kept.iter().chain(comes).copied());
        done = hunk.goes().end;
    }
    result.extend(old.get(done..).unwrap_or_default().iter().copied());
    result
}

#[cfg(test)]
mod tests;
