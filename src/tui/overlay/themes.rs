//! The list of themes. Owns the mark, and what was chosen before. Must not know what a theme looks
//! like: the screen behind it shows that.

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    config::ThemeName,
    tui::{theme::Theme, wrap},
};

/// The list, open.
pub(in crate::tui) struct ThemeList {
    before: ThemeName,
    marked: usize,
}

impl ThemeList {
    pub(in crate::tui) fn new(before: ThemeName) -> Self {
        let marked = ThemeName::ALL.iter().position(|theme| *theme == before).unwrap_or(0);
        Self { before, marked }
    }

    /// What was chosen before it was opened.
    pub(in crate::tui) fn before(&self) -> ThemeName {
        self.before
    }

    /// Moves the mark; it stops at the ends. Gives what is marked.
    pub(in crate::tui) fn step(&mut self, steps: i64) -> ThemeName {
        let far = if steps < 0 { isize::MIN } else { isize::MAX };
        let steps = isize::try_from(steps).unwrap_or(far);
        self.marked = self.marked.saturating_add_signed(steps).min(ThemeName::ALL.len() - 1);
        ThemeName::ALL.get(self.marked).copied().unwrap_or_default()
    }

    /// Rows that it wants.
    pub(in crate::tui) fn height() -> u16 {
        u16::try_from(ThemeName::ALL.len() + 1).unwrap_or(u16::MAX)
    }

    pub(in crate::tui) fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let room = usize::from(area.height);
        // Where there is no room for all, the mark is what must be seen.
        let first = (self.marked + 2).saturating_sub(room);
        let rows = std::iter::once(sample(theme))
            .chain(ThemeName::ALL.iter().enumerate().map(|(n, name)| self.row(n, *name, theme)));
        for (y, line) in (area.y..area.bottom()).zip(rows.skip(first)) {
            let line = wrap::cut_line(&line, area.width);
            frame.buffer_mut().set_line(area.x, y, &line, area.width);
        }
    }

    fn row(&self, n: usize, name: ThemeName, theme: &Theme) -> Line<'static> {
        let is_marked = n == self.marked;
        let style = if is_marked { theme.strong } else { theme.text };
        let about = match name {
            ThemeName::Auto => "by the terminal's background, and NO_COLOR",
            ThemeName::Dark => "light text on a dark background",
            ThemeName::Light => "dark text on a light background",
            ThemeName::HighContrast => "strong colours, nothing dim",
            ThemeName::Plain => "no colours",
        };
        Line::from(vec![
            Span::styled(if is_marked { " ▸ " } else { "   " }, style),
            Span::styled(format!("{:13}  ", name.name()), style),
            Span::styled(about, theme.dim),
        ])
    }
}

/// What the colours are for, in them.
fn sample(theme: &Theme) -> Line<'static> {
    let mut line = Line::from(Span::styled(" Theme", theme.strong));
    for (word, style) in [
        ("✓ done", theme.success),
        ("✗ failed", theme.failure),
        ("? asks", theme.warning),
        ("● runs", theme.running),
        ("code", theme.inline_code),
        ("link", theme.link),
        ("dim", theme.dim),
    ] {
        line.push_span(Span::raw("  "));
        line.push_span(Span::styled(word, style));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_begins_at_what_is_in_use_and_stops_at_the_ends() {
        let mut list = ThemeList::new(ThemeName::Light);
        assert_eq!(list.step(0), ThemeName::Light);
        assert_eq!(list.step(1), ThemeName::HighContrast);
        assert_eq!(list.step(i64::MAX), ThemeName::Plain);
        assert_eq!(list.step(i64::MIN), ThemeName::Auto);
        assert_eq!(list.before(), ThemeName::Light);
    }
}
