//! Says which calls of one response must wait for which. Pure, so that the plan can be shown and
//! tested; it is made in call order before anything runs.
//!
//! Invariants: a call only ever waits for calls before it; two calls that conflict never run at
//! the same time, so whatever the times are, all comes out as if they had run one by one.

use serde_json::Value;

use crate::protocol::{access::Access, id::CallId, scheduler::Scheduler, tool::Batch};

/// One call, as far as the plan needs it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its id.
    pub id: CallId,
    /// What it may touch; nothing for a call that will not run.
    pub access: Access,
    /// Tool and arguments, if it can share the run of an equal call: it only reads.
    pub shared: Option<(String, Value)>,
}

/// For every call, by place: what it waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The earlier calls that must be settled before it begins.
    pub after: Vec<Vec<usize>>,
    /// The earlier call that is the same read under the same circumstances: it runs once.
    pub same_as: Vec<Option<usize>>,
}

/// Plans the calls of one response.
#[must_use]
pub fn plan(calls: &[Planned], scheduler: Scheduler) -> Plan {
    let after: Vec<Vec<usize>> = match scheduler {
        Scheduler::Effects => (0..calls.len()).map(|n| conflicts(calls, n)).collect(),
        Scheduler::Batch => batched(calls),
        Scheduler::Serial => (0..calls.len()).map(|n| (0..n).collect()).collect(),
    };
    let same_as = (0..calls.len()).map(|n| twin(calls, &after, n)).collect();
    Plan { after, same_as }
}

/// The calls before this one that touch what it changes, or change what it touches.
fn conflicts(calls: &[Planned], n: usize) -> Vec<usize> {
    let Some((call, before)) = calls.get(..=n).and_then(<[_]>::split_last) else { return vec![] };
    let conflicting = before.iter().enumerate();
    conflicting
        .filter(|(_, other)| other.access.conflicts_with(&call.access))
        .map(|(n, _)| n)
        .collect()
}

/// Reads in a row run together, everything else alone, one batch after the other.
fn batched(calls: &[Planned]) -> Vec<Vec<usize>> {
    let mut start = 0;
    let mut reads = false;
    let mut after = Vec::new();
    for (n, call) in calls.iter().enumerate() {
        if !(reads && call.access.is_read_only()) {
            start = n;
        }
        reads = call.access.is_read_only();
        after.push((0..start).collect());
    }
    after
}

/// The first equal read that waits for the same calls, so that nothing changes between the two.
fn twin(calls: &[Planned], after: &[Vec<usize>], n: usize) -> Option<usize> {
    let call = calls.get(n)?;
    let shared = call.shared.as_ref().filter(|_| call.access.is_read_only())?;
    let is_same = |earlier: &usize| {
        let other = calls.get(*earlier).and_then(|other| other.shared.as_ref());
        other == Some(shared) && after.get(*earlier) == after.get(n)
    };
    (0..n).find(is_same)
}

impl Plan {
    /// The calls in batches as they are shown: in call order, cut before each call that waits for
    /// one of its batch.
    #[must_use]
    pub fn batches(&self, calls: &[Planned]) -> Vec<Batch> {
        let mut batches: Vec<Batch> = Vec::new();
        let mut start = 0;
        for (n, (call, after)) in calls.iter().zip(&self.after).enumerate() {
            let joins = after.iter().all(|earlier| *earlier < start);
            if let Some(batch) = batches.last_mut().filter(|_| joins) {
                batch.calls.push(call.id.clone());
                batch.concurrent = true;
            } else {
                start = n;
                let concurrent = call.access.is_read_only();
                batches.push(Batch { calls: vec![call.id.clone()], concurrent });
            }
        }
        batches
    }
}

#[cfg(test)]
mod tests;
