//! Prices of well-known models at their makers. Owns the reading of the table, which is
//! `assets/prices.toml`, and the ways in which a name is written; asks nobody.
//!
//! Invariant: pure, and no price is guessed: a name that is not in the table, or a server that is
//! not its maker's, has none.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Deserialize;

use crate::protocol::cost::{PerMillion, Price, Rates};

const TABLE: &str = include_str!("../../assets/prices.toml");
/// What a maker's own list of models has before the names.
const FOLDER: &str = "models/";

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "maker")]
    makers: Vec<Maker>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Maker {
    hosts: Vec<String>,
    models: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    input: PerMillion,
    cached: Option<PerMillion>,
    output: PerMillion,
    long: Option<Long>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Long {
    above: u64,
    input: PerMillion,
    cached: Option<PerMillion>,
    output: PerMillion,
}

impl Entry {
    fn price(&self) -> Price {
        let Self { input, cached, output, long } = self;
        let rates = Rates { input: *input, cached: *cached, output: *output };
        let long = long.as_ref().map(|long| {
            let rates = Rates { input: long.input, cached: long.cached, output: long.output };
            (long.above, rates)
        });
        Price { rates, long }
    }
}

fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    // A test reads the table, so that what is shipped can be read.
    READ.get_or_init(|| toml::from_str(TABLE).unwrap_or_default())
}

/// What this model costs at this host, if that is its maker's and the price is well known.
pub(super) fn published(host: &str, model: &str) -> Option<Price> {
    let is_here = |maker: &&Maker| maker.hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
    let maker = table().makers.iter().find(is_here)?;
    let model = model.strip_prefix(FOLDER).unwrap_or(model);
    let entry = maker.models.get(model).or_else(|| maker.models.get(undated(model)?))?;
    Some(entry.price())
}

/// The name without the date or the `latest` behind it: `gpt-5-2025-08-07` and
/// `claude-haiku-4-5-20251001`.
fn undated(model: &str) -> Option<&str> {
    let is_number = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (name, last) = model.rsplit_once('-')?;
    if last == "latest" || is_number(last, 8) {
        return Some(name);
    }
    let (name, month) = name.rsplit_once('-')?;
    let (name, year) = name.rsplit_once('-')?;
    (is_number(last, 2) && is_number(month, 2) && is_number(year, 4)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{cost::Usd, usage::TokenUsage};

    /// What a million tokens of requests and of answers cost together.
    fn cost(host: &str, model: &str) -> Option<Usd> {
        // Ten short requests, as a long one may cost more.
        let usage = TokenUsage { prompt: 100_000, completion: 100_000, ..TokenUsage::default() };
        let price = published(host, model)?;
        Some((0..10).map(|_| price.cost(usage)).fold(Usd::default(), Usd::plus))
    }

    fn usd(dollars: f64) -> Option<Usd> {
        Usd::new(dollars)
    }

    #[test]
    fn the_table_that_is_shipped_can_be_read_and_has_makers_with_models() {
        let table: Table = toml::from_str(TABLE).unwrap();
        assert!(table.makers.len() >= 3);
        for maker in &table.makers {
            assert!(!maker.hosts.is_empty() && !maker.models.is_empty());
            for (name, entry) in &maker.models {
                let price = entry.price();
                let short = TokenUsage { prompt: 1_000, ..TokenUsage::default() };
                let cached = TokenUsage { cached: 1_000, ..short };
                assert!(price.cost(cached) <= price.cost(short), "{name}: cached costs more");
                let answer = TokenUsage { completion: 1_000, ..TokenUsage::default() };
                assert!(price.cost(answer) > price.cost(short), "{name}: answers cost less");
            }
        }
    }

    #[test]
    fn a_model_costs_what_its_maker_publishes() {
        for (host, model, dollars) in [
            ("api.openai.com", "gpt-4.1", 2.0 + 8.0),
            ("api.openai.com", "gpt-5-mini", 0.25 + 2.0),
            ("api.anthropic.com", "claude-haiku-4-5", 1.0 + 5.0),
            ("generativelanguage.googleapis.com", "gemini-2.5-flash", 0.3 + 2.5),
        ] {
            assert_eq!(cost(host, model), usd(dollars), "{model}");
        }
    }

    #[test]
    fn a_name_may_have_a_date_behind_it_and_stands_for_nothing_else() {
        let openai = "api.openai.com";
        assert_eq!(cost(openai, "gpt-5-mini-2025-08-07"), cost(openai, "gpt-5-mini"));
        // that one cost more
        assert_eq!(cost(openai, "gpt-4o-2024-05-13"), usd(20.0));
        let google = "generativelanguage.googleapis.com";
        assert_eq!(cost(google, "models/gemini-2.5-flash"), cost(google, "gemini-2.5-flash"));
        let dated = "claude-haiku-4-5-20251001";
        assert_eq!(cost("API.anthropic.com", dated), usd(6.0));
        for other in ["gpt-5-pro", "gpt-5-mini-x", "gpt-5-12-34", "gpt", "", "-latest"] {
            assert_eq!(cost(openai, other), None, "{other}");
        }
    }

    #[test]
    fn elsewhere_than_at_its_maker_a_model_has_no_price_that_is_known() {
        for host in ["openrouter.ai", "localhost", "127.0.0.1", "api.openai.com.evil.example", ""] {
            assert_eq!(cost(host, "gpt-5"), None, "{host}");
        }
    }

    #[test]
    fn a_long_request_costs_more_where_its_maker_says_so() {
        let price = published("generativelanguage.googleapis.com", "gemini-2.5-pro").unwrap();
        let of = |prompt| TokenUsage { prompt, completion: 1_000, ..TokenUsage::default() };
        assert_eq!(Some(price.cost(of(200_000))), usd(0.25 + 0.01));
        // 200,001 * 2.5 + 1,000 * 15 = 515,002.5 millionths
        assert_eq!(Some(price.cost(of(200_001))), usd(0.515_002_5));
    }
}
