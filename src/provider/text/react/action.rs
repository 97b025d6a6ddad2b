//! What stands below the first label of action, up to the end of the reply: one call.
//!
//! Owns the forms of a call and of its end of the work (`None`, `Finish[…]`). Must not know how
//! the label was found, nor what the reply holds besides.
//!
//! Invariant: a call comes out only if its tool is named and every required argument is there;
//! what the reply may have been cut in is never one.

use serde_json::{Map, Value};

use super::{
    Reason,
    labels::{self, Label},
};
use crate::provider::text::{
    Fault,
    arguments::{self, Arguments, Bound, Place},
    call::Named,
    cursor::Cursor,
    fence,
    shape::{Tool, Tools},
    value::{self, Rule, Values, is_key},
};

mod forms;

/// What an action is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Parsed {
    Call(Found),
    /// The model says that it does nothing.
    Nothing,
    /// The model ends the work with this answer.
    Answer(String),
    Malformed {
        reason: Reason,
        tool: Option<String>,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) repaired: bool,
    pub(super) is_unknown: bool,
    /// Further calls in the same list.
    pub(super) extra: usize,
    /// The place behind it.
    pub(super) end: usize,
}

/// Words by which models say that they do nothing.
const NOTHING: &[&str] = &[
    "none",
    "n/a",
    "na",
    "null",
    "nil",
    "nothing",
    "no action",
    "no tool",
    "not applicable",
    "无",
    "不需要",
    "没有",
];

/// Names of the tool that is none and ends the work.
const FINISH: &[&str] = &["finish", "final answer", "final_answer", "final-answer", "answer"];

/// Reads the text below a label of action. `is_cut`: its end may be missing.
pub(super) fn parse(raw: &str, tools: &Tools, is_cut: bool) -> Parsed {
    let action = Action { raw, tools, is_cut };
    action.read().unwrap_or_else(|flaw| Parsed::Malformed { reason: flaw.0, tool: flaw.1 })
}

/// Whether the line says that nothing is done.
pub(super) fn is_nothing(line: &str, tools: &Tools) -> bool {
    let line = line.trim();
    let words = line.trim_matches(['*', '_', '`', '[', '(', '<', '-', '"', '\'', ' ']);
    if words.is_empty() {
        return !line.is_empty() && line.chars().all(|char| char == '-');
    }
    let start: String = words.chars().take(20).flat_map(char::to_lowercase).collect();
    let is_word = |word: &&&str| {
        start.strip_prefix(**word).is_some_and(|after| {
            !after.starts_with(|char: char| is_key(char) && char.is_ascii() && char != '.')
        })
    };
    NOTHING.iter().any(|word| is_word(&word)) && tools.named_at(words).is_none()
}

struct Action<'a> {
    raw: &'a str,
    tools: &'a Tools,
    is_cut: bool,
}

/// What is wrong, and with which tool.
struct Flaw(Reason, Option<String>);

/// The tool that is called, if it is known, and its name as it was written.
#[derive(Clone, Copy)]
struct Callee<'a> {
    name: &'a str,
    tool: Option<&'a Tool>,
}

impl Callee<'_> {
    fn flaw(self, reason: Reason) -> Flaw {
        Flaw(reason, Some(self.name.to_owned()))
    }

    fn fault(self, fault: Fault) -> Flaw {
        self.flaw(match fault {
            Fault::Open => Reason::Truncated,
            Fault::Bad => Reason::BadArguments,
        })
    }
}

impl<'a> Action<'a> {
    fn read(&self) -> Result<Parsed, Flaw> {
        let mut cursor = Cursor::new(self.raw, 0);
        cursor.space();
        emphasis(&mut cursor);
        if fence::Fence::opening(cursor.rest().lines().next().unwrap_or("")).is_some() {
            cursor.line();
            cursor.space();
        }
        let nameless = Flaw(Reason::NoToolName, None);
        let line = cursor.rest().lines().next().unwrap_or("");
        if labels::of_line(line).is_some() {
            return Err(nameless);
        }
        if line.starts_with('{') || line.strip_prefix('[').is_some_and(is_at_object) {
            return self.json_call(cursor);
        }
        if is_nothing(line, self.tools) {
            return Ok(Parsed::Nothing);
        }
        let start = cursor.at();
        let name = self.name(&mut cursor);
        let callee = Callee { name, tool: self.tools.get(name) };
        if callee.tool.is_none()
            && let Some(after) = finish_word(line)
        {
            return Ok(self.finish(Cursor::new(self.raw, start + after)));
        }
        if name.is_empty() { Err(nameless) } else { self.called(callee, cursor) }
    }

