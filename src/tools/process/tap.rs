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
use crate::text::{cut::one_line, sanitize::settle};

/// Bytes of the end of the output in which its last line is looked for.
const RECENT: usize = 1 << 10;

/// Most characters of the last line.
const LINE: usize = 200;

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
    /// The end of the output, looked at or not.
    recent: Mutex<Vec<u8>>,
    file: OnceLock<PathBuf>,
    phase: watch::Sender<Phase>,
}

impl Tap {
    pub(super) fn new() -> Self {
        let (phase, _) = watch::channel(Phase::Starting);
        let (capture, recent) = (Mutex::default(), Mutex::default());
        Self { capture, recent, file: OnceLock::new(), phase }
    }

    pub(super) fn push(&self, chunk: &[u8]) {
        self.capture().push(chunk);
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, end) = chunk.split_at(chunk.len().saturating_sub(RECENT));
        let over = (recent.len() + end.len()).saturating_sub(RECENT);
        recent.drain(..over);
        recent.extend_from_slice(end);
    }

    /// The last line that says something, harmless; empty if there is none. Takes nothing away.
    pub(super) fn last_line(&self) -> String {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let settled = settle(&String::from_utf8_lossy(&recent)).into_owned();
        let last = settled.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        one_line(last, LINE)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_that_of_the_screen_whatever_was_looked_at() {
        let tap = Tap::new();
        assert_eq!(tap.last_line(), "");
        tap.push(b"one\n\x1b[31mtwo\x1b[0m\n\n  \n");
        assert_eq!(tap.last_line(), "two");
        tap.look();
        assert_eq!(tap.last_line(), "two");
        tap.push(b"10%\r55%\rdone");
        assert_eq!(tap.last_line(), "done");
        tap.push(&[b"\n".to_vec(), vec![b'x'; 10_000]].concat());
        assert!(tap.last_line().starts_with("xxx"));
        assert!(tap.last_line().chars().count() <= LINE + 1);
        assert!(tap.recent.lock().unwrap().len() <= RECENT);
    }
}
