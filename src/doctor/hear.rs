//! One request and its whole answer, timed. Owns the clock and the count of pieces; knows not
//! what was asked for.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::StreamExt;

use crate::{
    protocol::{exit::ErrorKind, message::Message, tool::ToolSpec},
    provider::{
        Delta, Provider, ProviderError, Request,
        accumulate::{Accumulator, Response},
    },
};

/// Every request begins with it, as those of the agent do: some models take no such message.
const SYSTEM: &str = "You are a coding agent. Do exactly what the user asks, and nothing else.";

/// An answer.
pub(super) struct Heard {
    pub(super) response: Response,
    /// Pieces of text, thought and calls.
    pub(super) pieces: usize,
    /// From the request to the first of them.
    pub(super) first: Duration,
    /// From the request to the end.
    pub(super) took: Duration,
}

/// A conversation that begins with these words of the user.
pub(super) fn begin(text: &str) -> Vec<Message> {
    vec![Message::System { text: SYSTEM.to_owned() }, Message::User { text: text.to_owned() }]
}

/// A request without tools.
pub(super) fn plain(text: &str) -> Request {
    Request::new(begin(text), Arc::new([]))
}

/// A request with tools.
pub(super) fn with_tools(messages: Vec<Message>, tools: &Arc<[ToolSpec]>) -> Request {
    Request::new(messages, Arc::clone(tools))
}

/// Hears an answer to its end. Cancel-safe: dropping the future closes the connection.
pub(super) async fn hear(
    provider: &dyn Provider,
    request: Request,
) -> Result<Heard, ProviderError> {
    let began = Instant::now();
    let mut stream = provider.stream(request).await?;
    let mut whole = Accumulator::new();
    let (mut pieces, mut first) = (0, None);
    while let Some(delta) = stream.next().await {
        let delta = delta?;
        if is_piece(&delta) {
            pieces += 1;
            first.get_or_insert_with(|| began.elapsed());
        }
        whole.push(&delta)?;
    }
    let response = whole.finish();
    if response.finish.is_none() {
        return Err(ProviderError::new(
            ErrorKind::Network,
            "The answer ended without a word that it was complete.",
            "Try again; if it stays so, look at the server's own log.",
        ));
    }
    let took = began.elapsed();
    Ok(Heard { response, pieces, first: first.unwrap_or(took), took })
}

/// Whether this is something that the model said.
pub(super) fn is_piece(delta: &Delta) -> bool {
    match delta {
        Delta::Text(text) | Delta::Reasoning(text) => !text.is_empty(),
        Delta::Call(_) => true,
        Delta::Usage(_) | Delta::Finish(_) | Delta::Remark(_) => false,
    }
}

/// A time for people.
pub(super) fn words(time: Duration) -> String {
    if time < Duration::from_millis(1) {
        "less than 1 ms".to_owned()
    } else if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
