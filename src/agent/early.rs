//! Starts calls while their response still streams: those that only read, need no question and
//! do not touch what an earlier call of the response changes.
//!
//! Owns which calls may. Their results are provisional: nothing is told of them until the
//! response has ended cleanly, and dropping this stops them all.
//!
//! Invariant: a result is used only for the very call that it was started for, name and
//! arguments.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::Semaphore;

use super::{
    gate,
    job::{self, Job},
    ready::{Read, Ready},
    world::World,
};
use crate::{
    permission::Policy,
    protocol::{access::Access, id::CallId, scheduler::Scheduler, tool::ToolCall},
    provider::accumulate::{Accumulator, AssembledCall},
};

/// The calls that were started early.
pub(super) struct Early {
    permits: Arc<Semaphore>,
    jobs: BTreeMap<usize, (AssembledCall, Job)>,
    /// What each closed call may touch, in call order.
    accesses: Vec<Access>,
}

impl Default for Early {
    fn default() -> Self {
        Self { permits: job::permits(), jobs: BTreeMap::new(), accesses: Vec::new() }
    }
}

impl Early {
    /// The places for the calls of this response: those that run here hold theirs.
    pub(super) fn permits(&self) -> Arc<Semaphore> {
        Arc::clone(&self.permits)
    }

    /// Looks for calls whose arguments are closed now, and starts those that may.
    pub(super) fn look(&mut self, world: &World<'_>, policy: &Policy, whole: &Accumulator) {
        if world.limits.scheduler != Scheduler::Effects {
            return;
        }
        while let Some(call) = whole.closed_call(self.accesses.len()) {
            let place = self.accesses.len();
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
                && let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned()
            {
                let silent = Arc::new(|_: &str| {});
                let job = Job::start(&parsed, world.context, world.interrupt, (permit, silent));
                self.jobs.insert(place, (call.clone(), job));
            }
            self.accesses.push(access);
        }
    }

    fn runs_already(&self, call: &AssembledCall) -> bool {
        self.jobs
            .values()
            .any(|(other, _)| (&other.name, &other.arguments) == (&call.name, &call.arguments))
    }

    /// The job of the call at this place, if it is the one that was started.
    pub(super) fn take(&mut self, place: usize, call: &ToolCall) -> Option<Job> {
        let (started, job) = self.jobs.remove(&place)?;
        (started.name == call.name && started.arguments == call.arguments).then_some(job)
    }
}
