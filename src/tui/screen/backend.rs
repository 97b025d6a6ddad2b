//! The backend of the screen: crossterm's, within bounds, and with the columns set right where
//! terminals disagree about a character's width. Owns both; must not know what is drawn.

use std::io::{self, Write};

use ratatui::{
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
};

/// The most columns and rows that are used: two frames of cells are kept, and a terminal may say
/// that it has 65,535 of both.
const MOST: Size = Size::new(1_000, 500);

/// Draws within bounds.
pub(super) struct Bounded<W: Write> {
    inner: CrosstermBackend<W>,
}

impl<W: Write> Bounded<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { inner: CrosstermBackend::new(writer) }
    }
}

/// The size within bounds.
pub(super) fn bounded(size: Size) -> Size {
    Size::new(size.width.min(MOST.width), size.height.min(MOST.height))
}

impl<W: Write> Backend for Bounded<W> {
    type Error = io::Error;

    /// A cell whose width is disputed ends a run: the cursor is set anew for the next one, so
    /// that the rest of the row stands where it should, whatever the terminal made of it. (After
    /// a wide one the cursor is set anew anyway.)
    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        while content.peek().is_some() {
            let mut over = false;
            let run = std::iter::from_fn(|| {
                let cell = if over { None } else { content.next() };
                over = cell.is_some_and(|(_, _, cell)| is_disputed(cell.symbol()));
                cell
            });
            self.inner.draw(run)?;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size().map(bounded)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.inner)
    }
}

/// Whether terminals draw this in different widths: several characters that make one, and symbols
/// that are an emoji to some. Frames and the spinner are drawn alike everywhere.
fn is_disputed(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let Some(first) = chars.next() else { return false };
    if first.is_ascii() {
        return chars.next().is_some();
    }
    chars.next().is_some()
        || matches!(first,
            '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2194}'..='\u{21aa}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{2600}'..='\u{27bf}'
            | '\u{2934}' | '\u{2935}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(symbols: &[(u16, &str)]) -> String {
        let cells: Vec<(u16, Cell)> = symbols
            .iter()
            .map(|(x, symbol)| {
                let mut cell = Cell::default();
                cell.set_symbol(symbol);
                (*x, cell)
            })
            .collect();
        let mut bytes = Vec::new();
        let mut backend = Bounded::new(&mut bytes);
        backend.draw(cells.iter().map(|(x, cell)| (*x, 0, cell))).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn after_a_character_of_disputed_width_the_cursor_is_set_anew() {
        for symbol in ["e\u{301}", "❤", "1\u{20e3}", "\u{1f1e9}"] {
            let bytes = written(&[(0, symbol), (1, "b")]);
            assert!(bytes.contains("\x1b[1;2Hb"), "{symbol}: {bytes:?}");
        }
        let bytes = written(&[(0, "漢"), (2, "b")]);
        assert!(bytes.contains("\x1b[1;3Hb"), "{bytes:?}");
    }

    #[test]
    fn plain_text_is_one_run() {
        for text in [["a", "b"], ["─", "─"], ["⠋", "x"], ["é", "x"]] {
            let bytes = written(&[(0, text[0]), (1, text[1])]);
            assert!(bytes.contains(&text.concat()), "{bytes:?}");
        }
    }

    #[test]
    fn a_terminal_of_absurd_size_is_used_in_part() {
        assert_eq!(bounded(Size::new(65_535, 65_535)), MOST);
        assert_eq!(bounded(Size::new(80, 24)), Size::new(80, 24));
        assert_eq!(bounded(Size::new(1, 65_535)), Size::new(1, 500));
    }
}
