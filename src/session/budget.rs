//! What a session may use, and what it has used: tokens, money, time. Pure.
//!
//! Owns the sums and what was said of them. Must not know models, servers or clocks: it is told
//! what a response took, what that costs, and how long turns worked.
//!
//! Invariant: everything that is told counts once, and a sum never falls but in a new session.

use std::time::Duration;

use crate::protocol::{
    budget::{Budget, Budgets, Spent},
    cost::{Price, Usd},
    usage::TokenUsage,
};

/// What a session may use, and what it has used.
#[derive(Clone, Debug, Default)]
pub struct Spending {
    budgets: Budgets,
    used: Used,
    /// How long the present turn works.
    this_turn: Duration,
    /// Of which budgets the user was told that little is left.
    told: Kinds,
    /// The same for the model.
    noted: Kinds,
    /// Whether the user was told that the budget of money cannot be kept.
    told_unknown: bool,
}

#[derive(Clone, Debug, Default)]
struct Used {
    tokens: u64,
    /// What the responses cost whose price is known.
    known: Usd,
    /// Whether there were responses whose price is known, and such whose is not.
    has_known: bool,
    has_unknown: bool,
    /// Whether tokens are in part our own estimate.
    estimated: bool,
    /// How long the turns before worked.
    time: Duration,
}

/// A set of budgets.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    tokens: bool,
    cost: bool,
    time: bool,
}

impl Kinds {
    /// Adds this one; gives whether it is new.
    fn insert(&mut self, budget: &Budget) -> bool {
        let known = match budget {
            Budget::Tokens { .. } => &mut self.tokens,
            Budget::Cost { .. } => &mut self.cost,
            Budget::Time { .. } => &mut self.time,
        };
        !std::mem::replace(known, true)
    }
}

impl Spending {
    /// Nothing is used yet of these.
    #[must_use]
    pub fn new(budgets: Budgets) -> Self {
        Self { budgets, ..Self::default() }
    }

    /// A new session: the same budgets, whole again.
    pub(super) fn begin_anew(&mut self) {
        *self = Self::new(self.budgets);
    }

    /// Counts a response, whatever became of it. `estimated`: nobody counted its tokens.
    pub fn respond(&mut self, usage: TokenUsage, price: Option<Price>, estimated: bool) {
        let used = &mut self.used;
        used.tokens = used.tokens.saturating_add(usage.total());
        used.estimated |= estimated;
        match price {
            Some(price) => {
                used.known = used.known.plus(price.cost(usage));
                used.has_known = true;
            }
            None => used.has_unknown = true,
        }
    }

    /// The present turn has worked for so long, without the time in which it waited for the user.
    pub fn work(&mut self, this_turn: Duration) {
        self.this_turn = this_turn;
    }

    /// The present turn is over.
    pub fn end_turn(&mut self) {
        self.used.time = self.time();
        self.this_turn = Duration::ZERO;
    }

    /// How long the turns may still work; none if that has no end.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.budgets.time?.saturating_sub(self.time()))
    }

    /// The same, with the budget as it is then.
    #[must_use]
    pub fn end_of_time(&self) -> Option<(Duration, Budget)> {
        let limit_ms = millis(self.budgets.time?);
        Some((self.time_left()?, Budget::Time { limit_ms, used_ms: limit_ms }))
    }

    /// The first budget of which nothing is left.
    #[must_use]
    pub fn spent_budget(&self) -> Option<Budget> {
        self.all().find(Budget::is_spent)
    }

    /// The same, were this the count of the response that still comes.
    #[must_use]
    pub fn spent_with(&self, usage: TokenUsage, price: Option<Price>) -> Option<Budget> {
        let mut then = self.clone();
        then.respond(usage, price, false);
        then.spent_budget()
    }

    /// The budgets of which little is left and the user was not told so.
    pub fn news(&mut self) -> Vec<Budget> {
        let mut told = self.told;
        let news = self.running_out().filter(|budget| told.insert(budget)).collect();
        self.told = told;
        news
    }

    /// The same for the model.
    pub fn notes(&mut self) -> Vec<Budget> {
        let mut noted = self.noted;
        let notes = self.running_out().filter(|budget| noted.insert(budget)).collect();
        self.noted = noted;
        notes
    }

    /// The budget of money, if it cannot be kept as nobody knows the price, and the user was not
    /// told so.
    pub fn unkept(&mut self) -> Option<Usd> {
        let cost = self.budgets.cost?;
        (!std::mem::replace(&mut self.told_unknown, true)).then_some(cost)
    }

    /// All of it, for whoever shows it.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let used = &self.used;
        let is_kept = |budget: &Budget| !matches!(budget, Budget::Cost { .. }) || !used.has_unknown;
        Spent {
            cost_usd: (used.has_known && !used.has_unknown).then_some(used.known),
            estimated: used.estimated,
            budgets: self.all().filter(is_kept).collect(),
        }
    }

    fn running_out(&self) -> impl Iterator<Item = Budget> {
        self.all().filter(|budget| budget.is_nearly_spent() && !budget.is_spent())
    }

    /// The budgets that are set.
    fn all(&self) -> impl Iterator<Item = Budget> {
        let (budgets, used) = (self.budgets, &self.used);
        let tokens = budgets.tokens.map(|limit| Budget::Tokens { limit, used: used.tokens });
        let cost = budgets.cost.map(|limit_usd| Budget::Cost { limit_usd, used_usd: used.known });
        let time = budgets
            .time
            .map(|limit| Budget::Time { limit_ms: millis(limit), used_ms: millis(self.time()) });
        [tokens, cost, time].into_iter().flatten()
    }

    fn time(&self) -> Duration {
        self.used.time.saturating_add(self.this_turn)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
