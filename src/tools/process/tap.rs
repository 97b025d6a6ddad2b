//! What can be seen of a command from outside while it runs: its output so far, and its phase.
//!
//! Owns the buffer, so that whoever reads the command's output may be dropped and nothing is
//! lost. Knows no processes.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::sync::watch;

use super::capture::{Capture, Captured};

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Its shell does not run yet.
    Starting,
    /// Its shell runs.
    Running,
    /// Nothing of it is left, or nothing ever ran.
    Ended,
}

pub(super) struct Tap {
    capture: Mutex<Capture>,
    file: OnceLock<PathBuf>,
    phase: watch::Sender<Phase>,
}

impl Tap {
    pub(super) fn new() -> Self {
        let (phase, _) = watch::channel(Phase::Starting);
        Self { capture: Mutex::default(), file: OnceLock::new(), phase }
    }

    pub(super) fn push(&self, chunk: &[u8]) {
        self.capture().push(chunk);
    }

    /// What was printed since the last look.
    pub(super) fn look(&self) -> Captured {
        self.capture().look()
    }

    /// All that was printed and not yet looked at; nothing more comes.
    pub(super) fn finish(&self) -> Captured {
        std::mem::take(&mut *self.capture()).finish()
    }

    /// The file that all of its output goes to, if that is known already.
    pub(super) fn file(&self) -> Option<PathBuf> {
        self.file.get().cloned()
    }

    pub(super) fn set_file(&self, path: Option<PathBuf>) {
        if let Some(path) = path {
            self.file.get_or_init(|| path);
        }
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Waits until it is at least as far as this. Cancel-safe.
    pub(super) async fn reaches(&self, phase: Phase) {
        // The sender is ours: the wait cannot fail.
        self.phase.subscribe().wait_for(|now| *now >= phase).await.ok();
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
