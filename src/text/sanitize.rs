//! Makes text from outside harmless: what comes out holds no control character but newline and
//! tab, no escape sequence, and nothing that reorders or hides other text.
//!
//! Owns the list of what is dropped. Knows no terminal; the screen and the tools call it at the
//! border. Sequences after ECMA-48 §5.4 and §5.6; bidi controls after UAX #9 §2.
//!
//! Invariant: `sanitize(sanitize(x)) == sanitize(x)`, and no sequence, finished or not, can
//! swallow text beyond the end of its line.

use std::{borrow::Cow, iter::Peekable, str::Chars};

/// Drops escape sequences, control characters (but `\n` and `\t`), bidi controls and invisible
/// characters. `\r\n` becomes `\n`; a lone `\r` is dropped. Borrows if there is nothing to do.
#[must_use]
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_special) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for token in Tokens::over(text) {
        if let Token::Char(c) = token {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// Sanitizes a text that comes in pieces: a sequence that is cut between two of them is held back
/// until it is whole, so that its rest does not show as text.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    held: String,
}

/// Bytes of a sequence that are held back; a longer one is no sequence that means anything.
const HELD: usize = 256;

impl Stream {
    /// Takes a piece; gives what can be shown.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let whole = std::mem::take(&mut self.held);
        let start = unfinished(&whole).unwrap_or(whole.len());
        let (ready, rest) = whole.split_at_checked(start).unwrap_or((&whole, ""));
        rest.clone_into(&mut self.held);
        sanitize(ready).into_owned()
    }

    /// The text is over: what was held back never became whole, and is dropped.
    pub fn end(&mut self) {
        self.held.clear();
    }
}

/// Where a sequence begins that does not end in this text. Looks at its last bytes only.
fn unfinished(text: &str) -> Option<usize> {
    let from = text.len() - super::cut::tail(text, HELD).len();
    let mut at = from;
    while let Some(found) =
        text.get(at..)?.find(|c| c == '\u{1b}' || ('\u{80}'..'\u{a0}').contains(&c))
    {
        at += found;
        let rest = text.get(at..)?;
        match sequence_len(rest) {
            Some(length) => at += length,
            None => return Some(at),
        }
    }
    None
}

/// Bytes of the sequence that this text begins with; `None` if it goes on beyond the text.
fn sequence_len(text: &str) -> Option<usize> {
    let mut tokens = Tokens::over(text);
    let first = tokens.chars.next()?;
    let is_string = match (first, tokens.chars.peek()) {
        ('\u{1b}', None) => return None,
        ('\u{1b}', Some('[')) | ('\u{9b}', _) => false,
        ('\u{1b}', Some(']' | 'P' | 'X' | '^' | '_'))
        | ('\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}', _) => true,
        _ => return Some(first.len_utf8()),
    };
    if first == '\u{1b}' {
        tokens.chars.next();
    }
    if is_string {
        tokens.string();
    } else {
        tokens.csi();
    }
    let left: usize = tokens.chars.clone().map(char::len_utf8).sum();
    let read = text.len() - left;
    let closed = left > 0 || text.get(..read).is_some_and(|seen| is_closed(seen, is_string));
    closed.then_some(read)
}

/// Whether a sequence that reaches to the end of the text is over there.
fn is_closed(sequence: &str, is_string: bool) -> bool {
    let last = sequence.chars().next_back();
    if is_string {
        matches!(last, Some('\u{7}' | '\u{9c}')) || sequence.ends_with("\u{1b}\\")
    } else {
        sequence.chars().count() > 2 && last.is_some_and(|c| ('@'..='~').contains(&c))
    }
}

/// What a terminal would show in the end: carriage returns, backspaces and "erase line" are
/// applied within each line, so that a progress bar collapses to its last state; then as
/// [`sanitize`].
#[must_use]
pub fn settle(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_special) {
        return Cow::Borrowed(text);
    }
    let mut settled = String::with_capacity(text.len());
    let mut line = Line::default();
    for token in Tokens::over(text) {
        match token {
            Token::Char('\n') => line.end(&mut settled),
            Token::Char(c) => line.put(c),
            Token::Return => line.at = 0,
            Token::Back => line.at = line.at.saturating_sub(1),
            Token::EraseToEnd => line.cells.truncate(line.at),
            Token::EraseLine => line.cells.clear(),
        }
    }
    settled.extend(line.cells);
    Cow::Owned(settled)
}

