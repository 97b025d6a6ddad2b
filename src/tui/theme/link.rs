//! The number of a link, kept where it travels with every span, row and cell: as the colour of the
//! underline, which nothing draws with. Must not know where a link leads.
//!
//! Invariant: the number never reaches the terminal as a colour; [`take_out`] comes before that.

use ratatui::{
    buffer::Cell,
    style::{Color, Style},
};

/// The largest number: a colour has 24 bits.
pub(in crate::tui) const MOST: u32 = 0x00ff_ffff;

/// The style of text that belongs to the link with this number, at most [`MOST`].
pub(in crate::tui) fn numbered(style: Style, number: u32) -> Style {
    style.underline_color(Color::from_u32(number))
}

/// The link that a cell belongs to.
pub(in crate::tui) fn number(cell: &Cell) -> Option<u32> {
    match cell.underline_color {
        Color::Rgb(high, middle, low) => Some(u32::from_be_bytes([0, high, middle, low])),
        _ => None,
    }
}

/// The cell as it is printed.
pub(in crate::tui) fn take_out(cell: &Cell) -> Cell {
    let mut printed = cell.clone();
    printed.underline_color = Color::Reset;
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_comes_back_from_the_cell() {
        for at in [1, 255, 256, 70_000, MOST] {
            let mut cell = Cell::default();
            assert_eq!(number(&cell), None);
            cell.set_style(numbered(Style::new(), at));
            assert_eq!(number(&cell), Some(at));
            assert_eq!(number(&take_out(&cell)), None);
        }
    }
}
