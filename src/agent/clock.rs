//! How long a turn works: the time since it began, without that in which it waits for the user.
//! Owns both; knows no budget.
//!
//! Invariant: a moment in which several things wait for the user counts once, and a wait that is
//! dropped is over.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// The clock of one turn.
pub(super) struct Clock {
    began: Instant,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    waits: usize,
    since: Option<Instant>,
    before: Duration,
}

/// A wait for the user, until it is dropped.
pub(super) struct Waiting<'a>(&'a Clock);

impl Default for Clock {
    fn default() -> Self {
        Self { began: Instant::now(), idle: Mutex::default() }
    }
}

impl Clock {
    /// How long the turn has worked.
    pub(super) fn worked(&self) -> Duration {
        let idle = self.lock();
        let open = idle.since.map(|since| since.elapsed()).unwrap_or_default();
        self.began.elapsed().saturating_sub(idle.before + open)
    }

    /// From now on it waits for the user.
    pub(super) fn wait(&self) -> Waiting<'_> {
        let mut idle = self.lock();
        idle.waits += 1;
        idle.since.get_or_insert_with(Instant::now);
        Waiting(self)
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut idle = self.0.lock();
        idle.waits = idle.waits.saturating_sub(1);
        if idle.waits == 0
            && let Some(since) = idle.since.take()
        {
            idle.before += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn time_in_which_the_user_is_waited_for_does_not_count() {
        let clock = Clock::default();
        advance(SECOND).await;
        let waiting = clock.wait();
        advance(60 * SECOND).await;
        assert_eq!(clock.worked(), SECOND, "while it waits");
        drop(waiting);
        advance(SECOND).await;
        assert_eq!(clock.worked(), 2 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn waits_that_overlap_count_once() {
        let clock = Clock::default();
        let first = clock.wait();
        advance(SECOND).await;
        let second = clock.wait();
        advance(SECOND).await;
        drop(first);
        advance(SECOND).await;
        drop(second);
        advance(SECOND).await;
        assert_eq!(clock.worked(), SECOND);
    }
}
