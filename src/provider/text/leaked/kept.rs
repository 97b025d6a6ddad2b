//! What was found in the content of a reply so far.
//!
//! Owns the white space at the ends of text and of thought, and whether a place is quoted. Must
//! not know marks or tags.
//!
//! Invariant: text ends with a character that is no white space until nothing more comes. If
//! nothing is taken out, it is the content to the last byte.

use super::item::{Item, assembled};
use crate::provider::accumulate::AssembledCall;

/// What the content of a reply holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The text without calls and think blocks; as it was if there are none.
    pub text: String,
    /// The calls in the order of the text.
    pub calls: Vec<AssembledCall>,
    /// What stood in think blocks.
    pub reasoning: String,
    /// Whether the JSON of some call was none and had to be guessed at; then nothing of this
    /// that writes or starts something must run without a question.
    pub repaired: bool,
}

/// What was found so far.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The text without what was taken out, up to the last character that is no white space.
    pub(super) text: String,
    /// The white space behind it.
    pub(super) gap: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<AssembledCall>,
    pub(super) repaired: bool,
    /// Whether the line so far is blank or the mark of a quotation.
    pub(super) line: Line,
    thought: Thought,
    /// The last character.
    last: Option<char>,
    /// Whether something was taken out.
    is_changed: bool,
    has_text: bool,
}

/// What a line of text is so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    Quotation,
    Text,
}

/// The reasoning so far.
#[derive(Clone, Debug)]
enum Thought {
    None,
    /// It has ended, and may go on with another block.
    Ended,
    /// It ends with this white space, of which it is not known whether something follows.
    GoesOn(String),
}

impl Kept {
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            gap: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            repaired: false,
            line: Line::Blank,
            thought: Thought::None,
            last: None,
            is_changed: false,
            has_text: false,
        }
    }

    /// One more character of the text.
    pub(super) fn put(&mut self, char: char) {
        self.last = Some(char);
        self.line = match (char, self.line) {
            ('\n', _) => Line::Blank,
            ('>', Line::Blank) => Line::Quotation,
            (char, line) if char.is_whitespace() => line,
            (_, Line::Quotation) => Line::Quotation,
            _ => Line::Text,
        };
        if !char.is_whitespace() {
            self.has_text = true;
            self.text.push_str(&self.gap);
            self.gap.clear();
            self.text.push(char);
        } else if self.has_text || !self.is_changed {
            self.gap.push(char);
        }
    }

    /// Whether what comes next is quoted.
    pub(super) fn is_quoted(&self) -> bool {
        self.line == Line::Quotation
            || self.last.is_some_and(|char| matches!(char, '"' | '\'' | '“' | '‘' | '「' | '`'))
    }

    /// Something is taken out of the text; white space before any text was there for its sake.
    pub(super) fn change(&mut self) {
        self.is_changed = true;
        if !self.has_text {
            self.gap.clear();
        }
    }

    /// Begins a block of thought.
    pub(super) fn begin_thought(&mut self) {
        self.change();
        if let Thought::GoesOn(_) = self.thought {
            self.thought = Thought::Ended;
        }
    }

    /// Adds thought. White space is kept only between other characters.
    pub(super) fn think(&mut self, text: &str) {
        let goes_on = matches!(self.thought, Thought::GoesOn(_));
        let text = if goes_on { text } else { text.trim_start() };
        let thought = text.trim_end();
        if !thought.is_empty() {
            match &self.thought {
                Thought::GoesOn(gap) => self.reasoning.push_str(gap),
                Thought::Ended => self.reasoning.push('\n'),
                Thought::None => {}
            }
            self.thought = Thought::GoesOn(String::new());
            self.reasoning.push_str(thought);
        }
        if let Thought::GoesOn(gap) = &mut self.thought {
            gap.push_str(text.get(thought.len()..).unwrap_or(""));
        }
    }

    /// What a markup holds.
    pub(super) fn take(&mut self, item: Item) {
        match item {
            Item::Call { named, repaired } => {
                self.calls.push(assembled(&named));
                self.repaired |= repaired;
            }
            Item::Reasoning(text) => {
                self.begin_thought();
                self.think(&text);
            }
            Item::Text(text) => self.add(&text),
            Item::InventedResult(tag) => self.add(tag),
        }
    }

    /// Adds text that stands in a markup: it does not begin a line.
    fn add(&mut self, text: &str) {
        let line = self.line;
        text.chars().for_each(|char| self.put(char));
        self.line = line;
    }

    /// Takes over what a reply is that is calls and nothing else.
    pub(super) fn take_whole(&mut self, found: Recovered) {
        self.begin_thought();
        self.think(&found.reasoning);
        self.calls.extend(found.calls);
        self.repaired |= found.repaired;
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self) {
        if !self.is_changed {
            self.text.push_str(&self.gap);
        }
    }

    /// What was found in a whole content.
    pub(super) fn finish(mut self) -> Recovered {
        self.end();
        let text = if self.is_changed { self.text.trim_start().to_owned() } else { self.text };
        let Self { calls, reasoning, repaired, .. } = self;
        Recovered { text, calls, reasoning, repaired }
    }
}
