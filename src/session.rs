//! The history of one conversation. Owns the rule that it can be sent at any moment: every call
//! has exactly one result, results stand in call order right behind their calls.
//!
//! Must not know providers, tools or screens. State changes here and nowhere else.
//!
//! Invariant: after [`Session::close_calls`], and so at every request and at the end of every
//! turn, [`Session::messages`] has no [`history::problems`], whatever was aborted or failed.

mod aside;
pub mod budget;
mod fit;
pub mod history;
pub mod prompt;

use std::collections::{BTreeMap, HashSet};

use aside::Asides;
use budget::Spending;

use crate::protocol::{
    budget::Budgets,
    id::CallId,
    message::{AssistantMessage, Message},
    tool::{ToolCall, ToolResult},
};

/// One conversation.
#[derive(Debug)]
pub struct Session {
    messages: Vec<Message>,
    /// Results of the calls that the last assistant message made, while they are not all there.
    open: Vec<Slot>,
    ids: HashSet<CallId>,
    /// What the last message begins with that is not the user's.
    noted: String,
    /// What stood in a message that was taken back, and is to be said again.
    unsaid: String,
    asides: Asides,
    spending: Spending,
}

#[derive(Debug)]
struct Slot {
    call: ToolCall,
    result: Option<ToolResult>,
}

/// A call as a response brought it: the id may be missing or used before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCall {
    /// The server's id; may be empty.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments' text as the model wrote it.
    pub arguments: String,
}

impl Session {
    /// Begins a conversation under these instructions.
    #[must_use]
    pub fn new(instructions: String) -> Self {
        Self {
            messages: vec![Message::System { text: instructions }],
            open: Vec::new(),
            ids: HashSet::new(),
            noted: String::new(),
            unsaid: String::new(),
            asides: Asides::default(),
            spending: Spending::default(),
        }
    }

    /// The same with these budgets.
    #[must_use]
    pub fn within(self, budgets: Budgets) -> Self {
        Self { spending: Spending::new(budgets), ..self }
    }

    /// What it may use, and what it has used.
    #[must_use]
    pub fn spending(&self) -> &Spending {
        &self.spending
    }

    /// The same, to count.
    pub fn spending_mut(&mut self) -> &mut Spending {
        &mut self.spending
    }

    /// Forgets everything but the instructions and how large the budgets are.
    pub fn begin_anew(&mut self) {
        self.messages.retain(|message| matches!(message, Message::System { .. }));
        self.messages.truncate(1);
        self.open.clear();
        self.ids.clear();
        self.asides = Asides::default();
        self.spending.begin_anew();
    }

    /// The history; valid for the API unless calls are open.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds what the user said. Blank text is not a message and changes nothing.
    pub fn push_user(&mut self, text: &str) {
        self.close_calls();
        if !text.trim().is_empty() {
            self.noted = std::mem::take(&mut self.unsaid);
            let text = self.asides.before(text);
            self.messages.push(Message::User { text: format!("{}{text}", self.noted) });
        }
    }

    /// Says something to the model that is not the user's, in the last message, which must not
    /// have been sent yet: behind a result, or before what the user said. So no message stands
    /// between calls and results, and none of the user follows another.
    pub fn note(&mut self, note: &str) {
        let note = format!("(Note from mcc-tui: {note})");
        match self.messages.last_mut() {
            Some(Message::Tool(result)) if self.open.is_empty() => {
                result.text.push_str("\n\n");
                result.text.push_str(&note);
            }
            Some(Message::User { text }) => {
                let said = text.split_off(self.noted.len());
                self.noted.push_str(&note);
                self.noted.push_str("\n\n");
                *text = format!("{}{said}", self.noted);
            }
            _ => self.push_user(&note),
        }
    }

    /// Notes a command that the user ran, with what came of it: told with what the user says next.
    pub fn push_command(&mut self, command: &str, told: &str) {
        self.asides.push(command, told);
    }

    /// Takes back what the user said last, if nothing was answered: the user has it again, and
    /// said twice it would stand here twice.
    pub fn take_back(&mut self, prompt: &str) {
        if let Some(Message::User { text }) = self.messages.last()
            && let Some(said) = text.strip_prefix(self.noted.as_str())
            && self.asides.take_back(said, prompt)
        {
            self.messages.pop();
            self.unsaid = std::mem::take(&mut self.noted);
        }
    }

