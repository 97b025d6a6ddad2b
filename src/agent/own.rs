//! A command of the user's own: a turn without a request.
//!
//! Owns its events and what the model is told of it. Must not know how commands run; nobody is
//! asked, since it is the user who asks.
//!
//! Invariant: the command has one result, and the model hears of it, however it ended.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use serde_json::json;
use tokio::time::Instant;

use super::{Agent, Ears, Waits, hear, internal, job, millis, outbox::Outbox, world::World};
use crate::{
    link::Interrupt,
    protocol::{
        event::StreamEvent,
        exit::{AbortBy, AbortDuring, ExitReason},
        id::{CallId, TurnId},
        tool::{Batch, ToolCall},
    },
    tools::{registry::Parsed, run_command::RunCommand},
};

/// The tool that a command of the user's own runs through.
const TOOL: &str = "run_command";
/// Seconds that it may run: the most that the tool allows.
const SECONDS: u64 = 600;

impl Agent {
    /// Runs the command and tells it as a turn.
    pub(super) async fn own_command(
        &mut self,
        turn: TurnId,
        command: &str,
        interrupt: &Interrupt,
        ears: Ears<'_>,
    ) {
        let started = Instant::now();
        let outbox = Outbox::new(ears.end.events(), interrupt.clone());
        let waits = Waits::default();
        outbox.send(StreamEvent::TurnStarted { turn, prompt: format!("!{command}") }).await;
        let id = CallId(format!("own_command_{}", turn.0));
        // Its own folder: the one that the model went to is none of the user's business.
        let arguments = json!({ "command": command, "timeout_s": SECONDS, "cwd": "." });
        let calls = vec![ToolCall {
            id: id.clone(),
            name: TOOL.to_owned(),
            arguments: arguments.to_string(),
        }];
        let batches = vec![Batch { calls: vec![id.clone()], concurrent: false }];
        outbox.send(StreamEvent::BatchesPlanned { calls, batches }).await;
        let world = World {
            provider: &*self.provider,
            registry: &self.registry,
            context: &self.context,
            limits: self.limits,
            outbox: &outbox,
            interrupt,
            waits: &waits,
            random: self.random,
        };
        let parsed = Parsed {
            tool: Arc::new(RunCommand),
            name: TOOL.to_owned(),
            arguments,
            notes: Vec::new(),
            repaired: false,
            revision: None,
        };
        let (permits, background) = (job::permits(), ears.background);
        let run = job::run(&world, &id, parsed, (None, &permits));
        let work = AssertUnwindSafe(run).catch_unwind();
        let result = tokio::select! {
            biased;
            result = work => result,
            never = hear(ears, &waits, interrupt) => match never {},
        };
        outbox.balance(Vec::new()).await;
        let reason = match &result {
            Err(_panic) => internal(),
            Ok(_) if interrupt.is_aborted() => {
                let by = interrupt.by().unwrap_or(AbortBy::Signal);
                ExitReason::Abort { by, during: AbortDuring::Tools }
            }
            Ok(_) => ExitReason::EndTurn,
        };
        let told = result.map_or_else(|_panic| "(its result was lost)".to_owned(), |end| end.text);
        self.session.push_command(command, &told);
        background.tell().await;
        let (iterations, tools) = outbox.counts();
        let elapsed_ms = millis(started.elapsed());
        outbox.send(StreamEvent::TurnEnded { turn, reason, iterations, tools, elapsed_ms }).await;
    }
}
