//! What stands behind the one call that counts: further calls, an answer, an invented
//! observation. Owns what of it is reported; runs nothing.
//!
//! Invariant: nothing behind an invented observation is looked at.

use super::labels::{self, Label};
use crate::provider::text::{cursor::Cursor, fence::Fence, shape::Tools};

/// What was found behind a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Further calls.
    pub(super) ignored: usize,
    /// Whether the model wrote an observation.
    pub(super) invented: bool,
    /// Whether there is an answer.
    pub(super) has_answer: bool,
    /// The place behind the label of an answer that stands behind the end of a block.
    pub(super) answer_behind_block: Option<usize>,
    /// The place behind the end of a think block that began nowhere.
    pub(super) thought_until: Option<usize>,
}

/// Reads `raw` from the end of the call on.
pub(super) fn read(raw: &str, end: usize, tools: &Tools) -> Tail {
    let mut tail = Tail::default();
    let mut cursor = Cursor::new(raw, end);
    if !cursor.between(0, end).ends_with('\n') {
        tail.ignored += calls_in(cursor.line(), tools);
    }
    let mut is_behind_block = false;
    while !cursor.is_at_end() {
        let start = cursor.at();
        let line = cursor.line();
        let label = labels::read(line);
        match label.map(|(label, ..)| label) {
            Some(Label::Observation) => {
                tail.invented = true;
                break;
            }
            Some(Label::Answer) => {
                if is_behind_block && !tail.has_answer {
                    tail.answer_behind_block = label.map(|(_, end, _)| start + end);
                }
                tail.has_answer = true;
            }
            Some(Label::Action) if !tail.has_answer => tail.ignored += 1,
            Some(_) => {}
            None if tail.has_answer => {}
            None => {
                is_behind_block |= Fence::opening(line).is_some();
                let is_call = tools.named_at(line.trim_start()).is_some();
                tail.ignored += if is_call { calls_in(line, tools) } else { 0 };
            }
        }
    }
    let seen = cursor.between(end, cursor.at());
    tail.thought_until = seen.find("</think>").map(|at| end + at + "</think>".len());
    tail
}

/// How often a known tool is called in a line.
fn calls_in(line: &str, tools: &Tools) -> usize {
    let mut count = 0;
    let mut cursor = Cursor::new(line, 0);
    while !cursor.is_at_end() {
        let word = cursor.take_while(crate::provider::text::value::is_key);
        if word.is_empty() {
            cursor.bump();
        } else if cursor.is_at(&['(', '（']) && tools.get(word).is_some() {
            count += 1;
        }
    }
    count
}
