//! Runs one call. Owns its start, its end, and the words for it: each call runs in a task of its
//! own, so that one that fails or panics does not disturb the others.
//!
//! Invariants: a call can be stopped alone from its start to its end, whoever waits for it; every call that was told to have started has one result, also after an abort.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    protocol::{
        event::StreamEvent,
        id::CallId,
        tool::{ToolResult, ToolStatus},
    },
    tools::{Run, Tool, ToolError, ToolOutput, registry::Parsed},
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

/// What a task gives back, and how long it worked.
type Returned = (Result<ToolOutput, ToolError>, Duration);

/// A call that runs, or ran. Dropping it stops it.
pub(super) struct Job {
    call_id: CallId,
    task: AbortOnDropHandle<Returned>,
    stop: CancellationToken,
    _stopped_at_last: DropGuard,
    started: Instant,
    /// When the task is dropped, once it was asked to stop.
    last_words: Option<Instant>,
    /// So that it can be stopped alone, as long as it runs.
    stoppable: Option<Stoppable>,
    /// What came of it, and how long it ran.
    ended: Option<(ToolResult, Duration)>,
}

impl Job {
    /// Starts a call; what it prints is told.
    pub(super) fn start(
        world: &World<'_>,
        call_id: &CallId,
        parsed: &Parsed,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let stop = world.interrupt.stop_token().child_token();
        let live = world.outbox.live(call_id.clone());
        let run = Run { stop: stop.clone(), kill: world.interrupt.kill_token().clone(), live };
        let tool: Arc<dyn Tool> = Arc::clone(&parsed.tool);
        let (arguments, context) = (parsed.arguments.clone(), world.context.clone());
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
            call_id: call_id.clone(),
            task: AbortOnDropHandle::new(tokio::spawn(work)),
            stoppable: Some(world.waits.running.note(call_id, stop.clone())),
            _stopped_at_last: stop.clone().drop_guard(),
            stop,
            started: Instant::now(),
            last_words: None,
            ended: None,
        }
    }

    /// Whether its end is known.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Waits for its end; gives what came of it, and how long it ran. Cancel-safe: what was not
    /// heard is heard the next time.
    pub(super) async fn end(&mut self, world: &World<'_>) -> (ToolResult, Duration) {
        if let Some(ended) = &self.ended {
            return ended.clone();
        }
        let (ended, took) = self.hear().await;
        self.stoppable = None;
        let mut result = result_of(&self.call_id, ended);
        if self.stop.is_cancelled() && !world.interrupt.is_aborted() {
            // What was cut short says itself who did that; what ended all the same does not.
            let said = result.status == ToolStatus::Cancelled;
            let words =
                if said { "(only this call was)" } else { "(stopped by the user: only this call)" };
            result.status = ToolStatus::Cancelled;
            result.text.push('\n');
            result.text.push_str(words);
        }
        self.ended.insert((result, took)).clone()
    }

    async fn hear(&mut self) -> (Ended, Duration) {
        let (started, stop, last_words) = (self.started, &self.stop, &mut self.last_words);
        let given_up = async {
            stop.cancelled().await;
            tokio::time::sleep_until(
                *last_words.get_or_insert_with(|| Instant::now() + LAST_WORDS),
            )
            .await;
        };
        tokio::select! {
            biased;
            joined = &mut self.task => match joined {
                Ok((returned, took)) => (Ended::Returned(returned), took),
                Err(_panic) => (Ended::Panicked, started.elapsed()),
            },
            () = given_up => (Ended::Dropped, started.elapsed()),
            () = tokio::time::sleep_until(started + CEILING) => (Ended::Overdue, started.elapsed()),
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

type Stops = Arc<Mutex<HashMap<CallId, CancellationToken>>>;

fn lock(stops: &Stops) -> MutexGuard<'_, HashMap<CallId, CancellationToken>> {
    stops.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calls that run, by their ids: each can be stopped alone.
#[derive(Default)]
pub(super) struct Running {
    stops: Stops,
}

impl Running {
    /// Stops this call; one that does not run is left as it is.
    pub(super) fn stop(&self, call_id: &CallId) {
        if let Some(stop) = lock(&self.stops).get(call_id) {
            stop.cancel();
        }
    }

    fn note(&self, call_id: &CallId, stop: CancellationToken) -> Stoppable {
        lock(&self.stops).insert(call_id.clone(), stop);
        Stoppable { stops: Arc::clone(&self.stops), call_id: call_id.clone() }
    }
}

/// A call that can be stopped, until this is dropped.
struct Stoppable {
    stops: Stops,
    call_id: CallId,
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        lock(&self.stops).remove(&self.call_id);
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
    if job.is_none() && world.interrupt.is_aborted() {
        let result = ToolResult::not_run(call_id.clone());
        let finished = StreamEvent::ToolFinished { result: result.clone(), elapsed_ms: 0 };
        world.outbox.send(finished).await;
        return result;
    }
    let started = permit.map(|permit| Job::start(world, call_id, &parsed, permit));
    // There is one of the two: the semaphore is never closed.
    let Some(mut job) = job.or(started) else { return ToolResult::not_run(call_id.clone()) };
    world.outbox.send(StreamEvent::ToolStarted { call_id: call_id.clone() }).await;
    let (mut result, took) = job.end(world).await;
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
