//! Money by arithmetic: every expected sum is worked out beside it.

use proptest::prelude::*;

use super::*;

fn usd(dollars: f64) -> Usd {
    Usd::new(dollars).unwrap()
}

fn per_million(dollars: f64) -> PerMillion {
    PerMillion::new(dollars).unwrap()
}

fn rates(input: f64, cached: f64, output: f64) -> Rates {
    let cached = Some(per_million(cached));
    Rates { input: per_million(input), cached, output: per_million(output) }
}

fn usage(prompt: u64, cached: u64, completion: u64) -> TokenUsage {
    TokenUsage { prompt, completion, cached, ..TokenUsage::default() }
}

#[test]
fn a_response_costs_what_its_tokens_cost_by_their_kind() {
    let price = Price::flat(rates(2.5, 0.25, 10.0));
    for (tokens, cost) in [
        (usage(1_000_000, 0, 0), 2.5),
        (usage(1_000_000, 1_000_000, 0), 0.25),
        (usage(0, 0, 1_000_000), 10.0),
        // 600 * 2.5 + 400 * 0.25 + 50 * 10 = 2,100 millionths
        (usage(1_000, 400, 50), 0.0021),
        // more cached than sent cannot be: all of it was
        (usage(1_000, 9_999, 0), 0.00025),
        (usage(0, 0, 0), 0.0),
    ] {
        assert_eq!(price.cost(tokens), usd(cost), "{tokens:?}");
    }
}

#[test]
fn reasoning_is_a_part_of_the_answer_and_costs_nothing_beside_it() {
    let price = Price::flat(rates(1.0, 0.1, 4.0));
    let answer = TokenUsage { completion: 100, reasoning: 60, ..TokenUsage::default() };
    assert_eq!(price.cost(answer), usd(0.0004));
}

#[test]
fn where_nothing_is_said_of_cached_tokens_they_cost_what_others_do() {
    let rates = Rates { cached: None, ..rates(2.0, 0.0, 8.0) };
    assert_eq!(Price::flat(rates).cost(usage(1_000, 900, 0)), usd(0.002));
}

#[test]
fn a_long_request_costs_the_higher_price_as_a_whole() {
    let long = rates(2.0, 0.2, 8.0);
    let price = Price { rates: rates(1.0, 0.1, 4.0), long: Some((200_000, long)) };
    assert_eq!(price.cost(usage(200_000, 0, 1_000)), usd(0.2 + 0.004));
    // 200,001 * 2 + 1,000 * 8 = 408,002 millionths
    assert_eq!(price.cost(usage(200_001, 0, 1_000)), usd(0.408_002));
}

#[test]
fn money_is_short_and_never_rounded_up() {
    for (dollars, words) in [
        (0.0, "$0.00"),
        (0.000_099, "<$0.0001"),
        (0.0001, "$0.0001"),
        (0.000_199, "$0.0001"),
        (0.0134, "$0.0134"),
        (0.013, "$0.013"),
        (0.5, "$0.50"),
        (0.31, "$0.31"),
        (0.999_99, "$0.9999"),
        (1.0, "$1.00"),
        (12.509, "$12.50"),
        (1_000.0, "$1000.00"),
    ] {
        assert_eq!(usd(dollars).to_string(), words);
    }
}

#[test]
fn what_is_no_number_of_dollars_is_none() {
    for wrong in [-0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e6 + 1.0] {
        assert_eq!(Usd::new(wrong), None, "{wrong}");
        assert_eq!(PerMillion::new(wrong), None, "{wrong}");
    }
    assert!(serde_json::from_str::<Usd>("-1").is_err());
}

#[test]
fn the_json_of_money_is_a_number_of_dollars() {
    assert_eq!(serde_json::to_string(&usd(0.0134)).unwrap(), "0.0134");
    assert_eq!(serde_json::from_str::<Usd>("0.5").unwrap(), usd(0.5));
    assert_eq!(serde_json::from_str::<Usd>("2").unwrap(), usd(2.0));
}

#[test]
fn shares_are_whole_hundredths_and_never_rounded_up() {
    assert_eq!(usd(0.4).hundredths_of(usd(0.5)), 80);
    assert_eq!(usd(0.399_999).hundredths_of(usd(0.5)), 79);
    assert_eq!(usd(0.0).hundredths_of(usd(0.0)), 100);
}

proptest! {
    #[test]
    fn no_count_makes_a_cost_overflow_and_more_tokens_never_cost_less(
        prompt: u64, cached: u64, completion: u64, more: u64, price in 0.0_f64..1e6
    ) {
        let price = Price::flat(rates(price, price / 10.0, price));
        let less = price.cost(usage(prompt, cached, completion));
        let longer = usage(prompt, cached, completion.saturating_add(more));
        prop_assert!(price.cost(longer) >= less);
    }

    #[test]
    fn the_cost_of_a_sum_is_the_sum_of_the_costs(
        a in 0_u64..1_000_000, b in 0_u64..1_000_000, c in 0_u64..1_000_000
    ) {
        let price = Price::flat(rates(1.25, 0.125, 10.0));
        let (one, other) = (usage(a, a.min(b), c), usage(b, 0, a));
        let mut both = one;
        both.add(other);
        prop_assert_eq!(price.cost(both), price.cost(one).plus(price.cost(other)));
    }
}
