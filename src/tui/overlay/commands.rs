//! The commands that fit what is being typed, in a small list above the prompt.
//!
//! Owns which of them is marked, and whether the list was closed. It hangs on the prompt's text: a
//! list that was closed or moved in is that of one text, and another text has a list of its own.

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::tui::{
    command::{self, COMMANDS, Command},
    composer::Composer,
    fuzzy::{Fuzzy, Hit},
    theme::Theme,
    wrap,
};

/// What was done in the list of one text.
#[derive(Default)]
pub(in crate::tui) struct CommandList {
    text: String,
    at: Option<usize>,
    closed: bool,
}

/// The commands that fit.
pub(in crate::tui) struct Fitting {
    hits: Vec<Hit>,
    at: usize,
    /// Whether the mark was moved.
    moved: bool,
    word: String,
}

impl CommandList {
    /// What fits the prompt; none if it is no command, or if the list was closed.
    pub(in crate::tui) fn fitting(&self, composer: &Composer) -> Option<Fitting> {
        if composer.is_browsing() || !composer.begins_with('/') {
            return None;
        }
        let text = composer.text();
        let (word, argument) = command::split(&text)?;
        let is_mine = self.text == text;
        if is_mine && self.closed {
            return None;
        }
        let names = COMMANDS.iter().map(|command| command.name);
        let mut hits = Fuzzy::new().find(word, names);
        if !argument.is_empty() || text.ends_with(char::is_whitespace) {
            hits.retain(|hit| COMMANDS.get(hit.index).is_some_and(|command| command.name == word));
        }
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
        let moved = self.at.filter(|_| is_mine);
        let at = moved.unwrap_or(0).min(hits.len().checked_sub(1)?);
        Some(Fitting { hits, at, moved: moved.is_some(), word: word.to_owned() })
    }

    /// Closes the list until something else is typed.
    pub(in crate::tui) fn close(&mut self, text: String) {
        *self = Self { text, at: None, closed: true };
    }

    /// Marks another one.
    pub(in crate::tui) fn step(&mut self, text: String, fitting: &Fitting, steps: i64) {
        let most = fitting.hits.len().saturating_sub(1);
        let steps = isize::try_from(steps).unwrap_or(0);
        let at = fitting.at.saturating_add_signed(steps).min(most);
        *self = Self { text, at: Some(at), closed: false };
    }
}

impl Fitting {
    /// The one that is marked.
    pub(in crate::tui) fn marked(&self) -> Option<&'static Command> {
        COMMANDS.get(self.hits.get(self.at)?.index)
    }

    /// The one that Enter runs: it begins with what was typed, or was marked on purpose. Letters
    /// that merely occur in it are too little to do something.
    pub(in crate::tui) fn meant(&self) -> Option<&'static Command> {
        let is_begun = |command: &&Command| {
            !self.word.is_empty() && command.name.starts_with(&self.word.to_ascii_lowercase())
        };
        self.marked().filter(|command| self.moved || is_begun(command))
    }

    /// Rows that the list wants.
    pub(in crate::tui) fn height(&self) -> u16 {
        u16::try_from(self.hits.len()).unwrap_or(u16::MAX)
    }

    pub(in crate::tui) fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let label = |command: &Command| format!("/{} {}", command.name, command.argument);
        let widest = COMMANDS.iter().map(|command| label(command).len()).max().unwrap_or(0);
        let height = usize::from(area.height);
        // The last row says that there are more, unless it is the only one.
        let has_more = self.hits.len() > height && height > 1;
        let room = height - usize::from(has_more);
        if has_more {
            let more = format!("   … {} more", self.hits.len() - room);
            let last = area.bottom().saturating_sub(1);
            let line = wrap::cut_line(&Line::from(Span::styled(more, theme.dim)), area.width);
            frame.buffer_mut().set_line(area.x, last, &line, area.width);
        }
        let first = (self.at + 1).saturating_sub(room);
        let shown = self.hits.iter().enumerate().skip(first).take(room);
        for (y, (n, hit)) in (area.y..area.bottom()).zip(shown) {
            let Some(command) = COMMANDS.get(hit.index) else { continue };
            let style = if n == self.at { theme.strong } else { theme.text };
            let mark = if n == self.at { " ▸ /" } else { "   /" };
            let mut line = Line::from(Span::styled(mark, style));
            super::emphasise(&mut line, command.name, &hit.graphemes, (style, theme.hit));
            let blanks = " ".repeat(widest.saturating_sub(label(command).len()) + 2);
            line.push_span(Span::styled(format!(" {}{blanks}", command.argument), theme.dim));
            line.push_span(Span::styled(command.help, theme.dim));
            let line = wrap::cut_line(&line, area.width);
            frame.buffer_mut().set_line(area.x, y, &line, area.width);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::{Terminal, backend::TestBackend};

    use super::*;

    #[test]
    fn at_80_columns_no_command_of_the_table_is_cut() {
        let mut composer = Composer::new();
        composer.paste("/");
        let fitting = CommandList::default().fitting(&composer).unwrap();
        assert_eq!(usize::from(fitting.height()), COMMANDS.len());
        let mut terminal = Terminal::new(TestBackend::new(80, fitting.height())).unwrap();
        let theme = Theme::plain();
        terminal.draw(|frame| fitting.draw(frame, frame.area(), &theme)).unwrap();
        let drawn = terminal.backend().to_string();
        assert!(!drawn.contains('…'), "{drawn}");
        for command in COMMANDS {
            assert!(drawn.contains(command.help), "{}: {drawn}", command.name);
        }
    }
}
