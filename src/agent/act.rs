//! Runs the calls of one response, each as soon as those are settled that it must follow.
//!
//! Owns that waiting and the order of questions: they are asked in call order, while calls that
//! none of them concerns run on. What must follow what says `plan`; how one call runs, `job`.
//!
//! Invariants: failure, denial and time-out of one call touch no other; no more
//! run at the same time than there are places, those that began early included; what a call may touch is looked at again right before it runs, and if that
//! is no longer what was planned, it waits for all before it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::future::join_all;
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    early::Early,
    gate::{self, Passage},
    job::{self, Job},
    plan::Plan,
    ready::Ready,
    world::{World, error_result},
};
use crate::{
    permission::Policy,
    protocol::{
        event::StreamEvent,
        exit::AbortDuring,
        tool::{ToolCall, ToolResult, ToolStatus},
    },
    session::Session,
    tools::registry::Parsed,
};

/// What came of the calls besides their results.
#[derive(Default)]
pub(super) struct Acted {
    /// Calls that were denied because nobody could be asked.
    pub(super) unanswered: u32,
    /// Where they were aborted, if they were.
    pub(super) aborted: Option<AbortDuring>,
}

/// What the calls of one response share.
struct Acting<'a> {
    world: &'a World<'a>,
    session: Mutex<&'a mut Session>,
    policy: tokio::sync::Mutex<&'a mut Policy>,
    permits: Arc<Semaphore>,
}

/// One call, with all that it waits for.
struct Node {
    call: ToolCall,
    ready: Ready,
    job: Option<Job>,
    after: Vec<CancellationToken>,
    all_before: Vec<CancellationToken>,
    /// Earlier calls about which the user has to be asked first.
    asked_before: Vec<CancellationToken>,
    is_free: bool,
    twin: Option<Twin>,
    result: Arc<OnceLock<ToolResult>>,
    settled: DropGuard,
    decided: DropGuard,
}

/// The earlier call that is the same read.
struct Twin {
    settled: CancellationToken,
    result: Arc<OnceLock<ToolResult>>,
}

enum Outcome {
    Settled,
    Unanswered,
    Aborted(AbortDuring),
}

/// Runs them all; their results are in the session then.
pub(super) async fn act(
    world: &World<'_>,
    (session, policy): (&mut Session, &mut Policy),
    calls: Vec<(ToolCall, Ready)>,
    plan: &Plan,
    early: Early,
) -> Acted {
    let permits = early.permits();
    let nodes = nodes(policy, calls, plan, early);
    let acting = Acting {
        world,
        session: Mutex::new(session),
        policy: tokio::sync::Mutex::new(policy),
        permits,
    };
    let mut acted = Acted::default();
    for outcome in join_all(nodes.into_iter().map(|node| acting.one(node))).await {
        match outcome {
            Outcome::Unanswered => acted.unanswered += 1,
            // An open question tells more than the calls that waited behind it.
            Outcome::Aborted(during) if acted.aborted != Some(AbortDuring::Question) => {
                acted.aborted = Some(during);
            }
            Outcome::Settled | Outcome::Aborted(_) => {}
        }
    }
    let aborted = world.interrupt.is_aborted().then_some(AbortDuring::Tools);
    Acted { aborted: acted.aborted.or(aborted), ..acted }
}

fn nodes(
    policy: &Policy,
    calls: Vec<(ToolCall, Ready)>,
    plan: &Plan,
    mut early: Early,
) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut settled: Vec<CancellationToken> = Vec::new();
    let mut asked: Vec<CancellationToken> = Vec::new();
    for (n, (call, ready)) in calls.into_iter().enumerate() {
        let after = plan.after.get(n).into_iter().flatten();
        let after = after.filter_map(|earlier| settled.get(*earlier).cloned()).collect();
        let twin = plan.same_as.get(n).copied().flatten();
        let twin = twin.and_then(|earlier| {
            let settled = settled.get(earlier)?.clone();
            Some(Twin { settled, result: Arc::clone(&nodes.get(earlier)?.result) })
        });
        let is_free = match &ready {
            Ready::Runs(parsed, access) => gate::is_free(policy, parsed, access),
            Ready::Refused(_) | Ready::Unreadable(_) => true,
        };
        let (settles, decides) = (CancellationToken::new(), CancellationToken::new());
        nodes.push(Node {
            job: early.take(n, &call),
            call,
            ready,
            after,
            all_before: settled.clone(),
            asked_before: asked.clone(),
            is_free,
            twin,
            result: Arc::default(),
            settled: settles.clone().drop_guard(),
            decided: decides.clone().drop_guard(),
        });
        settled.push(settles);
        if !is_free {
            asked.push(decides);
        }
    }
    nodes
}

