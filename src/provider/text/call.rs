//! A call in JSON: an object that names a tool and holds its arguments. Owns the words that
//! models use for both; knows no markup around it.

use serde_json::Value;

const NAMES: &[&str] =
    &["name", "action", "tool", "tool_name", "toolName", "function", "function_name"];
const ARGUMENTS: &[&str] = &[
    "arguments",
    "parameters",
    "args",
    "action_input",
    "tool_input",
    "input",
    "params",
    "kwargs",
    "toolArgs",
];

/// A name and the arguments, if there are any.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Option<Value>,
}

impl Named {
    /// Reads an object; none if it does not name a tool.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        if let Some(inner @ Value::Object(_)) = value.get("function") {
            return Self::flat(inner);
        }
        Self::flat(value)
    }

    fn flat(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let name = NAMES.iter().find_map(|key| text(key))?.trim();
        let arguments = ARGUMENTS.iter().find_map(|key| value.get(*key)).cloned();
        let id = text("id").unwrap_or("").to_owned();
        (!name.is_empty()).then(|| Self { id, name: name.to_owned(), arguments })
    }

    /// The text of the arguments, as a server would send it.
    pub(super) fn argument_text(&self) -> String {
        match &self.arguments {
            None | Some(Value::Null) => "{}".to_owned(),
            Some(Value::String(text)) if text.trim().is_empty() => "{}".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        }
    }
}
