//! What the model is told about the places of hunks. Pure.
//!
//! Owns the words. Must not find anything.
//!
//! Invariant: an error says what to do next.

use super::patch::{Hunk, Line};
use super::seek::Miss;
use crate::tools::ToolError;
use crate::tools::edit_file::{hints::hints, ladder::Edit};

/// Line numbers that a message names.
const LINES_NAMED: usize = 10;

/// `line 3`, or `lines 3, 7`.
pub(super) fn line_list(lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(ToString::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let more = if lines.len() > LINES_NAMED { ", …" } else { "" };
    format!("{word} {}{more}", named.join(", "))
}

/// Why a hunk (`which`) has no place in a file.
pub(super) fn explain(
    (which, name): (&str, &str),
    text: &str,
    hunk: Option<&Hunk>,
    miss: &Miss,
) -> ToolError {
    let nothing = "nothing was changed";
    match miss {
        Miss::NotFound => {
            let hints = nearest(text, hunk);
            ToolError::failed(
                "hunk not found",
                format!("the lines of {which} are not in `{name}`; {nothing}.{hints}"),
            )
        }
        Miss::Ambiguous(lines) => ToolError::failed(
            "not unique",
            format!(
                "{which} fits `{name}` in more than one place, at {}; {nothing}. Give more lines \
                 around the place that is meant, or `@@` and the line that its block begins with.",
                line_list(lines)
            ),
        ),
        Miss::NoContext => ToolError::failed(
            "no context",
            format!(
                "{which} for `{name}` only adds lines, and does not say where; {nothing}. Give \
                 the lines before and after the place too."
            ),
        ),
        Miss::TooLong => ToolError::failed(
            "too repetitive",
            format!(
                "finding the place of {which} in `{name}` takes too long, as both repeat \
                 themselves; {nothing}. Give a shorter hunk, with lines that stand there once."
            ),
        ),
        Miss::Overlap(line) => ToolError::failed(
            "hunks overlap",
            format!(
                "{which} changes line {line} of `{name}`, which another hunk changes too; \
                 {nothing}. Put both into one."
            ),
        ),
        Miss::UnevenNew(line) => ToolError::failed(
            "uneven indentation",
            format!(
                "{which} fits `{name}` at line {line} only with less indentation, and has new \
                 lines that cannot be shifted with it; {nothing}. Indent them as the file does."
            ),
        ),
    }
}

/// Places that are like the hunk, and how they differ from it.
fn nearest(text: &str, hunk: Option<&Hunk>) -> String {
    let (mut old, mut new) = (String::new(), String::new());
    for line in hunk.into_iter().flat_map(|hunk| &hunk.lines) {
        let (text, is_old, is_new) = match line {
            Line::Keep(text) => (text.strip_prefix(' ').unwrap_or(text), true, true),
            Line::Remove(text) => (text.as_str(), true, false),
            Line::Add(text) => (text.as_str(), false, true),
        };
        for (side, _) in [(&mut old, is_old), (&mut new, is_new)].into_iter().filter(|(_, is)| *is)
        {
            side.push_str(text);
            side.push('\n');
        }
    }
    let hints = hints(text, Edit { old: &old, new: &new, all: false });
    hints.replace("`old`", "the hunk").replace("`new`", "its result")
}
