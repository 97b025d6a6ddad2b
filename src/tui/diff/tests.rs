//! What `diff` promises, tested.

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::*;

const DIFF: &str = "\
--- a/src/lib.rs
+++ b/src/lib.rs
@@ -9,4 +9,4 @@ fn main() {
 same
-let one = 1;
--- not a head
+let two = 1;
+++ not a head either
 \tend
\\ No newline at end of file
";

fn plain(line: &Line<'_>) -> String {
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    text.trim_end().to_owned()
}

fn show(diff: &str, width: u16) -> Vec<String> {
    diff_lines(diff, width, &Theme::default()).iter().map(plain).collect()
}

#[test]
fn a_wide_diff_has_both_line_numbers_and_the_signs() {
    assert_eq!(
        show(DIFF, 80),
        [
            "--- a/src/lib.rs",
            "+++ b/src/lib.rs",
            "@@ -9,4 +9,4 @@ fn main() {",
            " 9  9   same",
            "10    - let one = 1;",
            "11    - -- not a head",
            "   10 + let two = 1;",
            "   11 + ++ not a head either",
            "12 12       end",
            "\\ No newline at end of file",
        ]
    );
}

#[test]
fn the_gutter_shrinks_with_the_width() {
    assert_eq!(
        show(DIFF, 40)[3..7],
        [" 9   same", "10 - let one = 1;", "11 - -- not a head", "10 + let two = 1;"]
    );
    assert_eq!(show(DIFF, 20)[4..6], ["  same", "- let one = 1;"]);
}

#[test]
fn a_long_line_hangs_below_its_text() {
    let diff = "@@ -1 +1 @@\n-one two three\n+x\n";
    assert_eq!(show(diff, 12), ["@@ -1 +1 @@", "- one two", "  three", "+ x"]);
}

#[test]
fn the_words_that_changed_are_emphasised() {
    let theme = Theme::default();
    let lines = diff_lines(DIFF, 80, &theme);
    let with = |row: usize, style: Style| {
        let spans = lines[row].spans.iter().filter(move |span| span.style == style);
        spans.map(|span| span.content.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(with(4, theme.removed_word), ["one"]);
    assert_eq!(with(6, theme.added_word), ["two"]);
}

#[test]
fn what_is_no_diff_is_drawn_as_it_is() {
    assert_eq!(show("hello\n-world", 40), ["hello", "-world"]);
    assert_eq!(show("", 40), [""; 0]);
}

#[test]
fn the_diff_of_a_known_crate_is_understood() {
    let old = "a\nb\nc\n";
    let new = "a\nB\nc\nd\n";
    let diff = similar::TextDiff::from_lines(old, new);
    let text = diff.unified_diff().header("old", "new").to_string();
    assert_eq!(show(&text, 80)[3..], ["1 1   a", "2   - b", "  2 + B", "3 3   c", "  4 + d"]);
}

proptest! {
    #[test]
    fn no_row_is_too_wide_and_nothing_panics(
        lines in prop::collection::vec("[-+ @\\\\]?([a-z漢\t-]{0,30}|@ -[0-9]{1,20},9 \\+1,9 @@)", 0..20),
        width in 1_u16..100,
    ) {
        let diff = format!("@@ -1,20 +1,20 @@\n{}", lines.join("\n"));
        for line in diff_lines(&diff, width, &Theme::default()) {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 500, 1));
            prop_assert!(buffer.set_line(0, 0, &line, 500).0 <= width, "{:?}", line);
        }
    }
}
