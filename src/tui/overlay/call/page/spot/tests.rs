//! Graphemes are counted in a text as they are in the rows that it is drawn in.

use proptest::prelude::*;
use ratatui::text::{Line, Span};

use super::*;

#[test]
fn what_is_not_drawn_belongs_to_the_grapheme_before_it() {
    // 'a', a heart of three bytes with a selector of three, a tab, and an 'e' with an accent
    assert_eq!(drawn("a\u{2764}\u{FE0F}\te\u{301}z"), [0, 1, 7, 8, 11]);
    assert_eq!(drawn("\u{FE0F}a"), [3]);
    assert_eq!(byte_of("\u{FE0F}ab", 0), 0, "all before the first one is at its front");
    assert_eq!((byte_of("ab", 1), byte_of("ab", 2), byte_of("ab", 9)), (1, 2, 2));
}

proptest! {
    #[test]
    fn as_many_are_counted_as_stand_in_the_rows(
        pieces in prop::collection::vec(
            prop_oneof![
                "[a-z \t]{0,9}",
                Just("漢字".to_owned()),
                Just("❤\u{FE0F}1\u{FE0F}\u{20E3}".to_owned()),
                Just("👩🏽‍💻🏳️‍🌈".to_owned()),
                Just("e\u{301}\u{FE0F}".to_owned()),
                any::<char>().prop_map(String::from),
            ],
            0..12,
        ),
        width in 8_u16..60,
    ) {
        let text = pieces.concat();
        let line = Line::from(Span::raw(text.clone()));
        let rows = wrapped(&line, std::iter::empty(), width);
        let count: usize = rows.iter().map(pieces::length).sum();
        prop_assert_eq!(drawn(&text).len(), count);
    }
}
