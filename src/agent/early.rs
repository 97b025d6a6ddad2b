//! Starts calls while their response still streams: those that only read, need no question and
//! do not touch what an earlier call of the response changes.
//!
//! Owns which calls may, and what is told of them meanwhile. Their results are provisional: they
//! are shown, and nothing else comes of them before the response has ended cleanly. Dropping this
//! stops them all.
//!
//! Invariants: a result is used only for the very call that it was started for, name and
//! arguments; a call is told of before it runs, so that nothing that it prints comes first.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::future::select_all;
use tokio::sync::Semaphore;

use super::{
    gate,
    job::{self, Job},
    ready::{Read, Ready},
    world::World,
};
use crate::{
    permission::Policy,
    protocol::{
        access::Access, event::StreamEvent, id::CallId, scheduler::Scheduler, tool::ToolCall,
    },
    provider::accumulate::{Accumulator, AssembledCall},
    session::Session,
    tools::registry::Parsed,
};

/// The calls that were started early.
pub(super) struct Early {
    permits: Arc<Semaphore>,
    started: BTreeMap<usize, Started>,
    /// What each closed call may touch, in call order.
    accesses: Vec<Access>,
}

/// A call that was started.
struct Started {
    /// As the response had it then.
    written: AssembledCall,
    /// As it is told of.
    shown: ToolCall,
    job: Job,
}

impl Default for Early {
    fn default() -> Self {
        Self { permits: job::permits(), started: BTreeMap::new(), accesses: Vec::new() }
    }
}

impl Early {
    /// The places for the calls of this response: those that run here hold theirs.
    pub(super) fn permits(&self) -> Arc<Semaphore> {
        Arc::clone(&self.permits)
    }

    /// Looks for calls whose arguments are closed now, and starts those that may.
    pub(super) async fn look(
        &mut self,
        world: &World<'_>,
        (policy, session): (&Policy, &mut Session),
        whole: &Accumulator,
    ) {
        if world.limits.scheduler != Scheduler::Effects {
            return;
        }
        while let Some(call) = whole.closed_call(self.accesses.len()) {
            let asked = ToolCall {
                id: CallId(String::new()),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            };
            let ready = Ready::of(world, &asked, &Read::default());
            let access = ready.access();
            if let Ready::Runs(parsed, access) = ready
                && access.is_read_only()
                && gate::is_free(policy, &parsed, &access)
                && !self.accesses.iter().any(|earlier| earlier.conflicts_with(&access))
                && !self.runs_already(call)
            {
                self.start(world, session, (call, &parsed)).await;
            }
            self.accesses.push(access);
        }
    }

    /// Starts a call, if there is a place for it.
    async fn start(
        &mut self,
        world: &World<'_>,
        session: &mut Session,
        (call, parsed): (&AssembledCall, &Parsed),
    ) {
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else { return };
        let index = self.accesses.len();
        let shown = ToolCall {
            id: session.reserve_id(&call.id),
            name: parsed.name.clone(),
            arguments: call.arguments.clone(),
        };
        let began = StreamEvent::EarlyCallChanged {
            index,
            call: shown.clone(),
            result: None,
            elapsed_ms: 0,
        };
        world.outbox.delta(began).await;
        if world.interrupt.is_aborted() {
            return;
        }
        let job = Job::start(world, &shown.id, parsed, permit);
        self.started.insert(index, Started { written: call.clone(), shown, job });
    }

    fn runs_already(&self, call: &AssembledCall) -> bool {
        self.started.values().any(|started| started.is_of(&call.name, &call.arguments))
    }

    /// Waits for the next of them to end, for ever if none runs; gives what is told of it.
    /// Cancel-safe.
    pub(super) async fn next_end(&mut self, world: &World<'_>) -> StreamEvent {
        let running = self.started.iter_mut().filter(|(_, started)| !started.job.has_ended());
        let ends = running.map(|(index, Started { shown, job, .. })| {
            Box::pin(async move {
                let (result, took) = job.end(world).await;
                StreamEvent::EarlyCallChanged {
                    index: *index,
                    call: shown.clone(),
                    result: Some(Box::new(result)),
                    elapsed_ms: super::millis(took),
                }
            })
        });
        let ends: Vec<_> = ends.collect();
        if ends.is_empty() {
            return std::future::pending().await;
        }
        select_all(ends).await.0
    }

    /// The ids under which calls of this response were told of, by their places.
    pub(super) fn ids(&self, calls: &[AssembledCall]) -> BTreeMap<usize, CallId> {
        let is_still_so = |(place, started): &(&usize, &Started)| {
            calls.get(**place).is_some_and(|call| started.is_of(&call.name, &call.arguments))
        };
        let started = self.started.iter().filter(is_still_so);
        started.map(|(place, started)| (*place, started.shown.id.clone())).collect()
    }

    /// The job of the call at this place, if it is the one that was started.
    pub(super) fn take(&mut self, place: usize, call: &ToolCall) -> Option<Job> {
        let started = self.started.remove(&place)?;
        started.is_of(&call.name, &call.arguments).then_some(started.job)
    }
}

impl Started {
    fn is_of(&self, name: &str, arguments: &str) -> bool {
        (self.written.name.as_str(), self.written.arguments.as_str()) == (name, arguments)
    }
}
