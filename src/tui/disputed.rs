//! Characters whose width terminals disagree about, and what is done so that a row never breaks.
//!
//! Owns which these are, what stands in their place for a terminal that counts each character by
//! itself, and which rows have to be drawn whole. Must not know what is drawn, nor write anything.
//!
//! Invariant: none of it changes how many columns a cell takes.

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::buffer::{Buffer, Cell, CellDiffOption};

/// Joins emoji to one.
const JOINER: char = '\u{200d}';
/// Makes an emoji of the character before it.
const EMOJI: char = '\u{fe0f}';
/// Makes a key of the character before it.
const KEYCAP: char = '\u{20e3}';

/// Whether terminals draw this in different widths: several characters that make one, and symbols
/// that are an emoji to some. Frames and the spinner are drawn alike everywhere.
pub(super) fn is_disputed(symbol: &str) -> bool {
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

/// Draws each emoji that is made of several characters as its first, and flags as their letters:
/// for terminals that count every character by itself.
pub(super) fn simplify(buffer: &mut Buffer) {
    let mut cells = buffer.content.iter_mut().peekable();
    while let Some(cell) = cells.next() {
        let mut chars = cell.symbol().chars();
        let (Some(first), Some(second)) = (chars.next(), chars.next()) else { continue };
        let mut all = cell.symbol().chars();
        if let (Some(one), Some(other)) = (letter(first), letter(second)) {
            cell.set_char(one);
            if let Some(next) = cells.peek_mut() {
                next.set_char(other);
            }
        } else if all.any(|part| matches!(part, JOINER | EMOJI | KEYCAP) || is_skin(part)) {
            cell.set_char(first);
        }
    }
}

fn is_skin(part: char) -> bool {
    matches!(part, '\u{1f3fb}'..='\u{1f3ff}')
}

/// The letter that half of a flag stands for.
fn letter(half: char) -> Option<char> {
    let nth = u32::from(half).checked_sub(0x1_f1e6).filter(|nth| *nth < 26)?;
    char::from_u32(u32::from('A') + nth)
}

/// The rows of the frame before that hold something disputed.
#[derive(Default)]
pub(super) struct Rows {
    before: Vec<Option<u64>>,
}

impl Rows {
    /// Marks the rows that are to be drawn whole: those that hold something disputed, or held it,
    /// and are not as they were. A terminal that takes more columns for it has drawn over cells
    /// that did not change, and one that keeps it in several cells clears only one of them.
    pub(super) fn mark(&mut self, buffer: &mut Buffer) {
        let width = usize::from(buffer.area.width).max(1);
        self.before.resize(usize::from(buffer.area.height), None);
        for (row, before) in buffer.content.chunks_mut(width).zip(&mut self.before) {
            let now = row.iter().any(|cell| is_disputed(cell.symbol())).then(|| hash(row));
            if now != *before {
                for cell in row.iter_mut().filter(|cell| cell.diff_option == CellDiffOption::None) {
                    cell.diff_option = CellDiffOption::AlwaysUpdate;
                }
            }
            *before = now;
        }
    }

    /// Nothing is known of what the terminal shows.
    pub(super) fn forget(&mut self) {
        self.before.clear();
    }
}

fn hash(row: &[Cell]) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns that are drawn when one frame follows another.
    fn drawn(before: &str, now: &str) -> Vec<u16> {
        let mut rows = Rows::default();
        let mut frames = [before, now].map(|text| Buffer::with_lines([text]));
        for frame in &mut frames {
            rows.mark(frame);
        }
        let [before, now] = frames;
        before.diff_iter(&now).map(|(x, ..)| x).collect()
    }

    #[test]
    fn a_row_that_holds_or_held_something_disputed_is_drawn_whole_if_it_changed() {
        assert_eq!(drawn("a🇩🇪b ", "a  c "), [0, 1, 2, 3, 4], "what it left must go");
        assert_eq!(drawn("a  b ", "a🇩🇪b "), [0, 1, 3, 4], "what it ran over must come back");
        assert_eq!(drawn("a🇩🇪b ", "a🇩🇪c "), [0, 1, 3, 4]);
        assert_eq!(drawn("abc", "abd"), [2], "plain rows cost no more");
        assert_eq!(drawn("漢b", "漢c"), [2]);
    }

    #[test]
    fn a_row_that_stays_as_it_is_is_not_drawn_again() {
        let mut rows = Rows::default();
        let mut frames = [(); 3].map(|()| Buffer::with_lines(["a🇩🇪b"]));
        for frame in &mut frames {
            rows.mark(frame);
        }
        // Once more the mark itself goes.
        assert_eq!(frames[1].diff_iter(&frames[2]).count(), 0);
    }

    #[test]
    fn what_the_terminal_shows_can_be_forgotten() {
        let mut rows = Rows::default();
        for forgets in [true, true, false] {
            let mut frame = Buffer::with_lines(["👍🏽 x"]);
            rows.mark(&mut frame);
            let marked = frame.content.iter().all(|cell| cell.diff_option != CellDiffOption::None);
            assert!(marked);
            if forgets {
                rows.forget();
            }
        }
        let mut frame = Buffer::with_lines(["👍🏽 x"]);
        rows.mark(&mut frame);
        assert!(frame.content.iter().all(|cell| cell.diff_option == CellDiffOption::None));
    }

    #[test]
    fn emoji_of_several_characters_become_one_in_as_many_columns() {
        for (whole, simple) in [
            ("a👩‍👩‍👧‍👦b", "a👩b"),
            ("a👍🏽b", "a👍b"),
            ("a🇩🇪b", "aDEb"),
            ("a❤️b", "a❤ b"),
            ("a1️⃣b", "a1 b"),
            ("é ที่ 漢 क्षि", "é ที่ 漢 क्षि"),
        ] {
            let mut buffer = Buffer::with_lines([whole]);
            let width = buffer.area.width;
            simplify(&mut buffer);
            let mut expected = Buffer::empty(buffer.area);
            expected.set_string(0, 0, simple, ratatui::style::Style::new());
            assert_eq!((buffer, width), (expected.clone(), expected.area.width), "{whole}");
        }
    }
}
