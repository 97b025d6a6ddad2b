//! What `search_code` promises, tested.

use super::find::around;
use super::pattern::{escape, matcher};
use grep_matcher::Matcher;
use proptest::prelude::*;

#[test]
fn a_long_line_is_cut_around_its_match() {
    let text = format!("{}needle{}", "a".repeat(1_000), "b".repeat(1_000));
    let shown = around(&text, 1_000, 1_006);
    // 500 characters: the match with 247 on each side.
    let expected = format!(
        "[753 characters …] {}needle{} [… 753 characters]",
        "a".repeat(247),
        "b".repeat(247)
    );
    assert_eq!(shown, expected);
    let shown = around(&text, 0, 1);
    assert_eq!(shown, format!("{} [… 1506 characters]", "a".repeat(500)));
    assert_eq!(around("short", 0, 5), "short");
}

#[test]
fn a_bad_pattern_is_told_with_the_literal_one() {
    let error = matcher("foo(", false).unwrap_err();
    assert!(error.text.contains("unclosed group"), "{}", error.text);
    assert!(error.text.contains(r#""pattern": "foo\\(""#), "{}", error.text);
    let error = matcher(r"a\nb", false).unwrap_err();
    assert!(error.text.contains("line by line"), "{}", error.text);
    assert!(matcher("", false).is_err());
}

proptest! {
    #[test]
    fn an_escaped_text_matches_just_itself(text in "[^\r\n]{1,20}") {
        let found = matcher(&escape(&text), false).unwrap().find(text.as_bytes()).unwrap().unwrap();
        prop_assert_eq!((found.start(), found.end()), (0, text.len()));
    }

    #[test]
    fn any_pattern_is_compiled_or_refused(pattern in "\\PC{0,30}") {
        let _compiled = matcher(&pattern, true);
    }
}
