//! Lines of code as they stand in a block. Owns the gutter, the label and which language a
//! fence names; must not know whether the block still grows.
//!
//! Invariant: a row that goes on with a line is told apart from the row of a new line.

use ratatui::text::{Line, Span};

use super::{
    super::wrap::{mark, wrap_line},
    containers::Indents,
    context::Context,
};
use crate::text::sanitize::sanitize;

/// The rows of one line of a code block.
pub(super) fn code_rows(
    line: &Line<'static>,
    context: Context<'_>,
    mut indents: Indents,
) -> Vec<Line<'static>> {
    let gutter = |sign| Span::styled(sign, context.theme.code_frame);
    indents.first.push(gutter("│ "));
    indents.next.push(gutter("┆ "));
    wrap_line(line, context.width, &indents.first, &indents.next)
}

/// The info string of a fence, neutralised: what stands as entities in the source was not.
pub(super) fn info_string(info: &str) -> String {
    sanitize(info).replace(['\n', '\t'], " ")
}

/// The line above a code block.
pub(super) fn code_label(info: &str, context: Context<'_>) -> Option<Line<'static>> {
    let info = info.trim();
    let label = || Line::from(Span::styled(format!("┌ {info}"), context.theme.code_frame));
    (!info.is_empty()).then(|| mark::no_text(label()))
}

/// The language that the info string of a fence names, or nothing.
pub(super) fn language(info: &str) -> &str {
    let end = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':' | ';');
    info.trim().trim_start_matches(['{', '.']).split(end).next().unwrap_or_default()
}
