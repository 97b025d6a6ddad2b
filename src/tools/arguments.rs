//! Arguments as models write them, made fit for a tool. Pure.
//!
//! Owns argument aliases, the few type repairs that are safe, and the errors that teach the
//! right form. Must not know any tool: the schema tells all.
//!
//! Invariant: what comes out is an object with known arguments of the right types and no
//! required one missing; nothing is guessed and nothing is dropped without a note.

pub mod schema;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use crate::text::balance::{MAX_VALUES, is_bulky};
use crate::text::cut;
use schema::Shape;

/// Arguments that fit the schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// An object.
    pub arguments: Value,
    /// What the model is told about it, e.g. that an argument is unknown and was ignored.
    pub notes: Vec<String>,
}

/// Other names of arguments, folded as [`fold`] does. The first is the canonical one.
const ALIASES: &[&[&str]] = &[
    &["path", "filepath", "filename", "file", "directory", "dir", "folder"],
    &["old", "oldstring", "oldstr", "oldtext"],
    &["new", "newstring", "newstr", "newtext"],
    &["command", "cmd"],
    &["offset", "startline", "linestart", "fromline"],
    &["cwd", "workdir", "workingdirectory", "directory", "dir"],
    &["background", "runinbackground", "isbackground"],
    &["id", "shellid", "bashid", "taskid"],
    &["pattern", "query", "regex"],
    &["glob", "include", "pattern", "filepattern", "globpattern"],
    &["content", "contents", "text", "filetext"],
    &["patch", "input", "diff", "patchtext"],
];

/// The most notes about one call.
const MAX_NOTES: usize = 5;
/// The most characters of a name or a value that is told back.
const MAX_SHOWN: usize = 64;

/// A name without case, `-` and `_`: `filePath`, `file_path` and `file-path` are one.
#[must_use]
pub fn fold(name: &str) -> String {
    name.chars().filter(|char| !matches!(char, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Makes the raw argument text of a call fit the tool's schema.
///
/// # Errors
/// A text for the model: not JSON, not an object, a wrong type, or a required argument missing;
/// with the schema in one line and a call that would be right.
pub fn repair(tool: &str, raw: &str, schema: &Value) -> Result<Repaired, ToolError> {
    let shape = Shape::of(tool, schema);
    let given = parse_object(raw, &shape)?;
    let mut arguments = Map::new();
    let mut notes = Notes::default();
    // Exact names first, so that an alias never displaces what was named rightly.
    let (exact, other): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| shape.has(name));
    for (name, value) in exact.into_iter().chain(other) {
        let Some(canonical) = canonical_name(&name, &shape) else {
            let shown = cut::one_line(&name, MAX_SHOWN);
            notes.add(|| {
                format!("The unknown argument {shown:?} was ignored. {}", shape.signature())
            });
            continue;
        };
        let optional = !shape.is_required(&canonical);
        if value.is_null() && optional {
            continue;
        }
        if arguments.contains_key(&canonical) {
            if arguments.get(&canonical) != Some(&value) {
                let shown = cut::one_line(&name, MAX_SHOWN);
                notes.add(|| format!("{shown:?} was ignored: `{canonical}` was given too."));
            }
            continue;
        }
        let value = shape.fit(&canonical, value)?;
        arguments.insert(canonical, value);
    }
    if let Some(missing) = shape.required().find(|name| !arguments.contains_key(*name)) {
        return Err(
            shape.refused("argument missing", &format!("{tool} needs the argument `{missing}`."))
        );
    }
    Ok(Repaired { arguments: Value::Object(arguments), notes: notes.told() })
}

/// What the model is told about ignored arguments: a few in words, the rest as a number.
#[derive(Default)]
struct Notes {
    told: Vec<String>,
    more: usize,
}

impl Notes {
    fn add(&mut self, note: impl FnOnce() -> String) {
        if self.told.len() < MAX_NOTES {
            self.told.push(note());
        } else {
            self.more += 1;
        }
    }

    fn told(mut self) -> Vec<String> {
        if self.more > 0 {
            self.told.push(format!("{} more arguments were ignored.", self.more));
        }
        self.told
    }
}

/// Reads repaired arguments as a tool's own type.
///
/// # Errors
/// A text for the model that says what does not fit.
pub fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, ToolError> {
    T::deserialize(arguments).map_err(|error| {
        ToolError::refused(
            "bad arguments",
            format!("the arguments do not fit: {}. Correct them and call again.", plain(&error)),
        )
    })
}

/// A fault without the types of a programming language.
fn plain(error: &serde_json::Error) -> String {
    let words = error.to_string();
    match words.rsplit_once(", expected ") {
        Some((what, "u8" | "u16" | "u32" | "u64" | "usize")) => {
            format!("{what}, expected a whole number from 0 up")
        }
        _ => words,
    }
}

fn parse_object(raw: &str, shape: &Shape<'_>) -> Result<Map<String, Value>, ToolError> {
    if raw.trim().is_empty() {
        return Ok(Map::new());
    }
    if let Some(arguments) = bare_patch(raw, shape) {
        return Ok(arguments);
    }
    if is_bulky(raw) {
        let what = format!("the arguments hold more than {MAX_VALUES} values.");
        return Err(shape.refused("too many values", &what));
    }
    let mut value: Value = serde_json::from_str(raw).map_err(|error| {
        let mut what = format!("the arguments are not JSON: {error}");
        if error.is_eof() {
            what.push_str("; they seem to be cut off");
        }
        if let Some(place) = excerpt(raw, error.line(), error.column()) {
            // A String cannot fail to be written to.
            if write!(what, ", near {place:?}").is_err() {
                return shape.refused("not JSON", &what);
            }
        }
        shape.refused("not JSON", &format!("{what}."))
    })?;
    if let Value::String(text) = &value
        && !is_bulky(text)
        && let Ok(inner @ Value::Object(_)) = serde_json::from_str(text)
    {
        value = inner;
    }
    if let Value::String(text) = &value
        && let Some(arguments) = bare_patch(text, shape)
    {
        return Ok(arguments);
    }
    match value {
        Value::Object(map) => Ok(map),
        other => Err(shape.refused(
            "not an object",
            &format!("the arguments are {}, not a JSON object.", schema::kind(&other)),
        )),
    }
}

/// A patch as it is, without an object around it: so is it sent by models that know the tool as
/// one that takes text.
fn bare_patch(raw: &str, shape: &Shape<'_>) -> Option<Map<String, Value>> {
    let is_patch = shape.has("patch") && raw.trim_start().starts_with("*** Begin Patch");
    is_patch.then(|| Map::from_iter([("patch".to_owned(), Value::from(raw))]))
}

/// Some characters around a place that is given by line and column, in bytes from 1.
fn excerpt(raw: &str, line: usize, column: usize) -> Option<&str> {
    let line = raw.split('\n').nth(line.checked_sub(1)?)?;
    let (before, after) = line.split_at_checked(line.floor_char_boundary(column))?;
    let start = before.len() - cut::tail(before, 20).len();
    let end = before.len() + cut::head(after, 20).len();
    line.get(start..end).filter(|place| !place.is_empty())
}

fn canonical_name(name: &str, shape: &Shape<'_>) -> Option<String> {
    if shape.has(name) {
        return Some(name.to_owned());
    }
    let folded = fold(name);
    if let Some(known) = shape.names().find(|known| fold(known) == folded) {
        return Some(known.to_owned());
    }
    ALIASES
        .iter()
        .filter(|group| group.contains(&folded.as_str()))
        .filter_map(|group| group.first())
        .find(|canonical| shape.has(canonical))
        .map(|canonical| (*canonical).to_owned())
}
