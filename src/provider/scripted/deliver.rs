//! From a reply of the script to the pieces of a response, in its own time. Owns pieces, pauses
//! and ends; knows nothing of files.
//!
//! Invariant: a response that ends by itself has exactly one finish, then one usage; one that
//! breaks off or hangs has neither.

use std::{num::NonZeroUsize, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use minijinja::Value;

use super::{
    script::{Call, Reply},
    template::{Context, Templates},
};
use crate::{
    protocol::usage::TokenUsage,
    provider::{CallFragment, Delta, ProviderError},
};

const PIECE: usize = 4;
/// Arguments flow faster than prose, so that nobody waits for a whole file to be typed.
const ARGUMENT_FACTOR: usize = 8;
/// A usual estimate where there is no tokenizer.
const BYTES_PER_TOKEN: usize = 4;

/// One response, ready to be delivered.
pub(super) struct Answer {
    pub(super) error: Option<ProviderError>,
    pub(super) delay: Duration,
    pieces: Vec<Delta>,
    end: Vec<Delta>,
    hang: bool,
}

/// A call with everything filled in.
struct Filled {
    id: String,
    name: String,
    arguments: String,
}

impl Answer {
    /// Fills the reply in. `place` says where it stands.
    pub(super) fn render(
        place: &str,
        reply: &Reply,
        (templates, context): (&Templates<'_>, &Context),
    ) -> Result<Self, ProviderError> {
        let text = |key: &str, template: &str| {
            templates.render(&format!("{place}, {key}"), template, (context, None))
        };
        let (reasoning, text) = (text("reasoning", &reply.reasoning)?, text("text", &reply.text)?);
        let mut calls = Vec::new();
        for (index, call) in reply.calls.iter().enumerate() {
            fill(&call.place(place, index), call, (templates, context), &mut calls)?;
        }
        let size = reply.piece.map_or(PIECE, NonZeroUsize::get);
        let mut pieces: Vec<Delta> = cut(&reasoning, size).map(Delta::Reasoning).collect();
        pieces.extend(cut(&text, size).map(Delta::Text));
        for (index, call) in calls.iter().enumerate() {
            pieces.extend(fragments(index, call, size.saturating_mul(ARGUMENT_FACTOR)));
        }
        let bytes = reasoning.len() + text.len();
        let bytes = calls.iter().fold(bytes, |sum, call| sum + call.arguments.len());
        let usage = usage(reply, context.bytes, bytes);
        let end = vec![Delta::Finish(reply.finish(!calls.is_empty())), Delta::Usage(usage)];
        let broken = reply.break_after.is_some() || reply.hang;
        pieces.truncate(reply.break_after.unwrap_or(usize::MAX));
        Ok(Self {
            error: reply.error.as_ref().map(super::script::Failure::error),
            delay: Duration::from_millis(reply.delay_ms),
            pieces,
            end: if broken { Vec::new() } else { end },
            hang: reply.hang,
        })
    }
}

fn fill(
    place: &str,
    call: &Call,
    (templates, context): (&Templates<'_>, &Context),
    filled: &mut Vec<Filled>,
) -> Result<(), ProviderError> {
    let items: Vec<Option<Value>> = match &call.each {
        Some(each) => {
            let items = templates.items(&format!("{place}, for"), each, context)?;
            items.into_iter().map(Some).collect()
        }
        None => vec![None],
    };
    for item in items {
        let scope = (context, item.as_ref());
        if let Some(condition) = &call.condition
            && !templates.evaluate(&format!("{place}, if"), condition, scope)?.is_true()
        {
            continue;
        }
        let arguments = if let Some(raw) = &call.raw_arguments {
            raw.clone()
        } else {
            let place = format!("{place}, arguments");
            templates.render_values(&place, &call.arguments, scope)?.to_string()
        };
        let unique = || format!("call_{}_{}", context.messages, filled.len());
        let id = call.id.clone().unwrap_or_else(unique);
        filled.push(Filled { id, name: call.name.clone(), arguments });
    }
    Ok(())
}

fn fragments(index: usize, call: &Filled, size: usize) -> impl Iterator<Item = Delta> {
    let index = i64::try_from(index).ok();
    let head = CallFragment {
        index,
        id: Some(call.id.clone()),
        name: Some(call.name.clone()),
        arguments: String::new(),
    };
    let rest = cut(&call.arguments, size).map(move |arguments| CallFragment {
        index,
        arguments,
        ..CallFragment::default()
    });
    std::iter::once(head).chain(rest).map(Delta::Call)
}

/// Pieces of `size` characters.
fn cut(text: &str, size: usize) -> impl Iterator<Item = String> {
    let mut characters = text.chars();
    std::iter::from_fn(move || {
        let piece: String = characters.by_ref().take(size).collect();
        (!piece.is_empty()).then_some(piece)
    })
}

fn usage(reply: &Reply, asked: usize, answered: usize) -> TokenUsage {
    let estimate =
        |bytes: usize| u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX);
    let (prompt, completion) = match reply.usage {
        Some(usage) => (usage.prompt, usage.completion),
        None => (estimate(asked), estimate(answered)),
    };
    TokenUsage { prompt, completion, ..TokenUsage::default() }
}

/// Delivers an answer, a pause of `pace` between two pieces. Dropping the stream stops it.
pub(super) fn stream(
    answer: Answer,
    pace: Duration,
) -> impl Stream<Item = Result<Delta, ProviderError>> + Send {
    let waits = std::iter::once(answer.delay).chain(std::iter::repeat(pace));
    let pieces =
        stream::iter(answer.pieces.into_iter().zip(waits)).then(|(piece, wait)| async move {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            piece
        });
    let silence =
        if answer.hang { stream::pending().left_stream() } else { stream::empty().right_stream() };
    pieces.chain(stream::iter(answer.end)).chain(silence).map(Ok)
}
