//! Patches in sections: `*** Update File: path` and its like. Pure.
//!
//! Owns the marks of that form and what models get wrong in it. Must not know files.
//!
//! Invariant: a mark stands at the start of its line, where no line of a hunk can begin; only
//! the first may be indented.

use super::patch::{Action, FilePatch, Hunk, Patch, settle};
use super::unified;
use crate::text::cut;

/// Reads the lines between the marks for begin and end.
///
/// # Errors
/// What is wrong, as a sentence.
pub(super) fn read(lines: &[&str]) -> Result<Patch, String> {
    let mut files = Vec::new();
    let mut lines = lines.iter().copied().skip_while(|line| line.trim().is_empty()).peekable();
    let mut is_first = true;
    while let Some(line) = lines.next() {
        // Only a line that no hunk can hold yet may be indented.
        let head = if is_first { line.trim() } else { line.trim_end() };
        is_first = false;
        if head.is_empty() {
            continue;
        }
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|line| !begins_section(line)) {
            body.push(line);
        }
        if let Some(path) = value(head, "*** Add File:") {
            files.push(FilePatch { path: path?, action: Action::Add(content(&body)?) });
        } else if let Some(path) = value(head, "*** Delete File:") {
            if let Some(line) = body.iter().find(|line| !line.trim().is_empty()) {
                return Err(unexpected(line, "after the mark for a deleted file"));
            }
            files.push(FilePatch { path: path?, action: Action::Delete(Vec::new()) });
        } else if let Some(path) = value(head, "*** Update File:") {
            let path = path?;
            let action = update(&path, &body)?;
            files.push(FilePatch { path, action });
        } else {
            return Err(unexpected(line, "where the part for a file should begin"));
        }
    }
    Ok(Patch { files, notes: Vec::new() })
}

fn begins_section(line: &str) -> bool {
    line.starts_with("*** ")
        && !line.starts_with("*** Move to:")
        && line.trim_end() != "*** End of File"
}

fn value(head: &str, mark: &str) -> Option<Result<String, String>> {
    let path = head.strip_prefix(mark)?.trim();
    let path = path.strip_prefix('`').and_then(|path| path.strip_suffix('`')).unwrap_or(path);
    Some(if path.is_empty() {
        Err(format!("`{mark}` is not followed by a path"))
    } else {
        Ok(path.to_owned())
    })
}

fn unexpected(line: &str, place: &str) -> String {
    format!("the line {:?} stands {place}", cut::one_line(line, 80))
}

/// The content of a file that is added: every line begins with `+`. Some models leave all of
/// them out.
fn content(body: &[&str]) -> Result<String, String> {
    let heads =
        body.iter().take_while(|line| line.starts_with("@@") || line.starts_with("--- /dev"));
    let mut body = body.get(heads.count()..).unwrap_or_default();
    while let [rest @ .., last] = body
        && last.trim().is_empty()
    {
        body = rest;
    }
    let is_plain = !body.iter().any(|line| line.starts_with('+'));
    let mut content = String::new();
    for line in body {
        let is_mark = line.starts_with("\\ No newline") || line.trim_end() == "*** End of File";
        match line.strip_prefix('+') {
            Some(line) => content.push_str(line),
            None if is_mark => {
                if line.starts_with('\\') {
                    content.pop();
                }
                continue;
            }
            None if is_plain || line.trim().is_empty() => content.push_str(line),
            None => return Err(unexpected(line, "in a file that is added, without a `+`")),
        }
        content.push('\n');
    }
    Ok(content)
}

fn update(path: &str, body: &[&str]) -> Result<Action, String> {
    let mut to = None;
    let mut hunks = vec![Hunk::default()];
    let mut lines = body.iter().copied().peekable();
    let mut is_head = true;
    while let Some(line) = lines.next() {
        let Some(hunk) = hunks.last_mut() else { break };
        if let Some(target) = value(line.trim_end(), "*** Move to:").filter(|_| is_head) {
            to = Some(target?);
            continue;
        }
        if is_head
            && line.starts_with("--- ")
            && lines.peek().is_some_and(|l| l.starts_with("+++ "))
        {
            lines.next();
            continue;
        }
        if line.starts_with("*** Move to:") {
            return Err(format!(
                "in the part for `{path}`, `*** Move to:` must stand directly below its first line"
            ));
        }
        is_head = is_head && line.trim().is_empty();
        if line.trim_end() == "*** End of File" {
            hunk.at_end = true;
            hunks.push(Hunk::default());
        } else if line.starts_with("@@") {
            let (number, anchor) = unified::head(line);
            // Several in a row name one place.
            if !hunk.lines.iter().all(|line| line == &super::patch::Line::Keep(String::new())) {
                hunks.push(Hunk::default());
            }
            if let Some(hunk) = hunks.last_mut() {
                hunk.lines.clear();
                hunk.number = number.map(|range| range.old);
                hunk.anchors.extend(anchor);
            }
        } else {
            hunk.push(line);
        }
    }
    for hunk in &mut hunks {
        // A number alone says nothing that could be checked.
        hunk.number = None;
    }
    let hunks = settle(hunks);
    if hunks.is_empty() && to.is_none() {
        return Err(format!("the part for `{path}` has no changed lines"));
    }
    Ok(Action::Update { to, hunks })
}
