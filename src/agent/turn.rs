//! The turn machine: one user message up to one [`ExitReason`].
//!
//! `Prepare → Request → Settle → Act → Prepare … → Close`, and `Request → Backoff → Request` where
//! a request failed. Owns the order of these and the counters of a turn; the states' work is in
//! `reply`, `backoff`, `gate` and `scheduler`.
//!
//! Invariants: calls decide whether tools run, `finish_reason` does not; a call that was cut,
//! malformed, unknown or denied never runs, nor does one of a response that failed; there are at
//! most as many requests as the cap allows, each with its retries.

use std::time::Duration;

use super::{
    ends,
    gate::{self, Passage},
    intake::Intake,
    plan,
    ready::Ready,
    reply::{self, Heard},
    scheduler::{self, Job},
    world::{World, error_result},
};
use crate::{
    permission::Policy,
    protocol::{
        about::About,
        event::StreamEvent,
        exit::{AbortBy, AbortDuring, ExitReason},
        message::AssistantMessage,
        tool::{Batch, ToolCall, ToolResult},
        usage::TokenUsage,
    },
    provider::{FinishReason, ProviderError, accumulate::Response, retry::Schedule},
    session::{RawCall, Session},
    tools::registry::Parsed,
};

/// How often an answer that the length limit cut is asked to go on.
const CONTINUES: u32 = 3;
/// Responses in a row whose calls were all malformed or unknown, before the turn gives up.
const UNREADABLE: u32 = 3;

const GO_ON: &str = "Your answer was cut by the length limit. Go on exactly where it ended.";
const SAY_SOMETHING: &str =
    "Your reply was empty. Call a tool, or answer the request in plain words.";

/// One turn.
pub(super) struct Turn<'a> {
    world: World<'a>,
    session: &'a mut Session,
    policy: &'a mut Policy,
    told: &'a mut Option<About>,
    intake: &'a mut Intake,
    usage: TokenUsage,
    /// Whether a part of `usage` is our own estimate.
    estimated: bool,
    iteration: u32,
    /// The retries of this iteration's request.
    schedule: Schedule,
    continues: u32,
    nudged: bool,
    unreadable: u32,
    /// Calls that were denied because nobody could be asked.
    unanswered: u32,
}

