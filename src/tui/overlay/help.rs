//! The help screen: every key, from the key table itself.

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::tui::{keymap::BINDINGS, theme::Theme, wrap};

/// The help screen, with its place.
#[derive(Default)]
pub(in crate::tui) struct Help {
    scroll: usize,
}

impl Help {
    pub(in crate::tui) fn scroll(&mut self, rows: i64) {
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        self.scroll =
            if rows < 0 { self.scroll.saturating_sub(by) } else { self.scroll.saturating_add(by) };
    }

    pub(in crate::tui) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let rows = lines(area.width.saturating_sub(2), theme);
        let room = usize::from(area.height);
        self.scroll = self.scroll.min(rows.len().saturating_sub(room));
        let shown = rows.into_iter().skip(self.scroll).take(room);
        for (y, line) in (area.y..area.bottom()).zip(shown) {
            frame.buffer_mut().set_line(area.x + 1, y, &line, area.width.saturating_sub(2));
        }
    }
}

fn lines(width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut rows = vec![
        Line::from(Span::styled("Keys", theme.heading(1))),
        Line::from(Span::styled(
            "Esc, q or Enter closes this; arrows and PageDown scroll",
            theme.dim,
        )),
        Line::default(),
    ];
    let label_width = BINDINGS.iter().map(|binding| binding.label.len()).max().unwrap_or(0);
    for binding in BINDINGS.iter().filter(|binding| !binding.label.is_empty()) {
        let label = format!("{:label_width$}  ", binding.label);
        let indent = [Span::styled(label, theme.strong)];
        let blank = [Span::raw(" ".repeat(label_width + 2))];
        let help = Line::from(Span::styled(binding.help, theme.text));
        rows.extend(wrap::wrap_line(&help, width, &indent, &blank));
    }
    rows
}
