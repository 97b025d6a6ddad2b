//! What the two ends of one response share: the end that reads the socket and the end that gives
//! deltas to the turn. Between them stands a queue without a bound that is not ours; this bounds it.
//!
//! Invariant: the reading end never runs ahead by more than [`ROOM`] bytes of documents, nor by
//! more than some dozen documents; a fault keeps its kind although the queue can only carry text.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Semaphore;

use crate::provider::ProviderError;

/// How many bytes of documents may wait for the turn.
pub(super) const ROOM: u32 = 1 << 20;
/// What the smallest document takes of that: once it is read, it is far larger than its text.
const LEAST: u32 = 16 * 1024;

/// The shared state of one response.
#[derive(Debug)]
pub(super) struct Handover {
    room: Semaphore,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<u32>,
    fault: Option<ProviderError>,
    stray: String,
}

impl Handover {
    pub(super) fn new() -> Self {
        Self { room: Semaphore::new(ROOM as usize), state: Mutex::default() }
    }

    /// Waits until there is room for a document of this size. A document larger than all the room
    /// goes alone. Cancel-safe.
    pub(super) async fn enter(&self, bytes: usize) {
        let size = u32::try_from(bytes).unwrap_or(ROOM).clamp(LEAST, ROOM);
        // The semaphore is never closed.
        if let Ok(permit) = self.room.acquire_many(size).await {
            permit.forget();
            self.state().waiting.push_back(size);
        }
    }

    /// The oldest document has been taken out.
    pub(super) fn leave(&self) {
        let size = self.state().waiting.pop_front().unwrap_or(0);
        self.room.add_permits(size as usize);
    }

    /// Why the reading end stopped; the first fault counts.
    pub(super) fn fail(&self, fault: ProviderError) {
        self.state().fault.get_or_insert(fault);
    }

    /// Text that was in the body and belongs to no event.
    pub(super) fn keep_stray(&self, stray: &str) {
        stray.clone_into(&mut self.state().stray);
    }

    /// The fault, if there was one.
    pub(super) fn take_fault(&self) -> Option<ProviderError> {
        self.state().fault.take()
    }

    /// The stray text.
    pub(super) fn take_stray(&self) -> String {
        std::mem::take(&mut self.state().stray)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::{Handover, LEAST, ROOM};

    #[test]
    fn the_reading_end_is_ahead_by_some_dozen_documents_however_small_they_are() {
        let handover = Handover::new();
        let entered = (0..1000).take_while(|_| handover.enter(10).now_or_never().is_some()).count();
        assert_eq!(entered, (ROOM / LEAST) as usize);
        handover.leave();
        assert!(handover.enter(10).now_or_never().is_some());
    }

    #[test]
    fn a_document_larger_than_all_the_room_goes_alone() {
        let handover = Handover::new();
        assert!(handover.enter(usize::MAX).now_or_never().is_some());
        assert!(handover.enter(1).now_or_never().is_none());
        handover.leave();
        assert!(handover.enter(1).now_or_never().is_some());
    }
}
