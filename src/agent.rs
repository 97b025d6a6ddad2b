//! The engine: an actor that is idle or in one turn, never both.
//!
//! Owns the turn's life: it starts the machine, hears instructions meanwhile, and closes the
//! turn on every path, a panic included. Must not know screens; it speaks through the link.
//!
//! Invariant: `TurnEnded` is the last event of every turn, every `ToolStarted` has its
//! `ToolFinished`, every question its end, and the history can be sent again afterwards.

mod act;
mod anew;
mod background;
mod backoff;
mod clock;
mod early;
mod ends;
mod gate;
mod intake;
mod job;
mod models;
mod outbox;
mod own;
pub mod plan;
mod ready;
mod reply;
mod steer;
mod turn;
mod world;

use std::{collections::VecDeque, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::time::Instant;

use crate::{
    link::{AgentEnd, Interrupt},
    permission::Policy,
    protocol::{
        about::About,
        event::StreamEvent,
        exit::{AbortBy, ErrorKind, ExitReason},
        id::TurnId,
        op::Op,
        scheduler::Scheduler,
    },
    provider::Provider,
    session::Session,
    tools::{ToolContext, process::StoppedBy, registry::Registry, run_command},
};
use background::Background;
use backoff::Backoff;
pub use backoff::jitter;
use clock::Clock;
use gate::Questions;
use intake::Intake;
use job::Running;
use models::Models;
use outbox::Outbox;
use steer::Steering;
use turn::Turn;
use world::World;

/// Everything a turn works with.
pub struct Agent {
    /// Where answers come from.
    pub provider: Arc<dyn Provider>,
    /// What the model can call.
    pub registry: Registry,
    /// What the tools share.
    pub context: ToolContext,
    /// What may run without asking.
    pub policy: Policy,
    /// Where a turn ends by itself.
    pub limits: Limits,
    /// The conversation.
    pub session: Session,
    /// What the front end knows of the model; a change is told.
    pub told: Option<About>,
    /// Gives numbers from 0 to 1, for waits that differ: [`jitter`], or what a test wants.
    pub random: fn() -> f64,
}

/// Where a turn ends by itself, and whether anybody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests in one turn.
    pub max_iterations: u32,
    /// Whether somebody can answer questions; if not, what would ask is denied.
    pub interactive: bool,
    /// Which calls of one response may run at the same time.
    pub scheduler: Scheduler,
}

/// What instructions change in a running turn: what it waits for, and what it is told.
#[derive(Default)]
struct Waits {
    questions: Questions,
    backoff: Backoff,
    running: Running,
    steering: Steering,
    clock: Clock,
}

/// An instruction, with the interrupt of the turn that it starts.
type Instruction = (Op, Option<Interrupt>);

/// What hears instructions while a turn runs.
struct Ears<'a> {
    end: &'a mut AgentEnd,
    /// What is for after the turn.
    waiting: &'a mut VecDeque<Instruction>,
    models: &'a mut Models,
    background: &'a Background,
}

impl Agent {
    /// Works until the front end is gone; gives the conversation back.
    pub async fn run(mut self, mut end: AgentEnd) -> Session {
        let mut waiting: VecDeque<Instruction> = VecDeque::new();
        let mut models = Models::new(Arc::clone(&self.provider), end.events());
        let background = Background::follow(&self.context.processes, end.events());
        let mut turns = 0;
        let mut intake = Intake::default();
        let granted_at_first = self.policy.clone();
        loop {
            let instruction = match waiting.pop_front() {
                Some(instruction) => Some(instruction),
                None => end.next().await,
            };
            let Some((op, interrupt)) = instruction else { return self.session };
            match op {
                Op::Submit { text } => {
                    turns += 1;
                    let interrupt = interrupt.unwrap_or_default();
                    let ears = Ears {
                        end: &mut end,
                        waiting: &mut waiting,
                        models: &mut models,
                        background: &background,
                    };
                    self.turn(TurnId(turns), text, &interrupt, (ears, &mut intake)).await;
                    end.turn_ended(&interrupt);
                }
                Op::RunCommand { command } => {
                    turns += 1;
                    let interrupt = interrupt.unwrap_or_default();
                    let ears = Ears {
                        end: &mut end,
                        waiting: &mut waiting,
                        models: &mut models,
                        background: &background,
                    };
                    self.own_command(TurnId(turns), &command, &interrupt, ears).await;
                    end.turn_ended(&interrupt);
                }
                Op::NewSession => {
                    intake = Intake::default();
                    self.policy = granted_at_first.clone();
                    self.begin_anew(&end.events()).await;
                }
                Op::UseModel { model, server } => {
                    models.choose(model, server.as_deref());
                    self.told = Some(self.provider.about());
                }
                Op::ListModels => models.list(),
                Op::EndBackground { id } => background.ask_to_end(&id),
                Op::Decide { .. } | Op::RetryNow | Op::StopCall { .. } | Op::Steer { .. } => {}
            }
        }
    }

