//! One pass over the content of a reply: what is text, what is thought, what is a call.
//!
//! Owns where a call may stand, and the order of precedence between blocks of code, think blocks
//! and calls. Must not know how a markup is read, or a screen.
//!
//! Invariant: a step is taken only once nothing that may come can change it, so that the outcome
//! does not depend on how the content was cut into pieces.

use std::cell::Cell;

use super::{
    bare,
    formats::{self, Begins},
    item::Item,
    kept::{Kept, Line},
    thought::{END_OF_THINK, EndOfThought, open_tag},
};
use crate::provider::text::{
    cursor::Cursor,
    fence::{self, Fence},
    shape::Tools,
};

/// Marks of calls that turn out to be none: after so many, the text is about them.
const FALSE_MARKS: usize = 16;

/// What was found so far, and what the place in the content means for what follows.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    pub(super) kept: Kept,
    seal: Seal,
    inside: Inside,
    /// Nothing but think blocks came so far: the rest may be calls without any mark.
    is_leading: bool,
    /// Text before the end of thought that began before the reply stays text, for it was shown.
    keeps_shown: bool,
    /// Whether the reply may have begun within thought.
    may_begin_in_thought: bool,
    false_marks: usize,
    /// The next end of thought, once it was looked for in a text that is whole.
    end_of_thought: Option<EndOfThought>,
}

/// Whether calls may come out from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seal {
    Open,
    Sealed,
    /// They may not, and no think block that begins ends.
    Endless,
}

/// What the place is inside of.
#[derive(Clone, Copy, Debug)]
enum Inside {
    Text,
    Block { fence: Fence, line: fence::Line },
    Thought { close: &'static str },
}

impl Scan {
    /// A scan of a text without its beginning: no thought, no calls without a mark.
    pub(super) fn new() -> Self {
        Self {
            kept: Kept::new(),
            seal: Seal::Open,
            inside: Inside::Text,
            is_leading: false,
            keeps_shown: false,
            may_begin_in_thought: false,
            false_marks: 0,
            end_of_thought: None,
        }
    }

    /// A scan of a whole reply.
    pub(super) fn of_reply() -> Self {
        Self { is_leading: true, ..Self::new() }
    }

    /// A scan of a reply as it comes, of which text is shown.
    pub(super) fn of_stream() -> Self {
        Self { keeps_shown: true, may_begin_in_thought: true, ..Self::of_reply() }
    }

    /// No call comes out from here on.
    pub(super) fn seal(&mut self) {
        if self.seal == Seal::Open {
            self.seal = Seal::Sealed;
        }
    }

    /// All up to the end of thought that began before the reply did.
    pub(super) fn thought_before(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at();
        if let Some(end) = EndOfThought::after(cursor).place_for(start) {
            self.kept.begin_thought();
            self.kept.think(cursor.between(start, end));
            cursor.go_to(end + END_OF_THINK.len());
        }
    }

    /// Takes all steps that nothing which may come can change.
    pub(super) fn run(&mut self, cursor: &mut Cursor<'_>, tools: &Tools) {
        while !cursor.has_none_left() {
            cursor.forget_edge();
            let start = cursor.at();
            self.step(cursor, tools);
            if cursor.at() == start && cursor.is_short() {
                return;
            }
        }
    }

    /// Whether what comes next is undecided, but text until a tag or mark begins.
    pub(super) fn is_in_quotation(&self, rest: &str) -> bool {
        let is_text = matches!(self.inside, Inside::Text) && !self.is_leading;
        is_text && rest.starts_with(['`', '~'])
    }

    /// One step. It steps over nothing if what comes may change it, or if it changed what the
    /// place means.
    fn step(&mut self, cursor: &mut Cursor<'_>, tools: &Tools) {
        match self.inside {
            Inside::Thought { close } => self.thought(cursor, close),
            Inside::Block { fence, line } => self.block(cursor, fence, line),
            Inside::Text if self.is_leading => self.lead(cursor, tools),
            Inside::Text => match cursor.peek() {
                Some('`' | '~') => self.quotation(cursor),
                Some('<' | '[') => self.tag(cursor, tools),
                _ => self.copy(cursor),
            },
        }
    }

