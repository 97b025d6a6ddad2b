//! [`Stage`]: the screen without a terminal, for benches and pictures of its parts. Owns an [`App`],
//! cells that nobody sees, and the time. Must not know a terminal, a clock, or an engine: effects go
//! nowhere.

use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use ratatui::{Terminal, backend::TestBackend, buffer::Cell};
use unicode_width::UnicodeWidthStr;

use super::{
    app::App, highlight::Highlighter, message::Msg, theme::Theme, update::update, view::view,
};
use crate::protocol::{about::About, event::StreamEvent};

/// A screen without a terminal.
pub struct Stage {
    app: App,
    terminal: Terminal<TestBackend>,
    now: Instant,
}

impl Stage {
    /// An empty session on a screen of so many columns and rows.
    #[must_use]
    pub fn new(about: About, (columns, rows): (u16, u16)) -> Self {
        let folder = String::from("~");
        let app = App::new(about, folder, Theme::default(), Highlighter::off());
        let Ok(terminal) = Terminal::new(TestBackend::new(columns, rows));
        let now = app.began;
        Self { app, terminal, now }
    }

    /// The engine tells something.
    pub fn event(&mut self, event: StreamEvent) {
        self.take(Msg::Stream(event));
    }

    /// A key is pressed.
    pub fn key(&mut self, key: KeyEvent) {
        self.take(Msg::Key(key));
    }

    /// The screen gets another size, in columns and rows.
    pub fn resize(&mut self, (columns, rows): (u16, u16)) {
        self.terminal.backend_mut().resize(columns, rows);
        self.take(Msg::Resize);
    }

    /// Time goes by: nothing else makes it.
    pub fn pass(&mut self, time: Duration) {
        self.now += time;
        self.app.tick(self.now);
    }

    /// Draws one frame.
    pub fn draw(&mut self) {
        let app = &mut self.app;
        let Ok(_drawn) = self.terminal.draw(|frame| view(app, frame));
    }

    /// The rows of the last frame.
    #[must_use]
    pub fn rows(&self) -> Vec<String> {
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width.max(1));
        // What is two columns wide stands in the first of its cells.
        let row = |cells: &[Cell]| {
            let mut row = String::new();
            let mut column = 0;
            while let Some(cell) = cells.get(column) {
                row.push_str(cell.symbol());
                column += cell.symbol().width().max(1);
            }
            row
        };
        buffer.content.chunks(width).map(row).collect()
    }

    fn take(&mut self, msg: Msg) {
        self.app.tick(self.now);
        drop(update(&mut self.app, msg));
    }
}

#[cfg(test)]
mod tests;
