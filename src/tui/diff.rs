//! A diff, drawn with line numbers: unified, or side by side where there is room.
//!
//! Owns how a change looks; must not know how it was computed. [`sheet`] holds the rows,
//! [`unified`] reads them from text, [`words`] finds what changed within a line, [`draw`] draws.
//!
//! Invariant: every line of the diff is drawn, with its sign; no row is wider than asked. Text
//! that is no diff is drawn as it is. Drawing a row costs by that row, however long the diff is.

pub(super) mod draw;
pub(super) mod sheet;
mod unified;
mod words;

use ratatui::text::{Line, Span};

use self::{
    draw::{Brush, SPLIT},
    sheet::Sheet,
};
use super::{highlight::Highlighter, theme::Theme, wrap::wrap_line};

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

/// The lines of a unified diff in at most `width` columns, without colours of a language.
#[must_use]
pub fn diff_lines(unified: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    lines(unified, "", width, theme, None)
}

/// As [`diff_lines`], with the colours of the language of the file at `path`, or of the files that
/// the diff names. Colours that are not ready yet come with the highlighter's next generation.
#[must_use]
pub fn coloured_lines(
    unified: &str,
    path: &str,
    width: u16,
    theme: &Theme,
    highlighter: &Highlighter,
) -> Vec<Line<'static>> {
    lines(unified, path, width, theme, Some(highlighter))
}

/// The first rows of a diff, and how many of its lines are not shown.
pub(super) struct Beginning {
    pub(super) rows: Vec<Line<'static>>,
    /// Rows of the screen for the rest of the diff, with the lines that it leaves out itself.
    pub(super) hidden: usize,
}

/// As [`coloured_lines`], but no more than about `most` of them: costs by these.
pub(super) fn beginning(
    (unified, path): (&str, &str),
    most: usize,
    width: u16,
    (theme, highlighter): (&Theme, &Highlighter),
) -> Beginning {
    let sheet = Sheet::unified(unified, path);
    let mut brush = Brush::new(&sheet, width, theme, Some(highlighter));
    let mut rows = returns(&sheet, width, theme);
    let visuals = sheet.visuals(0..sheet.len(), width >= SPLIT);
    let (mut begun, mut drawn) = (0, 0);
    for visual in &visuals {
        if rows.len() > most + 1 {
            break;
        }
        if rows.len() < most {
            begun = drawn + 1;
        }
        rows.extend(brush.draw(&sheet, *visual));
        drawn += 1;
    }
    // A row that says that one more is hidden takes the place of that one.
    if drawn == visuals.len() && rows.len() <= most + 1 || begun == visuals.len() {
        return Beginning { rows, hidden: 0 };
    }
    rows.truncate(most);
    let rest = visuals.iter().skip(begun);
    let hidden = rest.map(|visual| sheet.stands_for(*visual)).sum();
    Beginning { rows, hidden }
}

fn returns(sheet: &Sheet, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    if !sheet.carriage_returns().0 {
        return Vec::new();
    }
    let line = Line::from(Span::styled("all lines end with CRLF", theme.dim));
    wrap_line(&line, width, &[], &[])
}

fn lines(
    unified: &str,
    path: &str,
    width: u16,
    theme: &Theme,
    highlighter: Option<&Highlighter>,
) -> Vec<Line<'static>> {
    let sheet = Sheet::unified(unified, path);
    let mut brush = Brush::new(&sheet, width, theme, highlighter);
    let mut lines = returns(&sheet, width, theme);
    for visual in sheet.visuals(0..sheet.len(), width >= SPLIT) {
        lines.extend(brush.draw(&sheet, visual));
    }
    lines
}

#[cfg(test)]
mod tests;
