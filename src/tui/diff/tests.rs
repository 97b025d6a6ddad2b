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

#[test]
fn what_has_one_side_only_takes_the_whole_width() {
    let diff = "\
diff --git a/gone b/gone
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
diff --git a/a b/a
--- a/a
+++ b/a
@@ -1 +1 @@
-x
+y
";
    let rows = show(diff, 140);
    let beside = |left: &str, right: &str| format!("{left:68} │ {right}");
    let of_rows: Vec<_> =
        rows.iter().filter(|row| row.contains(" - ") || row.contains(" + ")).cloned().collect();
    assert_eq!(of_rows, ["1   - one".to_owned(), "2   - two".to_owned(), beside("1 - x", "1 + y")]);
}

#[test]
fn from_130_columns_on_the_sides_stand_side_by_side() {
    let rows = show(DIFF, 130);
    let beside = |left: &str, right: &str| format!("{left:63} │ {right}").trim_end().to_owned();
    assert_eq!(
        rows[2..],
        [
            "@@ -9,4 +9,4 @@ fn main() {".to_owned(),
            beside(" 9   same", " 9   same"),
            beside("10 - let one = 1;", "10 + let two = 1;"),
            beside("11 - -- not a head", "11 + ++ not a head either"),
            beside("12       end", "12       end"),
            "\\ No newline at end of file".to_owned(),
        ]
    );
    assert_eq!(show(DIFF, 129)[4], "10    - let one = 1;");
}

#[test]
fn line_ends_are_told_where_they_differ_and_once_where_they_do_not() {
    let mixed = "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n";
    assert_eq!(show(mixed, 40)[1..], ["1 - a␍", "1 + a", "2   b"]);
    let all = "@@ -1,2 +1,2 @@\n-a\r\n+c\r\n b\r\n";
    assert_eq!(
        show(all, 40),
        ["all lines end with CRLF", "@@ -1,2 +1,2 @@", "1 - a", "1 + c", "2   b"]
    );
}

#[test]
fn what_becomes_of_each_file_of_a_patch_is_seen() {
    let patch = "diff --git a/gone b/gone\ndeleted file\n--- a/gone\n+++ /dev/null\n\
                 @@ -1 +0,0 @@\n-g\ndiff --git a/x b/y\nrename from x\nrename to y\n";
    assert_eq!(
        show(patch, 80),
        [
            "diff --git a/gone b/gone",
            "deleted file",
            "--- a/gone",
            "+++ /dev/null",
            "@@ -1 +0,0 @@",
            "1   - g",
            "diff --git a/x b/y",
            "rename from x",
            "rename to y",
        ]
    );
}

#[test]
fn a_line_of_nine_megabytes_is_cut_and_told() {
    let diff = format!("@@ -0,0 +1 @@\n+{}\n", "x".repeat(9_000_000));
    let rows = show(&diff, 80);
    assert!(rows.len() < 40, "{}", rows.len());
    assert!(rows.concat().ends_with("… 8997952 bytes more"), "{:?}", rows.last());
}

#[test]
fn code_has_the_colours_of_its_language_once_they_are_there() {
    let (told, heard) = std::sync::mpsc::channel();
    let wake = std::sync::Mutex::new(told);
    let highlighter = Highlighter::start(std::sync::Arc::new(move || {
        let _sent = wake.lock().unwrap().send(()).is_ok();
    }));
    let theme = Theme::default();
    let diff = "@@ -1 +1,2 @@\n-fn one() {}\n+fn one() {}\n+fn two() {}\n";
    let lines = || coloured_lines(diff, "src/lib.rs", 80, &theme, &highlighter);
    let first = lines();
    let mut now = first.clone();
    // One answer for each side.
    while now[3].spans.len() == first[3].spans.len() || now[1].spans.len() == first[1].spans.len() {
        heard.recv_timeout(std::time::Duration::from_mins(1)).expect("an answer");
        now = lines();
    }
    let keyword = theme.syntax(crate::tui::theme::Syntax::Keyword);
    for row in [1, 2, 3] {
        let colours: Vec<_> =
            now[row].spans.iter().map(|span| (&*span.content, span.style)).collect();
        assert!(colours.contains(&("fn", keyword)), "{colours:?}");
    }
    assert_eq!(
        now.iter().map(plain).collect::<Vec<_>>(),
        first.iter().map(plain).collect::<Vec<_>>()
    );
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
