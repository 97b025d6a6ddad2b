//! What `edit_file` promises, tested.

use proptest::prelude::*;

use super::ladder::{Edit, Edited, Miss, edit};
use super::lenient::Level;
use super::{explain, hints::hints};

fn one<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit { old, new, all: false }
}

fn after(text: &str, old: &str, new: &str) -> (String, Level) {
    let Edited { text, level, .. } = edit(text, one(old, new)).unwrap();
    (text, level)
}

#[test]
fn an_even_shift_of_indentation_shifts_the_new_text() {
    let text = "fn f() {\n        if x {\n            y();\n\n        }\n}\n";
    assert_eq!(
        after(text, "if x {\n    y();\n\n}\n", "if z {\n\n    w();\n}\n"),
        ("fn f() {\n        if z {\n\n            w();\n        }\n}\n".to_owned(), Level::Indent)
    );
    assert_eq!(
        after("a\n  b\n", "    a\n      b\n", "    c\n      d\n"),
        ("c\n  d\n".to_owned(), Level::Indent)
    );
}

#[test]
fn an_uneven_shift_is_refused() {
    let text = "    if x {\n        y();\n    }\n";
    assert_eq!(edit(text, one("if x {\n  y();\n}", "z")), Err(Miss::NotFound));
    assert_eq!(edit(text, one("\tif x {\n\t\ty();\n\t}", "z")), Err(Miss::NotFound));
    assert_eq!(edit("a\n", one("  a\n", "b\n")), Err(Miss::UnevenNew { line: 1 }));
}

#[test]
fn lenient_levels_take_whole_lines_only() {
    assert_eq!(edit("x = 10\n", one("x = 1 ", "y")), Err(Miss::NotFound));
    assert_eq!(edit("say “hi” twice\n", one("\"hi\"", "y")), Err(Miss::NotFound));
}

#[test]
fn blank_text_is_never_looked_for_leniently() {
    assert_eq!(edit("a\n\nb\n", one(" \n", "y")), Err(Miss::NotFound));
}

#[test]
fn matches_that_overlap_are_ambiguous() {
    let miss = edit("aaa\n", one("aa", "b")).unwrap_err();
    assert_eq!(miss, Miss::Ambiguous { level: Level::Exact, lines: vec![1, 1] });
}

#[test]
fn two_lenient_matches_are_ambiguous_unless_all_are_meant() {
    let text = "  a  \nx\n  a \n";
    let miss = edit(text, one("  a\n", "  b\n")).unwrap_err();
    assert_eq!(miss, Miss::Ambiguous { level: Level::TrimEnd, lines: vec![1, 3] });
    let all = Edit { all: true, ..one("  a\n", "  b\n") };
    assert_eq!(edit(text, all).unwrap().text, "  b\nx\n  b\n");
}

#[test]
fn the_same_text_is_nothing_to_do() {
    assert_eq!(edit("a\r\nb\r\n", one("a\nb", "a\r\nb")), Err(Miss::Same));
}

#[test]
fn kept_lines_keep_their_ends_and_added_ones_take_the_first_of_the_region() {
    let text = "a\r\nb\nc\r\nd\n";
    assert_eq!(after(text, "a\nb\nc\n", "a\nx\nb\nc\n").0, "a\r\nx\r\nb\nc\r\nd\n");
    assert_eq!(after(text, "b\nc", "b\nx\nc").0, "a\r\nb\nx\nc\r\nd\n");
    assert_eq!(after(text, "c", "c\ny").0, "a\r\nb\nc\r\ny\r\nd\n");
}

#[test]
fn a_text_without_line_ends_takes_the_new_ones_as_given() {
    assert_eq!(after("a", "a", "b\r\nc").0, "b\r\nc");
    assert_eq!(after("a", "a", "b\nc").0, "b\nc");
}

#[test]
fn a_last_line_without_an_end_stays_without() {
    assert_eq!(after("x\na", "a\n", "b\n"), ("x\nb".to_owned(), Level::TrimEnd));
}

#[test]
fn hints_name_the_difference() {
    let hint = |text: &str, old: &str, new: &str| hints(text, one(old, new));
    assert!(
        hint("x\n\tfoo();\n", "    foo();\n    y", "z")
            .contains("2\t\tfoo();\n(line 2 is indented with tabs, `old` with blanks)")
    );
    assert!(hint("Hello World\n", "hello world", "z").contains("upper and lower case"));
    assert!(
        hint("let a = 1;\n", "let b = 1;", "z")
            .contains("line 1, column 5: the file has \"a = 1;\", `old` has \"b = 1;\"")
    );
    assert!(
        hint("let new_name = 1;\n", "qqqqqqqqqqqqq", "let new_name").contains("already applied?")
    );
    assert!(hint("a\nb\n", "1\ta\n2\tb", "z").contains("line numbers"));
    assert!(hint("a\nb\n", "qqqqqqq", "z").contains("Nothing in it is like it"));
}

#[test]
fn an_ambiguous_edit_names_lines_and_the_way_out() {
    let edit_ = one("a", "b");
    let error = explain("f", "a\na\n", edit_, &edit("a\na\n", edit_).unwrap_err());
    assert!(error.text.contains("at lines 1, 2") && error.text.contains("replace_all"), "{error}");
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec("(a|b| a|\ta|a |“a”|\"a\"|)(\n|\r\n|\r|)", 0..8).prop_map(|l| l.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_edit_changes_one_region_or_nothing(content in text(), old in text(), new in text()) {
        let edit_ = one(&old, &new);
        match edit(&content, edit_) {
            Ok(edited) => {
                prop_assert_eq!(edited.lines.len(), 1);
                // But for line ends, which carriage returns may join, this is a plain replacement.
                if edited.level == Level::Exact {
                    let unify = |text: &str| text.replace("\r\n", "\n");
                    let expected = unify(&content).replacen(&unify(&old), &unify(&new), 1);
                    prop_assert_eq!(edited.text.replace('\r', ""), expected.replace('\r', ""));
                }
            }
            Err(miss) => {
                let error = explain("f", &content, edit_, &miss);
                prop_assert!(error.text.starts_with("Error: "));
            }
        }
    }

    #[test]
    fn replacing_all_exactly_is_what_replace_does(content in "[ab\n]{0,30}", old in "[ab\n]{1,3}", new in "[abc\n]{0,4}") {
        if old != new && content.contains(&old) {
            let edited = edit(&content, Edit { old: &old, new: &new, all: true }).unwrap();
            prop_assert_eq!(edited.text, content.replace(&old, &new));
        }
    }
}
