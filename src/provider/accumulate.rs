//! Folds the deltas of one response into the whole. Owns the rule which call a fragment belongs
//! to; knows no network and no history.
//!
//! Invariant: pure, and bounded: at most [`MAX_CALLS`] calls, [`MAX_TEXT`] bytes and
//! [`MAX_LINES`] lines of text and reasoning, and [`MAX_BYTES`] with the arguments. What a server repeats (a name, an id) counts once.

use super::{CallFragment, Delta, FinishReason, ProviderError, Remark, Unusable, error::BY_MODEL};
use crate::{
    protocol::{exit::ErrorKind, usage::TokenUsage},
    text::{
        balance::{Balance, MAX_VALUES},
        cut,
    },
};

/// The most calls of one response.
pub const MAX_CALLS: usize = 128;
/// The most bytes of text and reasoning of one response: twice what the largest models can give.
///
/// With [`MAX_LINES`] this is what bounds the memory of the program to 100 MB. It needs some 15 MB
/// for itself. While a screen shows an answer, a byte of it costs about 7 bytes as prose, 15 as
/// code, and 60 as one paragraph without an end, which is read and wrapped anew as it grows; a
/// report without a screen holds it four times.
pub const MAX_TEXT: usize = 1024 * 1024;
/// The most lines of text and reasoning of one response. A screen needs some hundred bytes for
/// a line, however short it is.
pub const MAX_LINES: usize = 50_000;
/// The most bytes of one call's arguments: a file of the largest size that can be written, and
/// its escapes.
pub const MAX_ARGUMENTS: usize = 12 * 1024 * 1024;
/// The most bytes of text, reasoning and arguments of one response.
pub const MAX_BYTES: usize = MAX_ARGUMENTS + MAX_TEXT;
/// The most bytes of a tool's name that are kept. No tool has a longer one, so that what is cut
/// is unknown either way.
pub const MAX_NAME: usize = 128;

/// One whole response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The text.
    pub text: String,
    /// The reasoning.
    pub reasoning: String,
    /// The calls, in the order in which the server began them.
    pub calls: Vec<AssembledCall>,
    /// The last token counts, if the server told any.
    pub usage: Option<TokenUsage>,
    /// Why it ended; absent if it was cut off.
    pub finish: Option<FinishReason>,
    /// Whether a call had to be guessed at.
    pub repaired: bool,
    /// What the model is told beside the results of its calls.
    pub notes: Vec<String>,
    /// Why nothing came out of it, if nothing did.
    pub unusable: Option<Unusable>,
}

/// One tool call of a response, as the server sent it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembledCall {
    /// The server's id; empty if it gave none, and not unique with every server.
    pub id: String,
    /// The tool's name, at most [`MAX_NAME`] bytes of it; empty if it gave none.
    pub name: String,
    /// The text of the arguments; `{}` if there were none. Not checked.
    pub arguments: String,
}

/// A call whose name became known just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Place of the call in [`Response::calls`].
    pub index: usize,
    /// The tool's name.
    pub name: String,
}

/// The fold. Feed it every delta of one response, then take the whole.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    response: Response,
    slots: Vec<Slot>,
    size: Size,
}

/// How large a response is so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    text: usize,
    lines: usize,
    all: usize,
}

impl Size {
    /// Counts one more delta.
    ///
    /// # Errors
    /// The response is larger than any honest one ([`MAX_TEXT`], [`MAX_LINES`], [`MAX_BYTES`]).
    pub(super) fn add(&mut self, delta: &Delta) -> Result<(), ProviderError> {
        let (text, call) = match delta {
            Delta::Text(text) | Delta::Reasoning(text) => (text.as_str(), 0),
            Delta::Call(fragment) => ("", size_of_call(fragment)),
            Delta::Usage(_) | Delta::Finish(_) | Delta::Remark(_) => ("", 0),
        };
        let lines = text.bytes().filter(|byte| *byte == b'\n').count();
        let whole = Self {
            text: self.text.saturating_add(text.len()),
            lines: self.lines.saturating_add(lines),
            all: self.all.saturating_add(text.len()).saturating_add(call),
        };
        if whole.text > MAX_TEXT {
            return Err(too_large(&format!("more than {} MiB of text", MAX_TEXT >> 20)));
        }
        if whole.lines > MAX_LINES {
            return Err(too_large(&format!("more than {MAX_LINES} lines of text")));
        }
        if whole.all > MAX_BYTES {
            return Err(too_large(&format!("more than {} MiB", MAX_BYTES >> 20)));
        }
        *self = whole;
        Ok(())
    }
}

/// Bytes of a fragment that are kept.
fn size_of_call(fragment: &CallFragment) -> usize {
    let name = fragment.name.as_ref().map_or(0, |name| name.len().min(MAX_NAME));
    let id = fragment.id.as_ref().map_or(0, String::len);
    fragment.arguments.len().saturating_add(name).saturating_add(id)
}

#[derive(Clone, Debug, Default)]
struct Slot {
    index: Option<i64>,
    call: AssembledCall,
    balance: Balance,
}

