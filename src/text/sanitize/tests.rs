//! What must never come through, and what must.

use proptest::prelude::*;

use super::{Stream, sanitize, settle};

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(sanitize(input), expected, "{input:?}");
}

#[test]
fn plain_text_is_borrowed() {
    assert!(matches!(sanitize("a\tb\nc ü 漢 👩‍👩‍👧"), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn escape_sequences_are_dropped_and_their_neighbours_kept() {
    check("a\x1b[31mred\x1b[0mb", "aredb");
    check("a\x1b]0;title\x07b", "ab");
    check("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb");
    check("a\x1b]52;c;aGk=\x07b", "ab");
    check("a\x1bPpayload\x1b\\b", "ab");
    check("a\x1b(Bb\x1b7c", "abc");
    check("a\u{9b}2Jb\u{9d}0;t\u{9c}c", "abc");
    check("\x1b[?1049h\x1b[?2004lx", "x");
}

#[test]
fn an_unfinished_sequence_swallows_no_later_line() {
    check("a\x1b]0;title never ends\nnext", "a\nnext");
    check("a\x1b[12;\nnext", "a\nnext");
    check("a\x1b", "a");
}

#[test]
fn controls_bidi_and_invisible_characters_are_dropped() {
    check("a\0b\x07c\x7fd\u{85}e", "abcde");
    check("a\u{202e}b\u{2066}c\u{200b}d\u{e0041}e\u{feff}f", "abcdef");
    check("one\r\ntwo\rthree", "one\ntwothree");
}

#[test]
fn a_progress_bar_collapses_to_its_last_state() {
    assert_eq!(settle("10%\r50%\r100%\ndone"), "100%\ndone");
    assert_eq!(settle("abc\rXY"), "XYc");
    assert_eq!(settle("abc\r\x1b[KXY"), "XY");
    assert_eq!(settle("ab\x08c"), "ac");
    assert_eq!(settle("a\r\nb\r\n"), "a\nb\n");
    assert_eq!(settle("a\rb\n\rc"), "b\nc");
}

#[test]
fn a_sequence_that_comes_in_pieces_is_dropped_whole() {
    for text in [
        "a\x1b[31mred\x1b[0mb",
        "a\x1b]0;title\x07b",
        "a\x1b]52;c;aGk=\x1b\\b",
        "a\u{9b}2Jb\u{9d}0;t\u{9c}c",
    ] {
        let whole = sanitize(text);
        for (cut, _) in text.char_indices() {
            let mut stream = Stream::default();
            let (first, second) = text.split_at(cut);
            let shown = stream.push(first) + &stream.push(second);
            assert_eq!(shown, whole, "{text:?} cut at {cut}");
        }
        let mut stream = Stream::default();
        let one_by_one: String = text.chars().map(|c| stream.push(&c.to_string())).collect();
        assert_eq!(one_by_one, whole, "{text:?}");
    }
}

#[test]
fn an_unfinished_sequence_holds_back_little_and_not_for_ever() {
    let mut stream = Stream::default();
    assert_eq!(stream.push("a\x1b]0;"), "a");
    let shown: String = (0..100).map(|_| stream.push("0123456789")).collect();
    assert!(shown.len() > 500, "{} bytes of 1,000", shown.len());
    assert_eq!(stream.push("\nnext"), "\nnext");
}

proptest! {
    #[test]
    fn pieces_never_let_anything_harmful_through(
        pieces in prop::collection::vec("\\PC{0,4}|(\n|\x1b|\\[|\\]|\x07|\u{9b}|;|m){0,4}", 0..30),
    ) {
        let mut stream = Stream::default();
        for piece in &pieces {
            prop_assert!(stream.push(piece).chars().all(|c| !super::is_special(c)));
        }
    }

    #[test]
    fn nothing_harmful_ever_comes_out(text in "\\PC*|(.|\n|\r|\x1b|\\[|\\]|\x07|\u{9b}|\u{202e})*") {
        for out in [sanitize(&text), settle(&text)] {
            prop_assert!(out.chars().all(|c| !super::is_special(c)));
            prop_assert_eq!(sanitize(&out), out.as_ref());
        }
        prop_assert_eq!(sanitize(&text).matches('\n').count(), text.matches('\n').count());
    }
}
