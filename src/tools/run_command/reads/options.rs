//! Reads the words of a program as options and operands, as `getopt` does.
//!
//! Owns the two readings that there are: GNU takes options wherever they stand, others take
//! everything after the first operand for operands. Must not know any program.
//!
//! Invariant: an option passes only if it stands in the table in full. What is an option to one
//! reading and an operand to the other is given as both.

use super::shell::Word;

/// The options of a program that only read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, attached or as the next word.
    pub(super) valued: &'static str,
    /// Letters with a number for a value.
    pub(super) numbered: &'static str,
    /// Words: `all`; with a value `include=`, a number `lines#`, a value that may be left out
    /// `color?`, or the next word if there is one `merged+`.
    pub(super) long: &'static [&'static str],
    /// More of them, which several commands share.
    pub(super) more: &'static [&'static str],
    /// Whether `-5` is an option.
    pub(super) digits: bool,
}

/// What the words of a program mean.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    /// In order. May hold wild characters, but never so that it becomes an option.
    pub(super) operands: Vec<&'a Word>,
    /// Names with their dashes, and values.
    pub(super) options: Vec<(String, Option<&'a str>)>,
    /// Words behind the first operand that are options to some and operands to others.
    pub(super) late: Vec<&'a Word>,
}

impl Arguments<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| given == name)
    }

    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &str> {
        let is_wanted = |(name, _): &&(String, Option<&str>)| names.contains(&name.as_str());
        self.options.iter().filter(is_wanted).filter_map(|(_, value)| *value)
    }
}

/// A number as `head` and its like take it; huge ones are none.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = digits.strip_suffix(['k', 'K', 'M']).unwrap_or(digits);
    (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl Options {
    /// Reads the words behind the name of the program.
    pub(super) fn read<'a>(&self, words: &'a [Word]) -> Option<Arguments<'a>> {
        let mut read = Arguments::default();
        let mut words = words.iter();
        let mut only_operands = false;
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            if only_operands {
                read.operands.push(word);
                continue;
            }
            if word.wild.first() == Some(&0) {
                return None;
            }
            let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else {
                read.operands.push(word);
                continue;
            };
            let before = words.as_slice();
            word.literal()?;
            match option.strip_prefix('-') {
                Some("") => only_operands = true,
                Some(long) => read.options.push(self.long(long, &mut words)?),
                None => self.cluster(option, &mut words, &mut read.options)?,
            }
            if !read.operands.is_empty() {
                let taken = before.len() - words.as_slice().len();
                read.late.push(word);
                read.late.extend(before.iter().take(taken));
            }
        }
        Some(read)
    }

    fn long<'a>(
        &self,
        option: &'a str,
        words: &mut std::slice::Iter<'a, Word>,
    ) -> Option<(String, Option<&'a str>)> {
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let mut known = self.long.iter().chain(self.more);
        let known = known.find(|known| known.trim_end_matches(KINDS) == name)?;
        let value = match (known.chars().last()?, attached) {
            ('=' | '#' | '+' | '?', Some(value)) => Some(value),
            ('=' | '#', None) => Some(words.next()?.literal()?),
            ('+', None) => match words.next() {
                Some(word) => Some(word.literal()?),
                None => None,
            },
            (_, Some(_)) => return None,
            (_, None) => None,
        };
        let needs_number = known.ends_with('#');
        (!needs_number || value.is_some_and(is_number)).then(|| (format!("--{name}"), value))
    }

    fn cluster<'a>(
        &self,
        letters: &'a str,
        words: &mut std::slice::Iter<'a, Word>,
        options: &mut Vec<(String, Option<&'a str>)>,
    ) -> Option<()> {
        if self.digits && letters.len() <= 9 && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            options.push((format!("-{letters}"), None));
            return Some(());
        }
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let mut value = None;
            if self.valued.contains(letter) || self.numbered.contains(letter) {
                let attached = rest.as_str();
                rest = "".chars();
                let text = if attached.is_empty() { words.next()?.literal()? } else { attached };
                if self.numbered.contains(letter) && !is_number(text) {
                    return None;
                }
                value = Some(text);
            } else if !self.flags.contains(letter) {
                return None;
            }
            options.push((format!("-{letter}"), value));
        }
        Some(())
    }
}

/// The ends of names in [`Options::long`].
const KINDS: [char; 4] = ['=', '#', '?', '+'];
