//! What the session has used, between two words of the engine about it: time goes on by itself.
//! Owns that time; must not know how it is shown.
//!
//! Invariant: only time in which a turn works counts on, and what the engine tells replaces it.

use std::time::{Duration, Instant};

use crate::protocol::budget::{Budget, Spent};

/// A moment of a turn: when it is, and for how long questions have waited in the turn so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) at: Instant,
    pub(super) asked: Duration,
}

/// What the session has used.
#[derive(Debug, Default)]
pub(super) struct Meter {
    told: Spent,
    /// Since when time goes on by itself.
    since: Option<Moment>,
}

impl Meter {
    /// Begins with this.
    pub(super) fn new(told: Spent) -> Self {
        Self { told, since: None }
    }

    /// The engine told this.
    pub(super) fn tell(&mut self, told: Spent, now: Moment) {
        self.told = told;
        self.since = self.since.map(|_| now);
    }

    /// A turn works from now on.
    pub(super) fn start(&mut self, now: Moment) {
        self.since.get_or_insert(now);
    }

    /// No turn works any more.
    pub(super) fn stop(&mut self, now: Moment) {
        self.told = self.spent(now);
        self.since = None;
    }

    /// What is used now.
    pub(super) fn spent(&self, now: Moment) -> Spent {
        let mut spent = self.told.clone();
        let worked = self.since.map(|since| {
            let passed = now.at.saturating_duration_since(since.at);
            passed.saturating_sub(now.asked.saturating_sub(since.asked))
        });
        let worked = u64::try_from(worked.unwrap_or_default().as_millis()).unwrap_or(u64::MAX);
        for budget in &mut spent.budgets {
            if let Budget::Time { used_ms, .. } = budget {
                *used_ms = used_ms.saturating_add(worked);
            }
        }
        spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(used_ms: u64) -> Spent {
        let time = Budget::Time { limit_ms: 600_000, used_ms };
        Spent { budgets: vec![Budget::Tokens { limit: 10, used: 1 }, time], ..Spent::default() }
    }

    #[test]
    fn time_goes_on_while_a_turn_works_and_not_while_it_asks() {
        let began = Instant::now();
        let moment = |seconds, asked| Moment {
            at: began + Duration::from_secs(seconds),
            asked: Duration::from_secs(asked),
        };
        let mut meter = Meter::new(spent(0));
        assert_eq!(meter.spent(moment(50, 0)), spent(0), "nothing works");
        meter.start(moment(50, 0));
        assert_eq!(meter.spent(moment(57, 0)), spent(7_000));
        assert_eq!(meter.spent(moment(60, 4)), spent(6_000), "it asked for 4 s");
        meter.tell(spent(5_900), moment(60, 4));
        assert_eq!(meter.spent(moment(61, 4)), spent(6_900));
        meter.stop(moment(62, 4));
        assert_eq!(meter.spent(moment(90, 0)), spent(7_900), "it is over");
        meter.tell(spent(0), moment(91, 0));
        assert_eq!(meter.spent(moment(99, 0)), spent(0), "a new session");
    }
}
