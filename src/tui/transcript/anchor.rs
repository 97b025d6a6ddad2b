//! A place in the text of a cell that no width changes.
//!
//! Must not know the transcript. Invariant: at the width that it was taken at, a place leads back
//! to its row, whatever that row is; at any other one to the row with the same text. A row without
//! text, a rule or a label, is told by how far above text it stands.

use std::ops::Range;

use ratatui::text::Line;

use super::{
    pieces::{self, What, length},
    text,
};
use crate::tui::wrap::mark;

/// A grapheme of a cell, whatever the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tui) struct Anchor {
    /// Which line of its text.
    line: usize,
    /// How many graphemes of the line stand before it.
    at: usize,
    /// Rows without text between it and the place that is meant.
    above: usize,
}

impl Anchor {
    /// The grapheme of this number in a text that is one line.
    pub(in crate::tui) fn at(number: usize) -> Self {
        Self { line: 0, at: number, above: 0 }
    }

    /// Of a grapheme that stands in this row.
    pub(in crate::tui) fn of(rows: &[Line<'static>], row: usize, glyph: usize) -> Self {
        let line = lines(rows).take_while(|line| line.end <= row).count();
        let own = lines(rows).nth(line).filter(|own| own.contains(&row));
        let at = own.map_or(0, |own| pieces::before(rows, own, (row, glyph)));
        let anchor = Self { line, at, above: 0 };
        Self { above: anchor.found(rows).row.saturating_sub(row), ..anchor }
    }

    /// The row that it stands in, and its number there.
    pub(in crate::tui) fn place(self, rows: &[Line<'static>]) -> (usize, usize) {
        let Found { row, glyph, .. } = self.found(rows);
        let textless = (0..row).rev().take(self.above).take_while(|row| is_textless(rows, *row));
        match textless.count() {
            0 if row < rows.len() => (row, glyph),
            rows_above => ((row - rows_above).min(rows.len().saturating_sub(1)), 0),
        }
    }

    /// Where the text ends up to this grapheme.
    pub(in crate::tui) fn behind(self, rows: &[Line<'static>]) -> (usize, usize) {
        self.found(rows).behind
    }

    fn found(self, rows: &[Line<'static>]) -> Found {
        let end = Found { row: rows.len(), glyph: 0, behind: (rows.len(), 0) };
        let Some(line) = lines(rows).nth(self.line) else { return end };
        if rows.get(line.start).is_some_and(mark::has_cells) {
            return in_cells(rows, line, self.at);
        }
        let mut start = 0;
        let last = line.end - 1;
        for row in line {
            let (glyphs, length) =
                rows.get(row).map_or((0, 0), |row| (text::glyphs(row).len(), length(row)));
            if self.at < start + length || row == last {
                let glyph = self.at.saturating_sub(start);
                let behind = (row, (glyph + 1).min(glyphs));
                return Found { row, glyph: glyph.min(glyphs), behind };
            }
            start += length;
        }
        end
    }
}

/// A grapheme in rows, or the next one, if it is a blank that is not drawn.
#[derive(Clone, Copy)]
struct Found {
    /// It may be the one after the last.
    row: usize,
    /// Its number there.
    glyph: usize,
    /// Row and number of the end of what is drawn up to it.
    behind: (usize, usize),
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

fn in_cells(rows: &[Line<'static>], line: Range<usize>, at: usize) -> Found {
    let mut end = 0;
    let mut behind = (line.start, 0);
    for piece in pieces::of(rows, line) {
        match piece.what {
            What::Blanks(blanks) => end += blanks,
            What::Glyph(glyph, _) => {
                let row = piece.row;
                end += 1;
                if at < end {
                    // If it is past that already, a blank before it is meant.
                    let is_blank = at + 1 < end;
                    let behind = if is_blank { behind } else { (row, glyph + 1) };
                    return Found { row, glyph, behind };
                }
                behind = (row, glyph + 1);
            }
        }
    }
    Found { row: behind.0, glyph: behind.1, behind }
}

/// Whether nothing of the text stands in this row, not even an empty line.
fn is_textless(rows: &[Line<'static>], number: usize) -> bool {
    let Some(row) = rows.get(number) else { return false };
    let is_part = || mark::continues(row) || rows.get(number + 1).is_some_and(mark::continues);
    mark::has_no_text(row) || is_part() && length(row) == 0
}
