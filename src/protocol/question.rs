//! A permission question and its answer, as data. Owns what the user gets to see before
//! something is changed; `permission` decides whether there is a question at all.

use serde::{Deserialize, Serialize};

use super::id::CallId;

/// Asks the user whether one call may run. Bound to that call: an answer carries its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The call that waits.
    pub call_id: CallId,
    /// Canonical name of the tool.
    pub tool: String,
    /// What it will do.
    pub preview: Preview,
    /// What "allow for this session" will allow from now on, in words,
    /// e.g. `every file change in this folder`.
    pub session_grant: String,
}

/// What a call will do, as the user sees it before it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Preview {
    /// Nothing to show: a read.
    Nothing,
    /// A file will be read whose name says that it holds secrets: the model, and so its server,
    /// gets to see them.
    Read {
        /// Path relative to the workspace.
        path: String,
    },
    /// A file will be written.
    Write {
        /// Path relative to the workspace.
        path: String,
        /// Unified diff against what is there now.
        diff: String,
        /// Whether the file does not exist yet.
        creates: bool,
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
    },
    /// A command will be run.
    Command {
        /// The whole command, exactly as it will be run.
        command: String,
        /// Directory that it runs in, relative to the workspace (`.` for its root).
        cwd: String,
        /// Whether it is to run on in the background.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        background: bool,
    },
}

/// The user's answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Run it, this once.
    AllowOnce,
    /// Run it, and do not ask again for the question's `session_grant`.
    AllowSession,
    /// Do not run it; the turn goes on.
    Deny {
        /// A word to the model: what to do instead. Empty if there is none.
        #[serde(default)]
        message: String,
    },
}
