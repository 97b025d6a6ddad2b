//! What the tables and the flags take, and what they refuse.

use super::*;

fn file(text: &str) -> Result<BudgetFile, toml::de::Error> {
    toml::from_str(text)
}

fn usd(dollars: f64) -> Usd {
    Usd::new(dollars).unwrap()
}

#[test]
fn a_file_sets_tokens_dollars_and_minutes() {
    let budgets = file("tokens = 100_000\ncost = 0.50\nminutes = 1.5").unwrap().budgets();
    let time = Some(Duration::from_secs(90));
    assert_eq!(budgets, Budgets { tokens: Some(100_000), cost: Some(usd(0.5)), time });
    assert_eq!(file("").unwrap().budgets(), Budgets::default());
    assert_eq!(file("cost = 2").unwrap().budgets().cost, Some(usd(2.0)));
    assert_eq!(file("minutes = 10").unwrap().budgets().time, Some(Duration::from_mins(10)));
}

#[test]
fn nothing_and_less_than_nothing_and_no_number_are_refused() {
    for text in [
        "tokens = 0",
        "tokens = -1",
        "tokens = 1.5",
        "tokens = '100k'",
        "cost = 0",
        "cost = -0.5",
        "cost = nan",
        "cost = inf",
        "cost = 1e-13",
        "cost = 1e7",
        "minutes = 0",
        "minutes = -1",
        "minutes = nan",
        "minutes = inf",
        "minutes = 1e-9",
        "minutes = '10m'",
    ] {
        assert!(file(text).is_err(), "{text}");
    }
}

#[test]
fn what_was_typed_counts_and_else_what_is_less_of_both_files() {
    let more = file("tokens = 200\ncost = 1\nminutes = 5").unwrap();
    let less = file("tokens = 100\ncost = 2").unwrap();
    let none = Budgets::default();
    let both =
        Budgets { tokens: Some(100), cost: Some(usd(1.0)), time: Some(Duration::from_mins(5)) };
    assert_eq!(put_together(none, &more, &less), both);
    assert_eq!(put_together(none, &less, &more), both);
    let typed = Budgets { tokens: Some(999), cost: Some(usd(9.0)), time: None };
    assert_eq!(put_together(typed, &more, &less), Budgets { time: both.time, ..typed });
}

#[test]
fn the_command_line_takes_numbers_with_their_units() {
    for (text, seconds) in [
        ("10m", Some(600)),
        ("90s", Some(90)),
        ("2h", Some(7_200)),
        ("1h30m", Some(5_400)),
        ("1h0m5s", Some(3_605)),
        ("", None),
        ("10", None),
        ("m", None),
        ("0m", None),
        ("-10m", None),
        ("10m5", None),
        ("5m1h", None),
        ("5m5m", None),
        ("10 m", None),
        ("1.5h", None),
        ("10µ", None),
        ("99999999999999999999m", None),
        ("18446744073709551615h", None),
        ("9999999999h", None),
    ] {
        assert_eq!(time(text).ok(), seconds.map(Duration::from_secs), "{text}");
    }
    for (text, number) in [
        ("200000", Some(200_000)),
        ("200_000", Some(200_000)),
        ("0", None),
        ("-5", None),
        ("x", None),
    ] {
        assert_eq!(tokens(text).ok(), number, "{text}");
    }
    for (text, sum) in [
        ("0.50", Some(usd(0.5))),
        ("$2", Some(usd(2.0))),
        ("0", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("0,50", None),
        ("", None),
    ] {
        assert_eq!(dollars(text).ok(), sum, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_an_example() {
    assert!(time("10").unwrap_err().contains("with its unit, like 10m"));
    assert!(tokens("0").unwrap_err().contains("above 0, like 200000"));
    assert!(dollars("nan").unwrap_err().contains("above 0, like 0.50"));
}

#[test]
fn a_price_needs_what_goes_in_and_what_comes_out() {
    let price = |text: &str| toml::from_str::<PriceFile>(text).unwrap();
    let whole = price("input = 0.15\noutput = 0.60");
    assert_eq!(whole.fault(), None);
    let own = whole.price(Some("m".into())).unwrap();
    let of = |dollars: f64| PerMillion::new(dollars).unwrap();
    assert_eq!(own.rates, Rates { input: of(0.15), cached: None, output: of(0.6) });
    assert!(own.is_of("m") && !own.is_of("other"));
    assert!(whole.price(None).unwrap().is_of("any"));
    assert!(price("output = 1").fault().unwrap().contains("has no `input`"));
    assert!(price("input = 1\ncached = 1").fault().unwrap().contains("has no `output`"));
    assert_eq!((price("").fault(), price("").price(None)), (None, None));
    assert_eq!(price("input = 0\noutput = 0").fault(), None, "what costs nothing has a price");
    for wrong in ["input = -1", "output = nan", "cached = inf", "input = 'x'"] {
        assert!(toml::from_str::<PriceFile>(wrong).is_err(), "{wrong}");
    }
}
