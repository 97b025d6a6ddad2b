//! Ends of a turn that need words of their own. Owns these words; knows no history and no events.

use crate::{
    protocol::exit::{ErrorKind, ExitReason},
    provider::{ProviderError, accumulate::Response},
};

/// Of an answer that was no proper one so many bytes stay: sent back whole, a flood would drown
/// every request after it.
const KEPT: usize = 8 * 1024;

/// Leaves of a response that failed what may be sent back; gives words for what it took.
pub(super) fn shorten(response: &mut Response, kind: ErrorKind) -> Option<String> {
    if kind != ErrorKind::Protocol || response.text.len().max(response.reasoning.len()) <= KEPT {
        return None;
    }
    for text in [&mut response.text, &mut response.reasoning] {
        text.truncate(text.floor_char_boundary(KEPT));
    }
    let kib = KEPT / 1024;
    Some(format!("Only the first {kib} KiB of this answer stay in the conversation."))
}

/// The end after a request that is given up.
pub(super) fn failed(error: ProviderError) -> ExitReason {
    if error.context_overflow {
        return ExitReason::ContextOverflow;
    }
    if error.content_filter {
        return ExitReason::ContentFilter;
    }
    let ProviderError { kind, message, hint, .. } = error;
    ExitReason::Error { kind, message, hint }
}

/// What the server said, where the end itself has no room for it.
pub(super) fn own_words(error: &ProviderError) -> Option<String> {
    (error.context_overflow || error.content_filter).then(|| error.message.clone())
}

/// The server ended the answer with a word that means no success.
pub(super) fn given_up(word: &str) -> ExitReason {
    ExitReason::Error {
        kind: ErrorKind::Server,
        message: format!("The server ended the answer with \"{word}\": it may be incomplete."),
        hint: "What had arrived is kept. Type \"go on\" to try again, or use another model."
            .to_owned(),
    }
}

/// The model said what it had to say. `unanswered` calls were denied because nobody was there.
pub(super) fn answered(unanswered: u32) -> ExitReason {
    match unanswered {
        0 => ExitReason::EndTurn,
        calls => ExitReason::Denied { calls },
    }
}

pub(super) fn empty_twice() -> ExitReason {
    ExitReason::Error {
        kind: ErrorKind::EmptyResponse,
        message: "The model sent an empty answer twice.".to_owned(),
        hint: "Try again, word it differently, or use another model.".to_owned(),
    }
}

/// So many replies in a row held no call that could be read.
pub(super) fn unreadable(replies: u32) -> ExitReason {
    ExitReason::Error {
        kind: ErrorKind::Protocol,
        message: format!("{replies} replies in a row held only calls that could not be read."),
        hint: "Use a model that is trained to call tools, or try --tools text (--tools native if \
               that is set)."
            .to_owned(),
    }
}