    /// Adds a response without calls. An empty one changes nothing: servers refuse empty
    /// assistant messages.
    pub fn push_answer(&mut self, text: String, reasoning: String, incomplete: bool) {
        self.close_calls();
        if !text.trim().is_empty() {
            let message = AssistantMessage { text, reasoning, calls: Vec::new(), incomplete };
            self.messages.push(Message::Assistant(message));
        }
    }

    /// Adds a response with calls and opens one slot for each, in one step. Gives the calls with
    /// ids that are unique in this session.
    pub fn push_calls(&mut self, answer: AssistantMessage, calls: Vec<RawCall>) -> Vec<ToolCall> {
        self.push_known_calls(answer, calls, BTreeMap::new())
    }

    /// The same, where calls at some places have an id of [`Session::reserve_id`] already.
    pub fn push_known_calls(
        &mut self,
        answer: AssistantMessage,
        calls: Vec<RawCall>,
        mut known: BTreeMap<usize, CallId>,
    ) -> Vec<ToolCall> {
        self.close_calls();
        let calls: Vec<ToolCall> = calls
            .into_iter()
            .enumerate()
            .map(|(place, raw)| ToolCall {
                id: known.remove(&place).unwrap_or_else(|| self.unique(raw.id)),
                name: raw.name,
                arguments: raw.arguments,
            })
            .collect();
        let sent = calls.iter().map(sendable).collect();
        self.messages.push(Message::Assistant(AssistantMessage { calls: sent, ..answer }));
        self.open = calls.iter().map(|call| Slot { call: call.clone(), result: None }).collect();
        calls
    }

    /// Fills the slot of one call. The first result stays; one for no open call is ignored.
    pub fn settle(&mut self, result: ToolResult) {
        let slot = self.open.iter_mut().find(|slot| slot.call.id == result.call_id);
        if let Some(slot) = slot {
            slot.result.get_or_insert(result);
        }
    }

    /// Ends the open calls: appends one result each in call order, and says of those that have
    /// none that they did not run. Results that are too much together are cut, and say so.
    /// Gives the results made up here.
    pub fn close_calls(&mut self) -> Vec<ToolResult> {
        let mut made_up = Vec::new();
        let results = std::mem::take(&mut self.open).into_iter().map(|slot| {
            slot.result.unwrap_or_else(|| {
                let result = ToolResult::not_run(slot.call.id);
                made_up.push(result.clone());
                result
            })
        });
        let mut results: Vec<_> = results.collect();
        fit::fit(&mut results, fit::MAX);
        self.messages.extend(results.into_iter().map(Message::Tool));
        debug_assert_eq!(history::problems(&self.messages), Vec::<String>::new());
        made_up
    }

    /// An id for a call whose response is not complete yet: as much as possible the server's own,
    /// and never given again, whatever becomes of the response.
    pub fn reserve_id(&mut self, wanted: &str) -> CallId {
        self.unique(wanted.to_owned())
    }

    fn unique(&mut self, wanted: String) -> CallId {
        let wanted = if wanted.trim().is_empty() { "call".to_owned() } else { wanted };
        let mut id = CallId(wanted.clone());
        let mut n = self.ids.len();
        while !self.ids.insert(id.clone()) {
            n += 1;
            id = CallId(format!("{wanted}_{n}"));
        }
        id
    }
}

/// The call as it may be sent back. Chat templates parse the arguments, so text that is no JSON
/// object would make every later request fail: it is carried inside a valid one. Servers check
/// the name too (`^[a-zA-Z0-9_-]{1,64}$` for one), also in what a model once wrote.
fn sendable(call: &ToolCall) -> ToolCall {
    let object =
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments);
    let arguments = match object {
        Ok(_) => call.arguments.clone(),
        Err(_) if call.arguments.trim().is_empty() => "{}".to_owned(),
        Err(_) => serde_json::json!({ "unreadable_arguments": call.arguments }).to_string(),
    };
    ToolCall { id: call.id.clone(), name: sendable_name(&call.name), arguments }
}

fn sendable_name(name: &str) -> String {
    let allowed = |c: char| if history::is_name_character(c) { c } else { '_' };
    let name: String = name.chars().take(history::NAME).map(allowed).collect();
    if name.is_empty() { "unknown_tool".to_owned() } else { name }
}

#[cfg(test)]
mod tests;
