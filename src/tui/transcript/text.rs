//! Rows read back as the text that they were made of: without decoration, with what was broken
//! into rows joined again, with the indents of lists, and in the signs of markdown.
//!
//! Must not know cells or places on the screen. Invariant: of plain text it gives back exactly
//! what was wrapped, at any width of two columns or more; of markdown the same text at any width
//! of twenty columns or more, but for a table that became a list of its cells. Part of it is a
//! piece of the whole, but for what all its lines are moved in, and the start of the first one.

use std::ops::Range;

use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

use super::pieces::{self, Piece, What};
use crate::tui::wrap::{self, mark};

/// A grapheme of text as it stands in its row, and how it is written.
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
        if mark::is_tab(span) {
            let width = wrap::width(&span.content);
            glyphs.extend(is_text.then_some(Glyph { column, width, text: "\t" }));
            column += width;
            continue;
        }
        let is_sign = mark::is_sign(span);
        for grapheme in span.content.graphemes(true) {
            let width = wrap::width(grapheme);
            if is_text {
                let text = if is_sign { mark::written(grapheme) } else { grapheme };
                glyphs.push(Glyph { column, width, text });
            }
            column += width;
        }
    }
    glyphs
}

/// The grapheme in this column of a row, or the next one, as its number; and the end of what is
/// pointed at: nothing beside the text.
pub(in crate::tui) fn at_column(row: &Line<'static>, column: usize) -> (usize, usize) {
    let glyphs = glyphs(row);
    let under = glyphs.iter().position(|glyph| column < glyph.column + glyph.width);
    let number = under.unwrap_or(glyphs.len());
    let is_on_it = glyphs.get(number).is_some_and(|glyph| glyph.column <= column);
    (number, if is_on_it { number + 1 } else { number })
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

/// The rows of the line that begins in this row.
pub(super) fn line_rows(rows: &[Line<'static>], first: usize) -> Range<usize> {
    let more = rows.iter().skip(first + 1).take_while(|row| mark::continues(row)).count();
    first..(first + more + 1)
}

/// The text from one grapheme up to another, each given as its row and its number in it.
pub(in crate::tui) fn between(
    rows: &[Line<'static>],
    from: (usize, usize),
    until: (usize, usize),
) -> String {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut at = line_start(rows, from.0);
    while let Some(row) = rows.get(at).filter(|_| at <= until.0) {
        let line = line_rows(rows, at);
        at = line.end;
        if !mark::has_no_text(row) {
            lines.push((mark::indent_of(row), part(rows, line, from, until)));
        }
    }
    let indents = lines.iter().filter(|(_, text)| !text.is_empty()).map(|(indent, _)| *indent);
    let common = indents.min().unwrap_or(0);
    let mut text = String::new();
    for (n, (indent, line)) in lines.iter().enumerate() {
        if n > 0 {
            text.push('\n');
        }
        if n > 0 && !line.is_empty() {
            push_blanks(&mut text, indent - common);
        }
        text.push_str(line);
    }
    text
}

/// What of a line stands between two graphemes.
fn part(
    rows: &[Line<'static>],
    line: Range<usize>,
    from: (usize, usize),
    until: (usize, usize),
) -> String {
    let mut text = String::new();
    for Piece { what, .. } in pieces::within(rows, line, (Some(from), Some(until))) {
        match what {
            What::Glyph(_, glyph) => text.push_str(glyph),
            What::Blanks(blanks) => push_blanks(&mut text, blanks),
        }
    }
    text
}

/// All text of these rows, as a search reads it: a tab is one blank.
pub(super) fn whole(rows: &[Line<'static>]) -> String {
    let mut text = String::new();
    let mut is_begun = false;
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        let line = line_rows(rows, at);
        at = line.end;
        if mark::has_no_text(row) {
            continue;
        }
        if is_begun {
            text.push('\n');
        }
        is_begun = true;
        push_line(&mut text, rows, line);
    }
    text
}

/// The text of the line that begins in this row, and the row after it.
pub(super) fn line_at(rows: &[Line<'static>], first: usize) -> (String, usize) {
    let line = line_rows(rows, first);
    let end = line.end;
    let mut text = String::new();
    push_line(&mut text, rows, line);
    (text, end)
}

fn push_line(text: &mut String, rows: &[Line<'static>], line: Range<usize>) {
    let Some(first) = rows.get(line.start) else { return };
    if mark::has_cells(first) {
        text.push_str(&Joined::at(rows, line.start).text);
        return;
    }
    let start = text.len();
    push_blanks(text, mark::indent_of(first));
    let begun = text.len();
    for row in rows.get(line).unwrap_or_default() {
        push_row(text, row);
    }
    if text.len() == begun {
        text.truncate(start);
    }
}

fn push_row(text: &mut String, row: &Line<'static>) {
    if mark::has_no_text(row) {
        return;
    }
    for span in row.spans.iter().filter(|span| !mark::is_decoration(span)) {
        if mark::is_sign(span) {
            text.extend(span.content.graphemes(true).map(mark::written));
        } else if mark::is_tab(span) {
            text.push(' ');
        } else {
            text.push_str(&span.content);
            push_blanks(text, mark::blanks_of(span));
        }
    }
    push_blanks(text, mark::blanks_after(row));
}

fn push_blanks(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n(' ', count));
}

/// Some rows as one line of text as a search reads it, and where each grapheme of it stands.
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
        let line = line_rows(rows, first);
        let mut joined = Self { text: String::new(), glyphs: Vec::new(), end: line.end };
        let pieces = pieces::of(rows, line);
        if !pieces.is_empty() {
            push_blanks(&mut joined.text, rows.get(first).map_or(0, mark::indent_of));
        }
        for Piece { row, what, .. } in pieces {
            match what {
                What::Glyph(glyph, text) => {
                    joined.glyphs.push((joined.text.len(), row, glyph));
                    joined.text.push_str(if text == "\t" { " " } else { text });
                }
                What::Blanks(blanks) => push_blanks(&mut joined.text, blanks),
            }
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
