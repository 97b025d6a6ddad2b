//! When two lines that differ are still taken for the same. Pure.
//!
//! Owns the levels of leniency, for all tools that look for lines in a file. Must not know what
//! the lines are part of.
//!
//! Invariant: lines that are taken for the same differ in nothing but blanks, line ends and
//! typographic punctuation.

use std::borrow::Cow;

/// How leniently lines were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Character by character, but for the kind of line end.
    Exact,
    /// Whole lines, blanks at their ends ignored.
    TrimEnd,
    /// And typographic quotes, dashes and spaces taken for plain ones.
    Punct,
    /// Whole lines, all shifted by the same indentation.
    Indent,
}

/// What of a line is compared at a level.
#[must_use]
pub fn key(level: Level, line: &str) -> Cow<'_, str> {
    if level == Level::Exact {
        return Cow::Borrowed(line);
    }
    let line = line.trim_end();
    if level == Level::Punct && !line.is_ascii() {
        let mut plain = String::with_capacity(line.len());
        for char in line.chars() {
            match char {
                '\u{2018}'..='\u{201B}' | '\u{2032}' => plain.push('\''),
                '\u{201C}'..='\u{201F}' | '\u{2033}' => plain.push('"'),
                '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
                '\u{2026}' => plain.push_str("..."),
                '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => {
                    plain.push(' ');
                }
                char => plain.push(char),
            }
        }
        let end = plain.trim_end().len();
        plain.truncate(end);
        return Cow::Owned(plain);
    }
    Cow::Borrowed(line)
}

/// What turns the indentation of wanted lines into that of the lines that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Nothing.
    None,
    /// These blanks in front.
    Add(String),
    /// Without these blanks in front.
    Remove(String),
}

/// The one shift that turns every line of `old` into the line of the window beside it. All are
/// keys of [`Level::Indent`].
#[must_use]
pub fn common_shift(window: &[Cow<'_, str>], old: &[Cow<'_, str>]) -> Option<Shift> {
    let mut common = None;
    for (line, old) in window.iter().zip(old) {
        if line.is_empty() && old.is_empty() {
            continue;
        }
        let shift = Shift::between(line, old)?;
        if common.get_or_insert_with(|| shift.clone()) != &shift {
            return None;
        }
    }
    common
}

impl Shift {
    /// What turns `old` into `line`, if that is a shift of its indentation. An empty line beside
    /// one with text is none.
    #[must_use]
    pub fn between(line: &str, old: &str) -> Option<Self> {
        let is_blank = |blanks: &str| blanks.chars().all(|char| matches!(char, ' ' | '\t'));
        if line.is_empty() || old.is_empty() {
            return None;
        }
        if let Some(more) = line.strip_suffix(old) {
            return is_blank(more).then(|| Self::Add(more.to_owned()));
        }
        let less = old.strip_suffix(line)?;
        is_blank(less).then(|| Self::Remove(less.to_owned()))
    }

    /// The text with every line that is not blank shifted; `None` if one cannot be.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        if *self == Self::None {
            return Some(text.to_owned());
        }
        let mut shifted = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match self {
                Self::Add(blanks) if !line.trim().is_empty() => {
                    shifted.push_str(blanks);
                    shifted.push_str(line);
                }
                Self::Remove(blanks) if !line.trim().is_empty() => {
                    shifted.push_str(line.strip_prefix(blanks.as_str())?);
                }
                _ => shifted.push_str(line),
            }
        }
        Some(shifted)
    }
}
