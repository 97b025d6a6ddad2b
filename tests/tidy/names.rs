//! The paths (`a::b::c`) that code names, with groups of imports taken apart. Owns this reading;
//! knows no rule.

use crate::source::is_name_byte;

/// One path in code: `use a::{b, c::d}` names `a::b` and `a::c::d`.
#[derive(Debug, PartialEq)]
pub(crate) struct Name {
    pub(crate) segments: Vec<String>,
    /// Offset of the path's last part.
    pub(crate) at: usize,
}

impl Name {
    pub(crate) fn starts_with(&self, prefix: &[&str]) -> bool {
        self.segments.len() >= prefix.len() && self.segments.iter().zip(prefix).all(|(a, b)| a == b)
    }

    /// Whether `pair` stands somewhere in the path, one right after the other.
    pub(crate) fn has_pair(&self, first: &[&str], second: &[&str]) -> bool {
        self.segments
            .windows(2)
            .any(|pair| first.contains(&pair[0].as_str()) && second.contains(&pair[1].as_str()))
    }

    pub(crate) fn text(&self) -> String {
        self.segments.join("::")
    }
}

/// All paths of at least two segments, and single names that are imported.
pub(crate) fn names(code: &str) -> Vec<Name> {
    let mut reader = Reader { code: code.as_bytes(), at: 0 };
    let mut found = Vec::new();
    let mut after_use = false;
    while reader.at < reader.code.len() {
        if !reader.code[reader.at].is_ascii_alphabetic() && reader.code[reader.at] != b'_' {
            let whole_number = reader.code[reader.at].is_ascii_digit();
            after_use &= reader.code[reader.at].is_ascii_whitespace();
            reader.at += 1;
            while whole_number && reader.peek().is_some_and(is_name_byte) {
                reader.at += 1;
            }
            continue;
        }
        let mut tree = Vec::new();
        reader.tree(&[], &mut tree);
        let is_use = tree.len() == 1 && tree[0].segments == ["use"];
        found.extend(tree.into_iter().filter(|name| name.segments.len() > 1 || after_use));
        after_use = is_use;
    }
    found
}

struct Reader<'a> {
    code: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.code.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(is_name_byte) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.code[start..self.at]).into_owned()
    }

    /// Reads `a::b`, `a::*` or `a::{…}` below `prefix`.
    fn tree(&mut self, prefix: &[String], found: &mut Vec<Name>) {
        let mut segments = prefix.to_vec();
        loop {
            let at = self.at;
            match self.peek() {
                Some(b'{') => return self.group(&segments, found),
                Some(b'*') => {
                    self.at += 1;
                    segments.push("*".to_owned());
                    return found.push(Name { segments, at });
                }
                _ => {}
            }
            let word = self.word();
            if word.is_empty() {
                return found.push(Name { segments, at });
            }
            if word != "self" || segments.is_empty() {
                segments.push(word);
            }
            let end = self.at;
            self.blanks();
            if !self.code[self.at..].starts_with(b"::") {
                self.at = end;
                return found.push(Name { segments, at });
            }
            self.at += 2;
            self.blanks();
        }
    }

    fn group(&mut self, prefix: &[String], found: &mut Vec<Name>) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.at += 1;
                    return;
                }
                byte if is_name_byte(byte) || byte == b'*' => {
                    self.tree(prefix, found);
                    self.rename();
                }
                _ => self.at += 1,
            }
        }
    }

    fn rename(&mut self) {
        self.blanks();
        let start = self.at;
        if self.word() == "as" {
            self.blanks();
            self.word();
        } else {
            self.at = start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    fn texts(code: &str) -> Vec<String> {
        names(code).iter().map(super::Name::text).collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        let right = ["crate::a::b", "crate::a", "crate::a::c::d", "crate::e", "f::*"];
        assert_eq!(texts("use crate::{a::{b as q, self, c::d}, e};\nuse f::*;"), right);
    }

    #[test]
    fn paths_in_expressions_and_types_count() {
        let right = ["mpsc::channel", "T::new", "x::Y"];
        assert_eq!(texts("let (a, b) = mpsc::channel::<u8>(1); T::new(x ::\n Y)"), right);
    }

    #[test]
    fn a_name_alone_counts_when_it_is_imported() {
        assert_eq!(texts("use ratatui;\nlet ratatui = 1;"), ["ratatui"]);
    }
}
