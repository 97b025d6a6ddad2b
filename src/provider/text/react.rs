//! The protocol of `Thought:`, `Action:`, `Observation:` and `Answer:`, as models write it.
//!
//! Owns the order of precedence between the parts of a reply, and what comes of it. Must not
//! know any tool but its parameters.
//!
//! | module | what it is |
//! |---|---|
//! | `labels` | how a line begins |
//! | `machine` | the stream: what a character belongs to |
//! | `screen` | what is shown and kept |
//! | `action` | the one call, read as a whole |
//! | `tail` | what stands behind the call |
//!
//! Invariant: at most one call comes out of a reply, the first one that was meant; an answer
//! before it, a think block, a quotation and the length limit keep it from coming out.

use super::{FinishReason, is_cut, shape::Tools};
use crate::{protocol::tool::ToolSpec, provider::accumulate::AssembledCall};
use action::{Found, Parsed};
use machine::{Machine, State};

mod action;
mod labels;
mod machine;
mod screen;
mod tail;

/// Think blocks that began before the reply: so often the rest is read anew.
const FRESH_STARTS: usize = 4;

/// A piece of a reply to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What the model thinks.
    Thought(String),
    /// What it says.
    Text(String),
}

/// What a whole reply is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What was not shown yet.
    pub rest: Vec<Piece>,
    /// What came out of it.
    pub outcome: Outcome,
    /// The thought before it, without labels. Empty if there was none.
    pub thought: String,
    /// Calls that were not taken because one came before them. The model should be told.
    pub ignored_actions: usize,
    /// Whether the model wrote an observation itself; all from there on was dropped.
    pub invented_observation: bool,
    /// Whether an answer stood behind the call; it was dropped.
    pub dropped_answer: bool,
}

/// What comes out of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A call to be run.
    Action {
        /// The call; its id is empty. Arguments of an unknown tool that have no names are in
        /// the list `_positional`.
        call: AssembledCall,
        /// Whether it had to be guessed at; then it must not run without a question if it
        /// writes or starts something.
        repaired: bool,
        /// Whether no such tool is on offer.
        unknown_tool: bool,
    },
    /// The answer, which ends the turn.
    Answer {
        /// Its text.
        text: String,
        /// Whether it has no label because the reply has none at all.
        implicit: bool,
    },
    /// Only thought: remind the model once; the second time the thought is the answer.
    BareThought,
    /// A call was meant, or nothing at all was said. Nothing runs; the model should be told.
    Malformed {
        /// What is wrong.
        reason: Reason,
        /// The tool that was meant, if that is known.
        tool: Option<String>,
    },
}

/// What is wrong with a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An action without the name of a tool.
    NoToolName,
    /// A required argument is not there.
    MissingArguments,
    /// The arguments cannot be read.
    BadArguments,
    /// The reply ends within the call.
    Truncated,
    /// The reply ends within a think block.
    UnclosedThink,
    /// Nothing was said.
    Empty,
}

impl Reason {
    /// The word for it in logs and events.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NoToolName => "no_tool_name",
            Self::MissingArguments => "missing_arguments",
            Self::BadArguments => "bad_arguments",
            Self::Truncated => "truncated",
            Self::UnclosedThink => "unclosed_think",
            Self::Empty => "empty",
        }
    }
}

/// Reads one reply as it streams.
#[derive(Clone, Debug)]
pub struct Reader {
    machine: Machine,
    fresh_starts: usize,
}

impl Reader {
    /// A reader of one reply of a model that was offered these tools. A tool may be given under
    /// several names; the name that comes out is the one under which the model found it.
    #[must_use]
    pub fn new(tools: &[ToolSpec]) -> Self {
        Self::with(Tools::new(tools), FRESH_STARTS)
    }

    fn with(tools: Tools, fresh_starts: usize) -> Self {
        Self { machine: Machine::new(tools), fresh_starts }
    }

