//! A tool's JSON Schema: made lean for the model, and read to check arguments. Pure.
//!
//! Owns the subset of JSON Schema that tools use: an object of typed properties. Must not know
//! any tool.
//!
//! Invariant: a value that was fitted has the type that the schema names.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::MAX_SHOWN;
use crate::text::balance::is_bulky;
use crate::text::cut;
use crate::tools::ToolError;

/// Words of a schema that say nothing to a model.
const NOISE: &[&str] = &["$schema", "title", "format", "default", "minimum"];

/// The JSON Schema of a tool's argument type, without noise.
#[must_use]
pub fn lean<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema);
    schema
}

fn strip(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for noise in NOISE {
        map.remove(*noise);
    }
    if map.get("type") == Some(&json!("object")) {
        map.remove("description");
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = map.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(mut variants)) = map.remove("anyOf") {
        variants.retain(|variant| variant.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = variants.as_mut_slice() {
            map.append(only);
        } else {
            map.insert("anyOf".to_owned(), Value::Array(variants));
        }
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(strip);
    }
    if let Some(items) = map.get_mut("items") {
        strip(items);
    }
}

/// What kind of JSON value this is, with its article.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A tool's schema, read.
pub(super) struct Shape<'a> {
    tool: &'a str,
    properties: Option<&'a Map<String, Value>>,
    required: Vec<&'a str>,
}

impl<'a> Shape<'a> {
    pub(super) fn of(tool: &'a str, schema: &'a Value) -> Self {
        let required = schema.get("required").and_then(Value::as_array);
        Self {
            tool,
            properties: schema.get("properties").and_then(Value::as_object),
            required: required.into_iter().flatten().filter_map(Value::as_str).collect(),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.properties.into_iter().flat_map(|map| map.keys().map(String::as_str))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.properties.is_some_and(|map| map.contains_key(name))
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> {
        self.required.iter().copied()
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.required.contains(&name)
    }

    fn schema(&self, name: &str) -> &'a Value {
        self.properties.and_then(|map| map.get(name)).unwrap_or(&Value::Null)
    }

    /// The arguments in one line: `read_file takes: path (string, required), limit (integer).`
    pub(super) fn signature(&self) -> String {
        let arguments: Vec<String> = self
            .names()
            .map(|name| {
                let kind = type_of(self.schema(name)).unwrap_or("any");
                let required = if self.is_required(name) { ", required" } else { "" };
                format!("{name} ({kind}{required})")
            })
            .collect();
        if arguments.is_empty() {
            format!("{} takes no arguments.", self.tool)
        } else {
            format!("{} takes: {}.", self.tool, arguments.join(", "))
        }
    }

    /// The refusal of a call: what was wrong, the signature, and a call that would be right.
    pub(super) fn refused(&self, summary: &str, what: &str) -> ToolError {
        let example: Map<String, Value> = self
            .required()
            .map(|name| (name.to_owned(), example(name, self.schema(name))))
            .collect();
        ToolError::refused(
            summary,
            format!(
                "{what}\n{}\nA correct call has arguments like {}",
                self.signature(),
                Value::Object(example)
            ),
        )
    }

    /// The value as the type that the schema names.
    pub(super) fn fit(&self, name: &str, value: Value) -> Result<Value, ToolError> {
        let schema = self.schema(name);
        let Some(wanted) = type_of(schema) else { return Ok(value) };
        let value = coerce(wanted, schema, value);
        if !is_of_type(wanted, &value) {
            let what = format!("`{name}` must be of type {wanted}, but is {}.", kind(&value));
            return Err(self.refused("wrong type", &what));
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array)
            && !choices.contains(&value)
        {
            let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
            let value = cut::one_line(&value.to_string(), MAX_SHOWN);
            let what = format!("`{name}` is {value}, but must be one of {}.", choices.join(", "));
            return Err(self.refused("unknown choice", &what));
        }
        Ok(value)
    }
}

fn type_of(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

fn is_of_type(wanted: &str, value: &Value) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// The repairs that cannot change what was meant; anything else stays as it is.
fn coerce(wanted: &str, schema: &Value, value: Value) -> Value {
    match (wanted, value) {
        ("boolean", Value::String(text)) => match text.trim() {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            _ => Value::String(text),
        },
        ("integer", Value::String(text)) => {
            text.trim().parse::<i64>().map_or(Value::String(text), Value::from)
        }
        // JSON does not tell 2.0 and 2 apart.
        ("integer", Value::Number(number)) if number.is_f64() => {
            whole(&number).map_or(Value::Number(number), Value::from)
        }
        (_, Value::String(text)) if is_bulky(&text) => Value::String(text),
        ("number", Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(number @ Value::Number(_)) => number,
            _ => Value::String(text),
        },
        ("object", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text),
        },
        ("array", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(array @ Value::Array(_)) => array,
            _ if schema.get("items").and_then(type_of) == Some("string") => json!([text]),
            _ => Value::String(text),
        },
        (_, value) => value,
    }
}

/// The integer that a number with a fraction of zero is.
fn whole(number: &serde_json::Number) -> Option<i64> {
    let text = format!("{:.0}", number.as_f64()?);
    let whole = text.parse::<i64>().ok()?;
    ((whole as f64).to_bits() == number.as_f64()?.to_bits()).then_some(whole)
}

fn example(name: &str, schema: &Value) -> Value {
    match (name, type_of(schema)) {
        ("path", _) => json!("src/main.rs"),
        ("old", _) => json!("the exact lines to replace"),
        ("new", _) => json!("the lines to put there"),
        ("content", _) => json!("the whole new content"),
        ("pattern", _) => json!("fn main"),
        ("command", _) => json!("ls -l"),
        ("patch", _) => json!("*** Begin Patch\n*** Add File: notes.md\n+text\n*** End Patch"),
        (_, Some("integer" | "number")) => json!(1),
        (_, Some("boolean")) => json!(true),
        (_, Some("array")) => json!([]),
        (_, Some("object")) => json!({}),
        _ => json!("..."),
    }
}
