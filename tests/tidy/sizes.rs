//! How large a file, a function and the list of events may be. Owns the numbers.

use crate::{
    finding::Finding,
    source::{Source, is_name_byte, item_end},
};

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 60;
const EVENTS: usize = 20;

/// A file is short: one of code without the tests that stand in it, one of tests as a whole.
pub(crate) fn files_are_short(source: &Source<'_>) -> Vec<Finding> {
    let count = |item: &std::ops::Range<usize>| source.text[item.clone()].lines().count();
    let (tests, counted) = if source.is_all_tests() {
        (0, "lines")
    } else {
        (source.test_items.iter().map(count).sum::<usize>(), "lines without tests")
    };
    let lines = source.text.lines().count() - tests;
    if !source.is_rust() || lines <= FILE_LINES {
        return Vec::new();
    }
    let message = format!("{lines} {counted}, {FILE_LINES} at most: move a part of it out");
    vec![Finding::new(source.path, FILE_LINES, message)]
}

/// A function is short; blank lines and comments do not count.
pub(crate) fn functions_are_short(source: &Source<'_>) -> Vec<Finding> {
    function_lengths(source)
        .filter(|(_, lines)| *lines > FUNCTION_LINES)
        .map(|(at, lines)| {
            let message =
                format!("{lines} lines of code, {FUNCTION_LINES} at most: name its steps");
            Finding::new(source.path, source.line(at), message)
        })
        .collect()
}

/// Where each function with a body begins, and how many lines of code its body has.
pub(crate) fn function_lengths(source: &Source<'_>) -> impl Iterator<Item = (usize, usize)> {
    let code = if source.is_rust() { source.code.as_str() } else { "" };
    let bytes = code.as_bytes();
    let starts = code.match_indices("fn ").map(|(at, _)| at);
    let starts = starts.filter(|at| *at == 0 || !is_name_byte(bytes[at - 1]));
    starts.filter_map(|at| {
        let item = &code[at..item_end(bytes, at)];
        let body = item.find('{').and_then(|open| item.get(open + 1..item.len() - 1))?;
        Some((at, body.lines().filter(|line| !line.trim().is_empty()).count()))
    })
}

/// The list of events stays small enough to know by heart.
pub(crate) fn events_are_few(source: &Source<'_>) -> Vec<Finding> {
    let Some(at) = source.code.find("enum StreamEvent") else { return Vec::new() };
    let item = &source.code[at..item_end(source.code.as_bytes(), at)];
    let variants = variants(item);
    if variants <= EVENTS {
        return Vec::new();
    }
    let message =
        format!("StreamEvent has {variants} variants, {EVENTS} at most: widen one of them");
    vec![Finding::new(source.path, source.line(at), message)]
}

fn variants(item: &str) -> usize {
    let (mut depth, mut count, mut expected) = (0, 0, true);
    for byte in item.bytes() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            b',' if depth == 1 => expected = true,
            byte if depth == 1 && expected && byte.is_ascii_alphabetic() => {
                count += 1;
                expected = false;
            }
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{events_are_few, files_are_short, function_lengths, functions_are_short};
    use crate::{finding::starts, source::Source};

    #[test]
    fn a_long_file_is_found_and_tests_count_only_in_a_file_of_their_own() {
        let long = "fn a() {}\n".repeat(401);
        assert_eq!(starts(&files_are_short(&Source::new("src/a.rs", &long))), ["src/a.rs:400"]);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        let source = format!("{}{tests}", "fn a() {}\n".repeat(400));
        assert!(files_are_short(&Source::new("src/a.rs", &source)).is_empty());
        for path in ["src/a/tests.rs", "src/a/tests/b.rs", "tests/it/a.rs"] {
            let found = files_are_short(&Source::new(path, &long));
            assert_eq!(starts(&found), [format!("{path}:400")]);
            assert!(files_are_short(&Source::new(path, &"fn a() {}\n".repeat(400))).is_empty());
        }
    }

    #[test]
    fn a_long_function_is_found() {
        let function =
            |lines: usize| format!("\nfn f() {{\n{}}}\n", "    g(); // x\n\n".repeat(lines));
        let found = functions_are_short(&Source::new("src/a.rs", &function(61)));
        assert_eq!(starts(&found), ["src/a.rs:2"]);
        let text = function(60);
        let source = Source::new("src/a.rs", &text);
        assert!(functions_are_short(&source).is_empty());
        assert_eq!(function_lengths(&source).collect::<Vec<_>>(), [(1, 60)]);
    }

    #[test]
    fn an_event_too_many_is_found() {
        let list = |n: usize| {
            let variants = "/// Doc.\n#[x]\nE { a: u8, b: C },\n".repeat(n);
            format!("pub enum StreamEvent {{ {variants} }}")
        };
        assert_eq!(events_are_few(&Source::new("src/a.rs", &list(21))).len(), 1);
        assert_eq!(events_are_few(&Source::new("src/a.rs", &list(20))).len(), 0);
    }
}
