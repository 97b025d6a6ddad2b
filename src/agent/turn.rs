//! The turn machine: one user message up to one [`ExitReason`].
//!
//! `Prepare → Request → Settle → Act → Prepare … → Close`, and `Request → Backoff → Request` where
//! a request failed. Owns the order of these and the counters of a turn; the states' work is in
//! `reply`, `backoff`, `gate` and `scheduler`.
//!
//! Invariants: calls decide whether tools run, `finish_reason` does not; a call that was cut,
//! malformed, unknown or denied never runs, nor does one of a response that failed; there are at
//! most as many requests as the cap allows, each with its retries, and none once a budget is spent.

mod count;

use std::time::Duration;

use self::count::Tab;
use super::{
    act,
    early::Early,
    ends,
    intake::Intake,
    plan,
    ready::{Read, Ready},
    reply::{self, Heard},
    world::World,
};
use crate::{
    permission::Policy,
    protocol::{
        about::About,
        event::StreamEvent,
        exit::{AbortBy, AbortDuring, ExitReason},
        message::AssistantMessage,
        tool::ToolCall,
    },
    provider::{FinishReason, ProviderError, Unusable, accumulate::Response, retry::Schedule},
    session::{RawCall, Session},
    tools::run_command,
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
    tab: Tab,
    iteration: u32,
    /// Calls of this iteration's response that run already.
    early: Early,
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
    Act { calls: Vec<ToolCall>, read: Read },
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
            tab: Tab::default(),
            iteration: 0,
            early: Early::default(),
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
                State::Act { calls, read } => self.act(calls, read).await,
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
        if let Some(end) = self.spent() {
            return end;
        }
        self.schedule = Schedule::new(self.iteration > 0);
        self.iteration += 1;
        let iteration = self.iteration;
        for news in run_command::background::news(&self.world.context.processes) {
            self.session.note(&news);
        }
        self.warn_both().await;
        self.world.outbox.send(StreamEvent::IterationStarted { iteration, max: limit }).await;
        State::Request
    }

    async fn request(&mut self) -> State {
        for text in self.world.waits.steering.heard() {
            self.session.push_user(&text);
            self.world.outbox.send(StreamEvent::Steered { text }).await;
        }
        let notice = self.intake.before(&self.world, self.session.messages());
        self.notice(notice).await;
        let price = self.world.provider.price();
        let bounds = self.bounds(price);
        let messages = self.session.messages().to_vec();
        let opened = reply::open(&self.world, messages, &bounds).await;
        // Who answers is often chosen only now.
        self.tab.price = price.or_else(|| self.world.provider.price());
        self.tell_model().await;
        let heard = match opened {
            Ok(stream) => {
                self.admit_unknown_price().await;
                self.early = Early::default();
                let bounds = self.bounds(self.tab.price);
                let with = (&*self.policy, &mut *self.session, &mut self.early);
                reply::hear(&self.world, stream, with, &bounds).await
            }
            Err(ended) => *ended,
        };
        if !matches!(heard, Heard::Whole(_)) {
            self.early = Early::default();
        }
        match heard {
            Heard::Whole(response) => State::Settle(response),
            Heard::Refused(error) => self.failed(None, error).await,
            Heard::Broken(response, error) => self.failed(Some(response), error).await,
            Heard::Unsent => self.abort(AbortDuring::Request),
            Heard::Spent(response, budget) => {
                self.keep_partial(response).await;
                self.spent().unwrap_or(State::Close(ExitReason::BudgetExceeded { budget }))
            }
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
        if let Some(unusable) = response.unusable {
            self.early = Early::default();
            return self.unusable(unusable, response.reasoning, cut).await;
        }
        if !response.calls.is_empty() {
            let known = self.early.ids(&response.calls);
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
            let calls = self.session.push_known_calls(answer, raw.collect(), known);
            let read = Read { cut, repaired: response.repaired, notes: response.notes };
            return State::Act { calls, read };
        }
        self.early = Early::default();
        let empty = response.text.trim().is_empty();
        let given_up = matches!(response.finish, Some(FinishReason::Other(_)));
        self.session.push_answer(response.text, response.reasoning, cut || given_up);
        match response.finish {
            Some(FinishReason::ContentFilter) => State::Close(ExitReason::ContentFilter),
            Some(FinishReason::Length) if self.continues < CONTINUES => {
                self.continues += 1;
                self.ask_again(GO_ON)
            }
            Some(FinishReason::Length) => State::Close(ExitReason::OutputLimit),
            Some(FinishReason::Other(word)) => State::Close(ends::given_up(&word)),
            _ if empty && !self.nudged => {
                self.nudged = true;
                self.ask_again(SAY_SOMETHING)
            }
            _ if empty => State::Close(ends::empty_twice()),
            _ => State::Close(ends::answered(self.unanswered)),
        }
    }

    /// Tells the model what was wrong with its reply. Only thought, the second time, is taken for
    /// the answer.
    async fn unusable(&mut self, unusable: Unusable, reasoning: String, cut: bool) -> State {
        let is_thought = unusable.thought.is_some();
        if let Some(text) = unusable.thought.filter(|_| self.nudged) {
            self.world.outbox.delta(StreamEvent::TextDelta { text: text.clone() }).await;
            self.session.push_answer(text, String::new(), cut);
            return State::Close(ends::answered(self.unanswered));
        }
        self.session.push_answer(unusable.raw, reasoning, true);
        if is_thought {
            self.nudged = true;
        } else {
            self.unreadable += 1;
        }
        self.continues += u32::from(cut);
        if self.unreadable >= UNREADABLE {
            return State::Close(ends::unreadable(UNREADABLE));
        }
        if cut && self.continues > CONTINUES {
            return State::Close(ExitReason::OutputLimit);
        }
        let next = self.ask_again(&unusable.told);
        if !matches!(next, State::Prepare) {
            return next;
        }
        let text = format!(
            "Nothing was run of the model's reply: {}. It was told so, and is asked again.",
            unusable.fault
        );
        self.world.outbox.send(StreamEvent::Notice { text }).await;
        next
    }

    async fn act(&mut self, calls: Vec<ToolCall>, read: Read) -> State {
        let cut = read.cut;
        let ready: Vec<Ready> =
            calls.iter().map(|call| Ready::of(&self.world, call, &read)).collect();
        let all_unreadable = ready.iter().all(|ready| matches!(ready, Ready::Unreadable(_)));
        self.unreadable = if all_unreadable { self.unreadable + 1 } else { 0 };
        self.continues += u32::from(cut);
        let planned: Vec<_> =
            calls.iter().zip(&ready).map(|(call, ready)| ready.planned(call)).collect();
        let plan = plan::plan(&planned, self.world.limits.scheduler);
        let shown = calls.iter().zip(&ready).map(|(call, ready)| ready.shown(call)).collect();
        let batches = plan.batches(&planned);
        self.world.outbox.send(StreamEvent::BatchesPlanned { calls: shown, batches }).await;
        let calls = calls.into_iter().zip(ready).collect();
        let early = std::mem::take(&mut self.early);
        let acted = act::act(&self.world, (self.session, self.policy), calls, &plan, early).await;
        self.unanswered += acted.unanswered;
        if let Some(during) = acted.aborted {
            return self.abort(during);
        }
        self.session.close_calls();
        if self.unreadable >= UNREADABLE {
            return State::Close(ends::unreadable(UNREADABLE));
        }
        if cut && self.continues > CONTINUES {
            return State::Close(ExitReason::OutputLimit);
        }
        State::Prepare
    }

    /// After a failure: again, or the end. `begun` is what had come of the response, if any had.
    async fn failed(&mut self, begun: Option<Response>, error: ProviderError) -> State {
        if let Some(wait) = self.schedule.next(&error, (self.world.random)()) {
            if let Some(response) = begun {
                self.count(&response, false).await;
            }
            if let Some(end) = self.spent() {
                return end;
            }
            return State::Backoff { wait, error };
        }
        if let Some(mut response) = begun {
            let dropped = ends::shorten(&mut response, error.kind);
            self.keep_partial(response).await;
            self.notice(dropped).await;
        }
        let error = self.schedule.give_up(error);
        self.notice(ends::own_words(&error)).await;
        State::Close(ends::failed(error, self.session.messages()))
    }

    async fn back_off(&mut self, wait: Duration, error: ProviderError) -> State {
        let attempt = self.schedule.retries();
        // Nobody waits for what will not be sent.
        let left = self.session.spending().time_left();
        let wait = left.map_or(wait, |left| wait.min(left));
        if !self.world.waits.backoff.wait(&self.world, attempt, wait, error).await {
            return self.abort(AbortDuring::Request);
        }
        self.spent().unwrap_or(State::Request)
    }

    /// Keeps the text of a response that did not end, marked as such. Its calls never run.
    async fn keep_partial(&mut self, response: Response) {
        self.count(&response, true).await;
        self.session.push_answer(response.text, response.reasoning, true);
    }

    fn abort(&self, during: AbortDuring) -> State {
        let by = self.world.interrupt.by().unwrap_or(AbortBy::Signal);
        State::Close(ExitReason::Abort { by, during })
    }
}
