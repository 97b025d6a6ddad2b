//! The line that a search is typed into. Owns how it looks; knows no keys but those it names.

use ratatui::{
    Frame,
    layout::{Position, Rect},
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

use super::Search;
use crate::tui::{theme::Theme, wrap};

const LABEL: &str = " find: ";
/// Columns of what is typed that stay before the keys go.
const LEAST: usize = 8;
/// Stands behind words that have no room whole.
const WAY_OUT: &str = " · Esc";

/// Draws the line; gives where the caret stands.
pub(in crate::tui) fn draw(
    search: &Search,
    frame: &mut Frame<'_>,
    area: Rect,
    theme: &Theme,
) -> Position {
    let width = usize::from(area.width);
    let words = search.words();
    let with = |keys: &str| {
        if words.is_empty() { format!("  {keys} ") } else { format!("  {words} · {keys} ") }
    };
    let fits = |right: &String| LABEL.len() + LEAST + wrap::width(right) <= width;
    let right = search.keys().map(with).into_iter().find(fits);
    let right = right.unwrap_or_else(|| {
        let room = width.saturating_sub(LABEL.len() + LEAST + 3 + wrap::width(WAY_OUT));
        format!("  {}{WAY_OUT} ", wrap::cut_line(&Line::from(words.as_str()), columns(room)))
    });
    let room = width.saturating_sub(LABEL.len() + wrap::width(&right) + 1);
    let typed = end_of(search.query(), room);
    let caret = LABEL.len() + wrap::width(typed);
    let blanks = width.saturating_sub(caret + wrap::width(&right));
    let line = Line::from(vec![
        Span::styled(LABEL, theme.running),
        Span::styled(typed.to_owned(), theme.strong),
        Span::raw(" ".repeat(blanks)),
        Span::styled(right, theme.status),
    ]);
    frame.buffer_mut().set_line(area.x, area.y, &line, area.width);
    let column = columns(caret).min(area.width.saturating_sub(1));
    Position::new(area.x + column, area.y)
}

fn columns(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// As much of the end of a text as there is room for.
fn end_of(text: &str, room: usize) -> &str {
    let mut columns = 0;
    let start = text.grapheme_indices(true).rev().take_while(|(_, grapheme)| {
        columns += wrap::width(grapheme);
        columns <= room
    });
    let at = start.last().map_or(text.len(), |(at, _)| at);
    text.get(at..).unwrap_or_default()
}
