//! What a call must look like: the parameters of the tools on offer, from their schemas.
//!
//! Owns the order of parameters, which are required, which are texts and which are paths. Must
//! not know any tool.
//!
//! Invariant: the order is the schema's; a schema of any other form is a tool without parameters.

use serde_json::{Map, Value};

use crate::protocol::tool::ToolSpec;

/// The tools on offer.
#[derive(Clone, Debug, Default)]
pub(super) struct Tools(Vec<Tool>);

/// One tool.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
}

/// One parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) is_required: bool,
    /// Whether a text may be given.
    pub(super) is_text: bool,
}

impl Tools {
    pub(super) fn new(specs: &[ToolSpec]) -> Self {
        Self(specs.iter().map(Tool::new).collect())
    }

    /// The tool of this name; case, `-`, `_` and a prefix `functions.` matter only if they must.
    pub(super) fn get(&self, name: &str) -> Option<&Tool> {
        let exact = self.0.iter().find(|tool| tool.name == name);
        exact.or_else(|| {
            let folded = fold(name.strip_prefix("functions.").unwrap_or(name));
            self.0.iter().find(|tool| fold(&tool.name) == folded)
        })
    }

    /// The longest name of a tool that `text` begins with as a word.
    pub(super) fn named_at<'a>(&'a self, text: &str) -> Option<&'a str> {
        let is_name_of = |name: &str| {
            let after = text.strip_prefix(name).filter(|_| !name.is_empty());
            after.is_some_and(|after| !after.starts_with(super::value::is_key))
        };
        let names = self.0.iter().map(|tool| tool.name.as_str()).filter(|name| is_name_of(name));
        names.max_by_key(|name| name.len())
    }
}

impl Tool {
    pub(super) fn new(spec: &ToolSpec) -> Self {
        let required = spec.parameters.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        };
        let properties = spec.parameters.get("properties").and_then(Value::as_object);
        let parameters = properties.into_iter().flatten().map(|(name, schema)| Parameter {
            name: name.clone(),
            is_required: is_required(name),
            is_text: takes_text(schema),
        });
        Self { name: spec.name.clone(), parameters: parameters.collect() }
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| parameter.is_required)
    }

    /// The parameter that must be given, if it is just one.
    pub(super) fn only_required(&self) -> Option<&Parameter> {
        let mut required = self.required();
        required.next().filter(|_| required.next().is_none())
    }

    /// What must be given and is not.
    pub(super) fn missing<'a>(&'a self, given: &'a Map<String, Value>) -> Vec<&'a Parameter> {
        self.required().filter(|parameter| !given.contains_key(&parameter.name)).collect()
    }
}

impl Parameter {
    /// A text as the value that this parameter takes: texts stay, anything else is read.
    pub(super) fn fit(&self, text: &str) -> Value {
        let text_value = || Value::String(text.to_owned());
        if self.is_text {
            return text_value();
        }
        serde_json::from_str(text.trim()).unwrap_or_else(|_| match text.trim() {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            _ => text_value(),
        })
    }

    /// Whether it names a place in the file system.
    pub(super) fn is_path(&self) -> bool {
        matches!(
            fold(&self.name).as_str(),
            "path" | "filepath" | "filename" | "file" | "directory" | "dir" | "folder" | "cwd"
        )
    }
}

fn fold(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn takes_text(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => true,
    }
}
