//! Rows that several cells are made of: plain text behind a bar, a line with two ends.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::{
    text::number::grouped,
    tui::{
        theme::Theme,
        wrap::{
            self,
            mark::{continues, no_text},
        },
    },
};

/// Text in rows of at most `width` columns, each behind this bar.
pub(super) fn plain(text: &str, width: u16, bar: &str, style: Style) -> Vec<Line<'static>> {
    let bar = [Span::styled(bar.to_owned(), style)];
    text.lines()
        .flat_map(|line| {
            let line = Line::from(Span::styled(line.to_owned(), style));
            wrap::wrap_line(&line, width, &bar, &bar)
        })
        .collect()
}

/// A row whose left part is cut so that the right part stands whole at its end.
pub(in crate::tui) fn two_ends(
    left: Vec<Span<'_>>,
    right: Vec<Span<'_>>,
    width: u16,
) -> Line<'static> {
    let right_width: usize = right.iter().map(|span| wrap::width(&span.content)).sum();
    let gap = if right_width > 0 { 2 } else { 0 };
    let room = usize::from(width).saturating_sub(right_width + gap);
    let mut line = wrap::cut_line(&Line::from(left), u16::try_from(room).unwrap_or(u16::MAX));
    let used: usize = line.spans.iter().map(|span| wrap::width(&span.content)).sum();
    let blanks = usize::from(width).saturating_sub(used + right_width);
    line.push_span(Span::raw(" ".repeat(blanks)));
    for span in right {
        line.push_span(Span::styled(span.content.into_owned(), span.style));
    }
    wrap::cut_line(&line, width)
}

/// How the rest of something folded is seen.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Unfold,
    Open,
}

impl Way {
    /// In full, and for a narrow screen.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Unfold => ["Ctrl-O shows more", "Ctrl-O"],
            Self::Open => ["opened, the call shows more", "open it"],
        }
    }
}

/// Where rows of a text stand.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) width: u16,
    pub(super) bar: &'a str,
    pub(super) theme: &'a Theme,
}

impl Column<'_> {
    /// A row that stands for what is not shown, in as many words as there is room for.
    pub(super) fn hidden(self, what: &str, way: Way) -> Line<'static> {
        let [long, short] = way.words().map(|way| format!("{}… {what} ({way})", self.bar));
        let fits = |words: &String| wrap::width(words) <= usize::from(self.width);
        let words = [long, short].into_iter().find(fits);
        let words = words.unwrap_or_else(|| format!("{}… {what}", self.bar));
        let line = Line::from(Span::styled(words, self.theme.dim));
        no_text(wrap::cut_line(&line, self.width))
    }

    /// The last rows of a text, and a row that says how many of its lines there are before: for
    /// outputs, whose end tells how it went. `lines`: how many it has, if that is known.
    pub(super) fn folded_tail(
        self,
        rows: Vec<Line<'static>>,
        (keep, lines): (usize, Option<usize>),
        way: Way,
    ) -> Vec<Line<'static>> {
        let before = rows.len().saturating_sub(keep);
        if before < 2 && lines.is_none_or(|lines| lines == begun(&rows)) {
            return rows;
        }
        let shown = rows.get(before..).unwrap_or_default();
        let goes_on = shown.first().is_some_and(continues);
        let what = match lines.map(|lines| lines.saturating_sub(begun(shown))) {
            None => "earlier lines".to_owned(),
            Some(0 | 1) if goes_on => "the beginning of the line".to_owned(),
            Some(1) => "1 line before".to_owned(),
            Some(lines) => format!("{} lines before", count(lines)),
        };
        let mut kept = vec![self.hidden(&what, way)];
        kept.extend(rows.into_iter().skip(before));
        kept
    }

    /// The first rows of a text and the last ones, and between them a row that says how many lines
    /// there are: for long outputs, whose end was seen while they were folded.
    pub(super) fn folded_middle(
        self,
        rows: Vec<Line<'static>>,
        (keep, last): (usize, usize),
        (lines, way): (Option<usize>, Way),
    ) -> Vec<Line<'static>> {
        let (from, to) = (keep.saturating_sub(last), rows.len().saturating_sub(last));
        if rows.len() < keep + 2 {
            return rows;
        }
        let shown = [rows.get(..from), rows.get(to..)].map(|part| begun(part.unwrap_or_default()));
        let what = match lines.map(|lines| lines.saturating_sub(shown.iter().sum())) {
            None => "more lines".to_owned(),
            Some(lines) => more(lines),
        };
        let mut kept = rows;
        let end = kept.split_off(to);
        kept.truncate(from);
        kept.push(self.hidden(&what, way));
        kept.extend(end);
        kept
    }

    /// The first rows of a text, and a row that says how many more lines it has.
    pub(super) fn folded(
        self,
        rows: Vec<Line<'static>>,
        (keep, lines): (usize, Option<usize>),
        way: Way,
    ) -> Vec<Line<'static>> {
        if rows.len() < keep + 2 && lines.is_none_or(|lines| lines == begun(&rows)) {
            return rows;
        }
        let mut kept: Vec<_> = rows.into_iter().take(keep).collect();
        let what = match lines.map(|lines| lines.saturating_sub(begun(&kept))) {
            None => "more lines".to_owned(),
            Some(0) => "the rest of the line".to_owned(),
            Some(lines) => more(lines),
        };
        kept.push(self.hidden(&what, way));
        kept
    }
}

/// `2 more lines`.
pub(super) fn more(lines: usize) -> String {
    if lines == 1 { "1 more line".to_owned() } else { format!("{} more lines", count(lines)) }
}

fn count(lines: usize) -> String {
    grouped(u64::try_from(lines).unwrap_or(u64::MAX))
}

/// How many lines begin in these rows.
fn begun(rows: &[Line<'_>]) -> usize {
    rows.iter().filter(|row| !continues(row)).count()
}

#[cfg(test)]
mod tests;
