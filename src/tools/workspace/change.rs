//! What a write changes, as a unified diff for people. Pure.
//!
//! Owns the diff's form and its length. Must not touch files.
//!
//! Invariant: the counts are of the whole change, also where the diff is cut.

#[cfg(test)]
mod tests;

use similar::ChangeTag;

use crate::text::hunks::{self, Hunk};

/// Lines of a diff that are kept for people.
const MAX_LINES: usize = 2_000;
/// A diff of more lines is not taken for one that a model has read as a whole.
const READ_WHOLE: usize = 200;

/// The name of a side where there is no file.
const NOTHING: &str = "/dev/null";

/// The difference between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Unified diff, at most 2,000 lines and a line that tells how many were left out. Empty if
    /// nothing changes.
    pub diff: String,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The single changes, all of them, also where the diff is cut.
    pub changes: Vec<Hunk>,
}

impl Change {
    /// Compares; `old` is `None` if the file does not exist yet. `path` is shown in the header.
    #[must_use]
    pub fn between(path: &str, old: Option<&str>, new: &str) -> Self {
        let old_name = if old.is_some() { format!("a/{path}") } else { NOTHING.to_owned() };
        Self::named((&old_name, old.unwrap_or("")), (&format!("b/{path}"), new))
    }

    /// A file that goes, with all that is in it.
    #[must_use]
    pub fn deletion(path: &str, old: &str) -> Self {
        Self::named((&format!("a/{path}"), old), (NOTHING, ""))
    }

    /// A file that goes to another path, with its text before and after.
    #[must_use]
    pub fn renaming((from, old): (&str, &str), (to, new): (&str, &str)) -> Self {
        Self::named((&format!("a/{from}"), old), (&format!("b/{to}"), new))
    }

    fn named((old_name, old): (&str, &str), (new_name, new): (&str, &str)) -> Self {
        let diff = hunks::differences(&hunks::lines(old), &hunks::lines(new));
        let (mut added, mut removed) = (0, 0);
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Insert => added += 1,
                ChangeTag::Delete => removed += 1,
                ChangeTag::Equal => {}
            }
        }
        let mut unified = diff.unified_diff();
        unified.context_radius(hunks::CONTEXT).header(old_name, new_name);
        Self { diff: shorten(&unified.to_string()), added, removed, changes: hunks::changes(&diff) }
    }

    /// Whether the diff is too long to be given to a model whole.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.diff.split_inclusive('\n').count() > READ_WHOLE
    }

    /// The change in a few characters: `+2 −1`.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("+{} −{}", self.added, self.removed)
    }
}

fn shorten(diff: &str) -> String {
    let total = diff.split_inclusive('\n').count();
    if total <= MAX_LINES {
        return diff.to_owned();
    }
    let mut short: String = diff.split_inclusive('\n').take(MAX_LINES).collect();
    short.push_str(&hunks::left_out(total - MAX_LINES));
    short.push('\n');
    short
}
