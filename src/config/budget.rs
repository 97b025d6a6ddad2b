//! The tables `[budget]` and `[price]`, and what the flags of the same meaning take. Owns their keys
//! and their units; counts nothing.
//!
//! Invariant: a budget is more than nothing; and the budget that is least counts, so that no file of
//! a project can let a session use more than the user's own file allows.

use std::{num::NonZeroU64, time::Duration};

use serde::{Deserialize, Deserializer, de::Error as _};

use crate::protocol::{
    budget::Budgets,
    cost::{OwnPrice, PerMillion, Rates, Usd},
};

/// The keys of `[budget]`.
pub(super) const KEYS: [&str; 3] = ["tokens", "cost", "minutes"];
/// The keys of `[price]`.
pub(super) const PRICE_KEYS: [&str; 3] = ["input", "cached", "output"];

/// Minutes that can be meant: a hundred years.
const MOST_MINUTES: f64 = 52_596_000.0;
const SECONDS: [(char, u64); 3] = [('h', 3_600), ('m', 60), ('s', 1)];

/// The table `[budget]` as it stands in a file. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct BudgetFile {
    tokens: Option<NonZeroU64>,
    cost: Option<Dollars>,
    minutes: Option<Minutes>,
}

/// More than no dollar.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dollars(Usd);

/// More than no time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Minutes(Duration);

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = some_dollars(f64::deserialize(deserializer)?);
        dollars.map(Self).ok_or_else(|| D::Error::custom("not a number of dollars above 0"))
    }
}

impl<'de> Deserialize<'de> for Minutes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let minutes = f64::deserialize(deserializer)?;
        let time = (0.0..=MOST_MINUTES)
            .contains(&minutes)
            .then(|| Duration::from_secs_f64(minutes * 60.0))
            .filter(|time| time.as_millis() > 0);
        time.map(Self).ok_or_else(|| D::Error::custom("not a number of minutes above 0"))
    }
}

fn some_dollars(dollars: f64) -> Option<Usd> {
    Usd::new(dollars).filter(|dollars| *dollars > Usd::default())
}

impl BudgetFile {
    fn budgets(&self) -> Budgets {
        Budgets {
            tokens: self.tokens.map(NonZeroU64::get),
            cost: self.cost.map(|cost| cost.0),
            time: self.minutes.map(|minutes| minutes.0),
        }
    }
}

/// What was typed counts; else of both files what is less.
pub(super) fn put_together(typed: Budgets, project: &BudgetFile, user: &BudgetFile) -> Budgets {
    let (project, user) = (project.budgets(), user.budgets());
    Budgets {
        tokens: typed.tokens.or(least(project.tokens, user.tokens)),
        cost: typed.cost.or(least(project.cost, user.cost)),
        time: typed.time.or(least(project.time, user.time)),
    }
}

fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    one.into_iter().chain(other).min()
}

/// The table `[price]` as it stands in a file: US dollars for a million tokens.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct PriceFile {
    input: Option<PerMillion>,
    cached: Option<PerMillion>,
    output: Option<PerMillion>,
}

impl PriceFile {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is wrong with it as a whole, if anything is.
    pub(super) fn fault(&self) -> Option<String> {
        let missing = match (self.input, self.output) {
            _ if self.is_empty() => return None,
            (None, _) => "input",
            (_, None) => "output",
            _ => return None,
        };
        Some(format!(
            "[price] has no `{missing}`, and without it no cost can be told. Add it: US dollars for \
             a million tokens."
        ))
    }

    /// The price, said of this model: the one that is named beside it.
    pub(super) fn price(&self, model: Option<String>) -> Option<OwnPrice> {
        let rates = Rates { input: self.input?, cached: self.cached, output: self.output? };
        Some(OwnPrice { model, rates })
    }
}

/// Reads a number of tokens from the command line.
///
/// # Errors
/// It is none, or nothing: says what it has to be.
pub fn tokens(text: &str) -> Result<u64, String> {
    let number = text.replace(['_', ','], "").parse::<NonZeroU64>();
    number.map(NonZeroU64::get).map_err(|_| wrong("a whole number of tokens above 0, like 200000"))
}

/// Reads a sum in US dollars from the command line.
///
/// # Errors
/// It is none, or nothing: says what it has to be.
pub fn dollars(text: &str) -> Result<Usd, String> {
    let number = text.strip_prefix('$').unwrap_or(text).parse::<f64>().ok();
    number.and_then(some_dollars).ok_or_else(|| wrong("a number of US dollars above 0, like 0.50"))
}

/// Reads a time from the command line: `10m`, `90s`, `1h30m`.
///
/// # Errors
/// It is none, or nothing, or has no unit: says what it has to be.
pub fn time(text: &str) -> Result<Duration, String> {
    let told = || wrong("a time above 0 with its unit, like 10m, 90s or 1h30m");
    let (mut sum, mut rest, mut units) = (0_u64, text, SECONDS.as_slice());
    while !rest.is_empty() {
        let at = rest.find(|char: char| !char.is_ascii_digit()).ok_or_else(told)?;
        let (number, behind) = rest.split_at_checked(at).ok_or_else(told)?;
        let unit = behind.chars().next().ok_or_else(told)?;
        let place = units.iter().position(|(name, _)| *name == unit).ok_or_else(told)?;
        let (_, seconds) = units.get(place).ok_or_else(told)?;
        let number: u64 = number.parse().map_err(|_| told())?;
        let part = number.checked_mul(*seconds).ok_or_else(told)?;
        sum = sum.checked_add(part).ok_or_else(told)?;
        units = units.get(place + 1..).unwrap_or_default();
        rest = behind.get(unit.len_utf8()..).unwrap_or_default();
    }
    let minutes = sum as f64 / 60.0;
    let fits = sum > 0 && minutes <= MOST_MINUTES;
    fits.then(|| Duration::from_secs(sum)).ok_or_else(told)
}

fn wrong(kind: &str) -> String {
    format!("it has to be {kind}")
}

#[cfg(test)]
mod tests;
