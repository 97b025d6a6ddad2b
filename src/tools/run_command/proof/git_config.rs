//! Reads settings of git, as git does.
//!
//! Owns the grammar of the file. Must not know what a setting means. Pure.
//!
//! Invariant: a file that git would take differently, or not at all, is refused.

use std::{iter::Peekable, str::Chars};

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// In small letters.
    pub(super) section: String,
    /// As it is written; empty if there is none.
    pub(super) subsection: String,
    /// In small letters.
    pub(super) key: String,
    /// `true` for a key without a value.
    pub(super) value: String,
}

/// All settings of a file, in order.
pub(super) fn parse(text: &str) -> Option<Vec<Setting>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut settings = Vec::new();
    let mut reader = Reader { rest: text.chars().peekable() };
    let mut section: Option<(String, String)> = None;
    while let Some(c) = reader.rest.next() {
        match c {
            '#' | ';' => reader.skip_line(),
            '[' => section = Some(reader.section()?),
            c if c.is_ascii_alphabetic() => {
                let (section, subsection) = section.clone()?;
                let (key, value) = reader.setting(c)?;
                settings.push(Setting { section, subsection, key, value });
            }
            c if c.is_ascii_whitespace() => {}
            _ => return None,
        }
    }
    Some(settings)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn skip_line(&mut self) {
        while self.rest.next().is_some_and(|c| c != '\n') {}
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    }

    /// `section]`, `section.sub]` or `section "sub"]`, behind the `[`.
    fn section(&mut self) -> Option<(String, String)> {
        let mut name = String::new();
        loop {
            match self.rest.next()? {
                ']' => {
                    let name = name.to_ascii_lowercase();
                    let (section, sub) = name.split_once('.').unwrap_or((&name, ""));
                    return Some((section.to_owned(), sub.to_owned()));
                }
                ' ' | '\t' => break,
                c if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') => name.push(c),
                _ => return None,
            }
        }
        self.skip_blanks();
        self.rest.next_if_eq(&'"')?;
        let mut subsection = String::new();
        loop {
            match self.rest.next()? {
                '"' => break,
                '\n' => return None,
                '\\' => match self.rest.next()? {
                    '\n' => return None,
                    c => subsection.push(c),
                },
                c => subsection.push(c),
            }
        }
        self.rest.next_if_eq(&']')?;
        Some((name.to_ascii_lowercase(), subsection))
    }

    fn setting(&mut self, first: char) -> Option<(String, String)> {
        let mut key = String::from(first);
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '-') {
            key.push(c);
        }
        self.skip_blanks();
        let value = match self.rest.next() {
            None | Some('\n') => "true".to_owned(),
            Some('=') => self.value()?,
            Some(_) => return None,
        };
        Some((key.to_ascii_lowercase(), value))
    }

    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        // The end of what counts: blanks at the end do not, unless they are quoted.
        let mut end = 0;
        let mut quoted = false;
        self.skip_blanks();
        loop {
            match self.rest.next() {
                None | Some('\n') if quoted => return None,
                None | Some('\n') => break,
                Some('#' | ';') if !quoted => {
                    self.skip_line();
                    break;
                }
                Some('"') => quoted = !quoted,
                Some('\\') => match self.rest.next()? {
                    '\n' => continue,
                    't' => value.push('\t'),
                    'n' => value.push('\n'),
                    'b' => value.push('\u{8}'),
                    c @ ('\\' | '"') => value.push(c),
                    _ => return None,
                },
                Some(c) if c.is_ascii_whitespace() && !quoted => {
                    value.push(c);
                    continue;
                }
                Some(c) => value.push(c),
            }
            end = value.len();
        }
        value.truncate(end);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<Vec<String>> {
        let show = |s: Setting| format!("{}|{}|{}|{}", s.section, s.subsection, s.key, s.value);
        parse(text).map(|settings| settings.into_iter().map(show).collect())
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "# a\n[Core] bare = false ; b\n\tfsMonitor\n[filter \"A b\\\"]\"]\nclean = \"x # y\" z  # c\n\
                    process = a\\\n b\r\n[remote.Origin]\nurl=\\\\x\\t\n";
        let expected = [
            "core||bare|false",
            "core||fsmonitor|true",
            "filter|A b\"]|clean|x # y z",
            "filter|A b\"]|process|a b",
            "remote|origin|url|\\x\t",
        ];
        assert_eq!(shown(text).unwrap(), expected);
    }

    #[test]
    fn what_git_refuses_is_refused() {
        for text in [
            "key = 1",
            "[a\nb=1",
            "[a \"b\n\"]",
            "[a]\nb = \"x",
            "[a]\nb = \\q",
            "[a]\n=1",
            "[a]\nb c",
            "[a b]",
            "[a]\n\u{e9} = 1",
        ] {
            assert_eq!(shown(text), None, "{text:?}");
        }
    }
}