    /// Think blocks, or a reply that is calls and nothing else.
    fn lead(&mut self, cursor: &mut Cursor<'_>, tools: &Tools) {
        let mut ahead = *cursor;
        ahead.space();
        if let Some((open, close)) = open_tag(&ahead) {
            ahead.eat(open);
            *cursor = ahead;
            return self.begin_thought(close);
        }
        if cursor.is_short() {
            return;
        }
        let is_whole = self.seal == Seal::Open && self.end_of_thought(&ahead).is_none();
        let found = if is_whole { bare::whole(ahead, tools) } else { None };
        if cursor.is_short() {
            return;
        }
        self.is_leading = false;
        if let Some(found) = found {
            self.kept.take_whole(found);
            cursor.go_to(cursor.at() + cursor.rest().len());
        }
    }

    fn begin_thought(&mut self, close: &'static str) {
        self.kept.begin_thought();
        self.may_begin_in_thought = false;
        self.inside = Inside::Thought { close };
    }

    /// Goes on in a think block. One that never ends: all of it was thought.
    fn thought(&mut self, cursor: &mut Cursor<'_>, close: &'static str) {
        let mut ahead = *cursor;
        let text = ahead.take_while(|char| char != '<');
        if !text.is_empty() {
            *cursor = ahead;
            return self.kept.think(text);
        }
        if cursor.eat(close) {
            self.inside = Inside::Text;
        } else if !cursor.is_short() {
            cursor.eat("<");
            self.kept.think("<");
        }
    }

    /// Keeps the next character.
    fn copy(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(char) = cursor.bump() {
            self.kept.put(char);
        }
    }

    fn copy_to(&mut self, cursor: &mut Cursor<'_>, end: usize) {
        while cursor.at() < end {
            self.copy(cursor);
        }
    }

    /// Goes on in a block of code.
    fn block(&mut self, cursor: &mut Cursor<'_>, fence: Fence, mut line: fence::Line) {
        let Some(char) = cursor.peek() else { return };
        self.copy(cursor);
        line.push(char, fence);
        self.inside = match char {
            '\n' if line.closes(fence) => Inside::Text,
            '\n' => Inside::Block { fence, line: fence::Line::default() },
            _ => Inside::Block { fence, line },
        };
    }

    /// Begins a block, or keeps a piece of code in the line as it is.
    fn quotation(&mut self, cursor: &mut Cursor<'_>) {
        if self.kept.line == Line::Blank {
            let mut ahead = *cursor;
            let opening = Fence::opening(ahead.line());
            if cursor.is_short() {
                return;
            }
            if let Some((fence, _)) = opening {
                self.copy_to(cursor, ahead.at());
                self.inside = Inside::Block { fence, line: fence::Line::default() };
                return;
            }
        }
        let mut ahead = *cursor;
        let marks = ahead.take_while(|char| char == '`').len();
        let end = if marks == 0 { None } else { end_of_code(ahead, marks) };
        if !cursor.is_short() {
            self.copy_to(cursor, end.unwrap_or(ahead.at()).max(cursor.at() + 1));
        }
    }

    /// Takes out what begins here, or keeps the character.
    fn tag(&mut self, cursor: &mut Cursor<'_>, tools: &Tools) {
        if self.think_block(cursor) || cursor.is_short() {
            return;
        }
        if self.keeps_shown && self.end_tag(cursor) || cursor.is_short() {
            return;
        }
        if !self.call(cursor, tools) && !cursor.is_short() {
            self.copy(cursor);
        }
    }

