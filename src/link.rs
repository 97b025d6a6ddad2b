//! The link between an engine and a front end: two ends, bounded both ways, and the interrupt.
//!
//! Owns every queue between them. Must not know what the events mean, beyond which of them are
//! pieces of one growing text.
//!
//! Invariants: memory is bounded; no event overtakes another; a slow front end slows text, and
//! an interrupt never waits behind anything. A front end that goes away is told to the engine.

mod interrupt;
mod queue;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::protocol::{event::StreamEvent, exit::AbortBy, id::CallId, op::Op};
pub use interrupt::Interrupt;
pub use queue::Gone;
use queue::Queue;

/// Instructions that may wait for the engine. More than a person can give in one turn.
const OPS: usize = 64;

/// Makes the two ends.
#[must_use]
pub fn link() -> (FrontEnd, AgentEnd) {
    let events = Arc::new(Queue::default());
    let (ops_tx, ops_rx) = mpsc::channel(OPS);
    let turns = Arc::new(Mutex::new(Vec::new()));
    let gone = CancellationToken::new();
    let front = FrontEnd {
        events: Arc::clone(&events),
        ops: ops_tx,
        turns: Arc::clone(&turns),
        gone: gone.clone(),
    };
    (front, AgentEnd { ops: ops_rx, events: EventSender { events, gone }, turns })
}

/// The turns that were submitted and have not ended, each with its interrupt.
type Turns = Arc<Mutex<Vec<Interrupt>>>;

fn lock(turns: &Turns) -> MutexGuard<'_, Vec<Interrupt>> {
    turns.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The front end's end. Dropping it aborts what runs.
pub struct FrontEnd {
    events: Arc<Queue>,
    ops: mpsc::Sender<Envelope>,
    turns: Turns,
    gone: CancellationToken,
}

impl FrontEnd {
    /// The next event; `None` once the engine has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        self.events.pop().await
    }

    /// The next event if one is there already.
    pub fn try_next(&mut self) -> Option<StreamEvent> {
        self.events.try_pop()
    }

    /// Gives an instruction, without waiting.
    ///
    /// # Errors
    /// Gives the instruction back if the engine has ended or is hopelessly behind.
    pub fn send(&self, op: Op) -> Result<(), Op> {
        let starts = matches!(op, Op::Submit { .. } | Op::RunCommand { .. });
        let interrupt = starts.then(|| {
            let interrupt = Interrupt::default();
            lock(&self.turns).push(interrupt.clone());
            interrupt
        });
        self.ops.try_send(Envelope { op, interrupt: interrupt.clone() }).map_err(|error| {
            if let Some(interrupt) = interrupt {
                lock(&self.turns).retain(|open| !open.is(&interrupt));
            }
            error.into_inner().op
        })
    }

    /// Stops every turn that was submitted and has not ended. Called again, it no longer waits
    /// for processes to end by themselves. Takes effect at once, whatever is queued.
    pub fn interrupt(&self, by: AbortBy) {
        for interrupt in lock(&self.turns).iter() {
            if interrupt.is_aborted() {
                interrupt.kill();
            } else {
                interrupt.abort(by);
            }
        }
    }
}

impl Drop for FrontEnd {
    fn drop(&mut self) {
        for interrupt in lock(&self.turns).iter() {
            interrupt.abort(AbortBy::Consumer);
        }
        self.events.close();
        self.gone.cancel();
    }
}

/// One instruction on its way.
struct Envelope {
    op: Op,
    interrupt: Option<Interrupt>,
}

/// The engine's end.
pub struct AgentEnd {
    ops: mpsc::Receiver<Envelope>,
    events: EventSender,
    turns: Turns,
}

impl AgentEnd {
    /// The next instruction, with the interrupt of its turn if it starts one; `None` once the
    /// front end is gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<(Op, Option<Interrupt>)> {
        self.ops.recv().await.map(|envelope| (envelope.op, envelope.interrupt))
    }

    /// A sender of events; clones send into the same queue.
    #[must_use]
    pub fn events(&self) -> EventSender {
        self.events.clone()
    }

    /// Forgets the interrupt of a turn that has ended.
    pub fn turn_ended(&self, interrupt: &Interrupt) {
        lock(&self.turns).retain(|open| !open.is(interrupt));
    }
}

impl Drop for AgentEnd {
    fn drop(&mut self) {
        self.events.events.finish();
    }
}

/// Sends events to the front end.
#[derive(Clone)]
pub struct EventSender {
    events: Arc<Queue>,
    gone: CancellationToken,
}

impl EventSender {
    /// Sends one event; waits while the front end is behind. Pieces of the same text are merged.
    /// Cancel-safe: the event is sent whole or not at all.
    ///
    /// # Errors
    /// The front end is gone.
    pub async fn send(&self, event: StreamEvent) -> Result<(), Gone> {
        self.events.push(event).await
    }

    /// Sends what a call printed, without waiting: what does not fit is left out of the live
    /// view. The whole output comes with the result.
    pub fn live(&self, call_id: &CallId, text: &str) {
        let event = StreamEvent::ToolOutput { call_id: call_id.clone(), text: text.to_owned() };
        self.events.offer(event);
    }

    /// Resolves once the front end is gone.
    pub async fn gone(&self) {
        self.gone.cancelled().await;
    }
}

#[cfg(test)]
mod tests;
