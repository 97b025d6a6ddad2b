//! One errand: the model is to read small files with a tool and to use what stands in them. Owns
//! the files, which exist here only, and what counts as a call that worked.
//!
//! Invariant: an errand has an end, whatever the model calls again and again; and what a file
//! holds cannot be guessed from its name.

use std::sync::Arc;

use serde_json::{Value, json};

use super::hear::{begin, hear, with_tools};
use crate::{
    protocol::{
        id::CallId,
        message::{AssistantMessage, Message},
        tool::{ToolCall, ToolResult, ToolSpec, ToolStatus},
    },
    provider::{
        Provider, ProviderError,
        accumulate::{AssembledCall, Response},
    },
};

/// The only tool there is.
const TOOL: &str = "read_file";
/// Requests of one errand: the call, and two tries to use its result.
const MOST_REQUESTS: usize = 3;
/// Calls of one answer that get a result; more of them make no difference.
const MOST_CALLS: usize = 16;

/// A file that is only told of.
pub(super) struct File {
    name: &'static str,
    word: &'static str,
}

/// The files of the errand for one call.
pub(super) const ONE: [File; 1] = [File { name: "notes.txt", word: "kingfisher" }];
/// Those for two calls at once.
pub(super) const TWO: [File; 2] =
    [File { name: "left.txt", word: "juniper" }, File { name: "right.txt", word: "basalt" }];
/// Those for a call as text: others, so that nothing remembered helps.
pub(super) const AS_TEXT: [File; 1] = [File { name: "memo.txt", word: "lantern" }];

/// How an errand went.
pub(super) enum Went {
    /// All files were read and their words used; so many calls stood in the first answer.
    Used(usize),
    /// The same, but there were fewer calls than files, or the last answer, which stands here,
    /// holds not all of the words.
    Unused(usize, Box<Response>),
    /// There was no call.
    NoCall(Box<Response>),
    /// There was a call, but not one that could be done, for this reason.
    BadCall(String),
    /// The call was good, but the history with its result was refused.
    Refused(ProviderError),
}

/// The tool as the model is told of it.
pub(super) fn tools() -> Arc<[ToolSpec]> {
    Arc::new([ToolSpec {
        name: TOOL.to_owned(),
        description: "Reads a text file of the project and gives what stands in it.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "path": { "type": "string", "description": "Path of the file." } },
            "required": ["path"],
            "additionalProperties": false,
        }),
    }])
}

/// Runs an errand.
///
/// # Errors
/// The first request failed.
pub(super) async fn run(provider: &dyn Provider, files: &[File]) -> Result<Went, ProviderError> {
    let tools = tools();
    let mut messages = begin(&prompt(files));
    let first = hear(provider, with_tools(messages.clone(), &tools)).await?.response;
    let calls = first.calls.len();
    if calls == 0 {
        return Ok(Went::NoCall(Box::new(first)));
    }
    if let Some(fault) = first.calls.iter().find_map(|call| fault(call, files)) {
        return Ok(Went::BadCall(fault));
    }
    if calls < files.len() {
        return Ok(Went::Unused(calls, Box::new(first)));
    }
    let mut response = first;
    for round in 1..MOST_REQUESTS {
        push_calls(&mut messages, &response, files, round);
        response = match hear(provider, with_tools(messages.clone(), &tools)).await {
            Ok(heard) => heard.response,
            Err(error) => return Ok(Went::Refused(error)),
        };
        let said = response.text.to_lowercase();
        if files.iter().all(|file| said.contains(file.word)) {
            return Ok(Went::Used(calls));
        }
        if response.calls.is_empty() {
            break;
        }
    }
    Ok(Went::Unused(calls, Box::new(response)))
}

fn prompt(files: &[File]) -> String {
    match files {
        [one] => format!(
            "Read the file {} with the tool {TOOL}. Then tell me the word that stands in it.",
            one.name
        ),
        many => {
            let names = many.iter().map(|file| file.name).collect::<Vec<_>>().join(" and ");
            format!(
                "Read the files {names} with the tool {TOOL}. They do not depend on each other: \
                 call the tool for all of them at once, in one reply. Then tell me the word that \
                 stands in each."
            )
        }
    }
}

/// Why a call cannot be done, if so.
fn fault(call: &AssembledCall, files: &[File]) -> Option<String> {
    if call.name != TOOL {
        return Some(format!("It called \"{}\", but the only tool is {TOOL}.", call.name));
    }
    match path(call) {
        None => Some(format!(
            "It called {TOOL}, but its arguments are no JSON object with a path: {}",
            call.arguments
        )),
        Some(path) if file(&path, files).is_none() => {
            Some(format!("It called {TOOL}, but for the wrong file: {path}"))
        }
        Some(_) => None,
    }
}

fn path(call: &AssembledCall) -> Option<String> {
    let arguments = serde_json::from_str::<Value>(&call.arguments).ok()?;
    Some(arguments.get("path")?.as_str()?.to_owned())
}

/// The file at this path; models like to write `./` or a folder before the name.
fn file<'a>(path: &str, files: &'a [File]) -> Option<&'a File> {
    let name = path.rsplit('/').next().unwrap_or(path);
    files.iter().find(|file| file.name == name)
}

/// Adds an answer with its calls, and the result of each.
fn push_calls(messages: &mut Vec<Message>, response: &Response, files: &[File], round: usize) {
    let mut calls: Vec<ToolCall> = Vec::new();
    for call in response.calls.iter().take(MOST_CALLS) {
        let is_new = !call.id.is_empty() && !calls.iter().any(|known| known.id.0 == call.id);
        let id = if is_new { call.id.clone() } else { format!("call_{round}_{}", calls.len()) };
        let (name, arguments) = (call.name.clone(), call.arguments.clone());
        calls.push(ToolCall { id: CallId(id), name, arguments });
    }
    let results = calls.iter().zip(&response.calls).map(|(call, assembled)| {
        let file = path(assembled).and_then(|path| file(&path, files));
        let (status, text) = match file {
            Some(file) => (ToolStatus::Ok, format!("The word is: {}", file.word)),
            None => (ToolStatus::Error, "There is no such file.".to_owned()),
        };
        Message::Tool(ToolResult::new(call.id.clone(), status, text, ""))
    });
    let results: Vec<_> = results.collect();
    messages.push(Message::Assistant(AssistantMessage {
        text: response.text.clone(),
        calls,
        ..AssistantMessage::default()
    }));
    messages.extend(results);
}
