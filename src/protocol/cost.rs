//! Money and prices: what tokens cost. Owns the arithmetic, which is exact; knows no model and no
//! budget.
//!
//! Invariant: pure and total. Hostile numbers saturate, and no sum is ever rounded: a price in
//! millionths of a dollar for a million tokens is one in millionths of a millionth for a token.

use serde::{Deserialize, Serialize, de::Error as _};

use super::usage::TokenUsage;

/// What a dollar is counted in.
const UNITS: u64 = 1_000_000_000_000;
/// The same as a number with a point.
const UNITS_F: f64 = 1e12;
/// Dollars that can be meant.
const MOST: f64 = 1e6;

/// US dollars, counted in millionths of a millionth. Their JSON is a number of dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Usd(u64);

impl Usd {
    /// So many dollars, from nothing up to a million; none for what is no such number.
    #[must_use]
    pub fn new(dollars: f64) -> Option<Self> {
        // A comparison with what is no number is false.
        if !(0.0..=MOST).contains(&dollars) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is from 0 to 10^18, and whole"
        )]
        let units = (dollars * UNITS_F).round() as u64;
        Some(Self(units))
    }

    /// As a number of dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / UNITS_F
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// How many hundredths of `whole` it is; all of nothing is 100.
    #[must_use]
    pub fn hundredths_of(self, whole: Self) -> u64 {
        hundredths(self.0, whole.0)
    }
}

/// How many hundredths of `whole` a part is, never rounded up; all of nothing is 100.
pub(super) fn hundredths(part: u64, whole: u64) -> u64 {
    if whole == 0 {
        return 100;
    }
    u64::try_from(u128::from(part) * 100 / u128::from(whole)).unwrap_or(u64::MAX)
}

impl From<Usd> for f64 {
    fn from(money: Usd) -> Self {
        money.dollars()
    }
}

impl TryFrom<f64> for Usd {
    type Error = &'static str;

    fn try_from(dollars: f64) -> Result<Self, Self::Error> {
        Self::new(dollars).ok_or("not a number of dollars from 0 to 1,000,000")
    }
}

impl std::fmt::Display for Usd {
    /// `$0.31`, `$0.0134`, `$12.50`: two digits, and of less than a dollar up to four; never
    /// rounded up.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, ten_thousandths) = (self.0 / UNITS, self.0 % UNITS / (UNITS / 10_000));
        let is_less = self.0 > 0 && whole == 0 && ten_thousandths == 0;
        match (whole, ten_thousandths) {
            _ if is_less => f.write_str("<$0.0001"),
            (0, digits) if digits % 10 > 0 => write!(f, "$0.{digits:04}"),
            (0, digits) if digits % 100 > 0 => write!(f, "$0.{:03}", digits / 10),
            (whole, digits) => write!(f, "${whole}.{:02}", digits / 100),
        }
    }
}

/// US dollars for a million tokens; units of [`Usd`] for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerMillion(u64);

impl PerMillion {
    /// So many dollars for a million tokens, from nothing up to a million; none for what is no
    /// such number. Millionths of a dollar count.
    #[must_use]
    pub fn new(dollars: f64) -> Option<Self> {
        Usd::new(dollars).map(|money| Self((money.0 + 500_000) / 1_000_000))
    }
}

impl<'de> Deserialize<'de> for PerMillion {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Self::new(dollars).ok_or_else(|| D::Error::custom("not a number of dollars"))
    }
}

/// What tokens cost by their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Of a request.
    pub input: PerMillion,
    /// Of a request, as far as the server had them in its cache; as others, if it is not said.
    pub cached: Option<PerMillion>,
    /// Of an answer, reasoning included.
    pub output: PerMillion,
}

impl Rates {
    fn cost(&self, usage: TokenUsage) -> Usd {
        let cached = usage.cached.min(usage.prompt);
        let of = |tokens: u64, rate: PerMillion| u128::from(tokens) * u128::from(rate.0);
        let units = of(usage.prompt - cached, self.input)
            .saturating_add(of(cached, self.cached.unwrap_or(self.input)))
            .saturating_add(of(usage.answer(), self.output));
        Usd(u64::try_from(units).unwrap_or(u64::MAX))
    }
}

/// What the user says that tokens cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPrice {
    /// The model that it is said of; of the one in use if none is named.
    pub model: Option<String>,
    /// What they cost.
    pub rates: Rates,
}

impl OwnPrice {
    /// Whether it is said of this model.
    #[must_use]
    pub fn is_of(&self, model: &str) -> bool {
        self.model.as_deref().is_none_or(|named| named == model)
    }
}

/// What a model costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Usually.
    pub rates: Rates,
    /// Where a long request costs more: for one of more tokens than this, all of it and its
    /// answer.
    pub long: Option<(u64, Rates)>,
}

impl Price {
    /// One price for requests of any length.
    #[must_use]
    pub fn flat(rates: Rates) -> Self {
        Self { rates, long: None }
    }

    /// What one response costs.
    #[must_use]
    pub fn cost(&self, usage: TokenUsage) -> Usd {
        match self.long {
            Some((above, long)) if usage.prompt > above => long.cost(usage),
            _ => self.rates.cost(usage),
        }
    }
}

#[cfg(test)]
mod tests;