    /// Steps over a name: of a known tool, or a word that could be one.
    fn name(&self, cursor: &mut Cursor<'a>) -> &'a str {
        let start = cursor.at();
        if let Some(known) = self.tools.named_at(cursor.rest()) {
            cursor.eat(known);
            return cursor.between(start, cursor.at());
        }
        if !cursor.peek().is_some_and(|char| char.is_ascii_alphabetic() || char == '_') {
            return "";
        }
        let is_part = |char: char| char.is_ascii_alphanumeric() || "_-./".contains(char);
        let name = cursor.take_while(is_part);
        name.trim_end_matches(['.', '-', '/'])
    }

    fn called(&self, callee: Callee<'_>, mut cursor: Cursor<'a>) -> Result<Parsed, Flaw> {
        let is_spaced = cursor.is_at(&[' ', '\t']);
        cursor.take_while(|char| matches!(char, '`' | '*'));
        cursor.blanks();
        match cursor.peek() {
            None | Some('\n') => self.below(callee, cursor),
            Some('{') => self.input(callee, cursor),
            // A word of prose with brackets somewhere behind it names no tool.
            Some(_) if callee.tool.is_none() && is_spaced && !is_input(&cursor) => {
                Err(Flaw(Reason::NoToolName, None))
            }
            Some('(' | '（') => {
                cursor.bump();
                self.bracketed(callee, cursor, ')')
            }
            Some('[') => self.square(callee, cursor),
            Some(_) if is_input(&cursor) => {
                skip_label(&mut cursor);
                self.input(callee, cursor)
            }
            Some(_) => self.tail(callee, cursor),
        }
    }

    /// A name alone on its line: what counts is on the next one.
    fn below(&self, callee: Callee<'_>, mut cursor: Cursor<'a>) -> Result<Parsed, Flaw> {
        let end = cursor.at();
        cursor.space();
        let line = cursor.rest().lines().next().unwrap_or("");
        if is_input(&cursor) {
            skip_label(&mut cursor);
            return self.input(callee, cursor);
        }
        if cursor.is_at(&['{']) {
            return self.input(callee, cursor);
        }
        if fence::Fence::opening(line).is_some()
            && let Some(tool) = callee.tool
            && tool.required().next().is_some()
        {
            return self.input(callee, cursor);
        }
        if self.is_cut && self.raw.trim_end().len() <= end {
            return Err(callee.flaw(Reason::Truncated));
        }
        self.complete(callee, Bound { end, ..Bound::default() })
    }

    /// `name(…)`, behind the bracket.
    fn bracketed(&self, callee: Callee<'_>, cursor: Cursor<'a>, end: char) -> Result<Parsed, Flaw> {
        let bound = arguments::call(self.place(&cursor, end), callee.tool);
        self.complete(callee, bound.map_err(|fault| callee.fault(fault))?)
    }

    fn place(&self, cursor: &Cursor<'a>, end: char) -> Place<'a> {
        let (text, at, is_cut) = (self.raw, cursor.at(), self.is_cut);
        Place { text, at, reach: self.reach(cursor), end, is_cut }
    }

    /// Where the next label begins a line, or the end.
    fn reach(&self, cursor: &Cursor<'a>) -> usize {
        labels::next_label(self.raw, cursor.at()).unwrap_or(self.raw.len())
    }

    /// The call, if nothing is missing but what a block below it gives.
    fn complete(&self, callee: Callee<'_>, mut bound: Bound) -> Result<Parsed, Flaw> {
        let found = |bound: Bound| {
            Parsed::Call(Found {
                name: callee.tool.map_or(callee.name, |tool| &tool.name).to_owned(),
                arguments: bound.map,
                repaired: bound.repaired,
                is_unknown: callee.tool.is_none(),
                extra: 0,
                end: bound.end,
            })
        };
        let missing = callee.tool.map(|tool| tool.missing(&bound.map)).unwrap_or_default();
        let body = match missing.as_slice() {
            [] => return Ok(found(bound)),
            [only] if only.is_text => only.name.clone(),
            _ => return Err(callee.flaw(Reason::MissingArguments)),
        };
        let mut cursor = Cursor::new(self.raw, bound.end);
        if !cursor.between(0, bound.end).ends_with('\n') {
            cursor.line();
        }
        cursor.space();
        if is_input(&cursor) {
            skip_label(&mut cursor);
            cursor.space();
        }
        match fence::block(cursor) {
            None => Err(callee.flaw(Reason::MissingArguments)),
            Some(Err(fault)) => Err(callee.fault(fault)),
            Some(Ok(block)) => {
                bound.map.insert(body, Value::String(block.body.to_owned()));
                bound.end = block.end;
                Ok(found(bound))
            }
        }
    }
}

fn is_at_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Steps over marks of emphasis, but not over those of a block.
fn emphasis(cursor: &mut Cursor<'_>) {
    while !cursor.rest().starts_with("```") && cursor.eat_one(&['*', '`', '_', ' ', '\u{feff}']) {}
}

fn is_input(cursor: &Cursor<'_>) -> bool {
    labels::of_line(cursor.rest().lines().next().unwrap_or("")) == Some(Label::Input)
}

fn skip_label(cursor: &mut Cursor<'_>) {
    let line = cursor.rest().lines().next().unwrap_or("");
    if let Some((_, end, ornament)) = labels::read(line) {
        cursor.go_to(cursor.at() + end);
        cursor.eat(ornament);
    }
}

/// The length of the word that ends the work, if the line begins with one.
fn finish_word(line: &str) -> Option<usize> {
    FINISH.iter().rev().find_map(|word| {
        let start = line.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word))?;
        let after = line.get(start.len()..)?;
        (!after.starts_with(|char: char| is_key(char))).then_some(start.len())
    })
}
