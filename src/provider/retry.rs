//! When a failed request is sent again, and after how long. Owns the one schedule.
//!
//! Pure: it is told the failure and a random number. Must not know a clock, a provider, the turn
//! or a screen.
//!
//! Invariant: at most [`RETRIES`] retries a request, so one request more; no wait is longer than
//! [`PATIENCE`], and none is shorter than the server asks.

use std::time::Duration;

use super::{ProviderError, error::Outlook};
use crate::protocol::exit::ErrorKind;

/// Retries of one request: with the first try one request more.
pub const RETRIES: u32 = 5;
/// The longest wait that a server may ask for; who asks for more is not asked again.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The ceiling of the first wait; each further one is twice as high.
const FIRST: Duration = Duration::from_millis(500);
/// The shortest wait: chance could spend all retries in a moment, and nothing mends in that.
const SHORTEST: Duration = Duration::from_millis(100);
/// The highest ceiling.
const LONGEST: Duration = Duration::from_secs(30);

/// The retries of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    retries: u32,
    met: bool,
}

impl Schedule {
    /// For one request. `met`: the server answered an earlier request of the same turn.
    #[must_use]
    pub fn new(met: bool) -> Self {
        Self { retries: 0, met }
    }

    /// How long to wait before the request is sent again; `None` if it is not. `random` is
    /// between 0 and 1, anew each time.
    ///
    /// The wait is exponential with full jitter, so that clients that failed together do not come
    /// back together; never shorter than a tenth of a second, nor than the server asks.
    pub fn next(&mut self, error: &ProviderError, random: f64) -> Option<Duration> {
        let asked = error.retry_after.unwrap_or_default();
        if self.retries >= RETRIES || asked > PATIENCE || !self.may_help(error) {
            return None;
        }
        let ceiling = FIRST.saturating_mul(2_u32.saturating_pow(self.retries)).min(LONGEST);
        self.retries += 1;
        let random = if random.is_nan() { 1.0 } else { random.clamp(0.0, 1.0) };
        Some(ceiling.mul_f64(random).max(SHORTEST).max(asked))
    }

    /// Retries so far: which one it is that was granted last.
    #[must_use]
    pub fn retries(self) -> u32 {
        self.retries
    }

    /// The failure with which the request is given up: tells what was tried.
    #[must_use]
    pub fn give_up(self, mut error: ProviderError) -> ProviderError {
        if self.retries > 0 {
            error.hint = format!("It was tried {} times. {}", self.retries + 1, error.hint);
        }
        error
    }

    /// Whether the same request could fare better a moment later.
    fn may_help(self, error: &ProviderError) -> bool {
        if error.context_overflow || error.content_filter || error.tools_unsupported {
            return false;
        }
        match error.outlook {
            Outlook::Open => {}
            // Waiting starts no server and corrects no address, and whoever forgot or mistyped one
            // wants to know it at once. One that was there a moment ago is being restarted, or the
            // network is gone for a while.
            Outlook::NothingListens | Outlook::UnknownName if self.met || self.retries > 0 => {}
            Outlook::NothingListens | Outlook::UnknownName | Outlook::Lasting => return false,
        }
        match error.kind {
            ErrorKind::Network | ErrorKind::Timeout | ErrorKind::RateLimit => true,
            // These two say what the server cannot do at all.
            ErrorKind::Server => !matches!(error.status, Some(501 | 505)),
            // Of all refusals only a conflict passes by itself.
            ErrorKind::BadRequest => error.status == Some(409),
            // Protocol is among these: a web page, broken JSON, an answer without bounds. The
            // server is like that, and what was paid for would only be paid for again.
            ErrorKind::Protocol
            | ErrorKind::Auth
            | ErrorKind::Quota
            | ErrorKind::Config
            | ErrorKind::ModelNotFound
            | ErrorKind::EmptyResponse
            | ErrorKind::Internal => false,
        }
    }
}

#[cfg(test)]
mod tests;
