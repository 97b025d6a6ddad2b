//! Hears one response: sends the request, passes the pieces on, puts them together.
//!
//! Owns the await points of a response, each of which an abort ends at once by dropping the
//! connection.

use std::pin::pin;

use futures_util::StreamExt;
use tokio::time::Instant;

use super::{early::Early, world::World};
use crate::{
    permission::Policy,
    protocol::{
        budget::Budget, cost::Price, event::StreamEvent, exit::AbortDuring, exit::ErrorKind,
        message::Message, usage::TokenUsage,
    },
    provider::{
        Delta, DeltaStream, ProviderError, Remark, Request,
        accumulate::{Accumulator, Response},
    },
    session::{Session, budget::Spending},
};

/// So many counts beyond a budget, each larger than the one before, show that the answer goes on:
/// after one it may be over.
const BEYOND: u32 = 3;

/// How a response went.
pub(super) enum Heard {
    /// It ended cleanly.
    Whole(Response),
    /// None began: nothing came, and nothing is billed.
    Refused(ProviderError),
    /// It broke; this is what had come until then.
    Broken(Response, ProviderError),
    /// The turn was aborted before there was a model to ask: nothing was sent.
    Unsent,
    /// A budget ended while it came; this is what had come until then.
    Spent(Response, Budget),
    /// The turn was aborted; this is what had come until then.
    Aborted(Response, AbortDuring),
}

/// What a response may use.
pub(super) struct Bounds {
    spending: Spending,
    /// When the budget of time ends, if there is one.
    end: Option<(Instant, Budget)>,
    /// What its tokens cost.
    price: Option<Price>,
}

impl Bounds {
    /// What is left to use.
    pub(super) fn new(spending: &Spending, price: Option<Price>) -> Self {
        let end = spending.end_of_time();
        // What lies beyond all clocks never comes.
        let end = end.and_then(|(left, budget)| Some((Instant::now().checked_add(left)?, budget)));
        Self { spending: spending.clone(), end, price }
    }

    /// The end of the budget of time. Never, if there is none.
    async fn time_is_up(&self) -> Budget {
        let Some((end, budget)) = self.end else { return std::future::pending().await };
        tokio::time::sleep_until(end).await;
        budget
    }
}

/// The counts that a server tells while it answers.
#[derive(Default)]
struct Counts {
    largest: u64,
    beyond: u32,
}

impl Counts {
    /// The budget that this count shows to be spent by an answer that goes on.
    fn heard(&mut self, usage: TokenUsage, bounds: &Bounds) -> Option<Budget> {
        let budget = bounds.spending.spent_with(usage, bounds.price)?;
        if usage.total() > std::mem::replace(&mut self.largest, usage.total()) {
            self.beyond += 1;
        }
        (self.beyond >= BEYOND).then_some(budget)
    }
}

/// Sends this history. Gives the response that begins, or how it ended before it began.
pub(super) async fn open(
    world: &World<'_>,
    messages: Vec<Message>,
    bounds: &Bounds,
) -> Result<DeltaStream, Box<Heard>> {
    let request = Request {
        aliases: world.registry.aliases(),
        ..Request::new(messages, world.registry.specs())
    };
    // Without a model it is the user who is waited for.
    let waits = world.provider.about().model.is_empty().then(|| world.waits.clock.wait());
    let opened = tokio::select! {
        biased;
        () = world.interrupt.aborted() => {
            let is_sent = waits.is_none() || !world.provider.about().model.is_empty();
            let aborted = Heard::Aborted(Response::default(), AbortDuring::Request);
            return Err(Box::new(if is_sent { aborted } else { Heard::Unsent }));
        }
        opened = world.provider.stream(request) => opened,
        budget = bounds.time_is_up(), if waits.is_none() => {
            return Err(Box::new(Heard::Spent(Response::default(), budget)));
        }
    };
    opened.map_err(|error| Box::new(Heard::Refused(error)))
}

/// Hears the response to its end.
pub(super) async fn hear(
    world: &World<'_>,
    mut stream: DeltaStream,
    (policy, session, early): (&Policy, &mut Session, &mut Early),
    bounds: &Bounds,
) -> Heard {
    let mut whole = Accumulator::default();
    let mut counts = Counts::default();
    let mut time_is_up = pin!(bounds.time_is_up());
    let mut began = false;
    loop {
        let piece = tokio::select! {
            biased;
            () = world.interrupt.aborted() => {
                let during = if began { AbortDuring::Stream } else { AbortDuring::Request };
                return Heard::Aborted(whole.finish(), during);
            }
            budget = &mut time_is_up => return Heard::Spent(whole.finish(), budget),
            ended = early.next_end(world) => {
                world.outbox.delta(ended).await;
                continue;
            }
            piece = stream.next() => piece,
        };
        match piece {
            Some(Ok(delta)) => {
                began = true;
                let is_call = matches!(delta, Delta::Call(_));
                let spent = match delta {
                    Delta::Usage(usage) => counts.heard(usage, bounds),
                    _ => None,
                };
                if let Err(error) = pass_on(world, &mut whole, delta).await {
                    return Heard::Broken(whole.finish(), error);
                }
                if let Some(budget) = spent {
                    return Heard::Spent(whole.finish(), budget);
                }
                if is_call {
                    early.look(world, (policy, session), &whole).await;
                }
            }
            Some(Err(error)) => return Heard::Broken(whole.finish(), error),
            None => {
                let response = whole.finish();
                return match response.finish {
                    Some(_) => Heard::Whole(response),
                    None => Heard::Broken(response, broken_off()),
                };
            }
        }
    }
}

/// An end without a finish is never a success, whatever the provider thinks of it.
fn broken_off() -> ProviderError {
    ProviderError::new(
        ErrorKind::Network,
        "The connection broke off before the answer was complete.",
        "What had arrived is kept. Type \"go on\" to try again.",
    )
}

async fn pass_on(
    world: &World<'_>,
    whole: &mut Accumulator,
    delta: Delta,
) -> Result<(), ProviderError> {
    let announced = whole.push(&delta)?;
    match delta {
        Delta::Text(text) => world.outbox.delta(StreamEvent::TextDelta { text }).await,
        Delta::Reasoning(text) => world.outbox.delta(StreamEvent::ReasoningDelta { text }).await,
        Delta::Remark(Remark::Notice(text)) => {
            world.outbox.send(StreamEvent::Notice { text }).await;
        }
        Delta::Call(_) | Delta::Usage(_) | Delta::Finish(_) | Delta::Remark(_) => {}
    }
    if let Some(call) = announced {
        let event = StreamEvent::CallAnnounced { index: call.index, name: call.name };
        world.outbox.delta(event).await;
    }
    Ok(())
}
