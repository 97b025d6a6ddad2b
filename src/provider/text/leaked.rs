//! Calls that a model wrote in its own markup and that the server let through as text.
//!
//! Owns where in a text such a call may stand, and what is left of the text without it; the
//! forms of calls are rows of the table in `formats`. Must not know the protocol of labels.
//!
//! Invariant: a call comes out only if it is whole and meant: not in a think block, not quoted,
//! not from a reply that was cut. Every other character of the text stays in the text or in the
//! reasoning.

use serde_json::Value;

use super::{FinishReason, call::Named, cursor::Cursor, fence, is_cut, shape::Tools};
use crate::{protocol::tool::ToolSpec, provider::accumulate::AssembledCall};
use formats::{Begins, Item};

mod bare;
mod formats;
mod markup;

/// Marks of calls that turn out to be none: after so many, the text is about them.
const FALSE_MARKS: usize = 16;

const END_OF_THINK: &str = "</think>";

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

/// Finds the calls in the content of a whole reply.
///
/// Without a reason to finish, and after one that cut the reply, no call comes out, and the text
/// is what it was but for think blocks.
#[must_use]
pub fn recover(content: &str, finish: Option<&FinishReason>, tools: &[ToolSpec]) -> Recovered {
    let tools = Tools::new(tools);
    let mut scan = Scan::new(content, &tools, is_cut(finish));
    scan.thought_before();
    let rest = scan.cursor.rest();
    if !scan.is_sealed
        && let Some(mut found) = bare::whole(rest, &tools)
    {
        found.reasoning = scan.found.reasoning;
        return found;
    }
    scan.run();
    scan.finish(content)
}

struct Scan<'a> {
    cursor: Cursor<'a>,
    tools: &'a Tools,
    found: Recovered,
    /// No call comes out from here on.
    is_sealed: bool,
    /// No think block that begins from here on ends.
    is_endless: bool,
    /// Whether something was taken out of the text.
    is_changed: bool,
    false_marks: usize,
    /// Whether the line so far is blank or the mark of a quotation.
    line: Line,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Quotation,
    Text,
}

impl<'a> Scan<'a> {
    fn new(content: &'a str, tools: &'a Tools, is_sealed: bool) -> Self {
        Self {
            cursor: Cursor::new(content, 0),
            tools,
            found: Recovered::default(),
            is_sealed,
            is_endless: false,
            is_changed: false,
            false_marks: 0,
            line: Line::Blank,
        }
    }

    /// Think blocks before anything else, also one that began before the reply did.
    fn thought_before(&mut self) {
        if let Some(end) = end_of_thought_begun_before(self.cursor.rest()) {
            self.think(end, END_OF_THINK.len());
        }
        loop {
            let mut ahead = self.cursor;
            ahead.space();
            let Some((open, close)) = open_tag(ahead.rest()) else { return };
            ahead.eat(open);
            let Some(end) = ahead.rest().find(close) else { return };
            self.cursor = ahead;
            self.think(end, close.len());
        }
    }

    /// The next bytes are reasoning, up to a tag of such a length.
    fn think(&mut self, bytes: usize, tag: usize) {
        let start = self.cursor.at();
        let reasoning = self.cursor.between(start, start + bytes).trim();
        add_part(&mut self.found.reasoning, reasoning);
        self.cursor.go_to(start + bytes + tag);
        self.is_changed = true;
    }

    fn run(&mut self) {
        while let Some(char) = self.cursor.peek() {
            match char {
                '`' | '~' => self.quotation(),
                '<' | '[' => {
                    if !self.think_block() && !self.call() {
                        self.copy();
                    }
                }
                _ => self.copy(),
            }
        }
    }

    /// Keeps the next character.
    fn copy(&mut self) {
        let Some(char) = self.cursor.bump() else { return };
        self.found.text.push(char);
        self.line = match (char, self.line) {
            ('\n', _) => Line::Blank,
            ('>', Line::Blank) => Line::Quotation,
            (char, line) if char.is_whitespace() => line,
            (_, Line::Quotation) => Line::Quotation,
            _ => Line::Text,
        };
    }

    fn copy_to(&mut self, end: usize) {
        while self.cursor.at() < end {
            self.copy();
        }
    }

