//! What labels, tags and the end of the reply do to the stream.
//!
//! Owns these transitions. Must not know how characters are held back.
//!
//! Invariant: the work on an action that is tried before its end is linear in all of it, as the
//! next try is at twice its length.

use super::{Hold, Kind, Machine, Outer, Seen, State};
use crate::provider::text::{
    fence::Fence,
    react::{
        action::{self, Parsed},
        labels::{self, Label},
    },
};

/// Names of tags around what a model thinks.
const THINK: &[&str] = &["think", "thinking", "thought", "reasoning"];

impl Machine {
    /// The held line begins with a label.
    pub(super) fn settle_label(&mut self, label: Label, end: usize, ornament: &'static str) {
        if !self.takes(label) {
            self.release();
            return;
        }
        let held = std::mem::take(&mut self.held);
        self.label(label, ornament);
        self.hold = Hold::Nothing;
        held.get(end..).unwrap_or("").chars().for_each(|char| self.step(char));
    }

    /// Whether a label means something here, or is text.
    fn takes(&mut self, label: Label) -> bool {
        match self.state {
            State::Part(Kind::Answer) => label == Label::Observation,
            State::Part(_) | State::Noise => true,
            State::Think | State::Over => false,
            State::Action if label == Label::Input => false,
            State::Action if self.action.is_empty() => {
                self.seen.nameless = true;
                true
            }
            State::Action => {
                self.try_action();
                false
            }
        }
    }

    /// Sees whether the action is complete now that another label follows.
    fn try_action(&mut self) {
        // In a block around the beginning it may be an example: an answer behind the block would
        // count for more.
        if self.seen.outer || self.seen.enough || self.action.len() < self.next_try {
            return;
        }
        self.next_try = self.action.len().saturating_mul(2);
        let text = format!("{}{}", self.action, self.held);
        let is_call = match action::parse(&text, &self.tools, true) {
            Parsed::Call(found) => found.end <= self.action.len(),
            _ => false,
        };
        self.seen.enough = is_call;
    }

    fn label(&mut self, label: Label, ornament: &'static str) {
        self.is_fresh = false;
        self.fence = None;
        self.block = None;
        self.head.clear();
        self.last = ' ';
        if let Outer::Maybe(line) = &self.outer {
            let fence = Fence::opening(line).map(|(fence, _)| fence);
            self.seen.outer = fence.is_some();
            self.outer = fence.map_or(Outer::None, Outer::Open);
        }
        match label {
            Label::Thought => {
                self.seen.thought = true;
                self.begin_part(State::Part(Kind::Thought), ornament);
            }
            Label::Question => self.begin_part(State::Part(Kind::Prose), ornament),
            Label::Answer => {
                self.seen.answer = true;
                self.begin_part(State::Part(Kind::Answer), ornament);
            }
            Label::Action => self.state = State::Action,
            Label::Input => {
                self.seen.nameless = true;
                self.state = State::Noise;
            }
            Label::Observation => {
                self.seen.invented = true;
                let is_over = self.seen.answer || self.candidate.is_some();
                self.seen.enough |= is_over;
                self.state = if is_over { State::Over } else { State::Noise };
            }
        }
    }

    /// The held text may be the tag of a think block.
    pub(super) fn settle_tag(&mut self) {
        let inner = self.held.strip_prefix('<').unwrap_or("");
        let (name, closes) = inner.strip_prefix('/').map_or((inner, false), |name| (name, true));
        let may_close = closes || self.state != State::Think || inner.is_empty();
        let is_start =
            |tag: &str| tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        let is_whole = |name: &str| THINK.iter().any(|tag| tag.eq_ignore_ascii_case(name));
        match name.strip_suffix('>') {
            Some(name) if may_close && is_whole(name) => self.tag(closes),
            None if may_close && THINK.iter().any(|tag| is_start(tag)) => {}
            _ => self.release_tag(),
        }
    }

    fn release_tag(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.hold = Hold::Nothing;
        let mut chars = held.chars();
        chars.next().into_iter().for_each(|first| self.emit(first));
        chars.for_each(|char| self.step(char));
    }

    fn tag(&mut self, closes: bool) {
        self.is_fresh = false;
        self.head.clear();
        self.held.clear();
        if !closes {
            self.before_think = self.state;
            self.begin_part(State::Think, "");
            self.hold = Hold::Nothing;
            return;
        }
        let mut next = self.before_think;
        if self.state != State::Think {
            // The block began before the reply did: all so far was thought, nothing was meant.
            self.screen.forget();
            self.seen = Seen::default();
            self.candidate = None;
            next = State::Part(Kind::Prose);
        }
        self.block = None;
        self.is_fresh = self.screen.prose.is_empty() && self.seen == Seen::default();
        self.begin_part(next, "");
        self.hold = Hold::Line;
    }

    /// The reply has ended. Nothing is held back any more.
    pub(in crate::provider::text::react) fn end(&mut self, is_cut: bool) {
        match self.hold {
            Hold::Nothing => {}
            Hold::Tag => {
                let held = std::mem::take(&mut self.held);
                held.chars().for_each(|char| self.emit(char));
            }
            Hold::Line => self.end_held_line(is_cut),
        }
        self.hold = Hold::Nothing;
        if !self.head.is_empty() {
            self.end_line();
        }
    }

    fn end_held_line(&mut self, is_cut: bool) {
        let is_end_of_outer = match &self.outer {
            Outer::Open(fence) => self.state != State::Action && fence.is_closed_by(&self.held),
            _ => false,
        };
        let is_half = !is_cut && !self.is_fresh && labels::is_half_a_stop_word(&self.held);
        if is_end_of_outer || is_half {
            self.held.clear();
        } else if let Some((label, end, ornament)) = labels::read(&self.held) {
            self.settle_label(label, end, ornament);
        } else {
            self.release();
        }
    }
}
