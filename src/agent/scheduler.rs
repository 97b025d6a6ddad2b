//! Runs one batch. Owns the side-by-side and the ends of calls: each runs in a task of its own,
//! so that one that fails or panics does not disturb its siblings.
//!
//! Invariant: results come back in call order; after an abort every call still has one.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::task::AbortOnDropHandle;

use super::{
    millis,
    outbox::Outbox,
    world::{World, error_result},
};
use crate::{
    protocol::{
        event::StreamEvent,
        id::CallId,
        tool::{ToolResult, ToolStatus},
    },
    tools::{Run, Tool, ToolContext, ToolError, ToolOutput, registry::Parsed},
};

/// Calls that run at the same time: enough for a burst of reads, few enough for a laptop's disk.
const AT_ONCE: usize = 8;
/// How long a call may take to end after an abort before its task is dropped: the tool's own
/// 500 ms of grace, the kill (0.8 s, if a command fights it), and the last words.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// No call runs longer than this, whatever its own limit is: a tool on a dead network disk.
const CEILING: Duration = Duration::from_mins(15);

/// A call that may run.
pub(super) struct Job {
    pub(super) call_id: CallId,
    pub(super) parsed: Parsed,
}

/// Runs the jobs side by side; gives their results in the order of the jobs.
pub(super) async fn run_batch(world: &World<'_>, jobs: Vec<Job>) -> Vec<ToolResult> {
    let permits = Semaphore::new(AT_ONCE);
    join_all(jobs.into_iter().map(|job| async {
        let permit = permits.acquire().await;
        let result = run_job(world, job).await;
        drop(permit);
        result
    }))
    .await
}

async fn run_job(world: &World<'_>, job: Job) -> ToolResult {
    let Job { call_id, parsed } = job;
    let outbox: &Outbox = world.outbox;
    if world.interrupt.is_aborted() {
        let result = ToolResult::not_run(call_id);
        outbox.send(StreamEvent::ToolFinished { result: result.clone(), elapsed_ms: 0 }).await;
        return result;
    }
    outbox.send(StreamEvent::ToolStarted { call_id: call_id.clone() }).await;
    let started = Instant::now();
    let run = Run {
        stop: world.interrupt.stop_token().clone(),
        kill: world.interrupt.kill_token().clone(),
        live: outbox.live(call_id.clone()),
    };
    let notes = parsed.notes.clone();
    let ended = end_of(spawn(parsed, world.context.clone(), run), world).await;
    let mut result = match ended {
        Ended::Returned(Ok(output)) => ok_result(&call_id, output),
        Ended::Returned(Err(error)) => error_result(&call_id, error),
        Ended::Panicked => error_result(
            &call_id,
            ToolError::failed(
                "tool fault",
                "the tool itself failed (a fault of mcc-tui). Try another way.",
            ),
        ),
        Ended::Dropped => ToolResult::stopped(call_id),
        Ended::Overdue => {
            let text = "Timed out after 15 minutes.";
            ToolResult::new(call_id, ToolStatus::TimedOut, text, "timed out")
        }
    };
    for note in notes {
        result.text.push_str("\nNote: ");
        result.text.push_str(&note);
    }
    let elapsed_ms = millis(started);
    outbox.send(StreamEvent::ToolFinished { result: result.clone(), elapsed_ms }).await;
    result
}

type Task = AbortOnDropHandle<Result<ToolOutput, ToolError>>;

fn spawn(parsed: Parsed, context: ToolContext, run: Run) -> Task {
    let tool: Arc<dyn Tool> = parsed.tool;
    let arguments = parsed.arguments;
    AbortOnDropHandle::new(tokio::spawn(async move { tool.run(&arguments, &context, &run).await }))
}

enum Ended {
    Returned(Result<ToolOutput, ToolError>),
    Panicked,
    /// Aborted, and it did not end by itself in time.
    Dropped,
    Overdue,
}

async fn end_of(mut task: Task, world: &World<'_>) -> Ended {
    let overdue = tokio::time::sleep(CEILING);
    let joined = tokio::select! {
        joined = &mut task => Some(joined),
        () = overdue => return Ended::Overdue,
        () = world.interrupt.aborted() => tokio::time::timeout(LAST_WORDS, &mut task).await.ok(),
    };
    match joined {
        Some(Ok(returned)) => Ended::Returned(returned),
        Some(Err(_panic)) => Ended::Panicked,
        None => Ended::Dropped,
    }
}

fn ok_result(call_id: &CallId, output: ToolOutput) -> ToolResult {
    let status = output.status.unwrap_or(ToolStatus::Ok);
    let result = ToolResult::new(call_id.clone(), status, output.text, output.summary);
    ToolResult { diff: output.diff, ..result }
}
