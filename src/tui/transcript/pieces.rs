//! What a line of text consists of, in the order in which it is read: row by row, or, where a row
//! of a table takes several rows of the screen, cell by cell.
//!
//! Owns that order. Must not know what is done with the text. Invariant: every grapheme of the
//! rows stands there once; what stands between two of them in this order is what is selected
//! between them.

use std::ops::Range;

use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

use super::text::{self, Glyph};
use crate::tui::wrap::{self, mark};

/// A grapheme between which and another one text stands, as its row and its number there; `None`
/// is where all rows begin or end.
pub(in crate::tui) type End = Option<(usize, usize)>;

/// A part of a line, in the order in which it is read.
pub(super) struct Piece<'a> {
    pub(super) row: usize,
    /// Its number among the cells of a table and what parts them: the latter are odd.
    cell: usize,
    pub(super) what: What<'a>,
}

pub(super) enum What<'a> {
    /// Its number in its row, and how it is written.
    Glyph(usize, &'a str),
    /// Blanks that are not drawn.
    Blanks(usize),
}

/// What the line consists of that stands in these rows.
pub(super) fn of<'a>(rows: &'a [Line<'static>], line: Range<usize>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let has_cells = rows.get(line.start).is_some_and(mark::has_cells);
    for (row, this) in rows.iter().enumerate().take(line.end).skip(line.start) {
        if mark::has_no_text(this) {
            continue;
        }
        let glyphs = text::glyphs(this).into_iter().enumerate();
        let mut glyphs = glyphs.map(|(n, Glyph { text, .. })| What::Glyph(n, text));
        let mut cell = 0;
        for span in &this.spans {
            let is_parting = has_cells && mark::is_parting(span);
            cell += usize::from(is_parting);
            let blanks = mark::blanks_of(span);
            let what = (blanks > 0).then_some(What::Blanks(blanks));
            let count = if mark::is_decoration(span) {
                0
            } else if mark::is_tab(span) {
                1
            } else {
                span.content.graphemes(true).count()
            };
            let parts = glyphs.by_ref().take(count).chain(what);
            pieces.extend(parts.map(|what| Piece { row, cell, what }));
            cell += usize::from(is_parting);
        }
        let blanks = Some(mark::blanks_after(this)).filter(|blanks| *blanks > 0);
        pieces.extend(blanks.map(|blanks| Piece { row, cell, what: What::Blanks(blanks) }));
    }
    if has_cells {
        pieces.sort_by_key(|piece| piece.cell);
    }
    pieces
}

/// What of a line stands between two graphemes.
pub(super) fn within<'a>(
    rows: &'a [Line<'static>],
    line: Range<usize>,
    (from, until): (End, End),
) -> impl Iterator<Item = Piece<'a>> {
    let first = from.filter(|from| from.0 >= line.start);
    let first = first.map_or(0, |from| before(rows, line.clone(), from));
    let last = until.filter(|until| until.0 < line.end);
    let last = last.map_or(usize::MAX, |until| behind(rows, line.clone(), until));
    let mut at = 0;
    of(rows, line).into_iter().filter(move |piece| {
        let start = at;
        at += match piece.what {
            What::Glyph(..) => 1,
            What::Blanks(blanks) => blanks,
        };
        (first..last).contains(&start)
    })
}

/// Graphemes that are read before this one in its line, blanks that are not drawn among them.
pub(in crate::tui) fn before(
    rows: &[Line<'static>],
    line: Range<usize>,
    (row, glyph): (usize, usize),
) -> usize {
    if !rows.get(line.start).is_some_and(mark::has_cells) {
        let before = rows.get(line.start..row).unwrap_or_default();
        return before.iter().map(length).sum::<usize>() + glyph;
    }
    let (mut at, mut behind) = (0, 0);
    for piece in of(rows, line) {
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

/// As [`before`], of an end: it belongs to the grapheme that stands before it in its row.
pub(in crate::tui) fn behind(
    rows: &[Line<'static>],
    line: Range<usize>,
    (row, glyph): (usize, usize),
) -> usize {
    let last = glyph.min(rows.get(row).map_or(0, |row| text::glyphs(row).len()));
    match last.checked_sub(1) {
        Some(last) => before(rows, line, (row, last)) + 1,
        None => before(rows, line, (row, 0)),
    }
}

/// Where a place of a row that goes on cell by cell stands among the text, if no text stands there:
/// the grapheme that is read next, and the end of what is read before.
pub(super) fn beside(
    rows: &[Line<'static>],
    row: usize,
    column: usize,
) -> Option<((usize, usize), (usize, usize))> {
    let this = rows.get(row).filter(|row| mark::has_cells(row))?;
    let mut end = 0;
    let partings = this.spans.iter().filter(|span| {
        end += wrap::width(&span.content);
        end <= column && mark::is_parting(span)
    });
    let cell = 2 * partings.count();
    let line = text::line_rows(rows, text::line_start(rows, row));
    let pieces = of(rows, line);
    let is_read = |piece: &Piece<'_>| piece.cell < cell || piece.cell == cell && piece.row <= row;
    let glyph = |piece: &Piece<'_>| match piece.what {
        What::Glyph(glyph, _) => Some((piece.row, glyph)),
        What::Blanks(_) => None,
    };
    let last = pieces.iter().filter(|piece| is_read(piece)).filter_map(glyph).next_back();
    let next = pieces.iter().filter(|piece| !is_read(piece)).find_map(glyph);
    let end = last.map_or((row, 0), |(row, glyph)| (row, glyph + 1));
    Some((next.unwrap_or(end), end))
}

/// Whether one grapheme is read before another one: sorts by this. `is_end`: they are ends.
pub(super) fn order(
    rows: &[Line<'static>],
    at: (usize, usize),
    is_end: bool,
) -> (usize, usize, usize) {
    let line = text::line_rows(rows, text::line_start(rows, at.0));
    let start = line.start;
    match (rows.get(start).is_some_and(mark::has_cells), is_end) {
        (false, _) => (start, at.0, at.1),
        (true, false) => (start, before(rows, line, at), 0),
        (true, true) => (start, behind(rows, line, at), 0),
    }
}

/// The columns of a row that stand between two graphemes.
pub(in crate::tui) fn columns_within(
    rows: &[Line<'static>],
    row: usize,
    (from, until): (End, End),
) -> Vec<Range<u16>> {
    let Some(this) = rows.get(row) else { return Vec::new() };
    if !mark::has_cells(this) {
        let is_out = from.is_some_and(|from| row < from.0) || until.is_some_and(|it| row > it.0);
        let first = from.filter(|from| from.0 == row).map_or(0, |from| from.1);
        let length = text::glyphs(this).len();
        let last = until.filter(|it| it.0 == row).map_or(length, |it| it.1.min(length));
        return if is_out { Vec::new() } else { text::columns(this, first..last) };
    }
    let line = text::line_rows(rows, text::line_start(rows, row));
    if from.is_some_and(|from| from.0 >= line.end) || until.is_some_and(|it| it.0 < line.start) {
        return Vec::new();
    }
    let pieces = within(rows, line, (from, until)).filter(|piece| piece.row == row);
    let glyphs = pieces.filter_map(|piece| match piece.what {
        What::Glyph(glyph, _) => Some(glyph),
        What::Blanks(_) => None,
    });
    glyphs.flat_map(|glyph| text::columns(this, glyph..glyph + 1)).collect()
}

/// Graphemes of a row, those included that were left out after it.
pub(in crate::tui) fn length(row: &Line<'static>) -> usize {
    text::glyphs(row).len() + mark::blanks_after(row)
}
