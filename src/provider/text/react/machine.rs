//! The protocol as a stream: one character after the other, shown as soon as it is certain what
//! it belongs to.
//!
//! Owns the states of a reply and its quoted blocks and think blocks. Must not know the forms of
//! a call: below a label of action it only gathers.
//!
//! Invariant: each character is looked at a bounded number of times, whatever the pieces.

use serde_json::Value;

use super::{
    action,
    labels::{self, Opening},
    screen::{Kind, Screen},
};
use crate::provider::text::{call::Named, cursor, fence::Fence, shape::Tools};

/// Characters of a line that are kept to see whether it begins or ends a block.
const HEAD: usize = 80;

/// Where the reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// In a part that is shown.
    Part(Kind),
    /// Below a label that means nothing here: dropped up to the next one.
    Noise,
    /// In a think block.
    Think,
    /// Below the first label of action.
    Action,
    /// Behind an invented observation that ends everything.
    Over,
}

/// What is held back, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    Nothing,
    /// A beginning of a line that may become a label.
    Line,
    /// What may become the tag of a think block.
    Tag,
}

/// A block around the whole reply.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outer {
    None,
    /// Its first line, until the next line shows whether it has a label.
    Maybe(String),
    Open(Fence),
}

/// What the reply held besides its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, in any combination")]
pub(super) struct Seen {
    /// Whether there was a label of thought.
    pub(super) thought: bool,
    /// Whether there was a label of answer.
    pub(super) answer: bool,
    /// Whether the model wrote an observation.
    pub(super) invented: bool,
    /// Whether an action was announced and none was there.
    pub(super) nameless: bool,
    /// The length of the prose when the model said that it does nothing.
    pub(super) nothing: Option<usize>,
    /// Whether enough is there: the rest of the reply cannot change what is done.
    pub(super) enough: bool,
    /// Whether the reply stood in a block.
    pub(super) outer: bool,
}

/// A call in a block of JSON without a label, and how much thought and prose came before it.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) json: String,
    pub(super) thought: usize,
    pub(super) prose: usize,
}

/// The stream's state.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) tools: Tools,
    pub(super) state: State,
    pub(super) screen: Screen,
    pub(super) seen: Seen,
    /// The text below the first label of action.
    pub(super) action: String,
    pub(super) candidate: Option<Candidate>,
    hold: Hold,
    held: String,
    fence: Option<Fence>,
    /// The text of the open block, if it may be JSON.
    block: Option<Candidate>,
    outer: Outer,
    /// Whether only white space came so far.
    is_fresh: bool,
    /// The beginning of this line.
    head: String,
    last: char,
    /// Where the reply was before a think block.
    before_think: State,
    /// Bytes of the action up to its first line that says something; none until it is complete.
    first_line: Option<usize>,
    /// Bytes of the action at which it is next tried whether it is complete.
    next_try: usize,
}

mod marks;

impl Machine {
    pub(super) fn new(tools: Tools) -> Self {
        Self {
            tools,
            state: State::Part(Kind::Prose),
            screen: Screen::default(),
            seen: Seen::default(),
            action: String::new(),
            candidate: None,
            hold: Hold::Line,
            held: String::new(),
            fence: None,
            block: None,
            outer: Outer::None,
            is_fresh: true,
            head: String::new(),
            last: '\n',
            before_think: State::Part(Kind::Prose),
            first_line: None,
            next_try: 0,
        }
    }

    /// Takes the next character.
    pub(super) fn step(&mut self, char: char) {
        match self.hold {
            Hold::Nothing => self.plain(char),
            Hold::Line => {
                self.held.push(char);
                self.settle_line();
            }
            Hold::Tag => {
                self.held.push(char);
                self.settle_tag();
            }
        }
    }

    fn plain(&mut self, char: char) {
        let may_think = match self.state {
            State::Part(kind) => kind != Kind::Answer && self.fence.is_none() && self.last != '`',
            State::Noise => self.fence.is_none(),
            State::Think => true,
            State::Action | State::Over => false,
        };
        if char == '<' && may_think {
            self.hold = Hold::Tag;
            self.held.push(char);
        } else {
            self.emit(char);
        }
    }

    /// Gives a character to the part that it belongs to.
    fn emit(&mut self, char: char) {
        self.last = char;
        self.is_fresh &= char.is_whitespace() || char == '\u{feff}';
        match self.state {
            State::Part(kind) => {
                self.screen.put(kind, char);
                if let Some(block) = &mut self.block {
                    block.json.push(char);
                }
            }
            State::Think => self.screen.put(Kind::Reasoning, char),
            // Without the white space before it, which would be looked at again and again.
            State::Action if self.action.is_empty() && cursor::is_space(char) => {}
            State::Action => self.action.push(char),
            State::Noise | State::Over => {}
        }
        if char == '\n' {
            self.end_line();
            self.begin_line();
        } else if self.head.len() < HEAD {
            self.head.push(char);
        }
    }