impl Accumulator {
    /// An empty fold.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one delta. Says when the name of a new call became known.
    ///
    /// # Errors
    /// The response is larger than any honest one ([`MAX_CALLS`], [`MAX_TEXT`],
    /// [`MAX_LINES`], [`MAX_BYTES`], [`MAX_ARGUMENTS`], or too many values in one call); what was taken before stays.
    pub fn push(&mut self, delta: &Delta) -> Result<Option<Announcement>, ProviderError> {
        self.size.add(delta)?;
        match delta {
            Delta::Text(text) => self.response.text.push_str(text),
            Delta::Reasoning(text) => self.response.reasoning.push_str(text),
            Delta::Call(fragment) => return self.push_fragment(fragment),
            Delta::Usage(usage) => self.response.usage = Some(*usage),
            Delta::Finish(reason) => {
                let reason = reason.clone();
                self.response.finish = Some(match self.response.finish.take() {
                    Some(earlier) => earlier.and_then(reason),
                    None => reason,
                });
            }
            Delta::Remark(remark) => self.note(remark),
        }
        Ok(None)
    }

    fn note(&mut self, remark: &Remark) {
        match remark {
            Remark::Repaired => self.response.repaired = true,
            Remark::Note(note) => self.response.notes.push(note.clone()),
            Remark::Unusable(unusable) => self.response.unusable = Some(unusable.clone()),
            Remark::Notice(_) => {}
        }
    }

    /// The call at this place, if its arguments are one closed JSON text already. More may
    /// still come of it from a server that is out of its mind.
    #[must_use]
    pub fn closed_call(&self, place: usize) -> Option<&AssembledCall> {
        let slot = self.slots.get(place)?;
        (slot.balance.is_closed() && !slot.call.name.is_empty()).then_some(&slot.call)
    }

    /// The whole of what was pushed.
    #[must_use]
    pub fn finish(self) -> Response {
        let calls = self.slots.into_iter().map(|slot| {
            let mut call = slot.call;
            if call.arguments.trim().is_empty() {
                "{}".clone_into(&mut call.arguments);
            }
            call
        });
        Response { calls: calls.collect(), ..self.response }
    }

    fn push_fragment(
        &mut self,
        fragment: &CallFragment,
    ) -> Result<Option<Announcement>, ProviderError> {
        let id = fragment.id.clone().filter(|id| !id.is_empty());
        let name = fragment.name.as_deref().map(|name| cut::head(name, MAX_NAME).to_owned());
        let name = name.filter(|name| !name.is_empty());

        let index = match self.slot_of(fragment.index, id.as_deref(), name.is_some()) {
            Some(index) => index,
            None => self.open(fragment.index)?,
        };
        let Some(slot) = self.slots.get_mut(index) else { return Ok(None) };
        if slot.call.arguments.len().saturating_add(fragment.arguments.len()) > MAX_ARGUMENTS {
            let most = MAX_ARGUMENTS >> 20;
            return Err(too_large(&format!("a tool call with more than {most} MiB of arguments")));
        }
        slot.call.arguments.push_str(&fragment.arguments);
        slot.balance.push(&fragment.arguments);
        if slot.balance.is_bulky() {
            return Err(too_large(&format!("a tool call with more than {MAX_VALUES} values")));
        }
        if let Some(id) = id
            && slot.call.id.is_empty()
        {
            slot.call.id = id;
        }
        Ok(match name {
            Some(name) if slot.call.name.is_empty() => {
                slot.call.name.clone_from(&name);
                Some(Announcement { index, name })
            }
            _ => None,
        })
    }

    /// The call that a fragment goes on with, or none if it begins a new one.
    fn slot_of(&self, index: Option<i64>, id: Option<&str>, named: bool) -> Option<usize> {
        if index.is_some() {
            let found = self.slots.iter().rposition(|slot| slot.index == index)?;
            let held = self.slots.get(found).map_or("", |slot| slot.call.id.as_str());
            // Some servers give every call the same index and only tell them apart by id.
            let another = named && !held.is_empty() && id.is_some_and(|id| id != held);
            return (!another).then_some(found);
        }
        if let Some(id) = id {
            return self.slots.iter().rposition(|slot| slot.call.id == id);
        }
        let last = self.slots.last()?;
        (!(named && last.balance.is_closed())).then(|| self.slots.len() - 1)
    }

    fn open(&mut self, index: Option<i64>) -> Result<usize, ProviderError> {
        if self.slots.len() >= MAX_CALLS {
            return Err(too_large(&format!("more than {MAX_CALLS} tool calls")));
        }
        self.slots.push(Slot { index, ..Slot::default() });
        Ok(self.slots.len() - 1)
    }
}

fn too_large(what: &str) -> ProviderError {
    ProviderError::new(
        ErrorKind::Protocol,
        format!("The answer was broken off because it holds {what}."),
        format!("Ask for less at once, or use another model {BY_MODEL}."),
    )
}

#[cfg(test)]
mod tests;