enum State {
    Prepare,
    Request,
    Backoff { wait: Duration, error: ProviderError },
    Settle(Response),
    Act { calls: Vec<ToolCall>, cut: bool },
    Close(ExitReason),
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        world: World<'a>,
        session: &'a mut Session,
        policy: &'a mut Policy,
        told: &'a mut Option<About>,
        intake: &'a mut Intake,
    ) -> Self {
        Self {
            world,
            session,
            policy,
            told,
            intake,
            usage: TokenUsage::default(),
            estimated: false,
            iteration: 0,
            schedule: Schedule::default(),
            continues: 0,
            nudged: false,
            unreadable: 0,
            unanswered: 0,
        }
    }

    /// Runs the machine to its end.
    pub(super) async fn run(mut self) -> ExitReason {
        let mut state = State::Prepare;
        loop {
            state = match state {
                State::Prepare => self.prepare().await,
                State::Request => self.request().await,
                State::Backoff { wait, error } => self.back_off(wait, error).await,
                State::Settle(response) => self.settle(response).await,
                State::Act { calls, cut } => self.act(calls, cut).await,
                State::Close(reason) => return reason,
            };
        }
    }

    async fn prepare(&mut self) -> State {
        if self.world.interrupt.is_aborted() {
            return self.abort(AbortDuring::Request);
        }
        let limit = self.world.limits.max_iterations;
        if self.iteration >= limit {
            return State::Close(ExitReason::MaxIterations { limit });
        }
        self.schedule = Schedule::new(self.iteration > 0);
        self.iteration += 1;
        let iteration = self.iteration;
        self.world.outbox.send(StreamEvent::IterationStarted { iteration, max: limit }).await;
        State::Request
    }

    async fn request(&mut self) -> State {
        let notice = self.intake.before(&self.world, self.session.messages());
        self.notice(notice).await;
        let opened = reply::open(&self.world, self.session.messages().to_vec()).await;
        self.tell_model().await;
        let heard = match opened {
            Ok(stream) => reply::hear(&self.world, stream).await,
            Err(ended) => *ended,
        };
        match heard {
            Heard::Whole(response) => State::Settle(response),
            Heard::Refused(error) => self.failed(None, error).await,
            Heard::Broken(response, error) => self.failed(Some(response), error).await,
            Heard::Aborted(response, during) => {
                self.keep_partial(response).await;
                self.abort(during)
            }
        }
    }

    async fn notice(&self, text: Option<String>) {
        if let Some(text) = text {
            self.world.outbox.send(StreamEvent::Notice { text }).await;
        }
    }

    /// Tells which model answers, if that is news: a server may have chosen it just now.
    async fn tell_model(&mut self) {
        let about = self.world.provider.about();
        if self.told.as_ref() != Some(&about) {
            *self.told = Some(about.clone());
            self.world.outbox.send(StreamEvent::ModelChosen { about }).await;
        }
    }

    async fn settle(&mut self, response: Response) -> State {
        self.count(&response, true).await;
        let cut = response.finish == Some(FinishReason::Length);
        if !response.calls.is_empty() {
            let raw = response.calls.into_iter().map(|call| RawCall {
                id: call.id,
                name: call.name,
                arguments: call.arguments,
            });
            let answer = AssistantMessage {
                text: response.text,
                reasoning: response.reasoning,
                calls: Vec::new(),
                incomplete: cut,
            };
            let calls = self.session.push_calls(answer, raw.collect());
            return State::Act { calls, cut };
        }
        let empty = response.text.trim().is_empty();
        let given_up = matches!(response.finish, Some(FinishReason::Other(_)));
        self.session.push_answer(response.text, response.reasoning, cut || given_up);
        match response.finish {
            Some(FinishReason::ContentFilter) => State::Close(ExitReason::ContentFilter),
            Some(FinishReason::Length) if self.continues < CONTINUES => {
                self.continues += 1;
                self.session.push_user(GO_ON);
                State::Prepare
            }
            Some(FinishReason::Length) => State::Close(ExitReason::OutputLimit),
            Some(FinishReason::Other(word)) => State::Close(ends::given_up(&word)),
            _ if empty && !self.nudged => {
                self.nudged = true;
                self.session.push_user(SAY_SOMETHING);
                State::Prepare
            }
            _ if empty => State::Close(ends::empty_twice()),
            _ if self.unanswered > 0 => State::Close(ExitReason::Denied { calls: self.unanswered }),
            _ => State::Close(ExitReason::EndTurn),
        }
    }

    async fn act(&mut self, calls: Vec<ToolCall>, cut: bool) -> State {
        let ready: Vec<Ready> =
            calls.iter().map(|call| Ready::of(&self.world, call, cut)).collect();
        let all_unreadable = ready.iter().all(|ready| matches!(ready, Ready::Unreadable(_)));
        self.unreadable = if all_unreadable { self.unreadable + 1 } else { 0 };
        self.continues += u32::from(cut);
        let reads: Vec<_> = calls
            .iter()
            .zip(&ready)
            .map(|(call, ready)| (call.id.clone(), ready.only_reads()))
            .collect();
        let batches = plan::batches(&reads);
        let shown = calls.iter().zip(&ready).map(|(call, ready)| ready.shown(call)).collect();
        let planned = StreamEvent::BatchesPlanned { calls: shown, batches: batches.clone() };
        self.world.outbox.send(planned).await;
        let mut waiting = calls.into_iter().zip(ready);
        for batch in batches {
            let members = waiting.by_ref().take(batch.calls.len()).collect();
            if let Some(during) = self.run_batch(&batch, members).await {
                return self.abort(during);
            }
        }
        self.session.close_calls();
        if self.world.interrupt.is_aborted() {
            return self.abort(AbortDuring::Tools);
        }
        if self.unreadable >= UNREADABLE {
            return State::Close(ends::unreadable(UNREADABLE));
        }
        if cut && self.continues > CONTINUES {
            return State::Close(ExitReason::OutputLimit);
        }
        State::Prepare
    }

    /// Asks where it must, then runs the batch. Gives where it was aborted, if it was.
    async fn run_batch(
        &mut self,
        batch: &Batch,
        members: Vec<(ToolCall, Ready)>,
    ) -> Option<AbortDuring> {
        debug_assert_eq!(batch.calls.len(), members.len());
        let mut jobs = Vec::new();
        for (call, ready) in members {
            if self.world.interrupt.is_aborted() {
                return Some(AbortDuring::Tools);
            }
            match ready {
                Ready::Refused(error) | Ready::Unreadable(error) => {
                    self.finish(error_result(&call.id, error)).await;
                }
                Ready::Runs(parsed, _) => match self.pass(&call, &parsed).await {
                    Passage::Open => jobs.push(Job { call_id: call.id, parsed }),
                    Passage::Closed(result) => self.finish(result).await,
                    Passage::Unanswered(result) => {
                        self.unanswered += 1;
                        self.finish(result).await;
                    }
                    Passage::Aborted => return Some(AbortDuring::Question),
                },
            }
        }
        for result in scheduler::run_batch(&self.world, jobs).await {
            self.session.settle(result);
        }
        self.world.interrupt.is_aborted().then_some(AbortDuring::Tools)
    }

    /// Decides about a call by what it may touch now: a batch before it may have changed where
    /// a path leads.
    async fn pass(&mut self, call: &ToolCall, parsed: &Parsed) -> Passage {
        match parsed.tool.access(&parsed.arguments, self.world.context) {
            Ok(access) => gate::pass(&self.world, self.policy, &call.id, parsed, &access).await,
            Err(error) => Passage::Closed(error_result(&call.id, error)),
        }
    }

    /// Ends a call that does not run.
    async fn finish(&mut self, result: ToolResult) {
        self.session.settle(result.clone());
        self.world.outbox.send(StreamEvent::ToolFinished { result, elapsed_ms: 0 }).await;
    }

    /// After a failure: again, or the end. `begun` is what had come of the response, if any had.
    async fn failed(&mut self, begun: Option<Response>, error: ProviderError) -> State {
        if let Some(wait) = self.schedule.next(&error, (self.world.random)()) {
            if let Some(response) = begun {
                self.count(&response, false).await;
            }
            return State::Backoff { wait, error };
        }
        if let Some(response) = begun {
            self.keep_partial(response).await;
        }
        State::Close(ends::failed(self.schedule.give_up(error)))
    }

    async fn back_off(&mut self, wait: Duration, error: ProviderError) -> State {
        let attempt = self.schedule.retries();
        if self.world.waits.backoff.wait(&self.world, attempt, wait, error).await {
            State::Request
        } else {
            self.abort(AbortDuring::Request)
        }
    }

    /// Keeps the text of a response that did not end, marked as such. Its calls never run.
    async fn keep_partial(&mut self, response: Response) {
        self.count(&response, true).await;
        self.session.push_answer(response.text, response.reasoning, true);
    }

    /// Counts the tokens of a response, by our own estimate if the server told none; one that is
    /// not kept costs as much, but fills no context.
    async fn count(&mut self, response: &Response, kept: bool) {
        // The size of the window is often learnt while the answer streams.
        self.tell_model().await;
        let notice = self.intake.after(&self.world, response.usage);
        self.notice(notice).await;
        self.estimated |= response.usage.is_none();
        let usage = response.usage.unwrap_or_else(|| TokenUsage {
            prompt: self.session.estimated_tokens(),
            completion: estimated_tokens(response),
            ..TokenUsage::default()
        });
        self.usage.add(usage);
        let event = StreamEvent::UsageUpdated {
            turn: self.usage,
            context: if kept { usage.total() } else { usage.prompt },
            estimated: self.estimated,
        };
        self.world.outbox.send(event).await;
    }

    fn abort(&self, during: AbortDuring) -> State {
        let by = self.world.interrupt.by().unwrap_or(AbortBy::Signal);
        State::Close(ExitReason::Abort { by, during })
    }
}

/// A rough size of a response in tokens, as the session estimates its history.
fn estimated_tokens(response: &Response) -> u64 {
    let calls = response.calls.iter().map(|call| call.name.len() + call.arguments.len());
    let bytes = response.text.len() + response.reasoning.len() + calls.sum::<usize>();
    u64::try_from(bytes.saturating_mul(2) / 7).unwrap_or(u64::MAX)
}
