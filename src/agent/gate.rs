//! Asks before something is changed. Owns the open questions and what a call gets that may not
//! run; the policy decides what has to ask.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use tokio::sync::oneshot;

use super::{
    outbox::Outbox,
    world::{World, error_result},
};
use crate::{
    permission::{Policy, Verdict},
    protocol::{
        access::Access,
        event::StreamEvent,
        id::CallId,
        question::{Decision, Preview, Question},
        tool::ToolResult,
    },
    tools::{ToolError, registry::Parsed, workspace::revise::Revision},
};

/// The open questions of a turn, each with the way back for its answer.
#[derive(Default)]
pub(super) struct Questions {
    open: Mutex<HashMap<CallId, oneshot::Sender<Decision>>>,
}

impl Questions {
    /// Hands an answer to the call that waits for it; one for no open question is dropped.
    pub(super) fn answer(&self, call_id: &CallId, decision: Decision) {
        let waiting = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(call_id);
        if let Some(waiting) = waiting {
            // The call that asked may be gone by now: then the answer has no meaning.
            drop(waiting.send(decision));
        }
    }

    fn ask(&self, call_id: &CallId) -> oneshot::Receiver<Decision> {
        let (answer, waiting) = oneshot::channel();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(call_id.clone(), answer);
        waiting
    }
}

/// What the gate says of a call.
pub(super) enum Passage {
    /// It may run.
    Open,
    /// It may run, but so.
    Revised(Revision),
    /// It may not; this is its result.
    Closed(ToolResult),
    /// It may not, and nobody was there to be asked.
    Unanswered(ToolResult),
    /// The turn was aborted while the question was open.
    Aborted,
}

/// A guess at what was meant is shown to the user, whatever was allowed before.
fn must_ask(parsed: &Parsed, access: &Access) -> bool {
    parsed.repaired && !access.is_harmless()
}

/// Whether nobody has to be asked about the call, whatever it will do.
pub(super) fn is_free(policy: &Policy, parsed: &Parsed, access: &Access) -> bool {
    !must_ask(parsed, access)
        && policy.decide(&parsed.name, access, &Preview::Nothing) == Verdict::Allow
}

/// Decides about one call, with the user's help if the policy wants it.
pub(super) async fn pass(
    world: &World<'_>,
    policy: &mut Policy,
    call_id: &CallId,
    parsed: &Parsed,
    access: &Access,
) -> Passage {
    let tool = parsed.name.as_str();
    let allows = |preview: &Preview| {
        !must_ask(parsed, access) && policy.decide(tool, access, preview) == Verdict::Allow
    };
    if allows(&Preview::Nothing) {
        return Passage::Open;
    }
    let preview = match preview(world, parsed).await {
        Some(Ok(preview)) => preview,
        Some(Err(error)) => return Passage::Closed(error_result(call_id, error)),
        None => return Passage::Aborted,
    };
    // A call that would change nothing has nothing to ask.
    if preview == Preview::Nothing || allows(&preview) {
        return Passage::Open;
    }
    if !world.limits.interactive {
        let text = format!(
            "Denied: {tool} needs the user's permission, and nobody can be asked in this run. \
             Go on without it, and say in your answer what could not be done."
        );
        return Passage::Unanswered(ToolResult::denied(call_id.clone(), text));
    }
    let question = Question {
        call_id: call_id.clone(),
        tool: tool.to_owned(),
        session_grant: Policy::grant_words(&preview).to_owned(),
        preview: preview.clone(),
    };
    let Some(decision) = ask(world, question).await else { return Passage::Aborted };
    match decision {
        Decision::Deny { message } => {
            Passage::Closed(ToolResult::denied(call_id.clone(), denial(&message)))
        }
        allowed => {
            // What was allowed is what was shown: a file may have changed while the user read.
            match self::preview(world, parsed).await {
                Some(Ok(now)) if now.does_the_same_as(&preview) => {}
                None => return Passage::Aborted,
                Some(_) => return Passage::Closed(error_result(call_id, changed_meanwhile())),
            }
            if allowed == Decision::AllowSession {
                policy.grant(&preview);
            }
            match (allowed, preview) {
                (Decision::AllowPart { files: parts }, Preview::Write { files: shown, .. }) => {
                    Passage::Revised(Revision { shown, parts })
                }
                // What cannot be divided is not done whole instead.
                (Decision::AllowPart { .. }, _) => {
                    Passage::Closed(ToolResult::denied(call_id.clone(), denial("")))
                }
                _ => Passage::Open,
            }
        }
    }
}

/// What the call will do; `None` if the turn is aborted meanwhile.
async fn preview(world: &World<'_>, parsed: &Parsed) -> Option<Result<Preview, ToolError>> {
    tokio::select! {
        biased;
        () = world.interrupt.aborted() => None,
        preview = parsed.tool.preview(&parsed.arguments, world.context) => Some(preview),
    }
}

fn changed_meanwhile() -> ToolError {
    ToolError::failed(
        "changed meanwhile",
        "what this call would change was changed by somebody else while the user decided. \
         Read it again, then send the call anew.",
    )
}

async fn ask(world: &World<'_>, question: Question) -> Option<Decision> {
    let outbox: &Outbox = world.outbox;
    let call_id = question.call_id.clone();
    let waiting = world.waits.questions.ask(&call_id);
    outbox.send(StreamEvent::QuestionAsked { question }).await;
    let waits = world.waits.clock.wait();
    let decision = tokio::select! {
        biased;
        () = world.interrupt.aborted() => None,
        decision = waiting => decision.ok(),
    };
    drop(waits);
    outbox.send(StreamEvent::QuestionResolved { call_id, decision: decision.clone() }).await;
    decision
}

fn denial(message: &str) -> String {
    if message.trim().is_empty() {
        return "Denied: the user did not allow this call. Do not try it again in another form; \
                go on without it or ask what to do."
            .to_owned();
    }
    format!("Denied: the user did not allow this call and says: {}", message.trim())
}
