//! The tool that replaces one piece of a file by another.
//!
//! Owns what an edit says about itself; [`ladder`] finds the place, [`lenient`] says which lines
//! are the same, [`endings`] keeps line ends, [`hints`] explains why nothing was found. Must not know how bytes get to the disk.
//!
//! Invariant: an edit is applied to the one place that was meant, or not at all.

pub mod endings;
pub mod hints;
pub mod ladder;
pub mod lenient;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Deserialize;

use super::plans::Plans;
use super::workspace::change::Change;
use super::workspace::plan::Plan;
use super::workspace::rewrite::{self, Rewrite};
use super::workspace::{Resolved, open, text};
use super::{ToolContext, ToolError, arguments};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;
use ladder::{Edit, Edited, Miss};
use lenient::Level;

/// Line numbers that a message names.
const LINES_NAMED: usize = 10;

/// `edit_file`.
#[derive(Clone, Copy, Debug, Default)]
pub struct EditFile;

/// What a call is given.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Arguments {
    path: String,
    /// The text to replace, just as it is in the file, with enough lines to be unique
    old: String,
    new: String,
    /// Replace every place
    replace_all: Option<bool>,
}

impl Plans for EditFile {
    type Arguments = Arguments;

    fn described(&self) -> ToolSpec {
        ToolSpec {
            name: "edit_file".to_owned(),
            description: "Replace one piece of a text file. Fails if `old` is not found, or is \
                          found more than once."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn touches(arguments: &Arguments, context: &ToolContext) -> Result<Access, ToolError> {
        Ok(rewrite::access(&context.workspace.resolve(&arguments.path)?))
    }

    fn plan(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
        plan_edit(arguments, context)
    }
}

fn plan_edit(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
    let path = context.workspace.resolve(&arguments.path)?;
    let edit = Edit {
        old: &arguments.old,
        new: &arguments.new,
        all: arguments.replace_all.unwrap_or(false),
    };
    let bytes = match rewrite::current(&context.workspace, &path)? {
        Some(bytes) if !(bytes.is_empty() && edit.old.is_empty()) => bytes,
        None if !edit.old.is_empty() => return Err(open::not_found(&context.workspace, &path)),
        old => return create(path, old, edit.new),
    };
    let file = decode(&path, &bytes)?;
    let edited = ladder::edit(&file.text, edit)
        .map_err(|miss| explain(&path.relative, &file.text, edit, &miss))?;
    let new = encode(&path, &edited.text, &file)?;
    let change = Change::between(&path.relative, Some(&file.text), &edited.text);
    let told = told(&path.relative, &edited, &change);
    let mut notes: Vec<String> = edited.level.note().map(str::to_owned).into_iter().collect();
    notes.extend(stale(&path, &bytes, context));
    Ok(Plan { rewrites: vec![Rewrite::of(path, Some(bytes), new, change)], told, notes })
}

fn create(path: Resolved, old: Option<Vec<u8>>, new: &str) -> Result<Plan, ToolError> {
    if new.is_empty() {
        return Err(ToolError::failed(
            "nothing to do",
            format!("`{}`: `old` and `new` are both empty. Give the text in `new`.", path.relative),
        ));
    }
    let change = Change::between(&path.relative, old.is_some().then_some(""), new);
    let told = format!("Created `{}` ({}).", path.relative, change.summary());
    let rewrite = Rewrite::of(path, old, new.as_bytes().to_vec(), change);
    Ok(Plan { rewrites: vec![rewrite], told, notes: Vec::new() })
}

/// What the model is told if the file is not as it saw it.
pub(super) fn stale(path: &Resolved, bytes: &[u8], context: &ToolContext) -> Option<String> {
    let words = "The file had been changed since you last saw it; the edit still fitted.";
    context.seen.is_stale(&path.absolute, bytes).then(|| words.to_owned())
}

/// The text in the encoding that the file has.
pub(super) fn encode(
    path: &Resolved,
    text: &str,
    file: &text::TextFile,
) -> Result<Vec<u8>, ToolError> {
    text::encode(text, file.encoding, file.bom).ok_or_else(|| {
        ToolError::failed(
            "not encodable",
            format!(
                "`{}` is encoded as {}, which lacks a character of `new`. Use other characters.",
                path.relative,
                file.encoding.name()
            ),
        )
    })
}

pub(super) fn decode(path: &Resolved, bytes: &[u8]) -> Result<text::TextFile, ToolError> {
    let name = &path.relative;
    if let Some(kind) = text::binary_type(bytes) {
        return Err(ToolError::failed(
            "binary",
            format!("`{name}` is binary ({kind}) and cannot be edited as text."),
        ));
    }
    let file = text::decode(bytes);
    if file.round_trips(bytes) {
        Ok(file)
    } else {
        Err(ToolError::failed(
            "damaged text",
            format!(
                "`{name}` has bytes that are not valid {}; editing it would change them too. Use \
                 a command that works on bytes, such as sed.",
                file.encoding.name()
            ),
        ))
    }
}

fn told(name: &str, edited: &Edited, change: &Change) -> String {
    let lines = line_list(&edited.lines);
    match edited.lines.len() {
        1 => format!("Edited `{name}` at {lines} ({}).", change.summary()),
        count => format!("Edited `{name}` in {count} places, {lines} ({}).", change.summary()),
    }
}

fn line_list(lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(ToString::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let more = if lines.len() > LINES_NAMED { ", …" } else { "" };
    format!("{word} {}{more}", named.join(", "))
}

/// What the model is told of an edit that does not fit.
pub(super) fn explain(name: &str, text: &str, edit: Edit<'_>, miss: &Miss) -> ToolError {
    match miss {
        Miss::EmptyOld => ToolError::failed(
            "old is empty",
            format!(
                "`old` is empty, but `{name}` is not. Give the text to replace; to put in a line, \
                 give the line before it in `old` and both in `new`."
            ),
        ),
        Miss::Same => ToolError::failed(
            "nothing to do",
            format!("`old` and `new` are the same; `{name}` was not changed. Give the new text."),
        ),
        Miss::Ambiguous { level, lines } => {
            let how = level.note().map_or(String::new(), |_| " (read leniently)".to_owned());
            ToolError::failed(
                "not unique",
                format!(
                    "`old`{how} is in `{name}` more than once, at {}; nothing was changed. Give \
                     more lines around the one that is meant, or set replace_all.",
                    line_list(lines)
                ),
            )
        }
        Miss::UnevenNew { line } => ToolError::failed(
            "uneven indentation",
            format!(
                "`old` fits `{name}` at line {line} only with less indentation, and `new` has \
                 lines that cannot be shifted with it. Indent both as the file does."
            ),
        ),
        Miss::NotFound => ToolError::failed(
            "old not found",
            format!("`old` is not in `{name}`; nothing was changed.{}", hints::hints(text, edit)),
        ),
    }
}

impl Level {
    /// What the model is told when an edit did not fit exactly.
    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::TrimEnd => Some("It fitted after ignoring blanks at the ends of lines."),
            Self::Punct => Some(
                "It fitted after reading typographic quotes, dashes and spaces as plain ones; \
                 `new` was put in as given.",
            ),
            Self::Indent => {
                Some("It fitted with another indentation; `new` was shifted by as much.")
            }
        }
    }
}