    async fn turn(
        &mut self,
        turn: TurnId,
        prompt: String,
        interrupt: &Interrupt,
        (ears, intake): (Ears<'_>, &mut Intake),
    ) {
        let started = Instant::now();
        let outbox = Outbox::new(ears.end.events(), interrupt.clone());
        let waits = Waits::default();
        outbox.send(StreamEvent::TurnStarted { turn, prompt: prompt.clone() }).await;
        self.session.push_user(&prompt);
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
        let machine = Turn::new(world, &mut self.session, &mut self.policy, &mut self.told, intake);
        let work = AssertUnwindSafe(machine.run()).catch_unwind();
        let background = ears.background;
        let hear = hear(ears, &waits, interrupt);
        let reason = tokio::select! {
            biased;
            ended = work => ended.unwrap_or_else(|_panic| internal()),
            never = hear => match never {},
        };
        self.session.spending_mut().work(waits.clock.worked());
        self.session.spending_mut().end_turn();
        let made_up = self.session.close_calls();
        outbox.balance(made_up).await;
        let notice = self.end_background(&reason, interrupt).await;
        background.tell().await;
        if let Some(text) = notice {
            outbox.send(StreamEvent::Notice { text }).await;
        }
        if reason.gives_prompt_back() {
            self.session.take_back(&prompt);
        }
        let (iterations, tools) = outbox.counts();
        let elapsed_ms = millis(started.elapsed());
        outbox.send(StreamEvent::TurnEnded { turn, reason, iterations, tools, elapsed_ms }).await;
    }
}

impl Agent {
    /// One key stops all of it: an abort ends what runs in the background too. So does the end of
    /// a turn after which nobody is there.
    async fn end_background(&self, reason: &ExitReason, interrupt: &Interrupt) -> Option<String> {
        let by = match reason {
            ExitReason::Abort { .. } => StoppedBy::User,
            _ if !self.limits.interactive => StoppedBy::EndOfRun,
            _ => return None,
        };
        let (processes, kill) = (&self.context.processes, interrupt.kill_token());
        run_command::background::end_background(processes, by, kill).await
    }
}

/// Hears instructions while a turn runs; never ends by itself.
async fn hear(
    Ears { end, waiting, models, background }: Ears<'_>,
    waits: &Waits,
    interrupt: &Interrupt,
) -> std::convert::Infallible {
    let events = end.events();
    let mut gone = pin!(events.gone());
    let instructions = async {
        while let Some((op, its_interrupt)) = end.next().await {
            match op {
                Op::Decide { call_id, decision } => waits.questions.answer(&call_id, decision),
                Op::RetryNow => waits.backoff.end(),
                Op::StopCall { call_id } => waits.running.stop(&call_id),
                Op::UseModel { model, server } => models.choose(model, server.as_deref()),
                Op::ListModels => models.list(),
                Op::EndBackground { id } => background.ask_to_end(&id),
                Op::Steer { text } => waits.steering.say(text),
                Op::Submit { .. } | Op::RunCommand { .. } | Op::NewSession => {
                    waiting.push_back((op, its_interrupt));
                }
            }
        }
    };
    tokio::select! {
        () = &mut gone => {}
        () = instructions => {}
    }
    interrupt.abort(AbortBy::Consumer);
    std::future::pending().await
}

fn internal() -> ExitReason {
    ExitReason::Error {
        kind: ErrorKind::Internal,
        message: "A fault of mcc-tui ended this turn (a panic; the log has the place).".to_owned(),
        hint: "The conversation is intact: type \"go on\", and please report the log.".to_owned(),
    }
}

/// Whole milliseconds.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
