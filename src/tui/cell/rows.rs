//! Rows that several cells are made of: plain text behind a bar, a line with two ends.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::tui::{
    theme::Theme,
    wrap::{self, mark::no_text},
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

/// The last rows of a long list, and a row that says how many there are before: for outputs,
/// whose end tells how it went.
pub(super) fn folded_tail(
    rows: Vec<Line<'static>>,
    (keep, is_whole): (usize, bool),
    bar: &str,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let before = rows.len().saturating_sub(keep);
    if before < 2 {
        return rows;
    }
    // A number is only told where all of them are here to be counted.
    let count = if is_whole { format!("{before} ") } else { String::new() };
    let words = format!("{bar}… {count}lines before (Ctrl-O shows more)");
    let mut kept = vec![no_text(Line::from(Span::styled(words, theme.dim)))];
    kept.extend(rows.into_iter().skip(before));
    kept
}

/// The first rows of a long list, and a row that says how many more there are.
pub(super) fn folded(
    rows: Vec<Line<'static>>,
    (keep, way): (usize, &str),
    bar: &str,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let more = rows.len().saturating_sub(keep);
    if more < 2 {
        return rows;
    }
    let mut kept: Vec<_> = rows.into_iter().take(keep).collect();
    let words = format!("{bar}… {more} more lines ({way})");
    kept.push(no_text(Line::from(Span::styled(words, theme.dim))));
    kept
}
