//! Splits a command into simple commands and their words, if it is of the plainest kind.
//!
//! Owns the grammar that is accepted: bare and quoted words, `|`, `&&`, `||`, `;`, `< file`,
//! `2>&1` and `> /dev/null`. Must not know any program.
//!
//! Invariant: the words are those that bash splits, but for `*` and `?`, which are marked. What
//! could mean anything else to any shell is refused: backslashes, `$`, braces, comments, blanks
//! beyond ASCII.

use std::{iter::Peekable, str::Chars};

/// Longest command that is looked at, in bytes.
const LONGEST: usize = 10_000;

/// The only file that output may go to.
const NOWHERE: &str = "/dev/null";

/// A word of a command, after quotes were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Word {
    /// What the program gets, unless there are wild characters in it.
    pub(in super::super) text: String,
    /// Where in `text`, in bytes, a `*` or `?` stands that the shell replaces by names of files.
    pub(in super::super) wild: Vec<usize>,
    /// Nothing of it is quoted.
    pub(super) bare: bool,
}

impl Word {
    /// The text, if it is exactly what the program gets.
    pub(super) fn literal(&self) -> Option<&str> {
        self.wild.is_empty().then_some(self.text.as_str())
    }
}

/// How a simple command hangs together with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// It is the first.
    First,
    /// `|`
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`
    Then,
}

/// A program with its words and its input. Its output goes where it always goes, or nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Never empty.
    pub(super) words: Vec<Word>,
    /// `< file`
    pub(super) input: Option<Word>,
}

/// The simple commands in a command, if it consists of nothing else.
pub(super) fn parse(command: &str) -> Option<Vec<(Joint, Simple)>> {
    let command = command.trim_matches([' ', '\n']);
    if command.len() > LONGEST || command.chars().any(char::is_control) {
        return None;
    }
    let mut lexer = Lexer { rest: command.chars().peekable() };
    let mut line = Vec::new();
    let mut joint = Joint::First;
    let mut simple = Simple::default();
    loop {
        match lexer.next()? {
            // In front, it is no word.
            Token::Word(word) if simple.words.is_empty() && word.bare && word.text == "!" => {
                return None;
            }
            Token::Word(word) => simple.words.push(word),
            Token::Input(word) if simple.input.is_none() => simple.input = Some(word),
            Token::Nowhere => {}
            Token::Input(_) => return None,
            Token::Joint(_) | Token::End if simple.words.is_empty() => return None,
            Token::Joint(next) => {
                line.push((joint, std::mem::take(&mut simple)));
                joint = next;
            }
            Token::End => {
                line.push((joint, simple));
                return Some(line);
            }
        }
    }
}

enum Token {
    Word(Word),
    Joint(Joint),
    /// `< word`
    Input(Word),
    /// Output that is dropped or merged.
    Nowhere,
    End,
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
}

/// Whether a character means itself and nothing else, wherever it stands in a bare word.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./,:=@%+^".contains(c)
}

impl Lexer<'_> {
    /// The next token; `None` if it is none of ours.
    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        match self.rest.peek() {
            None => Some(Token::End),
            Some('|') => Some(Token::Joint(self.one_or_two('|', Joint::Pipe, Joint::Or))),
            Some(';') => {
                self.rest.next();
                Some(Token::Joint(Joint::Then))
            }
            Some('&') => {
                self.rest.next();
                self.rest.next_if_eq(&'&').map(|_| Token::Joint(Joint::And))
            }
            Some('>') => self.output(),
            Some('<') => {
                self.rest.next();
                self.skip_blanks();
                let word = self.word()?;
                // `< 2>&1` has no file: the number belongs to what follows it.
                let ends = !matches!(self.rest.peek(), Some('<' | '>'));
                ends.then_some(Token::Input(word))
            }
            Some(_) => {
                let word = self.word()?;
                let is_number = word.bare && word.text.bytes().all(|byte| byte.is_ascii_digit());
                match self.rest.peek() {
                    Some('<') if is_number => None,
                    Some('>') if is_number && !matches!(word.text.as_str(), "1" | "2") => None,
                    Some('>') if is_number => self.output(),
                    _ => Some(Token::Word(word)),
                }
            }
        }
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if_eq(&' ').is_some() {}
    }

    fn one_or_two(&mut self, sign: char, one: Joint, two: Joint) -> Joint {
        self.rest.next();
        if self.rest.next_if_eq(&sign).is_some() { two } else { one }
    }

    /// `>&1`, `>&2` or `> /dev/null`.
    fn output(&mut self) -> Option<Token> {
        self.rest.next();
        let merges = self.rest.next_if_eq(&'&').is_some();
        if !merges {
            self.skip_blanks();
        }
        let target = self.word()?;
        let is_harmless = if merges {
            target.bare && matches!(target.text.as_str(), "1" | "2")
        } else {
            target.literal() == Some(NOWHERE)
        };
        // `>&1>` would be the start of something else.
        let ends = !matches!(self.rest.peek(), Some('<' | '>'));
        (is_harmless && ends).then_some(Token::Nowhere)
    }

    /// A word, which must begin here.
    fn word(&mut self) -> Option<Word> {
        let mut word = Word { bare: true, ..Word::default() };
        let mut begun = false;
        loop {
            let is_first = !std::mem::replace(&mut begun, true);
            match self.rest.peek().copied() {
                None | Some(' ' | '|' | '&' | ';' | '<' | '>') => {
                    return (!is_first).then_some(word);
                }
                Some('\'') => self.single(&mut word)?,
                Some('"') => self.double(&mut word)?,
                Some('\\' | '!' | '[' | ']') if is_first => return self.alone(),
                Some(c @ ('*' | '?')) => {
                    word.wild.push(word.text.len());
                    word.text.push(c);
                    self.rest.next();
                }
                // Anywhere else it may stand for a home folder.
                Some('~') if word.bare && follows_a_name(&word.text) => {
                    word.text.push('~');
                    self.rest.next();
                }
                Some(c) if is_plain(c) => {
                    word.text.push(c);
                    self.rest.next();
                }
                Some(_) => return None,
            }
        }
    }

    /// `[`, `]`, `!`, `\(`, `\)` or `\!` as a whole word.
    fn alone(&mut self) -> Option<Word> {
        let first = self.rest.next()?;
        let (c, bare) = match first {
            '\\' => (self.rest.next_if(|c| matches!(c, '(' | ')' | '!'))?, false),
            c => (c, true),
        };
        let ends = matches!(self.rest.peek(), None | Some(' ' | '|' | '&' | ';'));
        ends.then(|| Word { text: c.to_string(), bare, ..Word::default() })
    }

    fn single(&mut self, word: &mut Word) -> Option<()> {
        word.bare = false;
        self.rest.next();
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                c => word.text.push(c),
            }
        }
    }

    fn double(&mut self, word: &mut Word) -> Option<()> {
        word.bare = false;
        self.rest.next();
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '`' => return None,
                '$' if self.rest.peek() != Some(&'"') => return None,
                '\\' => match self.rest.next()? {
                    c @ ('$' | '`' | '"' | '\\') => word.text.push(c),
                    c => word.text.extend(['\\', c]),
                },
                c => word.text.push(c),
            }
        }
    }
}

fn follows_a_name(text: &str) -> bool {
    let before = text.trim_end_matches('~');
    before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '^'))
}

#[cfg(test)]
mod tests;
