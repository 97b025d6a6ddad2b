//! A call as a model would have written it by the protocol of labels, for the history that it is
//! sent. Pure.
//!
//! Invariant: what is written here is read back by [`super::react`] as the same call.

use serde_json::{Map, Value};

use super::{
    FinishReason,
    react::{Outcome, Reader},
    shape::{Parameter, Tool},
};
use crate::protocol::tool::{ToolCall, ToolSpec};

/// The line of the call, and the block with its long text if it has one: models do as they see,
/// so it has the form that they were told.
#[must_use]
pub fn action(call: &ToolCall, tools: &[ToolSpec]) -> String {
    let object = serde_json::from_str::<Map<String, Value>>(&call.arguments).unwrap_or_default();
    let shape = tools.iter().find(|spec| spec.name == call.name).map(Tool::new);
    let told = shape.as_ref().map(|shape| written(shape, &object));
    // What would not be read back as it was meant goes as JSON.
    let told = told.filter(|told| is_read_back(told, &call.name, &object, tools));
    told.unwrap_or_else(|| format!("Action: {}({})", call.name, json(&object)))
}

fn json(arguments: &Map<String, Value>) -> String {
    if arguments.is_empty() { String::new() } else { Value::Object(arguments.clone()).to_string() }
}

fn written(shape: &Tool, arguments: &Map<String, Value>) -> String {
    let body = body(shape, arguments);
    let first = shape.parameters.first().map(|first| first.name.as_str());
    let in_brackets =
        arguments.iter().filter(|(name, _)| body.as_ref().is_none_or(|(body, _)| body != *name));
    let mut parts: Vec<String> = Vec::new();
    for (name, value) in in_brackets {
        let value = quoted(value);
        let is_first = parts.is_empty() && Some(name.as_str()) == first;
        parts.push(if is_first { value } else { format!("{name}={value}") });
    }
    let line = format!("Action: {}({})", shape.name, parts.join(", "));
    match body {
        Some((_, text)) => {
            let fence = fence(&text);
            format!("{line}\n{fence}\n{text}{fence}")
        }
        None => line,
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) if !text.contains(['\'', '\\', '\n', '\r']) => format!("'{text}'"),
        value => value.to_string(),
    }
}

fn is_read_back(
    written: &str,
    name: &str,
    arguments: &Map<String, Value>,
    tools: &[ToolSpec],
) -> bool {
    let mut reader = Reader::new(tools);
    reader.push(written);
    match reader.finish(Some(&FinishReason::Stop)).outcome {
        Outcome::Action { call, repaired: false, unknown_tool: false } => {
            let read = serde_json::from_str::<Map<String, Value>>(&call.arguments);
            call.name == name && read.is_ok_and(|read| read == *arguments)
        }
        _ => false,
    }
}

/// The one text of whole lines that may stand in a block: the only required text of several
/// lines.
fn body(shape: &Tool, arguments: &Map<String, Value>) -> Option<(String, String)> {
    let is_long = |parameter: &&Parameter| {
        let text = arguments.get(&parameter.name).and_then(Value::as_str);
        parameter.is_text && text.is_some_and(|text| text.contains('\n'))
    };
    let mut long = shape.required().filter(is_long);
    let only = long.next().filter(|_| long.next().is_none())?;
    let text = arguments.get(&only.name).and_then(Value::as_str)?;
    let is_lines = text.ends_with('\n') && !text.contains('\r');
    is_lines.then(|| (only.name.clone(), text.to_owned()))
}

/// A line of marks longer than any in the text.
fn fence(text: &str) -> String {
    let runs = text.split(|char| char != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::protocol::id::CallId;

    fn tools() -> Vec<ToolSpec> {
        let tool = |name: &str, required: &[&str]| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({
                "properties": required.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})))
                    .collect::<Map<_, _>>(),
                "required": required,
            }),
        };
        vec![tool("write_file", &["path", "content"]), tool("edit_file", &["path", "old", "new"])]
    }

    fn call(name: &str, arguments: &Value) -> ToolCall {
        ToolCall { id: CallId("a".into()), name: name.into(), arguments: arguments.to_string() }
    }

    #[track_caller]
    fn check_read_back(name: &str, arguments: &Value) {
        let written = format!("Thought: so be it.\n{}", action(&call(name, arguments), &tools()));
        let mut reader = Reader::new(&tools());
        reader.push(&written);
        let reply = reader.finish(Some(&FinishReason::Stop));
        let Outcome::Action { call, repaired, unknown_tool } = reply.outcome else {
            panic!("{written}\n{:?}", reply.outcome)
        };
        let read: Value = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!((call.name.as_str(), read), (name, arguments.clone()), "{written}");
        assert!(!repaired && !unknown_tool, "{written}");
    }

    #[test]
    fn a_long_text_stands_in_a_block_whose_fence_is_longer_than_any_inside() {
        let arguments = json!({"path": "a.md", "content": "```rust\nfn a() {}\n```\n"});
        assert_eq!(
            action(&call("write_file", &arguments), &tools()),
            "Action: write_file('a.md')\n````\n```rust\nfn a() {}\n```\n````"
        );
        check_read_back("write_file", &arguments);
    }

    #[test]
    fn a_call_has_the_form_that_the_model_was_told() {
        let written = |name, arguments: Value| action(&call(name, &arguments), &tools());
        let edit = json!({"path": "a b.rs", "old": "x", "new": "it's"});
        assert_eq!(
            written("edit_file", edit),
            "Action: edit_file('a b.rs', old='x', new=\"it's\")"
        );
        assert_eq!(written("other", json!({"n": 1})), "Action: other({\"n\":1})");
        assert_eq!(written("other", json!({})), "Action: other()");
    }

    #[test]
    fn two_long_texts_stay_in_the_brackets() {
        check_read_back("edit_file", &json!({"path": "a", "old": "x\ny\n", "new": "z\nw\n"}));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(path in "[ -~]{0,20}", content in "[ -~\n`~é:]{0,200}") {
            check_read_back("write_file", &json!({"path": path, "content": content}));
            check_read_back("edit_file", &json!({"path": path, "old": content, "new": "b\n"}));
        }
    }
}
