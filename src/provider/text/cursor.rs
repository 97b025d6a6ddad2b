//! A place in a text. Owns stepping over it by characters and words; knows no grammar.
//!
//! Invariant: the place is always between two characters, and never goes back. If more of the
//! text is to come, every look beyond what is there is noted; what was decided without one holds
//! for whatever comes.

use std::cell::Cell;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Set once something depends on what comes behind the text; none if nothing comes.
    edge: Option<&'a Cell<bool>>,
}

impl<'a> Cursor<'a> {
    /// The place before the byte `at`, or the end if there is no such place.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        let at = if text.is_char_boundary(at) { at } else { text.len() };
        Self { text, at, edge: None }
    }

    /// The beginning of a text of which more is to come.
    pub(super) fn partial(text: &'a str, edge: &'a Cell<bool>) -> Self {
        Self { text, at: 0, edge: Some(edge) }
    }

    /// The same place, in the text up to `end`, of which more is to come.
    pub(super) fn partial_to<'b>(&self, end: usize, edge: &'b Cell<bool>) -> Cursor<'b>
    where
        'a: 'b,
    {
        Cursor { text: self.text.get(..end).unwrap_or(self.text), at: self.at, edge: Some(edge) }
    }

    /// Whether more of the text is to come.
    pub(super) fn is_partial(&self) -> bool {
        self.edge.is_some()
    }

    /// Whether something depended on what is to come, since the last [`Self::forget_edge`].
    pub(super) fn is_short(&self) -> bool {
        self.edge.is_some_and(Cell::get)
    }

    /// From here on, nothing has depended on what is to come.
    pub(super) fn forget_edge(&self) {
        if let Some(edge) = self.edge {
            edge.set(false);
        }
    }

    /// Something depends on what is to come.
    pub(super) fn touch_edge(&self) {
        if let Some(edge) = self.edge {
            edge.set(true);
        }
    }

    /// Bytes from the beginning.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The text from here on. Who looks for its end must [`Self::touch_edge`].
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The text between two places of it.
    pub(super) fn between(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        let is_at_end = self.has_none_left();
        if is_at_end {
            self.touch_edge();
        }
        is_at_end
    }

    /// Whether all that is there was stepped over; does not matter for what comes.
    pub(super) fn has_none_left(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        let char = self.rest().chars().next();
        if char.is_none() {
            self.touch_edge();
        }
        char
    }

    /// Whether the next character is one of these.
    pub(super) fn is_at(&self, chars: &[char]) -> bool {
        self.peek().is_some_and(|char| chars.contains(&char))
    }

    /// Steps over one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    /// Whether this text is next.
    pub(super) fn begins(&self, text: &str) -> bool {
        let rest = self.rest();
        if rest.len() < text.len() && text.starts_with(rest) {
            self.touch_edge();
        }
        rest.starts_with(text)
    }

    /// Steps over this text, if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.begins(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Steps over one of these characters, if one is next.
    pub(super) fn eat_one(&mut self, chars: &[char]) -> bool {
        let is_next = self.is_at(chars);
        if is_next {
            self.bump();
        }
        is_next
    }

    /// Steps over the characters that `wanted` takes.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|char| !wanted(char)).unwrap_or_else(|| {
            self.touch_edge();
            rest.len()
        });
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Steps over white space, also of several lines.
    pub(super) fn space(&mut self) {
        self.take_while(is_space);
    }

    /// Steps over white space within the line.
    pub(super) fn blanks(&mut self) {
        self.take_while(is_blank);
    }

    /// The text before `word`; steps over both. Stays if `word` does not follow.
    pub(super) fn until(&mut self, word: &str) -> Option<&'a str> {
        let Some(end) = self.rest().find(word) else {
            self.touch_edge();
            return None;
        };
        let before = self.rest().get(..end)?;
        self.at += before.len() + word.len();
        Some(before)
    }

    /// The rest of the line without its end; steps over both.
    pub(super) fn line(&mut self) -> &'a str {
        let line = self.take_while(|char| char != '\n');
        self.eat("\n");
        line
    }

    /// Goes on to a later place.
    pub(super) fn go_to(&mut self, at: usize) {
        if at >= self.at && self.text.is_char_boundary(at) {
            self.at = at;
        }
    }
}

/// White space, and the mark that some servers send first.
pub(super) fn is_space(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

/// White space within a line.
pub(super) fn is_blank(char: char) -> bool {
    is_space(char) && char != '\n'
}
