//! The tool that makes several edits in one file.
//!
//! Owns their order: each sees what the one before it made. How one edit finds its place is
//! [`edit_file`](super::edit_file)'s.
//!
//! Invariant: all edits are made, or none.

use schemars::JsonSchema;
use serde::Deserialize;

use super::edit_file::{self, ladder};
use super::plans::Plans;
use super::workspace::change::Change;
use super::workspace::plan::Plan;
use super::workspace::rewrite::{self, Rewrite};
use super::workspace::{Resolved, open};
use super::{ToolContext, ToolError, arguments};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;

/// `multi_edit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiEdit;

/// What a call is given.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Arguments {
    path: String,
    /// Made in this order, each on what the one before it left
    edits: Vec<OneEdit>,
}

#[derive(Clone, Deserialize, JsonSchema)]
struct OneEdit {
    #[serde(alias = "old_string", alias = "oldString", alias = "old_str", alias = "oldText")]
    old: String,
    #[serde(alias = "new_string", alias = "newString", alias = "new_str", alias = "newText")]
    new: String,
    #[serde(alias = "replaceAll")]
    replace_all: Option<bool>,
}

impl Plans for MultiEdit {
    type Arguments = Arguments;

    fn described(&self) -> ToolSpec {
        ToolSpec {
            name: "multi_edit".to_owned(),
            description: "Replace several pieces of one text file, all or none.".to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn touches(arguments: &Arguments, context: &ToolContext) -> Result<Access, ToolError> {
        Ok(rewrite::access(&context.workspace.resolve(&arguments.path)?))
    }

    fn plan(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
        plan_edits(arguments, context)
    }
}

fn plan_edits(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
    let path = context.workspace.resolve(&arguments.path)?;
    let Some(bytes) = rewrite::current(&context.workspace, &path)? else {
        return Err(open::not_found(&context.workspace, &path));
    };
    let file = edit_file::decode(&path, &bytes)?;
    let (text, mut notes) = edit_all(&path, &file.text, &arguments.edits)?;
    let new = edit_file::encode(&path, &text, &file)?;
    let change = Change::between(&path.relative, Some(&file.text), &text);
    let count = arguments.edits.len();
    let s = if count == 1 { "" } else { "s" };
    let told = format!("Made {count} edit{s} in `{}` ({}).", path.relative, change.summary());
    notes.extend(edit_file::stale(&path, &bytes, context));
    Ok(Plan { rewrites: vec![Rewrite::of(path, Some(bytes), new, change)], told, notes })
}

/// The text after all edits, and what is to be said of those that did not fit exactly.
fn edit_all(
    path: &Resolved,
    text: &str,
    edits: &[OneEdit],
) -> Result<(String, Vec<String>), ToolError> {
    if edits.is_empty() {
        let words = "`edits` holds no edit. Give at least one, with `old` and `new`.";
        return Err(ToolError::refused("no edit", words));
    }
    let (mut text, mut notes) = (text.to_owned(), Vec::new());
    for (n, one) in (1..).zip(edits) {
        let all = one.replace_all.unwrap_or(false);
        let edit = ladder::Edit { old: &one.old, new: &one.new, all };
        let edited = ladder::edit(&text, edit).map_err(|miss| {
            let why = edit_file::explain(&path.relative, &text, edit, &miss);
            let words = why.text.strip_prefix("Error: ").unwrap_or(&why.text);
            let after = if n > 1 { ", after those before it" } else { "" };
            let which = format!("edit {n} of {}{after}", edits.len());
            ToolError::failed(why.summary, format!("{which}: {words} None of the edits was made."))
        })?;
        notes.extend(edited.level.note().map(|note| format!("Edit {n}: {note}")));
        text = edited.text;
    }
    Ok((text, notes))
}
