//! Runs one call. Owns its start, its end, and the words for it: each call runs in a task of its
//! own, so that one that fails or panics does not disturb the others.
//!
//! Invariant: every call that was told to have started has one result, also after an abort.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};

use super::world::{World, error_result};
use crate::{
    link::Interrupt,
    protocol::{
        event::StreamEvent,
        id::CallId,
        tool::{ToolResult, ToolStatus},
    },
    tools::{Run, Tool, ToolContext, ToolError, ToolOutput, registry::Parsed},
};

/// How long a call may take to end after a stop before its task is dropped: the tool's own
/// 500 ms of grace, the kill (up to 1.75 s, if a command fights it), and the last words.
const LAST_WORDS: Duration = Duration::from_millis(2_500);
/// No call runs longer than this, whatever its own limit is: a tool on a dead network disk.
const CEILING: Duration = Duration::from_mins(15);

/// Calls that run at the same time: enough for a burst of reads, few enough for a laptop's disk.
const AT_ONCE: usize = 8;

/// Places for the calls of one response.
pub(super) fn permits() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(AT_ONCE))
}

/// Takes what a call prints while it runs.
pub(super) type Live = Arc<dyn Fn(&str) + Send + Sync>;

/// A call that runs. Dropping it stops it.
pub(super) struct Job {
    task: AbortOnDropHandle<(Result<ToolOutput, ToolError>, Duration)>,
    stop: CancellationToken,
    _stopped_at_last: DropGuard,
    started: Instant,
}

impl Job {
    /// Starts a call. `live` takes what it prints.
    pub(super) fn start(
        parsed: &Parsed,
        context: &ToolContext,
        interrupt: &Interrupt,
        (permit, live): (OwnedSemaphorePermit, Live),
    ) -> Self {
        let stop = interrupt.stop_token().child_token();
        let run = Run { stop: stop.clone(), kill: interrupt.kill_token().clone(), live };
        let tool: Arc<dyn Tool> = Arc::clone(&parsed.tool);
        let (arguments, context) = (parsed.arguments.clone(), context.clone());
        let revision = parsed.revision.clone();
        // What ended early waits for its response, but needs no place and takes no time meanwhile.
        let work = async move {
            let began = Instant::now();
            let returned = match &revision {
                Some(revision) => tool.run_revised(&arguments, &context, &run, revision).await,
                None => tool.run(&arguments, &context, &run).await,
            };
            drop(permit);
            (returned, began.elapsed())
        };
        Self {
            task: AbortOnDropHandle::new(tokio::spawn(work)),
            _stopped_at_last: stop.clone().drop_guard(),
            stop,
            started: Instant::now(),
        }
    }

    /// How it ended, and how long it ran.
    async fn end(&mut self) -> (Ended, Duration) {
        let joined = tokio::select! {
            joined = &mut self.task => Some(joined),
            () = tokio::time::sleep_until(self.started + CEILING) => {
                return (Ended::Overdue, self.started.elapsed());
            }
            () = self.stop.cancelled() => {
                tokio::time::timeout(LAST_WORDS, &mut self.task).await.ok()
            }
        };
        match joined {
            Some(Ok((returned, took))) => (Ended::Returned(returned), took),
            Some(Err(_panic)) => (Ended::Panicked, self.started.elapsed()),
            None => (Ended::Dropped, self.started.elapsed()),
        }
    }
}

enum Ended {
    Returned(Result<ToolOutput, ToolError>),
    Panicked,
    /// Stopped, and it did not end by itself in time.
    Dropped,
    Overdue,
}

/// The calls that run, by their ids: each can be stopped alone.
#[derive(Default)]
pub(super) struct Running {
    stops: Mutex<HashMap<CallId, CancellationToken>>,
}

impl Running {
    /// Stops this call; one that does not run is left as it is.
    pub(super) fn stop(&self, call_id: &CallId) {
        let stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stop) = stops.get(call_id) {
            stop.cancel();
        }
    }

    fn note(&self, call_id: &CallId, stop: Option<CancellationToken>) {
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        match stop {
            Some(stop) => drop(stops.insert(call_id.clone(), stop)),
            None => drop(stops.remove(call_id)),
        }
    }
}

/// Runs a call to its end, or hears the end of one that was started before, and tells it.
pub(super) async fn run(
    world: &World<'_>,
    call_id: &CallId,
    parsed: Parsed,
    (job, permits): (Option<Job>, &Arc<Semaphore>),
) -> ToolResult {
    let permit = match job {
        None => Arc::clone(permits).acquire_owned().await.ok(),
        Some(_) => None,
    };
    if world.interrupt.is_aborted() {
        let result = ToolResult::not_run(call_id.clone());
        let finished = StreamEvent::ToolFinished { result: result.clone(), elapsed_ms: 0 };
        world.outbox.send(finished).await;
        return result;
    }
    let started = permit.map(|permit| {
        let live = world.outbox.live(call_id.clone());
        Job::start(&parsed, world.context, world.interrupt, (permit, live))
    });
    // There is one of the two: the semaphore is never closed.
    let Some(mut job) = job.or(started) else { return ToolResult::not_run(call_id.clone()) };
    world.waits.running.note(call_id, Some(job.stop.clone()));
    world.outbox.send(StreamEvent::ToolStarted { call_id: call_id.clone() }).await;
    let (ended, took) = job.end().await;
    world.waits.running.note(call_id, None);
    let stopped_alone = job.stop.is_cancelled() && !world.interrupt.is_aborted();
    let mut result = result_of(call_id, ended);
    if stopped_alone {
        result.status = ToolStatus::Cancelled;
        // A command says by itself who stopped it, after what it had printed.
        let said = result.text.to_lowercase().contains("stopped by the user");
        let words =
            if said { "(only this call was)" } else { "(stopped by the user: only this call)" };
        result.text.push('\n');
        result.text.push_str(words);
    }
    for note in &parsed.notes {
        result.text.push_str("\nNote: ");
        result.text.push_str(note);
    }
    let elapsed_ms = super::millis(took);
    world.outbox.send(StreamEvent::ToolFinished { result: result.clone(), elapsed_ms }).await;
    result
}

fn result_of(call_id: &CallId, ended: Ended) -> ToolResult {
    match ended {
        Ended::Returned(Ok(output)) => ok_result(call_id, output),
        Ended::Returned(Err(error)) => error_result(call_id, error),
        Ended::Panicked => error_result(
            call_id,
            ToolError::failed(
                "tool fault",
                "the tool itself failed (a fault of mcc-tui). Try another way.",
            ),
        ),
        Ended::Dropped => ToolResult::stopped(call_id.clone()),
        Ended::Overdue => {
            let text = "Timed out after 15 minutes.";
            ToolResult::new(call_id.clone(), ToolStatus::TimedOut, text, "timed out")
        }
    }
}

fn ok_result(call_id: &CallId, output: ToolOutput) -> ToolResult {
    let status = output.status.unwrap_or(ToolStatus::Ok);
    let result = ToolResult::new(call_id.clone(), status, output.text, output.summary);
    ToolResult { diff: output.diff, whole: output.whole, ..result }
}
