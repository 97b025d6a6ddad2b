//! Budgets by arithmetic: where each ends exactly, and what is said of it how often.

use proptest::prelude::*;

use super::*;
use crate::protocol::cost::{PerMillion, Rates};

fn usd(dollars: f64) -> Usd {
    Usd::new(dollars).unwrap()
}

fn usage(prompt: u64, completion: u64) -> TokenUsage {
    TokenUsage { prompt, completion, ..TokenUsage::default() }
}

/// A dollar for a million tokens of any kind.
fn price() -> Price {
    let dollar = PerMillion::new(1.0).unwrap();
    Price::flat(Rates { input: dollar, cached: None, output: dollar })
}

fn of(tokens: Option<u64>, cost: Option<f64>, seconds: Option<u64>) -> Spending {
    let time = seconds.map(Duration::from_secs);
    Spending::new(Budgets { tokens, cost: cost.map(usd), time })
}

#[test]
fn without_a_budget_nothing_is_ever_spent() {
    let mut spending = of(None, None, None);
    spending.respond(usage(u64::MAX, u64::MAX), Some(price()), true);
    spending.work(Duration::MAX);
    assert_eq!((spending.spent_budget(), spending.time_left()), (None, None));
    assert_eq!((spending.news(), spending.notes()), (Vec::new(), Vec::new()));
}

#[test]
fn tokens_of_requests_and_answers_count_together() {
    for (prompt, completion, spent) in [(900, 99, false), (900, 100, true), (0, 1_000, true)] {
        let mut spending = of(Some(1_000), None, None);
        spending.respond(usage(prompt, completion), None, false);
        let budget = Budget::Tokens { limit: 1_000, used: prompt + completion };
        assert_eq!(spending.spent_budget(), spent.then_some(budget));
    }
}

#[test]
fn reasoning_is_a_part_of_the_answer_and_counts_once() {
    let mut spending = of(Some(1_000), None, None);
    let answer = TokenUsage { completion: 600, reasoning: 500, ..TokenUsage::default() };
    spending.respond(answer, None, false);
    assert_eq!(spending.spent().budgets, [Budget::Tokens { limit: 1_000, used: 600 }]);
}

#[test]
fn money_is_spent_at_the_last_token_and_not_before() {
    // 500,000 tokens at a dollar a million
    for (tokens, spent) in [(499_999, false), (500_000, true)] {
        let mut spending = of(None, Some(0.5), None);
        spending.respond(usage(tokens, 0), Some(price()), false);
        assert_eq!(spending.spent_budget().is_some(), spent, "{tokens}");
    }
}

#[test]
fn time_counts_over_turns_and_only_once_each() {
    let mut spending = of(None, None, Some(10));
    spending.work(Duration::from_secs(3));
    spending.work(Duration::from_secs(4));
    assert_eq!(spending.time_left(), Some(Duration::from_secs(6)));
    spending.end_turn();
    spending.end_turn();
    spending.work(Duration::from_millis(5_999));
    assert_eq!(spending.spent_budget(), None);
    spending.work(Duration::from_secs(6));
    let spent = Budget::Time { limit_ms: 10_000, used_ms: 10_000 };
    assert_eq!(spending.spent_budget(), Some(spent));
    assert_eq!(spending.time_left(), Some(Duration::ZERO));
}

#[test]
fn that_little_is_left_is_said_once_to_the_user_and_once_to_the_model() {
    let mut spending = of(Some(1_000), None, Some(10));
    spending.respond(usage(799, 0), None, false);
    assert_eq!(spending.news(), []);
    spending.respond(usage(1, 0), None, false);
    let tokens = Budget::Tokens { limit: 1_000, used: 800 };
    assert_eq!((spending.news(), spending.news()), (vec![tokens], vec![]));
    assert_eq!((spending.notes(), spending.notes()), (vec![tokens], vec![]));
    spending.work(Duration::from_secs(8));
    assert_eq!(spending.news(), [Budget::Time { limit_ms: 10_000, used_ms: 8_000 }]);
}

