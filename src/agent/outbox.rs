//! The way out for events of one turn. Owns the balance: what was started and asked, so that
//! each gets its end also when the machine that would have sent it is gone.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::job::Live;
use crate::{
    link::{EventSender, Interrupt},
    protocol::{event::StreamEvent, id::CallId, tool::ToolResult},
};

/// Sends events of one turn and remembers what is open. Clones share one balance.
#[derive(Clone)]
pub(super) struct Outbox {
    events: EventSender,
    interrupt: Interrupt,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    tools: BTreeSet<CallId>,
    questions: BTreeSet<CallId>,
    iterations: u32,
    started: u32,
}

impl Outbox {
    pub(super) fn new(events: EventSender, interrupt: Interrupt) -> Self {
        Self { events, interrupt, open: Arc::default() }
    }

    /// Sends an event that must arrive. Waits while the front end is behind; if it is gone there
    /// is nobody to tell, and the turn is being aborted already.
    pub(super) async fn send(&self, event: StreamEvent) {
        self.lock().note(&event);
        let _gone = self.events.send(event).await.is_err();
    }

    /// Sends a piece of text; gives it up when the turn is aborted meanwhile.
    pub(super) async fn delta(&self, event: StreamEvent) {
        tokio::select! {
            biased;
            () = self.interrupt.aborted() => {}
            _sent = self.events.send(event) => {}
        }
    }

    /// A closure that takes what a call prints.
    pub(super) fn live(&self, call_id: CallId) -> Live {
        let events = self.events.clone();
        Arc::new(move |text| events.live(&call_id, text))
    }

    /// Ends everything that is still open. `made_up` are the results of calls that never ran.
    pub(super) async fn balance(&self, made_up: Vec<ToolResult>) {
        let (tools, questions) = {
            let mut open = self.lock();
            (std::mem::take(&mut open.tools), std::mem::take(&mut open.questions))
        };
        for call_id in questions {
            self.send(StreamEvent::QuestionResolved { call_id, decision: None }).await;
        }
        let lost = tools
            .into_iter()
            .filter(|id| !made_up.iter().any(|result| result.call_id == *id))
            .map(ToolResult::stopped);
        let lost: Vec<_> = lost.collect();
        for result in made_up.into_iter().chain(lost) {
            self.send(StreamEvent::ToolFinished { result, elapsed_ms: 0 }).await;
        }
    }

    /// Requests made and tools run so far.
    pub(super) fn counts(&self) -> (u32, u32) {
        let open = self.lock();
        (open.iterations, open.started)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn note(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::IterationStarted { .. } => self.iterations += 1,
            StreamEvent::ToolStarted { call_id } => {
                self.started += 1;
                self.tools.insert(call_id.clone());
            }
            StreamEvent::ToolFinished { result, .. } => {
                self.tools.remove(&result.call_id);
            }
            StreamEvent::QuestionAsked { question } => {
                self.questions.insert(question.call_id.clone());
            }
            StreamEvent::QuestionResolved { call_id, .. } => {
                self.questions.remove(call_id);
            }
            _ => {}
        }
    }
}
