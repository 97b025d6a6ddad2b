//! The checks in order: what each asks, and what the answers mean. Owns what is known so far, the
//! limit of each check, and the exit code.
//!
//! Invariant: after a failure that leaves nothing to check, the rest is skipped, and says why.

mod calls;
mod server;
mod stream;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::timeout;

use super::{
    Subject,
    check::{Check, Finding, Outcome, Status, both},
    settings::Settings,
};
use crate::{
    protocol::{exit::ErrorKind, tool_mode::ToolMode, usage::TokenUsage},
    provider::{ProviderError, openai::OpenAi},
};

/// The checks of one server.
pub(super) struct Examination {
    subject: Result<Known, ProviderError>,
    all: bool,
    limit: Duration,
    /// The failure that left nothing to check.
    end: Option<ProviderError>,
    /// The failure of the last check of calls.
    call_error: Option<ProviderError>,
    /// Whether that one was not over in time.
    is_unknown: bool,
}

/// A server, and what is known of it so far.
struct Known {
    subject: Subject,
    /// The model that is used.
    model: String,
    /// Whether answers come at all, and how long a short one took.
    baseline: Option<Duration>,
    /// What the stream told of tokens.
    usage: Option<TokenUsage>,
    /// The size of the context window, if it is more than a guess.
    window: Option<u64>,
    /// Whether the server tells that size by itself: then it is no setting, which would bind it.
    tells_window: bool,
    /// How the model calls tools, once a call worked.
    tools: Option<ToolMode>,
}

impl Known {
    fn server(&self) -> &OpenAi {
        &self.subject.server
    }

    fn shared(&self) -> Arc<OpenAi> {
        Arc::clone(&self.subject.server)
    }
}

impl Examination {
    pub(super) fn new(subject: Result<Subject, ProviderError>, all: bool, limit: Duration) -> Self {
        let subject = subject.map(|subject| Known {
            model: subject.model.clone(),
            subject,
            baseline: None,
            usage: None,
            window: None,
            tells_window: false,
            tools: None,
        });
        Self { subject, all, limit, end: None, call_error: None, is_unknown: false }
    }

    /// Runs one check. Takes no longer than the limit.
    pub(super) async fn run(&mut self, check: Check) -> Finding {
        let began = Instant::now();
        let mut outcome = self.outcome(check).await;
        if let (Ok(known), Some(error)) = (&self.subject, &mut outcome.error)
            && error.kind == ErrorKind::Auth
            && let Some(why) = &known.subject.withheld
        {
            error.hint.clone_from(why);
            outcome.told = both(error);
        }
        if outcome.is_end {
            self.end.clone_from(&outcome.error);
        }
        let is_of_calls = matches!(check, Check::Native | Check::Text);
        // What could not be found out is not made up for by what was.
        if is_of_calls && outcome.status != Status::Skipped && !self.is_unknown {
            self.call_error.clone_from(&outcome.error);
            self.is_unknown = outcome.status == Status::Unknown;
        }
        Finding { check, outcome, took: began.elapsed() }
    }

    async fn outcome(&mut self, check: Check) -> Outcome {
        if self.end.is_some() {
            return Outcome::left_out();
        }
        let (limit, all) = (self.limit, self.all);
        let known = match &mut self.subject {
            Ok(known) => known,
            Err(error) => return Outcome::end(error.clone()),
        };
        let outcome = match check {
            Check::Server => timeout(limit, server::reached(known)).await,
            Check::Models => timeout(limit, server::models(known)).await,
            Check::Stream => timeout(limit, stream::streams(known)).await,
            Check::Native => timeout(limit, calls::native(known)).await,
            Check::Parallel => timeout(limit, calls::parallel(known)).await,
            Check::Usage => Ok(stream::usage(known)),
            Check::Window => timeout(limit, server::window(known)).await,
            Check::Text => timeout(limit, calls::text(known, all)).await,
            Check::Abort => timeout(limit, stream::abort(known)).await,
        };
        outcome.unwrap_or_else(|_| {
            let outcome = Outcome::failed(too_slow(limit));
            let is_end = matches!(check, Check::Server | Check::Models | Check::Stream);
            Outcome { is_end, status: Status::Unknown, ..outcome }
        })
    }

    /// 0 if a call worked, else why none did.
    pub(super) fn exit_code(&self) -> u8 {
        let works = self.subject.as_ref().is_ok_and(|known| known.tools.is_some());
        match (&self.end, &self.call_error) {
            _ if works => 0,
            (Some(error), _) => error.kind.exit_code(),
            (None, Some(error)) if is_passing(error.kind) => error.kind.exit_code(),
            _ => 1,
        }
    }

    /// What all of it comes to: one sentence.
    pub(super) fn verdict(&self) -> &'static str {
        let tools = self.subject.as_ref().ok().and_then(|known| known.tools);
        match (tools, &self.end) {
            (Some(ToolMode::Text), _) => "It can be used here: the model calls tools as text.",
            (Some(_), _) => "It can be used here: the model calls tools.",
            (None, Some(error)) if error.kind == ErrorKind::Timeout => {
                "It could not be found out whether it can be used: there was no answer in time."
            }
            (None, Some(_)) => "It cannot be used as it is: see the failure above.",
            (None, None) if self.is_unknown => {
                "It could not be found out whether the model calls tools: there was no answer in \
                 time."
            }
            (None, None) if self.exit_code() != 1 => {
                "It could not be found out whether the model calls tools: see the failure above."
            }
            (None, None) => {
                "It can only be talked to: the server answers, but no call of a tool worked."
            }
        }
    }

    /// The settings that follow, if the model answers at all.
    pub(super) fn settings(&self) -> Option<Settings> {
        let known = self.subject.as_ref().ok().filter(|known| known.baseline.is_some())?;
        Some(Settings {
            base_url: known.subject.base_url.clone(),
            model: known.model.clone(),
            tools: known.tools,
            context_window: known.window.filter(|_| !known.tells_window),
            quirks: known.server().quirks(),
        })
    }
}

/// Whether a failure says nothing of what the model can do.
fn is_passing(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Network
        | ErrorKind::Timeout
        | ErrorKind::RateLimit
        | ErrorKind::Server
        | ErrorKind::Auth
        | ErrorKind::Quota => true,
        ErrorKind::Config
        | ErrorKind::ModelNotFound
        | ErrorKind::BadRequest
        | ErrorKind::Protocol
        | ErrorKind::EmptyResponse
        | ErrorKind::Internal => false,
    }
}

fn too_slow(limit: Duration) -> ProviderError {
    ProviderError::new(
        ErrorKind::Timeout,
        format!("No answer within {} s.", limit.as_secs()),
        "--timeout S gives each check more time.",
    )
}