    /// Keeps a block, or a piece of code in the line, as it is.
    fn quotation(&mut self) {
        if self.line == Line::Blank
            && let Some(block) = fence::block(self.cursor)
        {
            let end = block.map_or(usize::MAX, |block| block.end);
            self.copy_to(end.min(self.cursor.at() + self.cursor.rest().len()));
            return;
        }
        let start = self.cursor;
        let mut ahead = start;
        let marks = ahead.take_while(|char| char == '`').len();
        let end = if marks == 0 { None } else { end_of_code(ahead, marks) };
        self.copy_to(end.unwrap_or(ahead.at()).max(start.at() + 1));
    }

    /// Takes out a think block that begins here.
    fn think_block(&mut self) -> bool {
        let tags = open_tag(self.cursor.rest()).filter(|_| !self.is_endless);
        let Some((open, close)) = tags else { return false };
        let mut ahead = self.cursor;
        ahead.eat(open);
        if let Some(end) = ahead.rest().find(close) {
            self.cursor = ahead;
            self.think(end, close.len());
            return true;
        }
        // It never ends: at the beginning of a line all of it was thought; else the tag may be
        // meant as a word, and so the text stays, but nothing in it runs.
        self.is_sealed = true;
        self.is_endless = true;
        if self.line == Line::Blank {
            self.cursor = ahead;
            self.think(ahead.rest().len(), 0);
            return true;
        }
        false
    }

    /// Takes out the calls that begin here.
    fn call(&mut self) -> bool {
        let is_quoted = self.line == Line::Quotation
            || self.found.text.ends_with(['"', '\'', '“', '‘', '「', '`']);
        if self.is_sealed || is_quoted || self.false_marks > FALSE_MARKS {
            return false;
        }
        let mut ahead = self.cursor;
        match formats::read(&mut ahead, self.tools) {
            Begins::Nothing => return false,
            Begins::FalseMark => {
                self.false_marks += 1;
                return false;
            }
            Begins::Items(items) => items.into_iter().for_each(|item| self.take(item)),
        }
        self.cursor = ahead;
        self.is_changed = true;
        true
    }

    fn take(&mut self, item: Item) {
        match item {
            Item::Call { named, repaired } => {
                self.found.calls.push(assembled(&named));
                self.found.repaired |= repaired;
            }
            Item::Reasoning(text) => add_part(&mut self.found.reasoning, &text),
            Item::Text(text) => self.found.text.push_str(&text),
            // What a model invents as a result of its calls says nothing of further calls.
            Item::InventedResult(tag) => {
                self.found.text.push_str(tag);
                self.is_sealed |= !self.found.calls.is_empty();
            }
        }
    }

    fn finish(self, content: &str) -> Recovered {
        let mut found = self.found;
        let text = if self.is_changed { found.text.trim() } else { content };
        found.text = text.to_owned();
        found
    }
}

fn assembled(named: &Named) -> AssembledCall {
    AssembledCall {
        id: named.id.clone(),
        name: named.name.clone(),
        arguments: named.argument_text(),
    }
}

fn add_part(whole: &mut String, part: &str) {
    if !whole.is_empty() && !part.is_empty() {
        whole.push('\n');
    }
    whole.push_str(part);
}

/// The tags of the think block that begins here.
fn open_tag(text: &str) -> Option<(&'static str, &'static str)> {
    let tags = [("<think>", END_OF_THINK), ("<thinking>", "</thinking>")];
    tags.into_iter().find(|(open, _)| text.starts_with(open))
}

/// Where a think block ends that the reply does not begin: its tag stands at the beginning of a
/// line, and no other comes before it.
fn end_of_thought_begun_before(text: &str) -> Option<usize> {
    let at = text.find(END_OF_THINK)?;
    let before = text.get(..at)?;
    let line = before.rsplit('\n').next().unwrap_or(before);
    (line.trim().is_empty() && !before.contains("<think")).then_some(at)
}

/// Where a piece of code in the line ends that began with so many marks.
fn end_of_code(mut cursor: Cursor<'_>, marks: usize) -> Option<usize> {
    while !cursor.is_at_end() && !cursor.is_at(&['\n']) {
        cursor.take_while(|char| !matches!(char, '`' | '\n'));
        if cursor.take_while(|char| char == '`').len() == marks {
            return Some(cursor.at());
        }
    }
    None
}

/// A call as an object of JSON with the name of a known tool and arguments.
fn known_call(value: &Value, tools: &Tools) -> Option<Named> {
    let named = Named::from_json(value)?;
    let is_call = tools.get(&named.name).is_some() && named.arguments.is_some();
    is_call.then_some(named)
}

#[cfg(test)]
mod tests;
