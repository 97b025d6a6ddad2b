//! How rows of a diff look. Owns signs, numbers, styles and columns.
//!
//! Invariant: no line is wider than asked; what is added or removed has a sign, not only a
//! colour; a text that is cut says by how much.

use std::{collections::HashMap, ops::Range};

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::sheet::{Kind, Sheet, Visual};
use crate::tui::{
    highlight::Highlighter,
    theme::Theme,
    wrap::{self, mark, wrap_line},
};

/// From this width on both line numbers are drawn, and from the other on one of them.
const TWO_NUMBERS: u16 = 60;
const ONE_NUMBER: u16 = 30;
/// From this width on the old side stands left and the new one right: a screen of 140 columns
/// leaves so many to a diff in the transcript.
pub(in crate::tui) const SPLIT: u16 = 130;
/// Stands between the sides.
const BETWEEN: &str = " │ ";

/// What rows are drawn with.
pub(in crate::tui) struct Brush<'a> {
    theme: &'a Theme,
    /// `None`: no colours of the language.
    highlighter: Option<&'a Highlighter>,
    width: u16,
    digits: usize,
    returns: bool,
    blocks: HashMap<(usize, bool), Option<Block>>,
    /// Rows that were laid out.
    #[cfg(test)]
    pub(in crate::tui) drawn: usize,
}

