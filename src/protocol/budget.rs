//! Budgets of a session: where they end, and what is used of them. Owns the words for both, which
//! are the same on screen and without one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cost::{Usd, hundredths};
use crate::text::number::grouped;

/// From so many hundredths on a budget is nearly spent.
pub const NEARLY: u64 = 80;

/// Where the budgets of a session end. What is not set has no end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// Tokens of all requests and answers.
    pub tokens: Option<u64>,
    /// What these may cost.
    pub cost: Option<Usd>,
    /// How long the turns may take, without the time in which they wait for the user.
    pub time: Option<Duration>,
}

/// One budget of a session, and what is used of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "budget", rename_all = "snake_case")]
pub enum Budget {
    /// Tokens of requests and answers.
    Tokens {
        /// Where it ends.
        limit: u64,
        /// How many are used.
        used: u64,
    },
    /// Money.
    Cost {
        /// Where it ends, in US dollars.
        limit_usd: Usd,
        /// How many are used, as far as prices are known.
        used_usd: Usd,
    },
    /// Time.
    Time {
        /// Where it ends, in milliseconds.
        limit_ms: u64,
        /// How many are used.
        used_ms: u64,
    },
}

impl Budget {
    /// How many hundredths are used, never rounded up.
    #[must_use]
    pub fn hundredths(&self) -> u64 {
        match *self {
            Self::Tokens { limit, used } => hundredths(used, limit),
            Self::Cost { limit_usd, used_usd } => used_usd.hundredths_of(limit_usd),
            Self::Time { limit_ms, used_ms } => hundredths(used_ms, limit_ms),
        }
    }

    /// Whether nothing is left of it.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.hundredths() >= 100
    }

    /// Whether little is left of it, or nothing.
    #[must_use]
    pub fn is_nearly_spent(&self) -> bool {
        self.hundredths() >= NEARLY
    }

    /// What it is called: `token budget`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tokens { .. } => "token budget",
            Self::Cost { .. } => "money budget",
            Self::Time { .. } => "time budget",
        }
    }

    /// What is used of it, to the last token: `81,204 of 100,000 tokens`, `$0.31 of $0.50`,
    /// `4:05 of 10:00 min`.
    #[must_use]
    pub fn used(&self) -> String {
        match *self {
            Self::Tokens { limit, used } => {
                format!("{} of {} tokens", grouped(used), grouped(limit))
            }
            Self::Cost { limit_usd, used_usd } => format!("{used_usd} of {limit_usd}"),
            Self::Time { limit_ms, used_ms } => {
                format!("{} of {} min", minutes(used_ms), minutes(limit_ms))
            }
        }
    }

    /// How it is raised.
    #[must_use]
    pub fn raise(&self) -> &'static str {
        match self {
            Self::Tokens { .. } => "--max-tokens, or `tokens` in [budget]",
            Self::Cost { .. } => "--max-cost, or `cost` in [budget]",
            Self::Time { .. } => "--max-time, or `minutes` in [budget]",
        }
    }
}

/// `4:05`; of an hour and more also in minutes.
fn minutes(ms: u64) -> String {
    format!("{}:{:02}", ms / 60_000, ms % 60_000 / 1_000)
}

/// What a session has used so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// What all responses cost in US dollars, if the price of each is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<Usd>,
    /// Whether tokens, and with them the cost, are in part our own estimate.
    #[serde(default)]
    pub estimated: bool,
    /// The budgets that are set. That of money only where it can be kept: where prices are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
}

impl Spent {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.cost_usd.is_none() && self.budgets.is_empty()
    }

    /// The budget of which the least is left.
    #[must_use]
    pub fn nearest(&self) -> Option<&Budget> {
        // Of several that are as far, the first.
        self.budgets.iter().rev().max_by_key(|budget| budget.hundredths())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(dollars: f64) -> Usd {
        Usd::new(dollars).unwrap()
    }

    #[test]
    fn what_is_used_is_said_exactly_and_never_rounded_up() {
        let tokens = Budget::Tokens { limit: 100_000, used: 81_204 };
        assert_eq!((tokens.used().as_str(), tokens.hundredths()), ("81,204 of 100,000 tokens", 81));
        let cost = Budget::Cost { limit_usd: usd(0.5), used_usd: usd(0.31) };
        assert_eq!((cost.used().as_str(), cost.hundredths()), ("$0.31 of $0.50", 62));
        let time = Budget::Time { limit_ms: 600_000, used_ms: 245_999 };
        assert_eq!((time.used().as_str(), time.hundredths()), ("4:05 of 10:00 min", 40));
    }

    #[test]
    fn a_budget_is_spent_at_its_end_and_not_before() {
        for (used, nearly, spent) in
            [(799, false, false), (800, true, false), (999, true, false), (1_000, true, true)]
        {
            let budget = Budget::Tokens { limit: 1_000, used };
            assert_eq!((budget.is_nearly_spent(), budget.is_spent()), (nearly, spent), "{used}");
        }
        assert!(Budget::Time { limit_ms: 0, used_ms: 0 }.is_spent());
        assert!(Budget::Tokens { limit: u64::MAX, used: u64::MAX }.is_spent());
    }

    #[test]
    fn the_nearest_is_the_one_of_which_the_least_is_left() {
        let tokens = Budget::Tokens { limit: 100, used: 40 };
        let time = Budget::Time { limit_ms: 100, used_ms: 50 };
        let spent = |budgets: Vec<Budget>| Spent { budgets, ..Spent::default() };
        assert_eq!(spent(vec![tokens, time]).nearest(), Some(&time));
        let as_far = Budget::Time { limit_ms: 100, used_ms: 40 };
        assert_eq!(spent(vec![tokens, as_far]).nearest(), Some(&tokens));
        assert_eq!(spent(Vec::new()).nearest(), None);
    }
}
