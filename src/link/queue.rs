//! The queue of events: bounded in events and in bytes; pieces of one text merge while they wait.
//!
//! Owns order and bounds. Merging never moves a piece across an event that is not a piece, so
//! that the order of everything stays what it was.

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::protocol::event::StreamEvent;

/// Events that may wait.
const EVENTS: usize = 256;
/// Bytes of text that may wait; beyond, the sender of text waits. A front end that is told to stop
/// has this much before it until the turn's end, and a screen takes its time for each line.
const BYTES: usize = 32 * 1024;
/// Bytes that may wait if what calls print is among them: nobody waits to print, so what does not
/// fit is lost to the live view.
const LIVE: usize = 256 * 1024;

/// The front end is gone; nobody will read what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the front end is gone")]
pub struct Gone;

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    readable: Notify,
    writable: Notify,
}

#[derive(Default)]
struct State {
    events: VecDeque<StreamEvent>,
    bytes: usize,
    closed: bool,
    finished: bool,
}

enum Offer {
    Taken,
    Full(Box<StreamEvent>),
    Gone,
}

impl Queue {
    pub(super) async fn push(&self, event: StreamEvent) -> Result<(), Gone> {
        let mut event = event;
        loop {
            let mut room = pin!(self.writable.notified());
            // Registered before the look, so that room made in between is not missed.
            room.as_mut().enable();
            match self.offer_back(event) {
                Offer::Taken => return Ok(()),
                Offer::Gone => return Err(Gone),
                Offer::Full(back) => event = *back,
            }
            room.await;
        }
    }

    /// Takes the event if there is room, else drops it.
    pub(super) fn offer(&self, event: StreamEvent) {
        let _taken = self.offer_back(event);
    }

    fn offer_back(&self, event: StreamEvent) -> Offer {
        let mut state = self.lock();
        if state.closed {
            return Offer::Gone;
        }
        let offer = state.offer(event);
        drop(state);
        if matches!(offer, Offer::Taken) {
            self.readable.notify_one();
        }
        offer
    }

    pub(super) async fn pop(&self) -> Option<StreamEvent> {
        loop {
            let mut arrival = pin!(self.readable.notified());
            arrival.as_mut().enable();
            // One look for both: an event that comes just before the end is not missed.
            let (event, finished) = {
                let mut state = self.lock();
                (state.pop(), state.finished)
            };
            if event.is_some() {
                self.writable.notify_waiters();
                return event;
            }
            if finished {
                return None;
            }
            arrival.await;
        }
    }

    pub(super) fn try_pop(&self) -> Option<StreamEvent> {
        let event = self.lock().pop();
        if event.is_some() {
            self.writable.notify_waiters();
        }
        event
    }

    /// The reader goes.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.events.clear();
        drop(state);
        self.writable.notify_waiters();
    }

    /// The writer goes.
    pub(super) fn finish(&self) {
        self.lock().finished = true;
        self.readable.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn offer(&mut self, event: StreamEvent) -> Offer {
        let size = text_of(&event).map_or(0, str::len);
        let most = if matches!(event, StreamEvent::ToolOutput { .. }) { LIVE } else { BYTES };
        if size > 0 && self.bytes > 0 && self.bytes + size > most {
            return Offer::Full(Box::new(event));
        }
        if size > 0 && self.merge(&event) {
            self.bytes += size;
            return Offer::Taken;
        }
        if self.events.len() >= EVENTS {
            return Offer::Full(Box::new(event));
        }
        self.bytes += size;
        self.events.push_back(event);
        Offer::Taken
    }

    /// Appends the text to a waiting piece of the same text, if no other kind of event came
    /// after it.
    fn merge(&mut self, event: &StreamEvent) -> bool {
        for waiting in self.events.iter_mut().rev() {
            match (&mut *waiting, event) {
                (StreamEvent::TextDelta { text }, StreamEvent::TextDelta { text: more })
                | (
                    StreamEvent::ReasoningDelta { text },
                    StreamEvent::ReasoningDelta { text: more },
                ) => {
                    text.push_str(more);
                    return true;
                }
                (
                    StreamEvent::ToolOutput { call_id, text },
                    StreamEvent::ToolOutput { call_id: from, text: more },
                ) if call_id == from => {
                    text.push_str(more);
                    return true;
                }
                // Text and reasoning interleave in an order that matters; outputs of two calls
                // do not.
                (StreamEvent::ToolOutput { .. }, StreamEvent::ToolOutput { .. }) => {}
                _ => return false,
            }
        }
        false
    }

    fn pop(&mut self) -> Option<StreamEvent> {
        let event = self.events.pop_front()?;
        self.bytes = self.bytes.saturating_sub(text_of(&event).map_or(0, str::len));
        Some(event)
    }
}

fn text_of(event: &StreamEvent) -> Option<&str> {
    match event {
        StreamEvent::TextDelta { text }
        | StreamEvent::ReasoningDelta { text }
        | StreamEvent::ToolOutput { text, .. } => Some(text),
        _ => None,
    }
}
