//! Tool calls and their results as data. Owns their shape; running them is `tools`' and
//! `agent`'s work.

use serde::{Deserialize, Serialize};

use super::id::CallId;

/// What the model is told about a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Canonical name.
    pub name: String,
    /// One to three sentences for the model.
    pub description: String,
    /// JSON Schema of the arguments: an object schema.
    pub parameters: serde_json::Value,
}

/// One call as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique id.
    pub id: CallId,
    /// The tool's name as the model wrote it; may be an alias or unknown.
    pub name: String,
    /// The arguments as the model wrote them: hopefully the text of a JSON object.
    pub arguments: String,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It did what it was asked for.
    Ok,
    /// It ran and failed; the text tells the model what to do differently.
    Error,
    /// The user, or the policy, did not allow it. It never ran.
    Denied,
    /// The turn was aborted before or while it ran; what it had printed is kept.
    Cancelled,
    /// It ran longer than it may; what it had printed is kept.
    TimedOut,
    /// It was cut, malformed or unknown. It never ran.
    Refused,
}

impl ToolStatus {
    /// The word for this status, the same on screen, in JSON and in the docs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
            Self::Refused => "refused",
        }
    }

    /// The word, and behind it what a summary adds: `ok · 41 lines`, but `denied` for one that
    /// says no more than that.
    #[must_use]
    pub fn with(self, summary: &str) -> String {
        let word = self.word();
        let same = match self {
            Self::Cancelled => "stopped",
            Self::TimedOut => "timed out",
            _ => word,
        };
        let rest = summary.strip_prefix(same);
        match rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
            Some(rest) => format!("{word}{rest}"),
            None if summary.is_empty() => word.to_owned(),
            None => format!("{word} · {summary}"),
        }
    }
}

/// The one result of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that this answers.
    pub call_id: CallId,
    /// How it ended.
    pub status: ToolStatus,
    /// What the model gets to read. Never empty.
    pub text: String,
    /// What the screen shows on one line, e.g. `41 lines`.
    pub summary: String,
    /// Unified diff of what was written, for the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The whole output of a command, if the text has only a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeOutput>,
}

/// An output of which the text of a result has only the beginning and the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeOutput {
    /// Bytes that were printed.
    pub bytes: u64,
    /// Lines that were printed; a last one without an end counts.
    pub lines: u64,
    /// Bytes at the beginning of the result's text that are what was left of the output, with the
    /// line that tells of the cut. The text after them is about the command.
    pub text_bytes: u64,
    /// Where it can be read; absent if it could not be written, or its path cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<WholeFile>,
    /// Why it cannot be read although it was written, as a part of a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untold: Option<String>,
}

/// The part of a file that is an output, as it was printed: with controls and escape sequences.
/// The file lives no longer than the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeFile {
    /// Its absolute path.
    pub path: String,
    /// Bytes before the output: what was printed by the same command and looked at before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: u64,
    /// Bytes of the output that are there: its first ones.
    pub bytes: u64,
    /// Why it is not all, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl ToolResult {
    /// A result of its text alone. An empty text becomes words: servers refuse empty results.
    #[must_use]
    pub fn new(
        call_id: CallId,
        status: ToolStatus,
        text: impl Into<String>,
        summary: impl Into<String>,
    ) -> Self {
        let text = text.into();
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        Self { call_id, status, text, summary: summary.into(), diff: None, whole: None }
    }

    /// The result of a call that an abort left no time for.
    #[must_use]
    pub fn not_run(call_id: CallId) -> Self {
        let text = "Not run: the turn was stopped before this call began.";
        Self::new(call_id, ToolStatus::Cancelled, text, "not run")
    }

    /// The result of a call that an abort ended before it had one of its own.
    #[must_use]
    pub fn stopped(call_id: CallId) -> Self {
        let text = "Stopped by the user before it had a result.";
        Self::new(call_id, ToolStatus::Cancelled, text, "stopped")
    }

    /// The result of a call that was not allowed.
    #[must_use]
    pub fn denied(call_id: CallId, text: impl Into<String>) -> Self {
        Self::new(call_id, ToolStatus::Denied, text, "denied")
    }
}

/// Calls that run side by side (`concurrent`), or one call that runs alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The calls, in call order. Never empty.
    pub calls: Vec<CallId>,
    /// Whether they only read, so that they may run at the same time.
    pub concurrent: bool,
}

#[cfg(test)]
mod tests {
    use super::ToolStatus;

    #[test]
    fn a_summary_that_says_the_same_as_the_word_is_not_told_twice() {
        for (status, summary, told) in [
            (ToolStatus::Ok, "41 lines", "ok · 41 lines"),
            (ToolStatus::Ok, "okra", "ok · okra"),
            (ToolStatus::Ok, "", "ok"),
            (ToolStatus::Error, "exit 1 · 2 lines", "error · exit 1 · 2 lines"),
            (ToolStatus::Denied, "denied", "denied"),
            (ToolStatus::Cancelled, "stopped", "cancelled"),
            (ToolStatus::Cancelled, "not run", "cancelled · not run"),
            (
                ToolStatus::Cancelled,
                "stopped · still running: 4 sleep",
                "cancelled · still running: 4 sleep",
            ),
            (ToolStatus::TimedOut, "timed out after 5 s", "timed_out after 5 s"),
        ] {
            assert_eq!(status.with(summary), told);
        }
    }
}