/// Coloured lines and the rows that they belong to.
type Block = (Vec<usize>, Vec<Line<'static>>);

/// One row, ready to be laid out.
struct Ready {
    sign: &'static str,
    style: Style,
    spans: Vec<Span<'static>>,
}

impl<'a> Brush<'a> {
    pub(in crate::tui) fn new(
        sheet: &Sheet,
        width: u16,
        theme: &'a Theme,
        highlighter: Option<&'a Highlighter>,
    ) -> Self {
        Self {
            theme,
            highlighter,
            width,
            digits: sheet.largest().to_string().len(),
            returns: sheet.carriage_returns().1,
            blocks: HashMap::new(),
            #[cfg(test)]
            drawn: 0,
        }
    }

    /// The lines for one row of the screen.
    pub(in crate::tui) fn draw(&mut self, sheet: &Sheet, visual: Visual) -> Vec<Line<'static>> {
        #[cfg(test)]
        {
            self.drawn += 1;
        }
        match visual {
            Visual::One(at) => self.one(sheet, at),
            Visual::Two(old, new) => {
                let room = self.width.saturating_sub(3);
                let left = self.side(sheet, old, false, room / 2);
                let right = self.side(sheet, new, true, room - room / 2);
                self.beside(left, right, room / 2)
            }
        }
    }

    fn one(&mut self, sheet: &Sheet, at: usize) -> Vec<Line<'static>> {
        let Some(row) = sheet.row(at) else { return Vec::new() };
        let (style, hang) = match row.kind {
            Kind::Head | Kind::Hunk => (self.theme.hunk, Span::raw("  ")),
            Kind::Remark => (self.theme.dim, Span::raw("  ")),
            Kind::Same | Kind::Removed | Kind::Added => {
                let (old, new) = (row.old, row.new);
                let ready = self.ready(sheet, at, row.kind == Kind::Added);
                return self.lay(&ready, self.gutter(old, new), self.width);
            }
        };
        let (text, more, _) = sheet.shown(at);
        let mut line = Line::from(Span::styled(text.into_owned(), style));
        line.spans.extend(self.cut_mark(more));
        wrap_line(&line, self.width, &[], &[hang])
    }

    fn side(
        &mut self,
        sheet: &Sheet,
        at: Option<usize>,
        new: bool,
        width: u16,
    ) -> Vec<Line<'static>> {
        let Some((at, row)) = at.and_then(|at| Some((at, sheet.row(at)?))) else {
            return Vec::new();
        };
        let number = if new { row.new } else { row.old };
        let ready = self.ready(sheet, at, new);
        self.lay(&ready, self.number(number), width)
    }

    /// Both sides next to one another; the shorter one is filled up. Whoever selects text gets the
    /// new side alone, or the old one where nothing took its place.
    fn beside(
        &self,
        left: Vec<Line<'static>>,
        right: Vec<Line<'static>>,
        width: u16,
    ) -> Vec<Line<'static>> {
        let rows = left.len().max(right.len());
        let has_new = !right.is_empty();
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        let line = |_| {
            let (old, new) = (left.next().unwrap_or_default(), right.next());
            let drawn: usize = old.spans.iter().map(|span| wrap::width(&span.content)).sum();
            let blanks = usize::from(width).saturating_sub(drawn);
            let rule = [Span::raw(" ".repeat(blanks)), Span::styled(BETWEEN, self.theme.frame)];
            let rule = mark::all(rule.into());
            if !has_new {
                return Line { spans: old.spans.into_iter().chain(rule).collect(), ..old };
            }
            let old = mark::all(old.spans).chain(rule);
            match new {
                Some(new) => Line { spans: old.chain(new.spans).collect(), ..new },
                None => mark::no_text(Line::from(old.collect::<Vec<_>>())),
            }
        };
        (0..rows).map(line).collect()
    }

    fn ready(&mut self, sheet: &Sheet, at: usize, new: bool) -> Ready {
        let kind = sheet.row(at).map_or(Kind::Same, |row| row.kind);
        let theme = self.theme;
        let (sign, style, word) = match kind {
            Kind::Removed => ("- ", theme.removed, theme.removed_word),
            Kind::Added => ("+ ", theme.added, theme.added_word),
            _ => ("  ", theme.text, theme.text),
        };
        let (text, more, returns) = sheet.shown(at);
        let coloured = self.coloured(sheet, at, new);
        let pieces = coloured.unwrap_or_else(|| vec![(0..text.len(), style)]);
        let ground = Style { bg: style.bg, ..Style::new() };
        let mut spans = Vec::new();
        let changed = sheet.changed(at);
        for (range, own) in pieces {
            let own = own.patch(ground);
            for (part, is_changed) in split(&range, &changed) {
                let Some(text) = text.get(part) else { continue };
                let style = if is_changed { own.patch(word) } else { own };
                spans.push(Span::styled(text.to_owned(), style));
            }
        }
        if returns && self.returns {
            spans.push(Span::styled("␍", theme.warning));
        }
        spans.extend(self.cut_mark(more));
        Ready { sign, style, spans }
    }

    fn cut_mark(&self, more: usize) -> Option<Span<'static>> {
        (more > 0).then(|| Span::styled(format!("… {more} bytes more"), self.theme.warning))
    }

    /// The pieces of a row in the colours of its language, once they are there.
    fn coloured(
        &mut self,
        sheet: &Sheet,
        at: usize,
        new: bool,
    ) -> Option<Vec<(Range<usize>, Style)>> {
        let highlighter = self.highlighter?;
        let row = sheet.row(at)?;
        let block = sheet.block(at);
        let theme = self.theme;
        let (rows, lines) = self
            .blocks
            .entry((block.start, new))
            .or_insert_with(|| {
                let (rows, code) = sheet.code(block, new)?;
                let lines = highlighter.highlight(sheet.language(row), &code, theme)?;
                Some((rows, lines))
            })
            .as_ref()?;
        let line = lines.get(rows.binary_search(&at).ok()?)?;
        let is_plain = line.spans.iter().all(|span| span.style == theme.code);
        if is_plain && row.kind != Kind::Same {
            return None;
        }
        let mut end = 0;
        let piece = |span: &Span<'_>| {
            let start = end;
            end += span.content.len();
            (start..end, span.style)
        };
        Some(line.spans.iter().map(piece).collect())
    }

    fn lay(&self, ready: &Ready, numbers: String, width: u16) -> Vec<Line<'static>> {
        let blank = " ".repeat(numbers.len());
        let first =
            [Span::styled(numbers, self.theme.line_number), Span::styled(ready.sign, ready.style)];
        let next = [Span::styled(blank, self.theme.line_number), Span::raw("  ")];
        wrap_line(&Line::from(ready.spans.clone()), width, &first, &next)
    }

    fn number(&self, number: u64) -> String {
        let digits = self.digits;
        if number == 0 { " ".repeat(digits + 1) } else { format!("{number:>digits$} ") }
    }

    fn gutter(&self, old: u64, new: u64) -> String {
        let wanted = match self.width {
            TWO_NUMBERS.. => 2,
            ONE_NUMBER.. => 1,
            _ => 0,
        };
        // Numbers that would take a third of the width are not worth it.
        let fits = |numbers: &usize| numbers * (self.digits + 1) * 3 <= usize::from(self.width);
        match (0..=wanted).rev().find(fits).unwrap_or(0) {
            0 => String::new(),
            1 => self.number(if new == 0 { old } else { new }),
            _ => self.number(old) + &self.number(new),
        }
    }
}

/// A range, divided where others begin and end; whether each part lies in one of them.
fn split(range: &Range<usize>, others: &[Range<usize>]) -> Vec<(Range<usize>, bool)> {
    let mut parts = Vec::new();
    let mut at = range.start;
    for other in others {
        let (start, end) = (other.start.clamp(at, range.end), other.end.clamp(at, range.end));
        if start > at {
            parts.push((at..start, false));
        }
        if end > start {
            parts.push((start..end, true));
        }
        at = at.max(end);
    }
    if range.end > at {
        parts.push((at..range.end, false));
    }
    parts
}

impl Sheet {
    /// Whether a row of the screen shows a line that comes or goes.
    pub(in crate::tui) fn is_change(&self, visual: Visual) -> bool {
        let (one, other) = match visual {
            Visual::One(at) => (Some(at), None),
            Visual::Two(old, new) => (old, new),
        };
        let mut rows = [one, other].into_iter().flatten().filter_map(|at| self.row(at));
        rows.any(|row| matches!(row.kind, Kind::Removed | Kind::Added))
    }
}
