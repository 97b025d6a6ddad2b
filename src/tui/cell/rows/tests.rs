//! What is said of what is folded.

use super::*;

/// The last row, of text in these columns behind a bar of two.
fn note(text: &str, width: u16, keep: usize) -> String {
    let theme = Theme::plain();
    let column = Column { width, bar: "│ ", theme: &theme };
    let rows = plain(text, width, "│ ", Style::new());
    let folded = column.folded(rows, (keep, Some(text.lines().count())), Way::Unfold);
    folded.last().map(ToString::to_string).unwrap_or_default()
}

fn note_before(text: &str, lines: Option<usize>, width: u16) -> String {
    let theme = Theme::plain();
    let column = Column { width, bar: "│ ", theme: &theme };
    let rows = plain(text, width, "│ ", Style::new());
    let folded = column.folded_tail(rows, (2, lines), Way::Unfold);
    folded.first().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn lines_are_counted_and_not_the_rows_that_they_take() {
    let long = "word ".repeat(40);
    let text = format!("one\ntwo\n{long}\nthree\n{long}\nfour");
    assert_eq!(note(&text, 40, 2), "│ … 4 more lines (Ctrl-O shows more)");
    assert_eq!(note(&text, 40, 4), "│ … 3 more lines (Ctrl-O shows more)");
    assert_eq!(note(&long, 40, 2), "│ … the rest of the line (Ctrl-O)");
    // "four" and the end of the long line before it: that, "three", and three more are before.
    assert_eq!(note_before(&text, Some(6), 40), "│ … 5 lines before (Ctrl-O shows more)");
    assert_eq!(
        note_before(&long, Some(1), 60),
        "│ … the beginning of the line (Ctrl-O shows more)"
    );
}

#[test]
fn what_the_rows_do_not_hold_is_counted_too() {
    let end = "a\nb\nc\nd\n";
    assert_eq!(note_before(end, Some(400), 60), "│ … 398 lines before (Ctrl-O shows more)");
    assert_eq!(note_before("c\nd\n", Some(400), 60), "│ … 398 lines before (Ctrl-O shows more)");
}

#[test]
fn where_nobody_knows_the_number_there_is_none_but_a_sentence() {
    assert_eq!(note_before("a\nb\nc\nd\n", None, 60), "│ … earlier lines (Ctrl-O shows more)");
}

#[test]
fn a_narrow_screen_gets_fewer_words_and_no_word_is_cut() {
    let text = "x\n".repeat(199);
    assert_eq!(note_before(&text, Some(199), 33), "│ … 197 lines before (Ctrl-O)");
    assert_eq!(note_before(&text, Some(199), 24), "│ … 197 lines before");
    assert_eq!(note(&text, 33, 2), "│ … 197 more lines (Ctrl-O)");
}

#[test]
fn a_single_hidden_row_is_shown_instead() {
    assert_eq!(note("a\nb\nc\n", 40, 2), "│ c");
    assert_eq!(note_before("a\nb\nc\n", Some(3), 40), "│ a");
}

#[test]
fn of_a_long_output_the_end_is_shown_too() {
    let theme = Theme::plain();
    let column = Column { width: 60, bar: "│ ", theme: &theme };
    let folded = |lines: usize| {
        let text: String = (1..=lines).map(|n| format!("{n}\n")).fold(String::new(), |a, b| a + &b);
        let rows = plain(&text, 60, "│ ", Style::new());
        let rows = column.folded_middle(rows, (10, 3), (Some(lines), Way::Open));
        rows.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let rows = folded(100);
    assert_eq!((rows.len(), rows[6].as_str(), rows[8].as_str()), (11, "│ 7", "│ 98"));
    assert!(rows[7].starts_with("│ … 90 more lines ("), "{}", rows[7]);
    assert_eq!(folded(11).len(), 11, "a single row is not hidden");
}
