//! Builds the body of a request. Owns the wire form of messages and tools; knows no network.
//!
//! Invariant: pure; what it builds is valid for the strictest known servers: content is a string
//! and never null, and the arguments of every call are the text of a JSON object.

use serde_json::{Map, Value, json};

use super::quirks::Asked;
use crate::protocol::{
    message::Message,
    tool::{ToolCall, ToolSpec},
};

/// The body for a streamed answer.
pub(super) fn body(model: &str, asked: &Asked<'_>) -> Map<String, Value> {
    let request = asked.request;
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", model.into());
    put("messages", request.messages.iter().map(message).collect());
    put("stream", true.into());
    put("stream_options", json!({ "include_usage": true }));
    // An empty list is refused by some servers.
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(tool).collect());
    }
    for (key, value) in asked.fields {
        put(key, value.clone());
    }
    if let Some(word) = &request.stop {
        put("stop", stop(asked.fields.get("stop"), word));
    }
    body
}

/// Our word to stop at, after those of the user.
fn stop(theirs: Option<&Value>, word: &str) -> Value {
    let theirs = match theirs {
        Some(Value::Array(words)) => words.clone(),
        Some(Value::Null) | None => Vec::new(),
        Some(one) => vec![one.clone()],
    };
    theirs.into_iter().chain([word.into()]).collect()
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    } })
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text } => json!({ "role": "user", "content": text }),
        Message::Assistant(answer) => {
            let mut value = json!({ "role": "assistant", "content": answer.text });
            if !answer.calls.is_empty()
                && let Some(value) = value.as_object_mut()
            {
                let calls: Vec<_> = answer.calls.iter().map(call).collect();
                value.insert("tool_calls".to_owned(), calls.into());
            }
            value
        }
        Message::Tool(result) => json!({
            "role": "tool",
            "tool_call_id": result.call_id.as_str(),
            "content": result.text,
        }),
    }
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id.as_str(),
        "type": "function",
        "function": { "name": call.name, "arguments": arguments(&call.arguments) },
    })
}

/// The arguments, or an object that carries them: some servers refuse every later request of a
/// conversation that holds arguments which are no JSON object.
fn arguments(text: &str) -> String {
    if serde_json::from_str::<Map<String, Value>>(text).is_ok() {
        return text.to_owned();
    }
    match text.trim() {
        "" => "{}".to_owned(),
        raw => json!({ "invalid_json": raw }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        protocol::{
            id::CallId,
            message::AssistantMessage,
            tool::{ToolResult, ToolStatus},
        },
        provider::Request,
    };

    fn body(request: &Request, fields: &Value) -> Value {
        let fields = fields.as_object().unwrap();
        Value::Object(super::body("m", &Asked { request, fields }))
    }

    fn history() -> Vec<Message> {
        let call = |id: &str, arguments: &str| ToolCall {
            id: CallId(id.into()),
            name: "read".into(),
            arguments: arguments.into(),
        };
        let result = ToolResult {
            call_id: CallId("a".into()),
            status: ToolStatus::Ok,
            text: "41 lines".into(),
            summary: String::new(),
            diff: None,
            whole: None,
        };
        vec![
            Message::System { text: "be brief".into() },
            Message::User { text: "go".into() },
            Message::Assistant(AssistantMessage {
                reasoning: "hm".into(),
                calls: vec![call("a", "{\"p\":1}"), call("b", "{\"p\":"), call("c", "")],
                ..AssistantMessage::default()
            }),
            Message::Tool(result),
        ]
    }

    #[test]
    fn a_history_with_calls_is_valid_for_strict_servers() {
        let request = Request::new(history(), Arc::new([]));
        let call = |id, arguments| {
            json!({ "id": id, "type": "function",
                "function": { "name": "read", "arguments": arguments } })
        };
        let want = json!({
            "model": "m",
            "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": "go" },
                { "role": "assistant", "content": "", "tool_calls": [
                    call("a", "{\"p\":1}"),
                    call("b", "{\"invalid_json\":\"{\\\"p\\\":\"}"),
                    call("c", "{}"),
                ] },
                { "role": "tool", "tool_call_id": "a", "content": "41 lines" },
            ],
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        assert_eq!(body(&request, &json!({})), want);
    }

    #[test]
    fn tools_go_as_functions() {
        let tool = ToolSpec {
            name: "read".into(),
            description: "Reads.".into(),
            parameters: json!({ "type": "object" }),
        };
        let request = Request::new(vec![], Arc::new([tool]));
        let want = json!([{ "type": "function", "function": {
            "name": "read", "description": "Reads.", "parameters": { "type": "object" } } }]);
        assert_eq!(body(&request, &json!({})).get("tools"), Some(&want));
    }

    #[test]
    fn a_word_to_stop_at_comes_after_those_of_the_user() {
        let mut request = Request::new(vec![], Arc::new([]));
        request.stop = Some("Observation:".into());
        for (theirs, want) in [
            (json!({}), json!(["Observation:"])),
            (json!({ "stop": "END" }), json!(["END", "Observation:"])),
            (json!({ "stop": ["a", "b"] }), json!(["a", "b", "Observation:"])),
        ] {
            assert_eq!(body(&request, &theirs).get("stop"), Some(&want));
        }
        request.stop = None;
        assert_eq!(body(&request, &json!({})).get("stop"), None);
    }

    #[test]
    fn fields_of_the_user_go_beside_ours() {
        let request = Request::new(vec![], Arc::new([]));
        let body = body(&request, &json!({ "temperature": 0.2, "stream_options": null }));
        assert_eq!(body.get("temperature"), Some(&json!(0.2)));
        assert_eq!(body.get("stream_options"), Some(&Value::Null));
        assert_eq!(body.get("stream"), Some(&json!(true)));
    }
}
