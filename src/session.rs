//! The history of one conversation. Owns the rule that it can be sent at any moment: every call
//! has exactly one result, results stand in call order right behind their calls.
//!
//! Must not know providers, tools or screens. State changes here and nowhere else.
//!
//! Invariant: [`Session::messages`] has no [`history::problems`], whatever was aborted or failed.

mod fit;
pub mod history;
pub mod prompt;

use std::collections::HashSet;

use crate::protocol::{
    id::CallId,
    message::{AssistantMessage, Message},
    tool::{ToolCall, ToolResult, ToolStatus},
    usage::TokenUsage,
};

/// One conversation.
#[derive(Debug)]
pub struct Session {
    messages: Vec<Message>,
    /// Results of the calls that the last assistant message made, while they are not all there.
    open: Vec<Slot>,
    ids: HashSet<CallId>,
    usage: TokenUsage,
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
            usage: TokenUsage::default(),
        }
    }

    /// The history, valid for the API. While calls are open their message is held back.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds what the user said. Blank text is not a message and changes nothing.
    pub fn push_user(&mut self, text: &str) {
        self.close_calls();
        if !text.trim().is_empty() {
            self.messages.push(Message::User { text: text.to_owned() });
        }
    }

    /// Adds a response without calls. An empty one changes nothing: servers refuse empty
    /// assistant messages.
    pub fn push_answer(&mut self, text: String, reasoning: String, incomplete: bool) {
        self.close_calls();
        if !text.is_empty() {
            let message = AssistantMessage { text, reasoning, calls: Vec::new(), incomplete };
            self.messages.push(Message::Assistant(message));
        }
    }

    /// Adds a response with calls and opens one slot for each, in one step. Gives the calls with
    /// ids that are unique in this session.
    pub fn push_calls(&mut self, answer: AssistantMessage, calls: Vec<RawCall>) -> Vec<ToolCall> {
        self.close_calls();
        let calls: Vec<ToolCall> = calls
            .into_iter()
            .map(|raw| ToolCall {
                id: self.unique(raw.id),
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
                let result = not_run(&slot.call);
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

    /// Appends a note to the last result, for the model: never a message of its own, as nothing
    /// may stand between calls and results.
    pub fn note(&mut self, note: &str) {
        if let Some(Message::Tool(result)) = self.messages.last_mut() {
            result.text.push_str("\n\n");
            result.text.push_str(note);
        }
    }

    /// Counts a response's tokens, also those of responses that were thrown away.
    pub fn count(&mut self, usage: TokenUsage) {
        self.usage.add(usage);
    }

    /// Tokens of the whole session.
    #[must_use]
    pub fn usage(&self) -> TokenUsage {
        self.usage
    }

    /// A rough size of the history in tokens: bytes / 3.5, the mean of English text and code.
    #[must_use]
    pub fn estimated_tokens(&self) -> u64 {
        let bytes: usize = self.messages.iter().map(history::bytes).sum();
        u64::try_from(bytes.saturating_mul(2) / 7).unwrap_or(u64::MAX)
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

/// The call as it may be sent back: chat templates parse the arguments, so text that is no JSON
/// object would make every later request fail. It is carried inside a valid one.
fn sendable(call: &ToolCall) -> ToolCall {
    let object =
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments);
    let arguments = match object {
        Ok(_) => call.arguments.clone(),
        Err(_) if call.arguments.trim().is_empty() => "{}".to_owned(),
        Err(_) => serde_json::json!({ "unreadable_arguments": call.arguments }).to_string(),
    };
    ToolCall { arguments, ..call.clone() }
}

fn not_run(call: &ToolCall) -> ToolResult {
    ToolResult {
        call_id: call.id.clone(),
        status: ToolStatus::Cancelled,
        text: "Not run: the turn was stopped before this call began.".to_owned(),
        summary: "not run".to_owned(),
        diff: None,
    }
}

#[cfg(test)]
mod tests;
