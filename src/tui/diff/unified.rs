//! Reading a unified diff. Owns what its lines are; must not know how they look. Pure.
//!
//! Invariant: every line becomes a row; one that is no part of a diff becomes a remark.

use std::{ops::Range, sync::Arc};

use super::sheet::{Kind, Row, Sheet};

/// The line numbers, and how many lines of the hunk are still to come on each side.
#[derive(Default)]
struct Place {
    old: u64,
    new: u64,
    old_left: u64,
    new_left: u64,
}

impl Place {
    /// Reads `@@ -old,count +new,count @@`.
    fn of(head: &str) -> Option<Self> {
        let ranges = head.strip_prefix("@@ -")?;
        let (old, rest) = ranges.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let side = |text: &str| {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse::<u64>().ok()?, count.parse::<u64>().ok()?))
        };
        let ((old, old_left), (new, new_left)) = (side(old)?, side(new)?);
        Some(Self { old, new, old_left, new_left })
    }

    fn step_old(&mut self) -> u64 {
        let number = self.old;
        self.old = self.old.saturating_add(1);
        self.old_left = self.old_left.saturating_sub(1);
        number
    }

    fn step_new(&mut self) -> u64 {
        let number = self.new;
        self.new = self.new.saturating_add(1);
        self.new_left = self.new_left.saturating_sub(1);
        number
    }

    /// Inside a hunk the first sign decides; outside, a line is a head or a remark. The counts of
    /// the hunk tell which, since a removed line may begin with `--`.
    fn row(&mut self, line: &str) -> (Kind, u64, u64) {
        match line.bytes().next() {
            Some(b'-') if self.old_left > 0 => (Kind::Removed, self.step_old(), 0),
            Some(b'+') if self.new_left > 0 => (Kind::Added, 0, self.step_new()),
            Some(b' ') | None if self.old_left > 0 && self.new_left > 0 => {
                (Kind::Same, self.step_old(), self.step_new())
            }
            Some(b'\\') => (Kind::Remark, 0, 0),
            _ => match Self::of(line) {
                Some(found) => {
                    *self = found;
                    (Kind::Hunk, 0, 0)
                }
                None if is_head(line) => {
                    *self = Self::default();
                    (Kind::Head, 0, 0)
                }
                None => (Kind::Remark, 0, 0),
            },
        }
    }
}

fn is_head(line: &str) -> bool {
    ["--- ", "+++ ", "diff --git "].iter().any(|start| line.starts_with(start))
}

/// Appends a unified diff to a sheet; gives its rows. The languages are those of its files, or
/// that of `path` if the diff names none.
pub(super) fn append(sheet: &mut Sheet, unified: &str, path: &str) -> Range<usize> {
    let text = sheet.add_text(Arc::from(unified));
    let mut language = sheet.add_language(path);
    let mut place = Place::default();
    let first = sheet.len();
    let mut start = 0;
    for whole in unified.split_inclusive('\n') {
        let line = whole.trim_end_matches('\n');
        let (kind, old, new) = place.row(line);
        let sign = usize::from(matches!(kind, Kind::Removed | Kind::Added | Kind::Same));
        if kind == Kind::Head
            && let Some(name) = line.strip_prefix("+++ b/").or(line.strip_prefix("--- a/"))
        {
            language = sheet.add_language(name);
        }
        let range = start + sign.min(line.len())..start + line.len();
        sheet.add(Row { old, new, language, ..Row::new(kind, text, range) });
        start += whole.len();
    }
    first..sheet.len()
}
