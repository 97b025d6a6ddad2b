//! What `highlight` promises, tested.

use std::sync::Arc;

use super::*;

/// A highlighter that wakes this thread, and the wait for its answer.
fn on() -> Highlighter {
    let me = std::thread::current();
    Highlighter::start(Arc::new(move || me.unpark()))
}

fn wait(highlighter: &Highlighter, language: &str, code: &str) -> Vec<Line<'static>> {
    loop {
        if let Some(lines) = highlighter.highlight(language, code, &Theme::default()) {
            return lines;
        }
        std::thread::park();
    }
}

fn text(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

fn style_of(line: &Line<'_>, piece: &str) -> ratatui::style::Style {
    line.spans
        .iter()
        .find(|span| span.content.contains(piece))
        .expect("the piece stands there")
        .style
}

#[test]
fn rust_gets_the_styles_of_its_pieces() {
    let theme = Theme::default();
    let code = "fn main() {\n    let x = \"hi\"; // why\n    let y = 42;\n}\n";
    let lines = wait(&on(), "rust", code);
    assert_eq!(lines.iter().map(text).collect::<Vec<_>>(), code.lines().collect::<Vec<_>>());
    assert_eq!(style_of(&lines[0], "fn"), theme.syntax(Syntax::Keyword));
    assert_eq!(style_of(&lines[0], "main"), theme.syntax(Syntax::Function));
    assert_eq!(style_of(&lines[1], "hi"), theme.syntax(Syntax::Text));
    assert_eq!(style_of(&lines[1], "why"), theme.syntax(Syntax::Comment));
    assert_eq!(style_of(&lines[2], "42"), theme.syntax(Syntax::Number));
}

#[test]
fn languages_go_by_the_names_that_models_use() {
    let highlighter = on();
    let theme = Theme::default();
    for (language, code, keyword) in [
        ("py", "import os", "import"),
        ("python3", "import os", "import"),
        ("ts", "const x: number = 1", "const"),
        ("TypeScript", "const x: number = 1", "const"),
        ("golang", "package main", "package"),
        ("shell", "if true; then echo; fi", "if"),
        ("c++", "return 0;", "return"),
    ] {
        let lines = wait(&highlighter, language, code);
        assert_eq!(style_of(&lines[0], keyword), theme.syntax(Syntax::Keyword), "{language}");
    }
}

#[test]
fn a_growing_block_ends_as_the_whole_block_does() {
    let code = "/* a\n b */ fn f() {\n \"x\n y\" }\nstruct S;\n";
    let whole = wait(&on(), "rust", code);
    let growing = on();
    let mut last = Vec::new();
    let mut grown = String::new();
    for line in code.split_inclusive('\n') {
        grown.push_str(line);
        last = wait(&growing, "rust", &grown);
        assert_eq!(last, whole[..last.len()]);
    }
    assert_eq!(last, whole);
}

#[test]
fn lines_that_are_known_can_be_skipped() {
    let highlighter = on();
    let code = "fn a() {}\nfn b() {}\n";
    let whole = wait(&highlighter, "rust", code);
    let rest = highlighter.highlight_after(1, "rust", code, &Theme::default());
    assert_eq!(rest, Some(whole[1..].to_vec()));
}

#[test]
fn what_is_unknown_or_too_large_comes_back_plain() {
    let highlighter = on();
    let theme = Theme::default();
    let code = "let x = 1;";
    assert_eq!(wait(&highlighter, "no-such-language", code), [plain_line(code, &theme)]);
    let at_once = |code: &str| highlighter.highlight("rust", code, &theme).is_some();
    assert!(at_once(&"x".repeat(MAX_BLOCK + 1)));
    assert!(at_once(&"\n".repeat(MAX_LINES + 1)));
    let long = format!("let x = \"{}\";\nlet y = 1;", "A".repeat(MAX_LINE));
    let lines = wait(&highlighter, "rust", &long);
    assert_eq!(lines[0].spans.len(), 1);
    assert_eq!(style_of(&lines[1], "let"), theme.syntax(Syntax::Keyword));
}

#[test]
fn a_highlighter_that_is_off_answers_at_once() {
    let theme = Theme::default();
    let lines = Highlighter::off().highlight("rust", "fn a()\n\n{}", &theme);
    let plain = ["fn a()", "", "{}"].map(|line| plain_line(line, &theme));
    assert_eq!(lines, Some(plain.to_vec()));
}

#[test]
fn no_thread_and_no_generation_before_the_first_question() {
    let highlighter = on();
    assert_eq!(highlighter.generation(), 0);
    assert!(!highlighter.shared.as_ref().unwrap().lock().started);
    wait(&highlighter, "rust", "fn a() {}");
    assert_eq!(highlighter.generation(), 1);
    assert!(highlighter.is_ready(highlighter.key("rust", "fn a() {}")));
}
