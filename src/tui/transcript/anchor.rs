//! A place in the text of a cell that no width changes.
//!
//! Must not know the transcript. Invariant: at the width that it was taken at, a place leads back
//! to its row, whatever that row is; at any other one to the row with the same text. A row without
//! text, a rule or a label, is told by how far above text it stands.

use std::ops::Range;

use ratatui::text::Line;

use super::text::{self, What};
use crate::tui::wrap::mark;

/// A grapheme of a cell, whatever the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Which line of its text.
    line: usize,
    /// How many graphemes of the line stand before it.
    at: usize,
    /// Rows without text between it and the place that is meant.
    above: usize,
}

impl Anchor {
    /// Of a grapheme that stands in this row.
    pub(super) fn of(rows: &[Line<'static>], row: usize, glyph: usize) -> Self {
        let line = lines(rows).take_while(|line| line.end <= row).count();
        let own = lines(rows).nth(line).filter(|own| own.contains(&row));
        let at = own.map_or(0, |own| position(rows, own, (row, glyph)));
        let anchor = Self { line, at, above: 0 };
        Self { above: anchor.found(rows).0.saturating_sub(row), ..anchor }
    }

    /// The row that it stands in, and its number there.
    pub(super) fn place(self, rows: &[Line<'static>]) -> (usize, usize) {
        let (found, glyph) = self.found(rows);
        let textless = (0..found).rev().take(self.above).take_while(|row| is_textless(rows, *row));
        match textless.count() {
            0 if found < rows.len() => (found, glyph),
            rows_above => ((found - rows_above).min(rows.len().saturating_sub(1)), 0),
        }
    }

    /// The row of the grapheme, which may be the one after the last, and its number there.
    fn found(self, rows: &[Line<'static>]) -> (usize, usize) {
        let Some(line) = lines(rows).nth(self.line) else { return (rows.len(), 0) };
        if rows.get(line.start).is_some_and(mark::has_cells) {
            return in_cells(rows, line, self.at);
        }
        let mut start = 0;
        let last = line.end - 1;
        for row in line {
            let end = start + rows.get(row).map_or(0, length);
            if self.at < end || row == last {
                return (row, self.at.saturating_sub(start));
            }
            start = end;
        }
        (last, 0)
    }
}

/// The rows of each line that has text, or could have.
fn lines(rows: &[Line<'static>]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while rows.get(at).is_some_and(mark::has_no_text) {
            at += 1;
        }
        rows.get(at)?;
        let line = text::line_rows(rows, at);
        at = line.end;
        Some(line)
    })
}

/// Graphemes of a line before this one.
fn position(rows: &[Line<'static>], line: Range<usize>, (row, glyph): (usize, usize)) -> usize {
    if !rows.get(line.start).is_some_and(mark::has_cells) {
        let before = rows.get(line.start..row).unwrap_or_default();
        return before.iter().map(length).sum::<usize>() + glyph;
    }
    let (mut at, mut behind) = (0, 0);
    for piece in text::pieces(rows, line) {
        match piece.what {
            What::Blanks(blanks) => at += blanks,
            What::Glyph(number, _) if piece.row == row && number == glyph => return at,
            What::Glyph(number, _) => {
                at += 1;
                if piece.row == row && number + 1 == glyph {
                    behind = at;
                }
            }
        }
    }
    behind
}

fn in_cells(rows: &[Line<'static>], line: Range<usize>, at: usize) -> (usize, usize) {
    let mut end = 0;
    let mut behind = (line.start, 0);
    for piece in text::pieces(rows, line) {
        let here = match piece.what {
            What::Blanks(blanks) => {
                end += blanks;
                behind
            }
            What::Glyph(number, _) => {
                end += 1;
                behind = (piece.row, number + 1);
                (piece.row, number)
            }
        };
        if at < end {
            return here;
        }
    }
    behind
}

/// Graphemes of a row, those included that were left out after it.
fn length(row: &Line<'static>) -> usize {
    text::glyphs(row).len() + mark::blanks_after(row)
}

/// Whether nothing of the text stands in this row, not even an empty line.
fn is_textless(rows: &[Line<'static>], number: usize) -> bool {
    let Some(row) = rows.get(number) else { return false };
    let is_part = || mark::continues(row) || rows.get(number + 1).is_some_and(mark::continues);
    mark::has_no_text(row) || is_part() && length(row) == 0
}
