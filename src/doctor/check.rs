//! The checks by name, and what one of them found. Owns the names and the words of the outcomes,
//! which are public: they stand in the JSON.

use std::time::Duration;

use crate::provider::ProviderError;

/// One check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Whether the server is there.
    Server,
    /// Which models it offers, and which is used.
    Models,
    /// Whether answers stream.
    Stream,
    /// A call of a tool by the server's own means, its result, and the answer to that.
    Native,
    /// Two calls in one answer, and their results.
    Parallel,
    /// Token counts in the stream.
    Usage,
    /// The size of the context window.
    Window,
    /// A call as text.
    Text,
    /// Whether an answer that nobody reads any more is given up.
    Abort,
}

impl Check {
    /// All, in their order.
    pub(super) const ALL: [Self; 9] = [
        Self::Server,
        Self::Models,
        Self::Stream,
        Self::Native,
        Self::Parallel,
        Self::Usage,
        Self::Window,
        Self::Text,
        Self::Abort,
    ];

    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Models => "models",
            Self::Stream => "stream",
            Self::Native => "native call",
            Self::Parallel => "parallel calls",
            Self::Usage => "usage",
            Self::Window => "context window",
            Self::Text => "text call",
            Self::Abort => "abort",
        }
    }

    /// For machines.
    pub(super) fn word(self) -> String {
        self.name().replace(' ', "_")
    }
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// As an agent needs it.
    Ok,
    /// Not so.
    No,
    /// It could not be found out: there was no answer in time.
    Unknown,
    /// Not looked at.
    Skipped,
}

impl Status {
    /// The word, the same for people and machines.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::No => "no",
            Self::Unknown => "unknown",
            Self::Skipped => "skipped",
        }
    }
}

/// What a check saw.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) status: Status,
    /// What was seen and what it means, as it came: not yet harmless.
    pub(super) told: String,
    /// The failure, if there was one; `told` holds its words already.
    pub(super) error: Option<ProviderError>,
    /// Whether no later check can come to anything.
    pub(super) is_end: bool,
    /// Whether it was not made because of such a failure.
    pub(super) is_left_out: bool,
}

impl Outcome {
    pub(super) fn ok(told: impl Into<String>) -> Self {
        Self {
            status: Status::Ok,
            told: told.into(),
            error: None,
            is_end: false,
            is_left_out: false,
        }
    }

    pub(super) fn no(told: impl Into<String>) -> Self {
        Self { status: Status::No, ..Self::ok(told) }
    }

    pub(super) fn unknown(told: impl Into<String>) -> Self {
        Self { status: Status::Unknown, ..Self::ok(told) }
    }

    /// Nothing can come of it after a failure.
    pub(super) fn left_out() -> Self {
        Self { is_left_out: true, ..Self::skipped("Nothing to check after the failure above.") }
    }

    pub(super) fn skipped(told: impl Into<String>) -> Self {
        Self { status: Status::Skipped, ..Self::ok(told) }
    }

    /// A failure in the provider's own words.
    pub(super) fn failed(error: ProviderError) -> Self {
        let told = both(&error);
        Self { error: Some(error), ..Self::no(told) }
    }

    /// A failure of a part, with words before it that say of which.
    pub(super) fn failed_in(what: &str, error: ProviderError) -> Self {
        let told = format!("{what}: {}", both(&error));
        Self { told, ..Self::failed(error) }
    }

    /// A failure after which nothing else can be checked.
    pub(super) fn end(error: ProviderError) -> Self {
        Self { is_end: true, ..Self::failed(error) }
    }
}

/// What happened and what to do; a server's own sentence may lack its full stop.
pub(super) fn both(error: &ProviderError) -> String {
    format!("{} {}", closed(&error.message), error.hint)
}

/// The text with an end to its last sentence.
pub(super) fn closed(text: &str) -> String {
    let text = text.trim_end();
    let is_open = text.chars().next_back().is_some_and(|last| !".!?:;…".contains(last));
    format!("{text}{}", if is_open { "." } else { "" })
}

/// A check and what it saw.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) check: Check,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}
