//! Hears one response: sends the request, passes the pieces on, puts them together.
//!
//! Owns the await points of a response, each of which an abort ends at once by dropping the
//! connection.

use futures_util::StreamExt;

use super::{early::Early, world::World};
use crate::{
    permission::Policy,
    protocol::{event::StreamEvent, exit::AbortDuring, exit::ErrorKind, message::Message},
    provider::{
        Delta, DeltaStream, ProviderError, Remark, Request,
        accumulate::{Accumulator, Response},
    },
};

/// How a response went.
pub(super) enum Heard {
    /// It ended cleanly.
    Whole(Response),
    /// None began: nothing came, and nothing is billed.
    Refused(ProviderError),
    /// It broke; this is what had come until then.
    Broken(Response, ProviderError),
    /// The turn was aborted; this is what had come until then.
    Aborted(Response, AbortDuring),
}

/// Sends this history. Gives the response that begins, or how it ended before it began.
pub(super) async fn open(
    world: &World<'_>,
    messages: Vec<Message>,
) -> Result<DeltaStream, Box<Heard>> {
    let request = Request {
        aliases: world.registry.aliases(),
        ..Request::new(messages, world.registry.specs())
    };
    let opened = tokio::select! {
        biased;
        () = world.interrupt.aborted() => {
            return Err(Box::new(Heard::Aborted(Response::default(), AbortDuring::Request)));
        }
        opened = world.provider.stream(request) => opened,
    };
    opened.map_err(|error| Box::new(Heard::Refused(error)))
}

/// Hears the response to its end.
pub(super) async fn hear(
    world: &World<'_>,
    mut stream: DeltaStream,
    policy: &Policy,
    early: &mut Early,
) -> Heard {
    let mut whole = Accumulator::default();
    let mut began = false;
    loop {
        let piece = tokio::select! {
            biased;
            () = world.interrupt.aborted() => {
                let during = if began { AbortDuring::Stream } else { AbortDuring::Request };
                return Heard::Aborted(whole.finish(), during);
            }
            piece = stream.next() => piece,
        };
        match piece {
            Some(Ok(delta)) => {
                began = true;
                let is_call = matches!(delta, Delta::Call(_));
                if let Err(error) = pass_on(world, &mut whole, delta).await {
                    return Heard::Broken(whole.finish(), error);
                }
                if is_call {
                    early.look(world, policy, &whole);
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
