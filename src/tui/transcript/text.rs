//! Rows read back as the text that they were made of: without decoration, and with what was
//! broken into rows joined again.
//!
//! Must not know cells or places on the screen. Invariant: of plain text it gives back exactly
//! what was wrapped, at any width of two columns or more.

use std::ops::Range;

use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::wrap::{self, mark};

/// A grapheme of text as it stands in its row.
pub(super) struct Glyph<'a> {
    pub(super) column: usize,
    pub(super) width: usize,
    pub(super) text: &'a str,
}

/// The text of a row, a grapheme at a time.
pub(super) fn glyphs<'a>(row: &'a Line<'static>) -> Vec<Glyph<'a>> {
    let mut column = 0;
    let mut glyphs = Vec::new();
    for span in &row.spans {
        let is_text = !mark::is_decoration(span) && !mark::has_no_text(row);
        for text in span.content.graphemes(true) {
            let width = wrap::width(text);
            if is_text {
                glyphs.push(Glyph { column, width, text });
            }
            column += width;
        }
    }
    glyphs
}

/// The columns that these graphemes of a row stand in, without the decoration between them.
pub(super) fn columns(row: &Line<'static>, range: Range<usize>) -> Vec<Range<u16>> {
    let mut runs: Vec<Range<u16>> = Vec::new();
    for glyph in glyphs(row).get(range).unwrap_or_default() {
        let narrow = |columns: usize| u16::try_from(columns).unwrap_or(u16::MAX);
        let (start, end) = (narrow(glyph.column), narrow(glyph.column + glyph.width));
        match runs.last_mut() {
            Some(run) if run.end == start => run.end = end,
            _ => runs.push(start..end),
        }
    }
    runs
}

/// The text from one grapheme up to another, each given as its row and its number in it.
pub(super) fn between(
    rows: &[Line<'static>],
    (first, from): (usize, usize),
    (last, until): (usize, usize),
) -> String {
    let mut text = String::new();
    let mut is_begun = false;
    for (n, row) in rows.iter().enumerate().skip(first).take((last + 1).saturating_sub(first)) {
        if mark::has_no_text(row) {
            continue;
        }
        if is_begun && !mark::continues(row) {
            text.push('\n');
        }
        is_begun = true;
        let glyphs = glyphs(row);
        let start = if n == first { from } else { 0 };
        let end = if n == last { until.min(glyphs.len()) } else { glyphs.len() };
        let part = glyphs.get(start..end).unwrap_or_default();
        text.extend(part.iter().map(|glyph| glyph.text));
        if n < last {
            text.extend(std::iter::repeat_n(' ', mark::blanks_after(row)));
        }
    }
    text
}

/// All text of these rows.
pub(super) fn whole(rows: &[Line<'static>]) -> String {
    let mut text = String::new();
    let mut is_begun = false;
    for row in rows.iter().filter(|row| !mark::has_no_text(row)) {
        if is_begun && !mark::continues(row) {
            text.push('\n');
        }
        is_begun = true;
        push_row(&mut text, row);
    }
    text
}

/// The text of the line that begins in this row, and the row after it.
pub(super) fn line_at(rows: &[Line<'static>], first: usize) -> (String, usize) {
    let rest = rows.get(first..).unwrap_or_default();
    let more = rest.iter().skip(1).take_while(|row| mark::continues(row)).count();
    let mut text = String::new();
    for row in rest.iter().take(more + 1) {
        push_row(&mut text, row);
    }
    (text, first + more + 1)
}

fn push_row(text: &mut String, row: &Line<'static>) {
    if mark::has_no_text(row) {
        return;
    }
    for span in row.spans.iter().filter(|span| !mark::is_decoration(span)) {
        text.push_str(&span.content);
    }
    text.extend(std::iter::repeat_n(' ', mark::blanks_after(row)));
}

/// A grapheme of a cell, whatever the width: which line of its text, and where in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    line: usize,
    at: usize,
}

impl Anchor {
    /// Of a grapheme that stands in this row.
    pub(super) fn of(rows: &[Line<'static>], row: usize, glyph: usize) -> Self {
        let mut anchor = Self { line: 0, at: 0 };
        for (n, this) in rows.iter().enumerate().take(row + 1) {
            if n > 0 && !mark::continues(this) {
                anchor = Self { line: anchor.line + 1, at: 0 };
            }
            anchor.at += if n == row { glyph } else { length(this) };
        }
        anchor
    }

    /// The row that it stands in, and its number there.
    pub(super) fn place(self, rows: &[Line<'static>]) -> (usize, usize) {
        let mut line = 0;
        let mut start = 0;
        let mut found = (0, 0);
        for (n, row) in rows.iter().enumerate() {
            if n > 0 && !mark::continues(row) {
                line += 1;
                start = 0;
            }
            if line > self.line || line == self.line && start > self.at {
                break;
            }
            found = (n, if line == self.line { self.at - start } else { 0 });
            start += length(row);
        }
        found
    }
}

/// Graphemes of a row, those included that were left out after it.
fn length(row: &Line<'static>) -> usize {
    glyphs(row).len() + mark::blanks_after(row)
}

/// Some rows as one line of text, and where each grapheme of it stands.
pub(super) struct Joined {
    pub(super) text: String,
    /// Where each grapheme begins in the text, its row, and its number there.
    pub(super) glyphs: Vec<(usize, usize, usize)>,
    /// The row after the last one.
    pub(super) end: usize,
}

impl Joined {
    /// The line that begins in this row.
    pub(super) fn at(rows: &[Line<'static>], first: usize) -> Self {
        let mut joined = Self { text: String::new(), glyphs: Vec::new(), end: first };
        for (n, row) in rows.iter().enumerate().skip(first) {
            if n > first && !mark::continues(row) {
                break;
            }
            for (glyph, Glyph { text, .. }) in glyphs(row).into_iter().enumerate() {
                joined.glyphs.push((joined.text.len(), n, glyph));
                joined.text.push_str(text);
            }
            joined.text.extend(std::iter::repeat_n(' ', mark::blanks_after(row)));
            joined.end = n + 1;
        }
        joined
    }

    /// The grapheme at this byte, or the one after it.
    pub(super) fn glyph_at(&self, byte: usize) -> Option<(usize, usize)> {
        let at = self.glyphs.partition_point(|(start, ..)| *start < byte);
        self.glyphs.get(at).map(|&(_, row, glyph)| (row, glyph))
    }

    /// The rows and the graphemes in them that these bytes stand in.
    pub(super) fn rows_of(&self, bytes: &Range<usize>) -> Vec<(usize, Range<usize>)> {
        let from = self.glyphs.partition_point(|(start, ..)| *start < bytes.start);
        let until = self.glyphs.partition_point(|(start, ..)| *start < bytes.end);
        let mut parts: Vec<(usize, Range<usize>)> = Vec::new();
        for &(_, row, glyph) in self.glyphs.get(from..until).unwrap_or_default() {
            match parts.last_mut() {
                Some((last, range)) if *last == row => range.end = glyph + 1,
                _ => parts.push((row, glyph..glyph + 1)),
            }
        }
        parts
    }
}

/// The first row of the line that this row belongs to.
pub(super) fn line_start(rows: &[Line<'static>], row: usize) -> usize {
    let before = rows.get(..=row).unwrap_or_default();
    before.iter().rposition(|row| !mark::continues(row)).unwrap_or(0)
}
