//! The backend of the screen: crossterm's, within bounds, with the columns set right where terminals
//! disagree about a character's width, and with links. Owns all three; must not know what is drawn.
//!
//! Invariant: a link ends with its run of cells, so that none is open after a frame.

use std::io::{self, Write};

use ratatui::{
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
};

use crate::tui::{
    disputed::is_disputed,
    links::{self, Links},
    theme::link,
};

/// The most columns and rows that are used: two frames of cells are kept, and a terminal may say
/// that it has 65,535 of both.
const MOST: Size = Size::new(1_000, 500);

/// Draws within bounds.
pub(super) struct Bounded<W: Write> {
    inner: CrosstermBackend<W>,
    links: Links,
}

impl<W: Write> Bounded<W> {
    pub(super) fn new(writer: W, links: Links) -> Self {
        Self { inner: CrosstermBackend::new(writer), links }
    }

    /// Draws cells that belong to this link.
    fn draw_link<'a>(
        &mut self,
        number: u32,
        run: impl Iterator<Item = (u16, u16, &'a Cell)>,
    ) -> io::Result<()> {
        let cells: Vec<_> = run.map(|(x, y, cell)| (x, y, link::take_out(cell))).collect();
        let begin = self.links.begin(number);
        if let Some(begin) = &begin {
            self.inner.write_all(begin.as_bytes())?;
        }
        self.inner.draw(cells.iter().map(|(x, y, cell)| (*x, *y, cell)))?;
        if begin.is_some() {
            self.inner.write_all(links::END.as_bytes())?;
        }
        Ok(())
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
    /// a wide one the cursor is set anew anyway.) So does the end of a link.
    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        while let Some(number) = content.peek().map(|(_, _, cell)| link::number(cell)) {
            let mut over = false;
            let run = std::iter::from_fn(|| {
                let belongs = |(_, _, cell): &(_, _, &Cell)| !over && link::number(cell) == number;
                let cell = content.next_if(belongs);
                over = cell.is_none_or(|(_, _, cell)| is_disputed(cell.symbol()));
                cell
            });
            match number {
                Some(number) => self.draw_link(number, run)?,
                None => self.inner.draw(run)?,
            }
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

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

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
        let mut backend = Bounded::new(&mut bytes, Links::default());
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

    /// A row of which each piece belongs to the link with its number, at these columns and rows.
    fn linked(links: &Links, pieces: &[(u16, u16, &str, Option<u32>)]) -> String {
        let mut cells = Vec::new();
        for (x, y, text, number) in pieces {
            for (x, c) in (*x..).zip(text.chars()) {
                let mut cell = Cell::default();
                cell.set_char(c);
                if let Some(number) = number {
                    cell.set_style(link::numbered(Style::new(), *number));
                }
                cells.push((x, *y, cell));
            }
        }
        let mut bytes = Vec::new();
        let mut backend = Bounded::new(&mut bytes, links.clone());
        backend.draw(cells.iter().map(|(x, y, cell)| (*x, *y, cell))).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// Without colours and attributes.
    fn without_looks(bytes: &str) -> String {
        let mut parts = bytes.split("\x1b[");
        let mut rest = parts.next().unwrap().to_owned();
        for part in parts {
            let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            let (sequence, text) = part.split_at(end + 1);
            if !sequence.ends_with('m') {
                rest.extend(["\x1b[", sequence]);
            }
            rest.push_str(text);
        }
        rest
    }

    #[test]
    fn a_link_is_told_around_its_cells_and_its_number_is_no_colour() {
        let links = Links::on();
        let number = links.number("https://a.example/x").unwrap();
        let bytes =
            linked(&links, &[(0, 0, "a", None), (1, 0, "bc", Some(number)), (3, 0, "d", None)]);
        let want = format!(
            "\x1b[1;1Ha\x1b]8;id={number};https://a.example/x\x1b\\\x1b[1;2Hbc\x1b]8;;\x1b\\\x1b[1;4Hd"
        );
        assert_eq!(without_looks(&bytes), want);
        assert!(!bytes.contains("\x1b[58"), "{bytes:?}");
    }

    #[test]
    fn every_link_ends_before_the_next_one_and_at_the_end_of_the_frame() {
        let links = Links::on();
        let one = links.number("https://a.example/").unwrap();
        let other = links.number("https://b.example/").unwrap();
        let pieces = [(8, 0, "ab", Some(one)), (0, 1, "c", Some(one)), (1, 1, "❤d", Some(other))];
        let bytes = linked(&links, &pieces);
        let mut is_open = false;
        for part in bytes.split("\x1b]8;").skip(1) {
            let ends = part.starts_with(";\x1b\\");
            assert_eq!(ends, is_open, "{bytes:?}");
            is_open = !ends;
        }
        assert!(!is_open, "{bytes:?}");
        let begins = |host: &str| bytes.matches(host).count();
        // One of two rows is one run; a sign of disputed width ends a run.
        assert_eq!((begins("a.example"), begins("b.example")), (1, 2));
    }

    #[test]
    fn a_number_that_leads_nowhere_is_drawn_as_text() {
        for links in [Links::on(), Links::default()] {
            let bytes = linked(&links, &[(0, 0, "ab", Some(7))]);
            assert_eq!(without_looks(&bytes), "\x1b[1;1Hab");
            assert!(!bytes.contains("\x1b[58"), "{bytes:?}");
        }
    }

    #[test]
    fn a_terminal_of_absurd_size_is_used_in_part() {
        assert_eq!(bounded(Size::new(65_535, 65_535)), MOST);
        assert_eq!(bounded(Size::new(80, 24)), Size::new(80, 24));
        assert_eq!(bounded(Size::new(1, 65_535)), Size::new(1, 500));
    }
}
