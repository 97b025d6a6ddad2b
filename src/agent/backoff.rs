//! The wait before a failed request is sent again, and where its randomness comes from.
//!
//! Owns the three ends of a wait: the time is up, the user does not want to wait, the turn is
//! aborted. Must not know which failures are retried, nor after how long.
//!
//! Invariant: a word of the user ends the wait that it was meant for, or none.

use std::{
    hash::{BuildHasher, RandomState},
    pin::pin,
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::world::World;
use crate::{
    protocol::event::StreamEvent,
    provider::{ProviderError, retry::RETRIES},
};

/// Ends waits from outside of the machine.
#[derive(Default)]
pub(super) struct Backoff {
    now: Notify,
}

impl Backoff {
    /// Ends the wait, if there is one.
    pub(super) fn end(&self) {
        self.now.notify_waiters();
    }

    /// Tells of the wait for retry number `attempt`, and waits. Gives whether the request may be sent again: not after an
    /// abort.
    pub(super) async fn wait(
        &self,
        world: &World<'_>,
        attempt: u32,
        wait: Duration,
        error: ProviderError,
    ) -> bool {
        let deadline = Instant::now() + wait;
        let told = StreamEvent::Retrying {
            attempt,
            of: RETRIES,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            kind: error.kind,
            reason: error.message,
        };
        let mut now = pin!(self.now.notified());
        // Heard from before it is told: the answer may come at once.
        now.as_mut().enable();
        world.outbox.send(told).await;
        tokio::select! {
            biased;
            () = world.interrupt.aborted() => false,
            () = now => true,
            () = tokio::time::sleep_until(deadline) => true,
        }
    }
}

/// A number from 0 up to 1. Good enough to spread clients, and no secret.
pub fn jitter() -> f64 {
    // The keys of a hasher are random, and differ from one to the next.
    let bits = RandomState::new().hash_one(()) >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::jitter;

    #[test]
    fn numbers_lie_between_0_and_1_and_in_all_of_it() {
        let numbers: Vec<f64> = (0..1_000).map(|_| jitter()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        // a fair source misses a tenth of the range a thousand times with 1.7e-46
        for tenth in 0..10 {
            let (low, high) = (f64::from(tenth) / 10.0, f64::from(tenth + 1) / 10.0);
            assert!(numbers.iter().any(|number| (low..high).contains(number)), "{low}");
        }
    }
}
