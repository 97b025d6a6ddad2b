//! The result of a call, as it is kept for the screen.
//!
//! Owns what is kept, and how much of it is shown unasked. Must not know rows. Invariant: all of it
//! is harmless text, but for the diff, of which what draws it shows what is invisible.

use std::time::Duration;

use super::{
    Reader,
    drawn::{MARKS_ONLY, SUMMARY},
};
use crate::{
    protocol::tool::{ToolResult, ToolStatus, WholeOutput},
    text::{cut, sanitize::sanitize},
};

/// Characters of the summary that are kept.
const WHOLE_SUMMARY: usize = 400;
/// Rows below a finished call, and below one with a diff.
const OUTPUT_ROWS: usize = 5;
const DIFF_ROWS: usize = 14;
/// Bytes of a text that folded rows are made from.
const FOLDED: usize = 8 * 1024;

/// The result of a call.
pub(super) struct Done {
    pub(super) status: ToolStatus,
    pub(super) summary: String,
    pub(super) text: String,
    pub(super) diff: Option<String>,
    pub(super) whole: Option<Whole>,
    /// How long it ran; absent if it never did.
    pub(super) elapsed: Option<Duration>,
}

/// What is known of an output of which the text has only a part.
pub(super) struct Whole {
    pub(super) output: WholeOutput,
    /// What the text says of the command itself.
    pub(super) about: String,
}

impl Done {
    /// `elapsed`: how long it ran; absent if it never did.
    pub(super) fn new(result: ToolResult, elapsed: Option<Duration>) -> Self {
        let whole = result.whole.map(|output| {
            let from = usize::try_from(output.text_bytes).unwrap_or(usize::MAX);
            let about = result.text.get(from..).unwrap_or_default();
            Whole { output, about: sanitize(about).into_owned() }
        });
        Self {
            status: result.status,
            summary: cut::one_line(&sanitize(&result.summary), WHOLE_SUMMARY),
            text: sanitize(&result.text).into_owned(),
            diff: result.diff,
            whole,
            elapsed,
        }
    }

    /// Whether the line has no room for the summary of something that went wrong.
    pub(super) fn hides_what_failed(&self, columns: u16) -> bool {
        let is_cut = columns <= MARKS_ONLY || self.summary.chars().count() > SUMMARY;
        self.status != ToolStatus::Ok && is_cut
    }

    /// How much is shown below the line without being asked for.
    /// What only tells the model how to go on is not: the line says what came of it.
    pub(super) fn rows_shown(&self, name: &str, reader: Reader) -> usize {
        let is_command = name == "run_command";
        match (&self.diff, self.status) {
            (Some(_), _) => DIFF_ROWS,
            (None, ToolStatus::Cancelled) if self.elapsed.is_none() => 0,
            (None, ToolStatus::Ok) if is_command && reader != Reader::Model => OUTPUT_ROWS,
            (None, ToolStatus::Refused) if reader == Reader::User => OUTPUT_ROWS,
            (None, ToolStatus::Ok | ToolStatus::Denied | ToolStatus::Refused) => 0,
            (None, _) => OUTPUT_ROWS,
        }
    }

    /// So much of the beginning of the text as folded rows can need.
    pub(super) fn head(&self) -> &str {
        cut::head(&self.text, FOLDED)
    }

    /// So much of its end.
    pub(super) fn tail(&self) -> &str {
        cut::tail(&self.text, FOLDED)
    }
}
