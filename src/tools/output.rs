//! Caps on what one result gives to the model, with a marker that cannot be taken for content.
//!
//! Owns the size of a result and where it is cut. Must not know what the text is. Pure.
//!
//! Invariant: nothing is left out without a marker line that says how much, and how to get it.

#[cfg(test)]
mod tests;

use crate::text::cut;

/// Characters that one result may have.
pub const MAX_CHARACTERS: usize = 30_000;

/// Cuts at the end, as for reads: whole lines from the start are kept. `rest` says how to get
/// what is left out, e.g. `read on with offset 41`.
#[must_use]
pub fn cut_end(text: &str, rest: &str) -> String {
    let Some(head) = first_characters(text, MAX_CHARACTERS) else { return text.to_owned() };
    let head = whole_lines_at_start(head);
    let left_out = text.get(head.len()..).unwrap_or("");
    format!("{}{}", with_line_end(head), marker(left_out, rest))
}

/// Cuts in the middle, as for the output of commands: start and end are kept.
#[must_use]
pub fn cut_middle(text: &str, rest: &str) -> String {
    let half = MAX_CHARACTERS / 2;
    let Some(head) = first_characters(text, half) else { return text.to_owned() };
    if first_characters(text, MAX_CHARACTERS).is_none() {
        return text.to_owned();
    }
    let head = whole_lines_at_start(head);
    let tail = text.char_indices().rev().nth(half.saturating_sub(1));
    let tail = tail.and_then(|(start, _)| text.get(start..)).unwrap_or("");
    let tail = cut::whole_lines_at_end(tail);
    let left_out = text.get(head.len()..text.len() - tail.len()).unwrap_or("");
    format!("{}{}\n{tail}", with_line_end(head), marker(left_out, rest))
}

/// The one line that stands for what was left out.
#[must_use]
pub fn marker(left_out: &str, rest: &str) -> String {
    let lines = left_out.lines().count();
    let bytes = left_out.len();
    format!("[... {lines} lines, {bytes} bytes left out; {rest} ...]")
}

/// Appends a line about a result that cannot be taken for a part of it.
pub fn add_note(text: &mut String, note: &str) {
    for part in ["[... ", note, " ...]\n"] {
        text.push_str(part);
    }
}

/// The first characters, if there are more than that.
fn first_characters(text: &str, max: usize) -> Option<&str> {
    if text.len() <= max {
        return None;
    }
    let (end, _) = text.char_indices().nth(max)?;
    Some(cut::head(text, end))
}

fn whole_lines_at_start(text: &str) -> &str {
    text.rfind('\n').and_then(|end| text.get(..=end)).unwrap_or(text)
}

fn with_line_end(text: &str) -> String {
    if text.ends_with('\n') || text.is_empty() { text.to_owned() } else { format!("{text}\n") }
}
