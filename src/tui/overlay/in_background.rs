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

/// Columns that a command has at least in the line above the prompt.
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
    let sign = " ○ ";
    let words = format!("{count} in the background (/jobs): ");
    let room = usize::from(width).saturating_sub(wrap::width(sign) + wrap::width(&words));
    let names: Vec<_> = running.iter().map(|one| name(one, LONG)).collect();
    let line = Line::from(vec![
        Span::styled(sign, theme.running),
        Span::styled(words, theme.text),
        Span::styled(beside_each_other(&names, room), theme.dim),
    ]);
    Some(wrap::cut_line(&line, width))
}

/// Names beside each other: the long ones are cut, as little as the room allows.
fn beside_each_other(names: &[String], room: usize) -> String {
    let widths: Vec<usize> = names.iter().map(|name| wrap::width(name)).collect();
    let room = room.saturating_sub(2 * names.len().saturating_sub(1));
    let fits = |most: &usize| widths.iter().map(|width| width.min(most)).sum::<usize>() <= room;
    let most = (SHORT..=room).rev().find(fits).unwrap_or(SHORT);
    names.iter().map(|name| cut(name, most)).collect::<Vec<_>>().join(", ")
}

fn cut(text: &str, columns: usize) -> String {
    let columns = u16::try_from(columns).unwrap_or(u16::MAX);
    wrap::cut_line(&Line::from(text), columns).to_string()
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
        // How long it has run is seen whatever the command is.
        let room = usize::from(area.width).saturating_sub(wrap::width(&time));
        rows.push(Line::from(vec![
            Span::styled(cut(&format!("{mark}{}", name(one, LONG)), room), style),
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
