//! A unified diff, drawn with line numbers. Owns how a change looks; must not know how it was
//! computed.
//!
//! Invariant: every line of the diff is drawn, with its sign; no row is wider than asked. Text
//! that is no diff is drawn as it is.

use std::ops::Range;

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

use super::{theme::Theme, wrap::wrap_line};

/// From this width on both line numbers are drawn, and from the other on one of them.
const TWO_NUMBERS: u16 = 60;
const ONE_NUMBER: u16 = 30;
/// Of a pair of lines, this part at least must be equal for the rest to be emphasised.
const MIN_EQUAL: usize = 3;

/// The diff from its first hunk on: the file's names stand elsewhere already. Not of a diff with
/// heads as git writes them: those tell what happens to each of its files.
#[must_use]
pub fn hunks(unified: &str) -> &str {
    if unified.starts_with("diff --git ") {
        return unified;
    }
    let head = unified.lines().take_while(|line| !line.starts_with("@@"));
    let skip: usize = head.map(|line| line.len() + 1).sum();
    unified.get(skip..).filter(|rest| !rest.is_empty()).unwrap_or(unified)
}

/// The lines of a unified diff in at most `width` columns.
#[must_use]
pub fn diff_lines(unified: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut rows = parse(unified);
    mark_changes(&mut rows);
    let gutter = Gutter::new(&rows, width);
    rows.iter().flat_map(|row| draw(row, &gutter, width, theme)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Head,
    Hunk,
    Same,
    Removed,
    Added,
    Remark,
}

struct Row<'a> {
    kind: Kind,
    old: Option<u64>,
    new: Option<u64>,
    text: &'a str,
    /// The part that differs from the line that it is paired with.
    changed: Option<Range<usize>>,
}

impl<'a> Row<'a> {
    fn new(kind: Kind, text: &'a str) -> Self {
        Self { kind, old: None, new: None, text, changed: None }
    }
}

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
}

fn parse(unified: &str) -> Vec<Row<'_>> {
    let mut place = Place::default();
    unified.lines().map(|line| row(line, &mut place)).collect()
}

/// Inside a hunk the first sign decides; outside, a line is a head or a remark. The counts of
/// the hunk tell which, since a removed line may begin with `--`.
fn row<'a>(line: &'a str, place: &mut Place) -> Row<'a> {
    let rest = line.get(1..).unwrap_or_default();
    match line.bytes().next() {
        Some(b'-') if place.old_left > 0 => {
            Row { old: Some(place.step_old()), ..Row::new(Kind::Removed, rest) }
        }
        Some(b'+') if place.new_left > 0 => {
            Row { new: Some(place.step_new()), ..Row::new(Kind::Added, rest) }
        }
        Some(b' ') | None if place.old_left > 0 && place.new_left > 0 => {
            let (old, new) = (Some(place.step_old()), Some(place.step_new()));
            Row { old, new, ..Row::new(Kind::Same, rest) }
        }
        Some(b'\\') => Row::new(Kind::Remark, line),
        _ => match Place::of(line) {
            Some(found) => {
                *place = found;
                Row::new(Kind::Hunk, line)
            }
            None if line.starts_with("--- ") || line.starts_with("+++ ") => {
                Row::new(Kind::Head, line)
            }
            None => Row::new(Kind::Remark, line),
        },
    }
}

/// Pairs the removed lines of a change with the added ones that follow, first with first.
fn mark_changes(rows: &mut [Row<'_>]) {
    for change in rows.chunk_by_mut(|a, b| is_change(a.kind) && is_change(b.kind)) {
        let removed = change.iter().take_while(|row| row.kind == Kind::Removed).count();
        let (old, new) = change.split_at_mut(removed);
        if new.iter().any(|row| row.kind != Kind::Added) {
            continue;
        }
        for (old, new) in old.iter_mut().zip(new) {
            if let Some((in_old, in_new)) = difference(old.text, new.text) {
                old.changed = Some(in_old);
                new.changed = Some(in_new);
            }
        }
    }
}

fn is_change(kind: Kind) -> bool {
    matches!(kind, Kind::Removed | Kind::Added)
}

/// What stands between the words that two lines have in common at their beginnings and ends;
/// `None` if they have too little in common.
fn difference(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let same = |(a, b): &(&str, &str)| a == b;
    let words = old.split_word_bounds().zip(new.split_word_bounds());
    let head: usize = words.take_while(same).map(|(word, _)| word.len()).sum();
    let (old_rest, new_rest) = (old.get(head..)?, new.get(head..)?);
    let words = old_rest.split_word_bounds().rev().zip(new_rest.split_word_bounds().rev());
    let tail: usize = words.take_while(same).map(|(word, _)| word.len()).sum();
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let equal = (head + tail).saturating_sub(blanks(old));
    let longest = old.trim().len().max(new.trim().len());
    (equal * MIN_EQUAL >= longest).then(|| (head..old.len() - tail, head..new.len() - tail))
}

/// What stands before the text of each line.
struct Gutter {
    digits: usize,
    numbers: usize,
}

impl Gutter {
    fn new(rows: &[Row<'_>], width: u16) -> Self {
        let largest = rows.iter().flat_map(|row| [row.old, row.new]).flatten().max().unwrap_or(0);
        let digits = largest.to_string().len();
        let numbers = match width {
            TWO_NUMBERS.. => 2,
            ONE_NUMBER.. => 1,
            _ => 0,
        };
        // Numbers that would take a third of the width are not worth it.
        let fits = |numbers: &usize| numbers * (digits + 1) * 3 <= usize::from(width);
        Self { digits, numbers: (0..=numbers).rev().find(fits).unwrap_or(0) }
    }

    fn text(&self, old: Option<u64>, new: Option<u64>) -> String {
        let digits = self.digits;
        let number = |number: Option<u64>| match number {
            Some(number) => format!("{number:>digits$} "),
            None => " ".repeat(digits + 1),
        };
        match self.numbers {
            0 => String::new(),
            1 => number(new.or(old)),
            _ => number(old) + &number(new),
        }
    }
}

fn draw(row: &Row<'_>, gutter: &Gutter, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let (sign, style, changed) = match row.kind {
        Kind::Head | Kind::Hunk => return whole(row.text, theme.hunk, width),
        Kind::Remark => return whole(row.text, theme.dim, width),
        Kind::Same => ("  ", theme.text, theme.text),
        Kind::Removed => ("- ", theme.removed, theme.removed_word),
        Kind::Added => ("+ ", theme.added, theme.added_word),
    };
    let numbers = |text: String| Span::styled(text, theme.line_number);
    let first = [numbers(gutter.text(row.old, row.new)), Span::styled(sign, style)];
    let next = [numbers(gutter.text(None, None)), Span::raw("  ")];
    let range = row.changed.clone().unwrap_or(0..0);
    let parts = [
        (row.text.get(..range.start), style),
        (row.text.get(range.clone()), changed),
        (row.text.get(range.end..), style),
    ];
    let spans = parts.into_iter().filter_map(|(text, style)| Some(Span::styled(text?, style)));
    wrap_line(&spans.collect::<Line<'_>>(), width, &first, &next)
}

fn whole(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    wrap_line(&Line::from(Span::styled(text, style)), width, &[], &[Span::raw("  ")])
}

#[cfg(test)]
mod tests;
