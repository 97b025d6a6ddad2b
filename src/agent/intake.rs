//! Whether the server takes in all that it is sent. Some cut what does not fit their window and
//! say nothing: the model then works without the beginning of the conversation.
//!
//! Owns what was sent and counted so far in a session, and what the user is told of it, once for
//! each model and window; `rule` owns the arithmetic, `load` the estimates. Must not know screens
//! or kinds of servers. Invariant: nothing is said of a server that may have read everything.

mod load;
mod rule;

use std::collections::BTreeSet;

use self::{
    load::Load,
    rule::{Before, Counting, Room, Sent},
};
use super::world::World;
use crate::{
    protocol::{message::Message, tool::ToolSpec, usage::TokenUsage},
    text::number::grouped,
};

/// What is known of the requests of a session and of what was read of them.
#[derive(Debug, Default)]
pub(super) struct Intake {
    model: String,
    sent: Sent,
    shape: Shape,
    /// The shape of the history that the last count belongs to.
    last_shape: Shape,
    last: Option<Before>,
    counting: Counting,
    /// Of which models and windows it was said that they are too small.
    warned: BTreeSet<Key>,
    /// Of which models and windows it was said that something was cut.
    told: BTreeSet<Key>,
}

type Key = (String, Option<u64>);

/// How long a history is: enough to see whether another one goes on where it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shape {
    messages: usize,
    bytes: usize,
}

impl Shape {
    fn of(messages: &[Message]) -> Self {
        Self { messages: messages.len(), bytes: messages.iter().map(Message::bytes).sum() }
    }
}

/// Who is asked.
struct Place {
    model: String,
    room: Room,
    widen: &'static str,
}

impl Place {
    fn of(world: &World<'_>) -> Self {
        let (about, window) = (world.provider.about(), world.provider.window());
        let room = Room { window: about.context_window, is_told: window.is_told };
        Self { model: about.model, room, widen: window.widen }
    }

    fn key(&self) -> Key {
        (self.model.clone(), self.room.window)
    }
}

impl Intake {
    /// Before a request: what the user should know of its size, if it surely does not fit.
    pub(super) fn before(&mut self, world: &World<'_>, messages: &[Message]) -> Option<String> {
        self.sending(messages, &world.registry.specs(), &Place::of(world))
    }

    /// After a response: what the user should know of what was read, if a part of it was not.
    pub(super) fn after(&mut self, world: &World<'_>, usage: Option<TokenUsage>) -> Option<String> {
        self.counted(usage?, &Place::of(world))
    }

    fn sending(
        &mut self,
        messages: &[Message],
        tools: &[ToolSpec],
        place: &Place,
    ) -> Option<String> {
        if self.model != place.model {
            self.model.clone_from(&place.model);
            (self.last, self.counting) = (None, Counting::Unknown);
        }
        self.shape = Shape::of(messages);
        let begin = messages.get(..self.last_shape.messages).map(Shape::of);
        let goes_on = begin == Some(self.last_shape);
        self.sent = Sent {
            load: Load::of(messages, tools),
            before: self.last.filter(|_| goes_on),
            counting: self.counting,
        };
        let window = place.room.window?;
        if !self.sent.is_too_much(place.room) || !self.warned.insert(place.key()) {
            return None;
        }
        let advice = advice(place, &self.told);
        Some(format!(
            "About {} tokens are sent to a context window of {}: the server may drop the beginning \
             of this conversation, or refuse.{advice}",
            rounded(self.sent.likely()),
            grouped(window),
        ))
    }

    fn counted(&mut self, usage: TokenUsage, place: &Place) -> Option<String> {
        if self.model.is_empty() {
            // The server chose the model just now.
            self.model.clone_from(&place.model);
        }
        let prompt = usage.prompt;
        if prompt == 0 || place.model != self.model {
            return None;
        }
        let is_cut = self.sent.is_cut(prompt, place.room);
        self.counting = self.sent.counting_after(prompt, usage.cached, is_cut);
        self.last = Some(Before { load: self.sent.load, prompt, is_cut });
        self.last_shape = self.shape;
        if !is_cut || !self.told.insert(place.key()) {
            return None;
        }
        let advice = advice(place, &self.warned);
        Some(format!(
            "The server read only {} of about {} tokens: it dropped the oldest part of this \
             conversation without saying so.{advice}",
            grouped(prompt),
            rounded(self.sent.likely()),
        ))
    }
}

/// What to do about it, unless that was said with the other notice.
fn advice(place: &Place, said: &BTreeSet<Key>) -> String {
    if said.contains(&place.key()) { String::new() } else { format!(" {}", place.widen) }
}

/// A number that is an estimate, and looks like one.
fn rounded(tokens: u64) -> String {
    let step = if tokens < 1_000 { 10 } else { 100 };
    grouped(tokens.saturating_add(step / 2) / step * step)
}

#[cfg(test)]
mod tests;
