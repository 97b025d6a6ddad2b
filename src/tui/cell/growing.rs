//! Rows of a text that grows, made once each. Owns where the text is divided for that.
//!
//! Must not know what the text is. Invariant: all of the text stands in the rows, in order; what
//! an update lays out is bounded by what came since the last one and by [`PIECE`].

use ratatui::{style::Style, text::Line};

use super::rows;
use crate::text::cut;

/// Bytes of a line that are laid out together: a longer line goes on in a new row.
const PIECE: usize = 4 * 1024;

/// The rows so far.
#[derive(Default)]
pub(super) struct Growing {
    look: (u16, Style),
    rows: Vec<Line<'static>>,
    /// Bytes of the text, and rows for them, that do not change any more.
    settled: (usize, usize),
    /// Bytes that were laid out in all.
    #[cfg(test)]
    laid: usize,
}

impl Growing {
    /// The rows for this text, which begins with the text of the last time.
    pub(super) fn rows(
        &mut self,
        text: &str,
        width: u16,
        bar: &str,
        style: Style,
    ) -> &[Line<'static>] {
        if self.look != (width, style) || text.len() < self.settled.0 {
            self.look = (width, style);
            self.rows.clear();
            self.settled = (0, 0);
        }
        self.rows.truncate(self.settled.1);
        let mut rest = text.get(self.settled.0..).unwrap_or_default();
        while let Some(end) = piece_end(rest) {
            let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            self.lay(piece, bar);
            self.settled = (self.settled.0 + piece.len(), self.rows.len());
            rest = after;
        }
        self.lay(rest, bar);
        &self.rows
    }

    fn lay(&mut self, piece: &str, bar: &str) {
        let (width, style) = self.look;
        #[cfg(test)]
        {
            self.laid += piece.len();
        }
        self.rows.extend(rows::plain(piece, width, bar, style));
    }
}

/// Where the first piece ends, if it is complete.
fn piece_end(text: &str) -> Option<usize> {
    let head = cut::head(text, PIECE);
    if let Some(newline) = head.find('\n') {
        return Some(newline + 1);
    }
    (text.len() > PIECE).then(|| head.rfind(' ').map_or(head.len(), |blank| blank + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(rows: &[Line<'_>]) -> String {
        let text = rows.iter().flat_map(|row| row.spans.iter().skip(1));
        text.flat_map(|span| span.content.chars()).filter(char::is_ascii_lowercase).collect()
    }

    #[test]
    fn a_long_text_that_grows_is_laid_out_about_once() {
        let (mut text, mut growing) = (String::new(), Growing::default());
        for n in 0..10_000 {
            text.push_str(if n % 10 == 9 { "and so on\n" } else { "a word and another " });
            growing.rows(&text, 80, "∴ ", Style::new());
        }
        // The line that grows is laid out with each of its ten pieces.
        assert!(growing.laid <= 10 * text.len(), "{} of {}", growing.laid, text.len());
        assert_eq!(growing.rows.len(), rows::plain(&text, 80, "∴ ", Style::new()).len());
    }

    #[test]
    fn one_line_without_an_end_is_laid_out_by_its_last_piece_only() {
        let mut growing = Growing::default();
        let mut text = "x".repeat(1_000_000);
        growing.rows(&text, 80, "", Style::new());
        let before = growing.laid;
        text.push('x');
        growing.rows(&text, 80, "", Style::new());
        assert!(growing.laid - before <= PIECE + 1);
    }

    proptest! {
        #[test]
        fn however_it_comes_all_of_it_is_there(
            pieces in prop::collection::vec("[a-c \n漢]{0,40}", 0..20), width in 3_u16..60,
        ) {
            let (mut text, mut growing) = (String::new(), Growing::default());
            for piece in &pieces {
                text.push_str(piece);
                growing.rows(&text, width, "", Style::new());
            }
            let whole = rows::plain(&text, width, "", Style::new());
            prop_assert_eq!(letters(&growing.rows), letters(&whole));
            prop_assert_eq!(growing.rows.len(), whole.len());
        }
    }
}