    /// Takes more of the reply, and gives what can be shown now. Held back is only the
    /// beginning of a line that may still become a label (at most some 40 characters), white
    /// space until something follows it, and all from the first action on.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        text.chars().for_each(|char| self.machine.step(char));
        self.machine.screen.take()
    }

    /// Whether the stream may be closed: a call or an answer is complete, and more of the reply
    /// cannot change it. Finish with [`FinishReason::Stop`] then.
    #[must_use]
    pub fn has_enough(&self) -> bool {
        self.machine.seen.enough
    }

    /// Says what the reply is. Without a reason to finish, and after one that cut it, nothing
    /// runs that may be incomplete. An answer that was cut is an answer as far as it goes.
    #[must_use]
    pub fn finish(mut self, finish: Option<&FinishReason>) -> Reply {
        self.conclude(is_cut(finish))
    }

    fn conclude(&mut self, is_cut: bool) -> Reply {
        self.machine.end(is_cut);
        if self.machine.state == State::Action && !self.machine.action.is_empty() {
            return self.acted(is_cut);
        }
        if let Some(reply) = self.called_in_a_block(is_cut) {
            return reply;
        }
        let outcome = self.said();
        self.reply(outcome)
    }

    fn reply(&mut self, outcome: Outcome) -> Reply {
        let screen = &mut self.machine.screen;
        let implicit = matches!(outcome, Outcome::Answer { implicit: true, .. });
        let parts = [&screen.prose, &screen.thought].map(|part| part.trim());
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Reply {
            thought: if implicit { String::new() } else { parts.join("\n") },
            rest: screen.take(),
            outcome,
            ignored_actions: 0,
            invented_observation: self.machine.seen.invented,
            dropped_answer: false,
        }
    }

    /// What comes of a reply without a call.
    fn said(&self) -> Outcome {
        let (screen, seen) = (&self.machine.screen, self.machine.seen);
        let malformed = |reason| Outcome::Malformed { reason, tool: None };
        let answer = |text: &str, implicit| match text.trim() {
            "" => malformed(Reason::Empty),
            text => Outcome::Answer { text: text.to_owned(), implicit },
        };
        if self.machine.state == State::Think {
            return malformed(Reason::UnclosedThink);
        }
        if seen.answer {
            return answer(&screen.answer, false);
        }
        let after = seen.nothing.and_then(|from| screen.prose.get(from..)).unwrap_or("").trim();
        match seen {
            _ if !after.is_empty() => answer(after, true),
            _ if seen.nothing.is_some() => Outcome::BareThought,
            _ if seen.nameless => malformed(Reason::NoToolName),
            _ if seen.thought && !screen.thought.is_empty() => Outcome::BareThought,
            _ => answer(&screen.prose, true),
        }
    }

    /// A call in JSON that has no label: in a block, or as the whole reply.
    fn called_in_a_block(&mut self, is_cut: bool) -> Option<Reply> {
        let machine = &mut self.machine;
        if machine.state == State::Think || machine.seen.answer || is_cut {
            return None;
        }
        let screen = &mut machine.screen;
        let is_whole = machine.seen == machine::Seen::default() && screen.prose.starts_with('{');
        let (json, thought, prose) = match machine.candidate.take() {
            Some(found) => (found.json, found.thought, found.prose),
            None if is_whole => (screen.prose.clone(), 0, 0),
            None => return None,
        };
        let parsed = action::parse(&json, &machine.tools, true);
        let is_one = match &parsed {
            Parsed::Call(found) => {
                !found.is_unknown
                    && json.get(found.end..).is_some_and(|rest| rest.trim().is_empty())
            }
            Parsed::Answer(_) => true,
            _ => false,
        };
        if !is_one {
            return None;
        }
        screen.thought.truncate(screen.thought.floor_char_boundary(thought));
        screen.prose.truncate(screen.prose.floor_char_boundary(prose));
        Some(match parsed {
            Parsed::Call(found) => {
                let extra = found.extra;
                let outcome = call(found);
                Reply { ignored_actions: extra, ..self.reply(outcome) }
            }
            Parsed::Answer(text) => self.answered(text),
            _ => return None,
        })
    }

    /// What comes of the text below the first label of action.
    fn acted(&mut self, is_cut: bool) -> Reply {
        let raw = std::mem::take(&mut self.machine.action);
        match action::parse(&raw, &self.machine.tools, is_cut) {
            Parsed::Call(found) => self.called(found, &raw, is_cut),
            Parsed::Nothing => self.reply(Outcome::BareThought),
            Parsed::Answer(text) => self.answered(text),
            Parsed::Malformed { reason, tool } => {
                // Behind arguments that could not be read, a tag may be part of them.
                let is_outside = matches!(reason, Reason::NoToolName | Reason::MissingArguments);
                match raw.find(END_OF_THINK).filter(|_| is_outside) {
                    Some(at) => self.afresh(raw.get(at + END_OF_THINK.len()..), is_cut),
                    None => self.reply(Outcome::Malformed { reason, tool }),
                }
            }
        }
    }

    fn called(&mut self, found: Found, raw: &str, is_cut: bool) -> Reply {
        let tail = tail::read(raw, found.end, &self.machine.tools);
        if let Some(at) = tail.thought_until {
            return self.afresh(raw.get(at..), is_cut);
        }
        if let Some(at) = tail.answer_behind_block.filter(|_| self.machine.seen.outer) {
            return self.answered(raw.get(at..).unwrap_or("").trim().to_owned());
        }
        let ignored_actions = tail.ignored + found.extra;
        let reply = self.reply(call(found));
        Reply {
            ignored_actions,
            invented_observation: reply.invented_observation || tail.invented,
            dropped_answer: tail.has_answer,
            ..reply
        }
    }

    fn answered(&mut self, text: String) -> Reply {
        self.machine.screen.show_answer(&text);
        self.reply(Outcome::Answer { text, implicit: false })
    }

    /// All so far was thought, in a block that began before the reply: only the rest counts.
    fn afresh(&mut self, rest: Option<&str>, is_cut: bool) -> Reply {
        let Some(fewer) = self.fresh_starts.checked_sub(1) else {
            let reason = Reason::UnclosedThink;
            return self.reply(Outcome::Malformed { reason, tool: None });
        };
        let mut reader = Self::with(self.machine.tools.clone(), fewer);
        let mut shown = self.machine.screen.take();
        shown.extend(reader.push(rest.unwrap_or("")));
        let mut reply = reader.conclude(is_cut);
        shown.append(&mut reply.rest);
        Reply { rest: shown, ..reply }
    }
}

const END_OF_THINK: &str = "</think>";

fn call(found: Found) -> Outcome {
    let arguments = serde_json::Value::Object(found.arguments).to_string();
    Outcome::Action {
        call: AssembledCall { id: String::new(), name: found.name, arguments },
        repaired: found.repaired,
        unknown_tool: found.is_unknown,
    }
}

#[cfg(test)]
mod tests;