impl Acting<'_> {
    async fn one(&self, node: Node) -> Outcome {
        let Node { call, ready, job, after, all_before, asked_before, is_free, .. } = node;
        let (settled, decided) = (node.settled, node.decided);
        let (mut parsed, access) = match ready {
            Ready::Runs(parsed, access) => (parsed, access),
            Ready::Refused(error) | Ready::Unreadable(error) => {
                self.refuse(error_result(&call.id, error)).await;
                return Outcome::Settled;
            }
        };
        if !self.all(&after).await || !self.all(if is_free { &[] } else { &asked_before }).await {
            return Outcome::Aborted(AbortDuring::Tools);
        }
        let now = parsed.tool.access(&parsed.arguments, self.world.context);
        let as_planned = now.as_ref() == Ok(&access);
        if !as_planned && !self.all(&all_before).await {
            return Outcome::Aborted(AbortDuring::Tools);
        }
        if !(is_free && as_planned) {
            match self.pass(&call, &parsed).await {
                Passage::Open => {}
                Passage::Revised(revision) => parsed.revision = Some(revision),
                Passage::Closed(result) => {
                    self.refuse(result).await;
                    return Outcome::Settled;
                }
                Passage::Unanswered(result) => {
                    self.refuse(result).await;
                    return Outcome::Unanswered;
                }
                Passage::Aborted => return Outcome::Aborted(AbortDuring::Question),
            }
        }
        drop(decided);
        let result = self.run(&call, parsed, job, node.twin).await;
        node.result.get_or_init(|| result.clone());
        self.settle(&result);
        drop(settled);
        Outcome::Settled
    }

    /// Waits for these; false if the turn is aborted meanwhile.
    async fn all(&self, latches: &[CancellationToken]) -> bool {
        for latch in latches {
            tokio::select! {
                biased;
                () = self.world.interrupt.aborted() => return false,
                () = latch.cancelled() => {}
            }
        }
        !self.world.interrupt.is_aborted()
    }

    /// Decides about a call by what it may touch now: a call before it may have changed where a
    /// path leads.
    async fn pass(&self, call: &ToolCall, parsed: &Parsed) -> Passage {
        let mut policy = self.policy.lock().await;
        match parsed.tool.access(&parsed.arguments, self.world.context) {
            Ok(access) => gate::pass(self.world, &mut policy, &call.id, parsed, &access).await,
            Err(error) => Passage::Closed(error_result(&call.id, error)),
        }
    }

    async fn run(
        &self,
        call: &ToolCall,
        parsed: Parsed,
        job: Option<Job>,
        twin: Option<Twin>,
    ) -> ToolResult {
        if let Some(twin) = twin
            && self.all(&[twin.settled]).await
            && let Some(same) = twin.result.get().cloned()
            // What the user stopped was meant for that one call.
            && same.status != ToolStatus::Cancelled
        {
            let result = ToolResult { call_id: call.id.clone(), ..same };
            let started = StreamEvent::ToolStarted { call_id: call.id.clone() };
            self.world.outbox.send(started).await;
            let finished = StreamEvent::ToolFinished { result: result.clone(), elapsed_ms: 0 };
            self.world.outbox.send(finished).await;
            return result;
        }
        job::run(self.world, &call.id, parsed, (job, &self.permits)).await
    }

    /// Ends a call that does not run.
    async fn refuse(&self, result: ToolResult) {
        self.settle(&result);
        self.world.outbox.send(StreamEvent::ToolFinished { result, elapsed_ms: 0 }).await;
    }

    fn settle(&self, result: &ToolResult) {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).settle(result.clone());
    }
}

#[cfg(test)]
mod tests;