    /// Takes out a think block that begins here.
    fn think_block(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let tags = if self.seal == Seal::Endless { None } else { open_tag(cursor) };
        let Some((open, close)) = tags else { return false };
        let mut ahead = *cursor;
        ahead.eat(open);
        if self.kept.line == Line::Blank {
            *cursor = ahead;
            self.begin_thought(close);
            return true;
        }
        if let Some(text) = ahead.until(close) {
            *cursor = ahead;
            self.begin_thought(close);
            self.kept.think(text);
            self.inside = Inside::Text;
            return true;
        }
        // It never ends, and the tag may be meant as a word: the text stays, but nothing in it
        // runs.
        if !cursor.is_short() {
            self.seal = Seal::Endless;
        }
        false
    }

    /// Takes out the end of thought that did not begin in the reply.
    fn end_tag(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if self.kept.is_quoted() || !cursor.eat(END_OF_THINK) {
            return false;
        }
        self.kept.change();
        self.is_leading = self.kept.line == Line::Blank && self.may_begin_in_thought;
        self.may_begin_in_thought = false;
        true
    }

    /// Takes out the calls that begin here.
    fn call(&mut self, cursor: &mut Cursor<'_>, tools: &Tools) -> bool {
        if self.kept.is_quoted() || self.false_marks > FALSE_MARKS || !formats::is_mark(cursor) {
            return false;
        }
        if let Some(end) = self.end_of_thought(cursor) {
            return self.was_thought(cursor, end, tools);
        }
        if self.seal != Seal::Open {
            return false;
        }
        let mut ahead = *cursor;
        let begins = formats::read(&mut ahead, tools);
        if cursor.is_short() {
            return false;
        }
        match begins {
            Begins::Nothing => return false,
            Begins::FalseMark => {
                self.false_marks += 1;
                return false;
            }
            // Whether calls come out is not known before the reason to finish.
            Begins::Items(_) if cursor.is_partial() => {
                cursor.touch_edge();
                return false;
            }
            Begins::Items(items) => items.into_iter().for_each(|item| self.take(item)),
        }
        *cursor = ahead;
        self.kept.change();
        true
    }

    /// Where the thought ends in which the reply began, if it did.
    fn end_of_thought(&mut self, cursor: &Cursor<'_>) -> Option<usize> {
        if !self.may_begin_in_thought {
            return None;
        }
        let at = cursor.at();
        if cursor.is_partial() {
            return EndOfThought::after(cursor).place_for(at);
        }
        // Of a text that is whole, each byte is searched once only.
        let known = self.end_of_thought.filter(|known| at <= known.place);
        self.end_of_thought
            .insert(known.unwrap_or_else(|| EndOfThought::after(cursor)))
            .place_for(at)
    }

    /// What begins with a mark was thought, up to its `end`: unless no call begins here at all,
    /// it is text as it stands, and no call comes out of it.
    fn was_thought(&mut self, cursor: &mut Cursor<'_>, end: usize, tools: &Tools) -> bool {
        let edge = Cell::new(false);
        let mut ahead = cursor.partial_to(end + END_OF_THINK.len(), &edge);
        let begins = formats::read(&mut ahead, tools);
        if matches!(begins, Begins::FalseMark) && !edge.get() {
            self.false_marks += 1;
            return false;
        }
        self.copy_to(cursor, end);
        self.end_tag(cursor)
    }

    fn take(&mut self, item: Item) {
        // What a model invents as a result of its calls says nothing of further calls.
        if matches!(item, Item::InventedResult(_)) && !self.kept.calls.is_empty() {
            self.seal();
        }
        self.kept.take(item);
    }
}

/// Whether a tag or a mark of a call begins here, or may begin with what comes.
pub(super) fn may_begin(cursor: &Cursor<'_>) -> bool {
    let is_tag = open_tag(cursor).is_some() || cursor.begins(END_OF_THINK);
    is_tag || formats::is_mark(cursor) || cursor.is_short()
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