    fn begin_line(&mut self) {
        let is_text = self.state == State::Think || self.fence.is_some();
        self.hold = if is_text { Hold::Nothing } else { Hold::Line };
        self.held.clear();
    }

    /// A line is complete: does it begin or end a block, or say that nothing is done?
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.head);
        match (self.state, self.fence) {
            (State::Think | State::Over, _) => {}
            (State::Action, _) => self.end_line_of_action(),
            (_, Some(fence)) if fence.is_closed_by(&line) => {
                self.fence = None;
                self.end_block(&line);
            }
            (_, Some(_)) => {}
            (state, None) => {
                self.fence = Fence::opening(&line).map(|(fence, _)| fence);
                let may_call = self.fence.is_some()
                    && self.candidate.is_none()
                    && matches!(state, State::Part(kind) if kind != Kind::Answer);
                self.block = may_call.then(|| Candidate {
                    json: String::new(),
                    thought: self.screen.thought.len().saturating_sub(line.trim().len()),
                    prose: self.screen.prose.len().saturating_sub(line.trim().len()),
                });
            }
        }
    }

    /// Keeps the block that ended, if it is a call of a known tool in JSON.
    fn end_block(&mut self, last_line: &str) {
        let Some(mut block) = self.block.take() else { return };
        let json = block.json.trim_end();
        let json = json.strip_suffix(last_line.trim()).unwrap_or(json).trim();
        let named = serde_json::from_str::<Value>(json).ok().and_then(|value| match value {
            Value::Array(list) => list.first().and_then(Named::from_json),
            value => Named::from_json(&value),
        });
        if named.is_some_and(|named| self.tools.get(&named.name).is_some()) {
            let json = json.to_owned();
            block.json = json;
            // Only one of the two lengths is that of the part the block stands in.
            if self.state == State::Part(Kind::Thought) {
                block.prose = self.screen.prose.len();
            } else {
                block.thought = self.screen.thought.len();
            }
            self.candidate = Some(block);
        }
    }

    fn end_line_of_action(&mut self) {
        if self.first_line.is_some() || self.action.is_empty() {
            return;
        }
        self.first_line = Some(self.action.len());
        if action::is_nothing(&self.action, &self.tools) {
            self.seen.nothing = Some(self.screen.prose.len());
            self.leave_action();
        }
    }

    /// Goes on as if there had been no action.
    fn leave_action(&mut self) {
        self.action.clear();
        self.first_line = None;
        self.begin_part(State::Part(Kind::Prose), "");
    }

    fn begin_part(&mut self, state: State, ornament: &'static str) {
        self.state = state;
        self.screen.begin(ornament);
    }

    fn settle_line(&mut self) {
        if self.holds_a_block_line() {
            return;
        }
        match labels::opening(&self.held) {
            Opening::Undecided => {}
            Opening::Text => self.release(),
            Opening::Label { label, end, ornament } => self.settle_label(label, end, ornament),
        }
    }

    /// Whether the held text is a line of marks that may be the first or the last of a reply.
    fn holds_a_block_line(&mut self) -> bool {
        let line = self.held.trim();
        let is_marks = |line: &str| !line.is_empty() && line.chars().all(|char| char == '`');
        let is_whole = self.held.ends_with('\n');
        match &self.outer {
            Outer::None if self.is_fresh && "```".starts_with(line.get(..3).unwrap_or(line)) => {
                if line.is_empty() || line.len() > 24 || line.chars().skip(3).any(|c| c == '`') {
                    return false;
                }
                if is_whole {
                    if Fence::opening(line).is_none() {
                        return false;
                    }
                    self.outer = Outer::Maybe(std::mem::take(&mut self.held));
                }
                true
            }
            Outer::Open(fence) if self.state != State::Action && is_marks(line) => {
                if is_whole && fence.is_closed_by(line) {
                    self.outer = Outer::None;
                    self.held.clear();
                    return true;
                }
                !is_whole
            }
            _ => false,
        }
    }

    /// What was held back is text.
    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        if let Outer::Maybe(first) = &mut self.outer {
            let first = std::mem::take(first);
            self.outer = Outer::None;
            first.chars().for_each(|char| self.emit(char));
        }
        self.hold = Hold::Nothing;
        held.chars().for_each(|char| self.step(char));
    }
}
