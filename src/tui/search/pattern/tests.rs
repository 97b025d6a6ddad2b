//! What is found, and what is said of what is not.

use super::*;

fn pattern(typed: &str, is_regex: bool) -> Pattern {
    let mut pattern = Pattern::default();
    pattern.set(typed);
    pattern.read_as(is_regex);
    pattern
}

fn found<'a>(pattern: &Pattern, text: &'a str) -> Vec<&'a str> {
    assert_eq!(pattern.count(text), pattern.find(text).len());
    pattern.find(text).into_iter().map(|hit| text.get(hit).unwrap()).collect()
}

fn words<'a>(typed: &str, text: &'a str) -> Vec<&'a str> {
    found(&pattern(typed, false), text)
}

fn regex<'a>(typed: &str, text: &'a str) -> Vec<&'a str> {
    found(&pattern(typed, true), text)
}

#[test]
fn case_counts_only_if_a_capital_is_typed() {
    for find in [words, regex] {
        assert_eq!(find("error", "Error error ERROR"), ["Error", "error", "ERROR"]);
        assert_eq!(find("Error", "Error error ERROR"), ["Error"]);
        assert_eq!(find("straße", "STRASSE Straße"), ["Straße"]);
    }
    assert_eq!(words("f(x", "F(X f(x"), ["F(X", "f(x"]);
    assert_eq!(words("F(x", "F(X F(x f(x"), ["F(x"]);
    assert_eq!(words(r"\W", r"\w \W"), [r"\W"]);
    assert_eq!(regex(r"a\Wb", "A b"), ["A b"], "the letter of a class is no capital");
}

#[test]
fn any_words_are_found_as_they_are() {
    let signs = [
        "$0.50", "foo(", "[", "*", r"a\", "a.b", "^x$", "(?i)", "{", "a|b", "C++", r"\d", "#",
        "漢字",
    ];
    for typed in signs {
        assert_eq!(words(typed, &format!("so {typed} it")), [typed]);
    }
    assert_eq!(words("a.b", "axb"), [""; 0]);
}

#[test]
fn regular_expressions_go_line_by_line() {
    assert_eq!(regex(r"^fn \w+", "fn one()\nfn two()"), ["fn one", "fn two"]);
    assert_eq!(regex(r"a.*", "abc\nad"), ["abc", "ad"]);
    assert_eq!(regex(r"b\s*c", "b\nc b c"), ["b c"]);
}

#[test]
fn no_hit_is_empty() {
    assert_eq!(regex("x*", "axxb"), ["xx"]);
    assert_eq!(regex("^", "a\nb"), [""; 0]);
    assert!(!pattern("", false).finds() && !pattern("", true).finds());
}

#[test]
fn what_is_no_regular_expression_finds_nothing_and_says_why() {
    for (typed, why) in [
        ("foo(", "unclosed group"),
        ("[", "unclosed character class"),
        ("*", "repetition operator missing expression"),
    ] {
        let pattern = pattern(typed, true);
        assert!(!pattern.finds() && found(&pattern, typed).is_empty());
        assert_eq!(pattern.told("1 of 1"), format!("regex · invalid: {why}"));
    }
    let large = pattern(r"(\w{500}){500}", true);
    assert!(large.told("").starts_with("regex · invalid: "), "{}", large.told(""));
}

#[test]
fn the_words_say_how_it_is_read() {
    assert_eq!(pattern("a", false).told("1 of 2"), "1 of 2");
    assert_eq!(pattern("a", true).told("1 of 2"), "regex · 1 of 2");
    assert_eq!(pattern("", true).told(""), "regex");
}

#[test]
fn words_that_look_like_a_regular_expression_are_told_how_to_be_one() {
    for typed in [r"\d", "a.*b", "x+", "a|b", "w[01]", "(a)", "^fn", "end$", "a?", "a{2}"] {
        let told = pattern(typed, false).told_none("");
        assert_eq!(told, "no hits; Ctrl-R reads it as a regex", "{typed}");
        assert_eq!(pattern(typed, true).told_none(""), "no hits", "{typed}");
    }
    for typed in ["words", "$0.50", "a.b", "foo(", "[", "*", "a-b", "x]"] {
        assert_eq!(pattern(typed, false).told_none(""), "no hits", "{typed}");
    }
    assert_eq!(pattern("words", false).told_none(" here"), "no hits here");
}
