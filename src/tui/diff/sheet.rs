//! The rows of a diff, however long, with what drawing a few of them needs.
//!
//! Owns which rows there are and which belong together. Must not know styles or columns.
//!
//! Invariant: a row points into a text that the sheet holds; asking for a row takes time by that
//! row alone, and by at most [`BLOCK`] rows around it for its colours.

use std::{borrow::Cow, ops::Range, sync::Arc};

use super::{unified, words};
use crate::{
    protocol::question::Texts,
    text::{
        cut,
        hunks::{self, CONTEXT, Hunk},
    },
    tui::visible::visible,
};

/// Bytes of one line that are laid out; how many more there are is told.
const LINE: usize = 2 * 1024;
/// Rows that are coloured together.
pub(super) const BLOCK: usize = 128;
/// A block of more bytes stays plain.
const BLOCK_BYTES: usize = 64 * 1024;

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Head,
    Hunk,
    Same,
    Removed,
    Added,
    Remark,
}

impl Kind {
    pub(super) fn is_code(self) -> bool {
        matches!(self, Self::Same | Self::Removed | Self::Added)
    }
}

/// One row. Lines are counted from 1; 0 is none.
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) old: u64,
    pub(super) new: u64,
    pub(super) language: usize,
    pub(super) text: usize,
    pub(super) range: Range<usize>,
    /// The row on the other side that it is compared with.
    pub(super) pair: Option<usize>,
}

impl Row {
    pub(super) fn new(kind: Kind, text: usize, range: Range<usize>) -> Self {
        Self { kind, old: 0, new: 0, language: 0, text, range, pair: None }
    }
}

/// What stands in one row of the screen: one row of the diff, or one of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Visual {
    /// One, over the whole width.
    One(usize),
    /// The old side and the new one.
    Two(Option<usize>, Option<usize>),
}

/// The rows of a diff.
#[derive(Default)]
pub(in crate::tui) struct Sheet {
    texts: Vec<Arc<str>>,
    languages: Vec<String>,
    rows: Vec<Row>,
    /// Whether some lines end with a carriage return and some do not.
    endings: (bool, bool),
    largest: u64,
}

impl Sheet {
    /// The rows of a unified diff of the file at `path`, or of several files with heads.
    pub(in crate::tui) fn unified(unified: &str, path: &str) -> Self {
        let mut sheet = Self::default();
        sheet.add_unified(unified, path);
        sheet
    }

    /// Appends a unified diff; gives its rows.
    pub(in crate::tui) fn add_unified(&mut self, unified: &str, path: &str) -> Range<usize> {
        let rows = unified::append(self, unified, path);
        self.pair(rows.clone());
        rows
    }

    /// Appends the lines of one hunk, with unchanged lines around it; gives its rows.
    pub(in crate::tui) fn add_hunk(
        &mut self,
        sides: &Sides,
        hunk: Hunk,
        changes: &[Hunk],
        path: &str,
    ) -> Range<usize> {
        let first = self.rows.len();
        let language = self.add_language(path);
        let texts = [self.add_text(Arc::clone(&sides.old)), self.add_text(Arc::clone(&sides.new))];
        let mut at = hunk.old_start.saturating_sub(CONTEXT);
        let mut offset = hunk.new_start.saturating_sub(hunk.old_start.saturating_sub(at));
        let is_before =
            |change: &Hunk| change.old_start < hunk.old_start || change.new_start < hunk.new_start;
        let from = changes.partition_point(is_before);
        let is_inside = |change: &Hunk| {
            change.goes().end <= hunk.goes().end && change.comes().end <= hunk.comes().end
        };
        let inside = changes.iter().skip(from).copied().take_while(is_inside);
        for change in inside {
            for old in at..change.old_start {
                self.add_line(Kind::Same, sides, (old, offset + (old - at)), (texts, language));
            }
            for old in change.goes() {
                self.add_line(Kind::Removed, sides, (old, 0), (texts, language));
            }
            for new in change.comes() {
                self.add_line(Kind::Added, sides, (0, new), (texts, language));
            }
            at = change.goes().end;
            offset = change.comes().end;
        }
        for old in at..at.saturating_add(CONTEXT) {
            self.add_line(Kind::Same, sides, (old, offset + (old - at)), (texts, language));
        }
        self.pair(first..self.rows.len());
        first..self.rows.len()
    }

