//! What the commands in the background look like: a line above the prompt, and the list.
//!
//! Owns the words and the layout. Only what fits is laid out; the marked command is always seen.

use std::time::Instant;

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    text::{cut::one_line, sanitize::sanitize},
    tui::{
        in_background::{InBackground, Running},
        overlay::in_words,
        theme::Theme,
        wrap,
    },
};

/// Characters of a command in the line above the prompt.
const SHORT: usize = 30;
/// Characters of a command, and of what it printed, in the list.
const LONG: usize = 500;
/// Rows of a command in the list.
const ROWS: usize = 2;

/// The line above the prompt; none if nothing runs.
pub(in crate::tui) fn line(
    list: &InBackground,
    theme: &Theme,
    width: u16,
) -> Option<Line<'static>> {
    let running = list.running();
    let count = running.len();
    if count == 0 {
        return None;
    }
    let names: Vec<_> = running.iter().map(|one| name(one, SHORT)).collect();
    let line = Line::from(vec![
        Span::styled(" ○ ", theme.running),
        Span::styled(format!("{count} in the background (/jobs): "), theme.text),
        Span::styled(names.join(", "), theme.dim),
    ]);
    Some(wrap::cut_line(&line, width))
}

/// Rows that the list wants.
pub(in crate::tui) fn height(list: &InBackground) -> u16 {
    u16::try_from(1 + list.running().len().max(1) * ROWS).unwrap_or(u16::MAX)
}

/// Draws the list.
pub(in crate::tui) fn draw(
    list: &InBackground,
    frame: &mut Frame<'_>,
    area: Rect,
    (now, theme): (Instant, &Theme),
) {
    let title = Span::styled(" In the background", theme.strong);
    let mut rows = vec![Line::from(title)];
    if list.running().is_empty() {
        rows.push(Line::from(Span::styled("   nothing runs", theme.dim)));
    }
    for (n, one) in list.running().iter().enumerate() {
        let is_marked = list.marked() == Some(n);
        let style = if is_marked { theme.strong } else { theme.text };
        let mark = if is_marked { " ▸ " } else { "   " };
        let time = in_words(one.elapsed(now));
        let time = if one.is_ending { format!("  {time}, ending") } else { format!("  {time}") };
        rows.push(Line::from(vec![
            Span::styled(format!("{mark}{}", name(one, LONG)), style),
            Span::styled(time, theme.dim),
        ]));
        let last = one_line(&sanitize(&one.command.last_line), LONG);
        let last = if last.is_empty() { "(no output yet)".to_owned() } else { last };
        rows.push(Line::from(Span::styled(format!("     {last}"), theme.dim)));
    }
    let end = list.marked().map_or(1, |n| 1 + (n + 1) * ROWS);
    let first = end.saturating_sub(usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(rows.iter().skip(first)) {
        let line = wrap::cut_line(line, area.width);
        frame.buffer_mut().set_line(area.x, y, &line, area.width);
    }
}

fn name(one: &Running, most: usize) -> String {
    let (id, command) = (&one.command.id, &one.command.command);
    format!("{} {}", sanitize(id), one_line(&sanitize(command), most))
}

#[cfg(test)]
mod tests;
