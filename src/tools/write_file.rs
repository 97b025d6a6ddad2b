//! The tool that writes a whole file.
//!
//! Owns when an existing file may be overwritten, and which traits of it are kept. Must not know
//! how bytes get to the disk.
//!
//! Invariant: what the model has not seen is never overwritten.

use schemars::JsonSchema;
use serde::Deserialize;

use super::plans::Plans;
use super::workspace::change::Change;
use super::workspace::plan::Plan;
use super::workspace::rewrite::{self, MAX_CONTENT, Rewrite};
use super::workspace::text::{self, Endings};
use super::workspace::{Resolved, open};
use super::{ToolContext, ToolError, arguments};
use crate::protocol::access::Access;
use crate::protocol::tool::ToolSpec;
use crate::text::{cut, number::counted};

/// Lines of an unread file that its refusal shows.
const LINES_SHOWN: usize = 10;

/// `write_file`.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteFile;

/// What a call is given.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Arguments {
    path: String,
    content: String,
}

impl Plans for WriteFile {
    type Arguments = Arguments;

    fn described(&self) -> ToolSpec {
        ToolSpec {
            name: "write_file".to_owned(),
            description: "Create a file, or replace its whole content. Read an existing file \
                          first; for small changes use edit_file. Creates missing folders."
                .to_owned(),
            parameters: arguments::schema::lean::<Arguments>(),
        }
    }

    fn touches(arguments: &Arguments, context: &ToolContext) -> Result<Access, ToolError> {
        Ok(rewrite::access(&context.workspace.resolve(&arguments.path)?))
    }

    fn plan(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
        plan_write(arguments, context)
    }
}

fn plan_write(arguments: &Arguments, context: &ToolContext) -> Result<Plan, ToolError> {
    let path = context.workspace.resolve(&arguments.path)?;
    let content = arguments.content.clone();
    if content.len() as u64 > MAX_CONTENT {
        return Err(ToolError::failed(
            "too large",
            format!(
                "the content has {}, more than {}. Write it in parts, or with a command.",
                open::size(content.len() as u64),
                open::size(MAX_CONTENT)
            ),
        ));
    }
    let Some(old) = rewrite::current(&context.workspace, &path)? else {
        let change = Change::between(&path.relative, None, &content);
        let rewrite = Rewrite::of(path, None, content.clone().into_bytes(), change);
        return Ok(planned(rewrite, &content, Vec::new()));
    };
    let unseen = !old.is_empty() && !context.seen.knows(&path.absolute, &old);
    if unseen && let Some(kind) = text::binary_type(&old) {
        return Err(ToolError::failed(
            "binary",
            format!("`{}` exists and is binary ({kind}). Write to another path.", path.relative),
        ));
    }
    let old_text = text::decode(&old);
    let (content, new, notes) = keep_traits(&old_text, content);
    if unseen && old != new {
        return Err(unread(&path, &old, context));
    }
    let change = Change::between(&path.relative, Some(&old_text.text), &content);
    Ok(planned(Rewrite::of(path, Some(old), new, change), &content, notes))
}

/// The content with the line ends, the byte order mark and the UTF-16 of the file that it
/// replaces; as text, as bytes, and what is told about it.
pub(super) fn keep_traits(old: &text::TextFile, content: String) -> (String, Vec<u8>, Vec<String>) {
    let mut notes = Vec::new();
    let mut content = content;
    if Endings::of(&old.text) == Endings::CrLf && Endings::of(&content) == Endings::Lf {
        content = content.replace('\n', "\r\n");
        notes.push("The file's CRLF line ends were kept.".to_owned());
    }
    if old.bom {
        let name = old.encoding.name();
        if content.starts_with('\u{FEFF}') {
            content.remove(0);
        }
        notes.push(format!("The file's byte order mark ({name}) was kept."));
        if let Some(bytes) = text::encode(&content, old.encoding, true) {
            return (content, bytes, notes);
        }
    } else if old.encoding != encoding_rs::UTF_8 {
        notes.push(format!("The file was {}; it is UTF-8 now.", old.encoding.name()));
    }
    let bytes = content.clone().into_bytes();
    (content, bytes, notes)
}

/// The file holds what the model has not seen, or not all of it.
pub(super) fn unread(path: &Resolved, now: &[u8], context: &ToolContext) -> ToolError {
    let text = text::decode(now).text;
    let lines = counted(text.lines().count(), "line");
    if context.seen.knows_in_part(&path.absolute, now) {
        return ToolError::failed(
            "read in part",
            format!(
                "`{}` has {lines}, and only a part of it was read; nothing was written. Read the \
                 rest with read_file before you replace it, or change a part of it with edit_file.",
                path.relative
            ),
        );
    }
    let shown: Vec<String> = text
        .lines()
        .zip(1..=LINES_SHOWN)
        .map(|(line, number)| format!("{number}\t{}", cut::head(line, 200)))
        .collect();
    ToolError::failed(
        "not read yet",
        format!(
            "`{}` exists, and what is in it now was not read; nothing was written. Read it with \
             read_file, then write or edit it. It has {lines}; it begins:\n{}",
            path.relative,
            shown.join("\n")
        ),
    )
}

fn planned(rewrite: Rewrite, content: &str, notes: Vec<String>) -> Plan {
    let verb = if rewrite.old.is_some() { "Replaced" } else { "Created" };
    let lines = counted(content.lines().count(), "line");
    let bytes = counted(rewrite.new.as_ref().map_or(0, Vec::len), "byte");
    let told = format!(
        "{verb} `{}`: {lines}, {bytes} ({}).",
        rewrite.path.relative,
        rewrite.change.summary()
    );
    Plan { rewrites: vec![rewrite], told, notes }
}