    fn add_line(
        &mut self,
        kind: Kind,
        sides: &Sides,
        (old, new): (usize, usize),
        (texts, language): ([usize; 2], usize),
    ) {
        let is_new = kind == Kind::Added;
        let [in_old, in_new] = texts;
        let (text, content) = if is_new { (in_new, &sides.new) } else { (in_old, &sides.old) };
        let range = if is_new {
            line_range(&sides.new_starts, content, new)
        } else {
            line_range(&sides.old_starts, content, old)
        };
        let Some(range) = range else { return };
        let ends = content.get(range.clone()).is_some_and(|line| line.ends_with('\n'));
        let line = range.start..range.end - usize::from(ends);
        let number = |line: usize, is: bool| if is { line as u64 + 1 } else { 0 };
        self.add(Row {
            old: number(old, !is_new),
            new: number(new, kind != Kind::Removed),
            language,
            ..Row::new(kind, text, line)
        });
        if !ends {
            let which = match kind {
                Kind::Removed => "the old file",
                Kind::Added => "the new file",
                _ => "file",
            };
            let words: Arc<str> = format!("\\ No newline at end of {which}").into();
            let length = words.len();
            let text = self.add_text(words);
            self.add(Row::new(Kind::Remark, text, 0..length));
        }
    }

    /// Pairs the removed lines of each change with the added ones that follow, first with first.
    fn pair(&mut self, rows: Range<usize>) {
        let mut at = rows.start;
        let run = |sheet: &Self, from: usize, kind: Kind| {
            let of_kind = |row: &&Row| row.kind == kind;
            sheet.rows.iter().take(rows.end).skip(from).take_while(of_kind).count()
        };
        while at < rows.end {
            let removed = run(self, at, Kind::Removed);
            let remark = run(self, at + removed, Kind::Remark);
            let gap = if removed > 0 { remark } else { 0 };
            let added = run(self, at + removed + gap, Kind::Added);
            for n in 0..removed.min(added) {
                let (old, new) = (at + n, at + removed + gap + n);
                if let Some(row) = self.rows.get_mut(old) {
                    row.pair = Some(new);
                }
                if let Some(row) = self.rows.get_mut(new) {
                    row.pair = Some(old);
                }
            }
            at += (removed + gap + added).max(1);
        }
    }

    pub(super) fn add_text(&mut self, text: Arc<str>) -> usize {
        if let Some(known) = self.texts.iter().rposition(|known| Arc::ptr_eq(known, &text)) {
            return known;
        }
        self.texts.push(text);
        self.texts.len() - 1
    }

    /// The language of a file, by the end of its name.
    pub(super) fn add_language(&mut self, path: &str) -> usize {
        let name = path.rsplit('/').next().unwrap_or(path);
        let language = name.rsplit('.').next().unwrap_or(name);
        if let Some(known) = self.languages.iter().position(|known| known == language) {
            return known;
        }
        self.languages.push(language.to_owned());
        self.languages.len() - 1
    }

    pub(super) fn add(&mut self, row: Row) {
        if row.kind.is_code() {
            let text = self.texts.get(row.text).and_then(|text| text.get(row.range.clone()));
            let returns = text.is_some_and(|text| text.ends_with('\r'));
            self.endings.0 |= returns;
            self.endings.1 |= !returns;
        }
        self.largest = self.largest.max(row.old).max(row.new);
        self.rows.push(row);
    }

