//! One source file as text with its comments, literals and tests told apart. Owns this reading;
//! knows no rule.
//!
//! Invariant: every view of the text has the length and the line breaks of the text itself, so
//! that an offset means the same line in all of them.

use std::{ops::Range, path::Path};

/// A file of the tree, by its path relative to the root.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// The text with comments and literals blanked out.
    pub(crate) code: String,
    /// The text with everything but comments blanked out.
    pub(crate) comments: String,
    /// [`Source::code`] with test items blanked out; blank in a file of tests.
    pub(crate) shipped: String,
    /// Where the test items are.
    pub(crate) test_items: Vec<Range<usize>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: &'a str, text: &'a str) -> Self {
        let kinds = classify(text.as_bytes());
        let code = keep(text, |at| kinds[at] == Kind::Code);
        let comments = keep(text, |at| kinds[at] == Kind::Comment);
        let test_items = if is_test_file(path) {
            std::iter::once(0..text.len()).collect()
        } else {
            test_items(&code)
        };
        let shipped = keep(&code, |at| !test_items.iter().any(|item| item.contains(&at)));
        Self { path, text, code, comments, shipped, test_items }
    }

    /// The line of a byte offset, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.code[..offset].matches('\n').count() + 1
    }

    /// Whether the file is code of the crate: Rust below `src/`.
    pub(crate) fn is_crate_code(&self) -> bool {
        self.path.starts_with("src/") && self.is_rust()
    }

    /// Whether all of the file is tests.
    pub(crate) fn is_all_tests(&self) -> bool {
        is_test_file(self.path)
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(self.path).extension().is_some_and(|found| found == extension)
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }
}

fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/") || path.ends_with("/tests.rs") || path.contains("/tests/")
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

fn keep(text: &str, kept: impl Fn(usize) -> bool) -> String {
    let bytes = text.bytes().enumerate();
    let bytes = bytes.map(|(at, byte)| if byte == b'\n' || kept(at) { byte } else { b' ' });
    String::from_utf8(bytes.collect()).expect("whole characters are blanked")
}

fn classify(text: &[u8]) -> Vec<Kind> {
    let mut kinds = Vec::with_capacity(text.len());
    while kinds.len() < text.len() {
        let at = kinds.len();
        let rest = &text[at..];
        let after_name = at > 0 && is_name_byte(text[at - 1]);
        let (kind, length) = if rest.starts_with(b"//") {
            (Kind::Comment, rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()))
        } else if rest.starts_with(b"/*") {
            (Kind::Comment, block_comment(rest))
        } else if let Some(length) = string(rest, after_name).or_else(|| character(rest)) {
            (Kind::Literal, length)
        } else {
            (Kind::Code, 1)
        };
        kinds.resize(at + length.max(1), kind);
    }
    kinds
}

fn block_comment(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

fn string(text: &[u8], after_name: bool) -> Option<usize> {
    if text.first() == Some(&b'"') {
        let mut at = 1;
        while at < text.len() && text[at] != b'"' {
            at += if text[at] == b'\\' { 2 } else { 1 };
        }
        return Some((at + 1).min(text.len()));
    }
    let prefix = [&b"r"[..], b"br", b"cr"].into_iter().find(|prefix| text.starts_with(prefix));
    let prefix = prefix.filter(|_| !after_name)?.len();
    let hashes = text[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = prefix + hashes;
    if text.get(open) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = &text[open + 1..];
    let end = body.windows(close.len()).position(|window| window == close);
    Some(end.map_or(text.len(), |end| open + 1 + end + close.len()))
}

/// A character literal; `None` for a lifetime.
fn character(text: &[u8]) -> Option<usize> {
    if text.first() != Some(&b'\'') {
        return None;
    }
    if text.get(1) == Some(&b'\\') {
        let end = text.iter().skip(3).position(|byte| *byte == b'\'')?;
        return Some(end + 4);
    }
    let width = match text.get(1)? {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    (text.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn test_items(code: &str) -> Vec<Range<usize>> {
    let starts = ["#[cfg(test)]", "#[cfg(all(test"].into_iter();
    starts
        .flat_map(|mark| code.match_indices(mark).map(|(at, mark)| at..at + mark.len()))
        .map(|mark| mark.start..item_end(code.as_bytes(), mark.end))
        .collect()
}

/// Where the item that begins at or after `start` ends: behind its `;` or its closing brace.
pub(crate) fn item_end(code: &[u8], start: usize) -> usize {
    let (mut round, mut curly) = (0_i32, 0_i32);
    for (at, byte) in code.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => round += 1,
            b')' | b']' => round -= 1,
            b'{' => curly += 1,
            b'}' => {
                curly -= 1;
                if curly <= 0 && round <= 0 {
                    return at + 1;
                }
            }
            b';' if round <= 0 && curly == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn comments_and_literals_are_told_from_code() {
        let text =
            "let a = \"x // \\\" y\"; // note \"q\"\nlet b = 'c'; fn f<'a>() {} /* /* in */ */ z";
        let source = Source::new("src/a.rs", text);
        assert_eq!(source.comments.trim().lines().next(), Some("// note \"q\""));
        let words: Vec<&str> = source.code.split_whitespace().collect();
        let right = ["let", "a", "=", ";", "let", "b", "=", ";", "fn", "f<'a>()", "{}", "z"];
        assert_eq!(words, right);
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        let source =
            Source::new("src/a.rs", "a(r##\"x \"# y\"##, br\"\\\", 'é', '\\'', '\\u{e9}')");
        assert_eq!(source.code.replace(' ', ""), "a(,,,,)");
    }

    #[test]
    fn tests_are_no_shipped_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() { c::d(); }\n}\nfn e() {}\n";
        let source = Source::new("src/a.rs", text);
        let words: Vec<&str> = source.shipped.split_whitespace().collect();
        assert_eq!(words, ["fn", "a()", "{}", "fn", "e()", "{}"]);
        assert!(Source::new("src/a/tests.rs", text).shipped.trim().is_empty());
    }
}
