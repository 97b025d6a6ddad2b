//! When a walk or a search has to end. Owns the limits and the words for what was cut; must not
//! walk.
//!
//! Invariant: work that asks ends soon after its token is cancelled or its time is used up.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::protocol::tool::ToolStatus;

/// Entries that one walk visits at most.
pub(super) const MAX_ENTRIES: usize = 200_000;

/// Time that one call may spend on walking and searching.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Why a walk did not see everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The call was stopped.
    Stopped,
    /// The time was used up.
    Time,
    /// There were too many entries.
    Entries,
}

impl Cut {
    /// How a call ended that was cut so, if that is not simply well.
    #[must_use]
    pub fn status(self) -> Option<ToolStatus> {
        match self {
            Self::Stopped => Some(ToolStatus::Cancelled),
            Self::Time => Some(ToolStatus::TimedOut),
            Self::Entries => None,
        }
    }

    /// What happened, for a note in a result.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Stopped => "stopped by the user before everything was seen".to_owned(),
            Self::Time => {
                format!("timed out after {} s; not everything was seen", MAX_TIME.as_secs())
            }
            Self::Entries => {
                format!("only the first {MAX_ENTRIES} entries were seen: take a smaller folder")
            }
        }
    }
}

/// When work has to end: a token and a point in time.
#[derive(Clone, Debug)]
pub struct Limits {
    stop: CancellationToken,
    deadline: Instant,
}

impl Limits {
    /// Limits for work that starts now.
    #[must_use]
    pub fn start(stop: &CancellationToken) -> Self {
        Self { stop: stop.clone(), deadline: Instant::now() + MAX_TIME }
    }

    /// Why to end now, if so.
    #[must_use]
    pub fn reached(&self) -> Option<Cut> {
        if self.stop.is_cancelled() {
            Some(Cut::Stopped)
        } else if Instant::now() >= self.deadline {
            Some(Cut::Time)
        } else {
            None
        }
    }
}
