//! How the calls of one response are ordered. Owns the words, the same in settings and reports.

use serde::{Deserialize, Serialize};

/// Which calls of one response may run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduler {
    /// All of which none may change what another touches.
    #[default]
    Effects,
    /// Reads that follow one another; everything else alone.
    Batch,
    /// None: one after the other.
    Serial,
}
