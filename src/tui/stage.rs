//! [`Stage`]: the screen without a terminal, for benches. Owns an [`App`] and cells that nobody
//! sees. Must not know a terminal, a clock but the program's, or an engine: effects go nowhere.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::{Terminal, backend::TestBackend, buffer::Cell};

use super::{
    app::App, highlight::Highlighter, message::Msg, theme::Theme, update::update, view::view,
};
use crate::protocol::{about::About, event::StreamEvent};

/// A screen without a terminal.
pub struct Stage {
    app: App,
    terminal: Terminal<TestBackend>,
}

impl Stage {
    /// An empty session on a screen of so many columns and rows.
    #[must_use]
    pub fn new(about: About, (columns, rows): (u16, u16)) -> Self {
        let folder = String::from("~");
        let app = App::new(about, folder, Theme::default(), Highlighter::off());
        let Ok(terminal) = Terminal::new(TestBackend::new(columns, rows));
        Self { app, terminal }
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
        let row = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect();
        buffer.content.chunks(width).map(row).collect()
    }

    fn take(&mut self, msg: Msg) {
        self.app.tick(Instant::now());
        drop(update(&mut self.app, msg));
    }
}