/// As [`settle`], but what returns to the start of a line draws all of it anew, as a progress bar
/// means to: nothing of a longer line before it is left behind its end.
#[must_use]
pub fn settle_drawn_over(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return settle(text);
    }
    let mut erasing = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        erasing.push(c);
        if c == '\r' {
            while chars.next_if_eq(&'\r').is_some() {}
            if chars.peek().is_some_and(|next| *next != '\n') {
                erasing.push_str("\x1b[K");
            }
        }
    }
    Cow::Owned(settle(&erasing).into_owned())
}

/// One line of a terminal, as far as [`settle`] needs it.
#[derive(Default)]
struct Line {
    cells: Vec<char>,
    at: usize,
}

impl Line {
    fn put(&mut self, c: char) {
        while self.cells.len() < self.at {
            self.cells.push(' ');
        }
        match self.cells.get_mut(self.at) {
            Some(cell) => *cell = c,
            None => self.cells.push(c),
        }
        self.at += 1;
    }

    fn end(&mut self, out: &mut String) {
        out.extend(self.cells.drain(..));
        out.push('\n');
        self.at = 0;
    }
}

/// Whether a character needs a closer look: everything else passes as it is.
fn is_special(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || is_invisible(c)
}

/// Characters that reorder or hide text: bidi controls, zero-width space, soft hyphen, byte
/// order mark, line and paragraph separators, tag characters. Joiners stay: scripts and emoji
/// need them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// What a piece of terminal text means.
enum Token {
    Char(char),
    Return,
    Back,
    EraseToEnd,
    EraseLine,
}

struct Tokens<'a> {
    chars: Peekable<Chars<'a>>,
}

impl<'a> Tokens<'a> {
    fn over(text: &'a str) -> Self {
        Self { chars: text.chars().peekable() }
    }

    /// After `ESC`: reads the rest of the sequence.
    fn escape(&mut self) -> Option<Token> {
        match self.chars.peek().copied() {
            Some('[') => {
                self.chars.next();
                self.csi()
            }
            Some(']' | 'P' | 'X' | '^' | '_') => {
                self.chars.next();
                self.string();
                None
            }
            _ => {
                while self.chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
                self.chars.next_if(|c| ('0'..='~').contains(c));
                None
            }
        }
    }

    /// After `CSI`: parameters, intermediates, a final byte. Anything else ends it unread.
    fn csi(&mut self) -> Option<Token> {
        let mut parameters = String::new();
        while let Some(c) = self.chars.next_if(|c| (' '..='?').contains(c)) {
            parameters.push(c);
        }
        match (self.chars.next_if(|c| ('@'..='~').contains(c))?, parameters.as_str()) {
            ('K', "" | "0") => Some(Token::EraseToEnd),
            ('K', "1" | "2") => Some(Token::EraseLine),
            ('G', "" | "0" | "1") => Some(Token::Return),
            _ => None,
        }
    }

    /// After OSC, DCS, SOS, PM or APC: up to BEL or ST, but never past the line.
    fn string(&mut self) {
        while let Some(c) = self.chars.next_if(|c| *c != '\n') {
            if c == '\u{7}' || c == '\u{9c}' {
                return;
            }
            if c == '\u{1b}' {
                self.chars.next_if(|c| *c == '\\');
                return;
            }
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let token = match self.chars.next()? {
                '\u{1b}' => self.escape(),
                '\u{9b}' => self.csi(),
                '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => {
                    self.string();
                    None
                }
                '\r' if self.chars.peek() == Some(&'\n') => None,
                '\r' => Some(Token::Return),
                '\u{8}' => Some(Token::Back),
                c if is_special(c) => None,
                c => Some(Token::Char(c)),
            };
            if token.is_some() {
                return token;
            }
        }
    }
}

#[cfg(test)]
mod tests;
