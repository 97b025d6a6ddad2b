//! What `wrap` promises, tested.

use proptest::prelude::*;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};

use super::*;

fn plain(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

fn rows(text: &str, width: u16) -> Vec<String> {
    wrap_line(&Line::raw(text), width, &[], &[]).iter().map(plain).collect()
}

/// Columns that the buffer really fills.
fn drawn(line: &Line<'_>) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 2_000, 1));
    usize::from(buffer.set_line(0, 0, line, 2_000).0)
}

#[test]
fn widths_are_those_of_the_cells() {
    let cases = [
        ("abc", 3),
        ("漢字", 4),
        ("e\u{301}", 1),
        ("👨‍👩‍👧‍👦", 2),
        ("🇩🇪", 2),
        ("👍🏽", 2),
        ("❤\u{FE0F}", 1),
        ("1\u{FE0F}\u{20E3}", 1),
        // The buffer gives the sound mark one column more than `unicode-width` does.
        ("ｶ\u{FF9E}", 3),
        ("a\u{7}b", 2),
        ("a\tb", 5),
        ("", 0),
    ];
    for (text, columns) in cases {
        assert_eq!(width(text), columns, "{text:?}");
    }
}

#[test]
fn a_tab_reaches_the_next_multiple_of_four_from_the_start_column() {
    assert_eq!(clean("a\tb", 0), "a   b");
    assert_eq!(clean("\tb", 3), " b");
    assert_eq!(clean("\tb", 4), "    b");
    assert_eq!(clean("漢\tb", 0), "漢  b");
    assert!(matches!(clean("plain", 0), Cow::Borrowed("plain")));
}

#[test]
fn a_tab_in_a_later_span_counts_the_columns_before_it() {
    let line = Line::from(vec![Span::raw("ab"), Span::raw("\tc")]);
    assert_eq!(wrap_line(&line, 20, &[], &[]).iter().map(plain).collect::<Vec<_>>(), ["ab  c"]);
}

#[test]
fn a_tab_is_one_grapheme_that_is_drawn_at_a_break_too() {
    // a tab up to column 4, and a word of six columns: only five are left in a row of nine
    assert_eq!(rows("\tabcdef", 9), ["    abcde", "f"]);
    // the second tab would reach column 8 of 6: the next row begins with it
    assert_eq!(rows("abcd\tx", 6), ["abcd", "    x"]);
    assert_eq!(rows("\tx", 3), ["   ", "x"]);
    let wrapped = wrap_line(&Line::raw("a\tb"), 9, &[], &[]);
    let tabs: Vec<_> = wrapped[0].spans.iter().map(mark::is_tab).collect();
    assert_eq!(tabs, [false, true, false]);
    let again = wrap_line(&wrapped[0], 4, &[], &[]);
    assert_eq!(again.iter().map(plain).collect::<Vec<_>>(), ["a   ", "b"]);
    assert_eq!(mark::blanks_after(&again[0]), 0, "a tab is no blank that was left out");
}

#[test]
fn blanks_of_decoration_are_not_counted_as_text() {
    let bar = [Span::raw("> ")];
    let wrapped = wrap_line(&Line::raw("a b"), 3, &[bar[0].clone(), bar[0].clone()], &[]);
    let counts: Vec<_> = wrapped.iter().map(|row| (plain(row), mark::blanks_after(row))).collect();
    assert_eq!(counts, [("> >".to_owned(), 0), ("a b".to_owned(), 0)]);
}

#[test]
fn words_are_kept_whole_and_blanks_at_breaks_vanish() {
    assert_eq!(rows("one two  three", 7), ["one two", "three"]);
    assert_eq!(rows("one two", 3), ["one", "two"]);
    assert_eq!(rows("x aa bb", 5), ["x aa", "bb"]);
    assert_eq!(rows("  indented text", 10), ["  indented", "text"]);
    assert_eq!(rows("", 5), [""]);
}

#[test]
fn a_long_word_breaks_between_graphemes() {
    assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(rows("x abcdefgh", 4), ["x", "abcd", "efgh"]);
    assert_eq!(rows("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3), ["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]);
}

#[test]
fn ideographs_break_anywhere_but_before_closing_and_after_opening_punctuation() {
    assert_eq!(rows("日本語の文", 6), ["日本語", "の文"]);
    assert_eq!(rows("日本語。文", 6), ["日本", "語。文"]);
    assert_eq!(rows("日本「文」", 6), ["日本", "「文」"]);
    assert_eq!(rows("see 日本", 7), ["see 日", "本"]);
}

#[test]
fn the_indents_hang() {
    let first = [Span::raw("• ")];
    let next = [Span::raw("  ")];
    let wrapped = wrap_line(&Line::raw("one two three"), 9, &first, &next);
    assert_eq!(wrapped.iter().map(plain).collect::<Vec<_>>(), ["• one two", "  three"]);
}

#[test]
fn an_indent_without_room_becomes_text_and_is_not_lost() {
    let first = [Span::raw("12345. ")];
    let wrapped = wrap_line(&Line::raw("ab"), 4, &first, &first);
    assert_eq!(wrapped.iter().map(plain).collect::<Vec<_>>(), ["1234", "5.", "ab"]);
}

#[test]
fn styles_are_kept_over_a_break() {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let line = Line::from(vec![Span::raw("ab "), Span::styled("cd ef", bold)]);
    let wrapped = wrap_line(&line, 5, &[], &[]);
    assert_eq!(wrapped[0].spans, [Span::raw("ab "), Span::styled("cd", bold)]);
    assert_eq!(wrapped[1].spans, [Span::styled("ef", bold)]);
}

#[test]
fn cutting_marks_what_is_missing() {
    assert_eq!(plain(&cut_line(&Line::raw("abcdef"), 6)), "abcdef");
    assert_eq!(plain(&cut_line(&Line::raw("abcdef"), 4)), "abc…");
    assert_eq!(plain(&cut_line(&Line::raw("漢字漢字"), 4)), "漢…");
    assert_eq!(plain(&cut_line(&Line::raw("abc"), 1)), "…");
    assert_eq!(plain(&cut_line(&Line::raw("abc"), 0)), "");
}

#[test]
fn a_megabyte_on_one_line_loses_nothing() {
    let text = "word 漢字 ".repeat(1 << 16);
    let wrapped = rows(&text, 80);
    let kept: String = wrapped.concat().split(' ').collect();
    assert_eq!(kept, text.replace(' ', ""));
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,12}",
        " {1,3}",
        Just("\t".to_owned()),
        Just("漢字".to_owned()),
        Just("「引用」。".to_owned()),
        Just("👨‍👩‍👧‍👦".to_owned()),
        Just("e\u{301}\u{302}".to_owned()),
        Just("\u{301}".to_owned()),
        Just("🇩🇪🇫🇷🇩".to_owned()),
        Just("क्षि".to_owned()),
        Just("ภาษาไทยน้ำกำ".to_owned()),
        Just("مرحبا بالعالم".to_owned()),
        Just("👩🏽‍💻🏳️‍🌈🏴\u{E0067}\u{E0062}\u{E007F}".to_owned()),
        Just("한글\u{1112}\u{1161}\u{11ab}".to_owned()),
        Just("\u{200B}\u{200D}".to_owned()),
        Just("❤\u{FE0F}1\u{FE0F}\u{20E3}".to_owned()),
        any::<char>().prop_map(String::from),
    ]
}