    pub(in crate::tui) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, at: usize) -> Option<&Row> {
        self.rows.get(at)
    }

    /// The largest line number.
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// Whether all lines end with a carriage return, and whether only some do.
    pub(super) fn carriage_returns(&self) -> (bool, bool) {
        let (with, without) = self.endings;
        (with && !without, with && without)
    }

    /// What of a row's text is shown; how many bytes more there are; whether it ends with a
    /// carriage return.
    pub(super) fn shown(&self, at: usize) -> (Cow<'_, str>, usize, bool) {
        let Some(row) = self.rows.get(at) else { return (Cow::Borrowed(""), 0, false) };
        let text = self.texts.get(row.text).and_then(|text| text.get(row.range.clone()));
        let text = text.unwrap_or_default();
        let line = if row.kind.is_code() { text.strip_suffix('\r').unwrap_or(text) } else { text };
        let head = cut::head(line, LINE);
        (visible(head), line.len() - head.len(), line.len() < text.len())
    }

    /// The changed parts of a row's shown text, where it is compared with another.
    pub(super) fn changed(&self, at: usize) -> Vec<Range<usize>> {
        let Some(pair) = self.rows.get(at).and_then(|row| row.pair) else { return Vec::new() };
        let is_new = at > pair;
        let (old, new) = if is_new { (pair, at) } else { (at, pair) };
        let (old, new) = (self.shown(old).0, self.shown(new).0);
        let changed = words::changed(&old, &new).unwrap_or_default();
        if is_new { changed.1 } else { changed.0 }
    }

    /// These rows as they stand on the screen: one below the other, or in two columns.
    pub(in crate::tui) fn visuals(&self, rows: Range<usize>, split: bool) -> Vec<Visual> {
        if !split {
            return rows.map(Visual::One).collect();
        }
        let mut visuals = Vec::with_capacity(rows.len());
        let mut sided = rows.start..rows.start;
        let mut has_sides = false;
        for at in rows.clone() {
            let Some(row) = self.rows.get(at) else { break };
            if !sided.contains(&at) {
                sided = at..self.part_end(at, rows.end);
                has_sides = self.has_sides(sided.clone());
            }
            if !has_sides {
                visuals.push(Visual::One(at));
                continue;
            }
            match (row.kind, row.pair) {
                (Kind::Same, _) => visuals.push(Visual::Two(Some(at), Some(at))),
                (Kind::Removed, pair) => visuals.push(Visual::Two(Some(at), pair)),
                (Kind::Added, None) => visuals.push(Visual::Two(None, Some(at))),
                // It stands beside the row that it replaces.
                (Kind::Added, Some(_)) => {}
                _ => visuals.push(Visual::One(at)),
            }
        }
        visuals
    }

    /// How many lines of the change this row stands for: many, if it says that they are left out.
    pub(super) fn stands_for(&self, visual: Visual) -> usize {
        let Visual::One(at) = visual else { return 1 };
        let is_remark = self.row(at).is_some_and(|row| row.kind == Kind::Remark);
        let left_out = is_remark.then(|| hunks::read_left_out(&self.shown(at).0)).flatten();
        left_out.unwrap_or(1)
    }

    /// Where the hunk ends that this row is of, or the file's head.
    fn part_end(&self, at: usize, end: usize) -> usize {
        let is_head = |row: &Row| matches!(row.kind, Kind::Head | Kind::Hunk);
        let later = self.rows.get(at + 1..end).unwrap_or_default();
        at + 1 + later.iter().take_while(|row| !is_head(row)).count()
    }

    /// Whether something stands on both sides: a new file has no old side.
    fn has_sides(&self, rows: Range<usize>) -> bool {
        let (mut old, mut new) = (false, false);
        for row in self.rows.get(rows).unwrap_or_default() {
            old |= matches!(row.kind, Kind::Same | Kind::Removed);
            new |= matches!(row.kind, Kind::Same | Kind::Added);
        }
        old && new
    }

    /// How many of these rows are added, and how many are removed.
    pub(in crate::tui) fn counts(&self, rows: Range<usize>) -> (usize, usize) {
        let rows = self.rows.get(rows).unwrap_or_default();
        let of = |kind| rows.iter().filter(|row| row.kind == kind).count();
        (of(Kind::Added), of(Kind::Removed))
    }

    /// The rows that are coloured together with this one.
    pub(super) fn block(&self, at: usize) -> Range<usize> {
        let from = at - at % BLOCK;
        let same = |row: &Row| {
            row.kind.is_code() && self.rows.get(at).is_some_and(|own| own.language == row.language)
        };
        let before = self.rows.get(from..at).unwrap_or_default();
        let start = at - before.iter().rev().take_while(|row| same(row)).count();
        let after = self.rows.iter().skip(at).take(from + BLOCK - at);
        start..at + after.take_while(|row| same(row)).count()
    }

    /// The code of one side of a block, and its rows; `None` if it is too much.
    pub(super) fn code(&self, block: Range<usize>, new: bool) -> Option<(Vec<usize>, String)> {
        let side = if new { Kind::Added } else { Kind::Removed };
        let rows: Vec<usize> = block
            .filter(|at| {
                self.rows.get(*at).is_some_and(|row| row.kind == Kind::Same || row.kind == side)
            })
            .collect();
        let mut code = String::new();
        for at in &rows {
            let (text, _, _) = self.shown(*at);
            if code.len() + text.len() >= BLOCK_BYTES {
                return None;
            }
            code.push_str(&text);
            code.push('\n');
        }
        Some((rows, code))
    }

    pub(super) fn language(&self, row: &Row) -> &str {
        self.languages.get(row.language).map_or("", String::as_str)
    }
}

/// Two texts of which single lines are asked for.
pub(in crate::tui) struct Sides {
    old: Arc<str>,
    new: Arc<str>,
    old_starts: Vec<usize>,
    new_starts: Vec<usize>,
}

impl Sides {
    pub(in crate::tui) fn of(texts: &Texts) -> Self {
        let (old, new) = (Arc::clone(&texts.old), Arc::clone(&texts.new));
        Self { old_starts: starts(&old), new_starts: starts(&new), old, new }
    }
}

/// Where a line is, with its end.
fn line_range(starts: &[usize], text: &str, line: usize) -> Option<Range<usize>> {
    let start = *starts.get(line)?;
    Some(start..starts.get(line + 1).copied().unwrap_or(text.len()))
}

/// Where each line begins.
fn starts(text: &str) -> Vec<usize> {
    let mut starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    starts.retain(|start| *start < text.len());
    starts
}