#[test]
fn of_a_budget_that_is_spent_at_once_nothing_is_said_before() {
    let mut spending = of(Some(1_000), None, None);
    spending.respond(usage(1_000, 0), None, false);
    assert_eq!((spending.news(), spending.notes()), (vec![], vec![]));
}

#[test]
fn where_a_price_is_not_known_no_sum_is_told_and_what_is_known_still_ends_the_budget() {
    let mut spending = of(None, Some(0.5), None);
    assert_eq!(spending.spent().cost_usd, None, "nothing was sent");
    spending.respond(usage(400_000, 0), Some(price()), false);
    let kept = Budget::Cost { limit_usd: usd(0.5), used_usd: usd(0.4) };
    assert_eq!((spending.spent().cost_usd, spending.spent().budgets), (Some(usd(0.4)), vec![kept]));
    spending.respond(usage(400_000, 0), None, false);
    assert_eq!((spending.spent().cost_usd, spending.spent().budgets), (None, vec![]));
    assert_eq!(spending.spent_budget(), None);
    spending.respond(usage(100_000, 0), Some(price()), false);
    assert!(spending.spent_budget().is_some());
}

#[test]
fn that_money_cannot_be_counted_is_said_once_and_only_where_it_matters() {
    assert_eq!(of(Some(1), None, None).unkept(), None);
    let mut spending = of(None, Some(0.5), None);
    assert_eq!((spending.unkept(), spending.unkept()), (Some(usd(0.5)), None));
}

#[test]
fn an_estimate_stays_one() {
    let mut spending = of(None, None, None);
    spending.respond(usage(1, 1), Some(price()), true);
    spending.respond(usage(1, 1), Some(price()), false);
    assert!(spending.spent().estimated);
}

#[test]
fn a_new_session_has_its_budgets_whole_and_is_told_anew() {
    let mut spending = of(Some(1_000), Some(0.5), Some(10));
    spending.respond(usage(900_000, 0), Some(price()), true);
    spending.work(Duration::from_secs(9));
    spending.news();
    spending.notes();
    spending.unkept();
    spending.begin_anew();
    assert_eq!(spending.spent(), of(Some(1_000), Some(0.5), Some(10)).spent());
    spending.respond(usage(900, 0), None, false);
    assert_eq!((spending.news().len(), spending.notes().len()), (1, 1));
    assert!(spending.unkept().is_some());
}

#[test]
fn what_would_be_spent_is_told_without_counting_it() {
    let spending = of(Some(1_000), None, None);
    assert_eq!(spending.spent_with(usage(999, 0), None), None);
    let budget = Budget::Tokens { limit: 1_000, used: 1_000 };
    assert_eq!(spending.spent_with(usage(999, 1), None), Some(budget));
    assert_eq!(spending.spent(), of(Some(1_000), None, None).spent());
}

proptest! {
    #[test]
    fn a_token_budget_is_spent_exactly_from_its_last_token_on(
        counts in prop::collection::vec((0_u64..5_000, 0_u64..5_000), 0..40), limit in 1_u64..100_000
    ) {
        let mut spending = of(Some(limit), None, None);
        let mut sum = 0;
        for (prompt, completion) in counts {
            spending.respond(usage(prompt, completion), None, false);
            sum += prompt + completion;
            prop_assert_eq!(spending.spent_budget().is_some(), sum >= limit);
        }
    }

    #[test]
    fn hostile_counts_never_make_a_sum_fall(
        counts in prop::collection::vec((any::<u64>(), any::<u64>()), 0..10)
    ) {
        let mut spending = of(Some(u64::MAX), Some(1e6), None);
        let mut before = 0;
        for (prompt, completion) in counts {
            spending.respond(usage(prompt, completion), Some(price()), false);
            let Some(Budget::Tokens { used, .. }) = spending.spent().budgets.first().copied() else {
                panic!("the budget of tokens is the first");
            };
            prop_assert!(used >= before);
            before = used;
        }
    }
}