fn spans() -> impl Strategy<Value = Vec<Span<'static>>> {
    let span = (prop::collection::vec(piece(), 0..6), any::<bool>());
    let span = span.prop_map(|(pieces, bold)| {
        let style = Style::new();
        let style = if bold { style.add_modifier(Modifier::BOLD) } else { style };
        Span::styled(pieces.concat(), style)
    });
    prop::collection::vec(span, 0..6)
}

/// Graphemes and their styles as they are drawn, without blanks.
fn graphemes(line: &Line<'_>) -> Vec<(String, Style)> {
    let spans = cleaned(&line.spans);
    let mut all = Vec::new();
    for span in &spans {
        let seen = span.content.graphemes(true).filter(|g| Kind::of(g, 1) != Kind::Blank);
        all.extend(seen.map(|g| (g.to_owned(), span.style)));
    }
    all
}

proptest! {
    #[test]
    fn no_row_is_too_wide_and_nothing_is_lost(
        spans in spans(),
        width in 1_u16..200,
        first in 0_usize..12,
        next in 0_usize..12,
    ) {
        let line = Line::from(spans);
        let indents = [[Span::raw(">".repeat(first))], [Span::raw(" ".repeat(next))]];
        let wrapped = wrap_line(&line, width, &indents[0], &indents[1]);
        prop_assert!(!wrapped.is_empty());
        let mut found: Vec<(String, Style)> = Vec::new();
        for row in &wrapped {
            prop_assert!(drawn(row) <= usize::from(width), "{:?}", row);
            found.extend(graphemes(row));
        }
        let sign = (">".to_owned(), mark::decoration(Style::new()));
        let indent = std::iter::repeat_n(sign, first);
        let expected: Vec<_> = indent.chain(graphemes(&line)).collect();
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let replaced = found.0 == CUT && columns(&expected.0) >= 2;
            prop_assert!(found.1 == expected.1 && (replaced || found.0 == expected.0));
        }
    }

    #[test]
    fn a_wide_enough_row_replaces_nothing(spans in spans(), width in 4_u16..80) {
        let line = Line::from(spans);
        let limit = usize::from(width);
        prop_assume!(graphemes(&line).iter().all(|(g, _)| columns(g) <= limit));
        let wrapped = wrap_line(&line, width, &[], &[]);
        let found: Vec<_> = wrapped.iter().flat_map(graphemes).collect();
        prop_assert_eq!(found, graphemes(&line));
    }

    #[test]
    fn a_cut_line_fits(spans in spans(), width in 0_u16..60) {
        let line = Line::from(spans);
        prop_assert!(drawn(&cut_line(&line, width)) <= usize::from(width));
    }

    #[test]
    fn width_is_what_the_buffer_fills(pieces in prop::collection::vec(piece(), 0..8)) {
        let text = pieces.concat();
        prop_assert_eq!(width(&text), drawn(&Line::raw(clean(&text, 0))));
    }
}
