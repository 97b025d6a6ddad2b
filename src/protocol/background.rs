//! A command that runs in the background, as data. Owns what a front end gets to see of it;
//! starting and ending it is `tools`' work.

use serde::{Deserialize, Serialize};

use super::tool::ToolStatus;

/// One command in the background, at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackgroundCommand {
    /// What it is called, e.g. `b1`; no other of the session is called so.
    pub id: String,
    /// What runs.
    pub command: String,
    /// How far it is.
    #[serde(flatten)]
    pub state: BackgroundState,
    /// Milliseconds that it has run, or did.
    pub elapsed_ms: u64,
    /// The last line that it printed, cut if it is long; empty if there is none.
    #[serde(default)]
    pub last_line: String,
}

/// How far a background command is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum BackgroundState {
    /// It runs.
    Running,
    /// Nothing of it is left.
    Ended {
        /// How, in the words for the ends of calls.
        status: ToolStatus,
        /// How, in words, e.g. `exit 1` or `stopped by the user`.
        how: String,
        /// Whether nobody stopped it.
        by_itself: bool,
    },
}

impl BackgroundCommand {
    /// Whether it runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.state == BackgroundState::Running
    }
}
