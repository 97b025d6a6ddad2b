//! The schedule, row by row.

use serde_json::json;

use super::*;
use crate::provider::error::{HttpAnswer, Origin};

fn plain(kind: ErrorKind) -> ProviderError {
    ProviderError::new(kind, "what", "do")
}

fn answer(status: u16, body: &str) -> ProviderError {
    let answer = HttpAnswer { status, retry_after: None, body };
    ProviderError::from_http(&answer, &Origin::default())
}

fn asks(seconds: f64) -> ProviderError {
    let retry_after = Some(Duration::from_secs_f64(seconds));
    ProviderError { retry_after, ..plain(ErrorKind::RateLimit) }
}

fn again(error: &ProviderError) -> bool {
    Schedule::default().next(error, 1.0).is_some()
}

#[test]
fn the_kind_says_whether_the_same_request_can_fare_better() {
    for (kind, expected) in [
        (ErrorKind::Network, true),
        (ErrorKind::Timeout, true),
        (ErrorKind::RateLimit, true),
        (ErrorKind::Server, true),
        (ErrorKind::Auth, false),
        (ErrorKind::Quota, false),
        (ErrorKind::Config, false),
        (ErrorKind::ModelNotFound, false),
        (ErrorKind::BadRequest, false),
        (ErrorKind::Protocol, false),
        (ErrorKind::EmptyResponse, false),
        (ErrorKind::Internal, false),
    ] {
        assert_eq!(again(&plain(kind)), expected, "{}", kind.word());
    }
}

#[test]
fn an_answer_says_it_by_its_status_and_its_words() {
    let error = |message: &str| json!({ "error": { "message": message } }).to_string();
    let quota = json!({ "error": { "message": "You exceeded it", "code": "insufficient_quota" } });
    for (status, body, expected) in [
        (408, String::new(), true),
        (409, String::new(), true),
        (429, String::new(), true),
        (500, String::new(), true),
        (502, "<html><title>Bad Gateway</title></html>".to_owned(), true),
        (503, error("Loading model"), true),
        (504, String::new(), true),
        (529, error("Overloaded"), true),
        (400, error("rate limit exceeded"), true),
        (301, String::new(), false),
        (400, String::new(), false),
        (401, String::new(), false),
        (402, String::new(), false),
        (403, String::new(), false),
        (404, String::new(), false),
        (413, String::new(), false),
        (422, String::new(), false),
        (429, quota.to_string(), false),
        (500, error("the prompt exceeds the context window"), false),
        (500, error("Failed to parse tool call arguments as JSON"), false),
        (501, String::new(), false),
        (505, String::new(), false),
        (200, "<html><title>Hello</title></html>".to_owned(), false),
    ] {
        assert_eq!(again(&answer(status, &body)), expected, "{status} {body}");
    }
}

#[test]
fn what_lasts_is_not_tried_again_whatever_its_kind() {
    let error = || plain(ErrorKind::Server);
    assert!(!again(&ProviderError { context_overflow: true, ..error() }));
    assert!(!again(&ProviderError { content_filter: true, ..error() }));
    assert!(!again(&ProviderError { tools_unsupported: true, ..error() }));
    let certificate = ProviderError { outlook: Outlook::Lasting, ..plain(ErrorKind::Network) };
    assert!(!again(&certificate));
    assert_eq!(Schedule::new(true).next(&certificate, 1.0), None);
}

#[test]
fn a_server_of_this_machine_that_is_not_there_is_waited_for_only_if_it_was_there() {
    let refused = ProviderError { outlook: Outlook::NothingListens, ..plain(ErrorKind::Network) };
    assert_eq!(Schedule::new(false).next(&refused, 1.0), None);
    assert_eq!(Schedule::new(true).next(&refused, 1.0), Some(FIRST));
    let unknown = ProviderError { outlook: Outlook::UnknownName, ..refused.clone() };
    assert_eq!(Schedule::new(false).next(&unknown, 1.0), None, "it is mistyped");
    assert_eq!(Schedule::new(true).next(&unknown, 1.0), Some(FIRST), "the network is gone");
    let mut died = Schedule::new(false);
    assert!(died.next(&plain(ErrorKind::Network), 1.0).is_some());
    assert!(died.next(&refused, 1.0).is_some(), "it broke off a moment ago");
}

#[test]
fn ceilings_double_from_half_a_second_and_five_retries_are_all() {
    let error = plain(ErrorKind::Server);
    for (random, expected) in [
        (1.0, [500, 1_000, 2_000, 4_000, 8_000]),
        (0.5, [250, 500, 1_000, 2_000, 4_000]),
        (0.0, [100; 5]),
        // nothing that a random source could say makes it wait longer or fail
        (7.0, [500, 1_000, 2_000, 4_000, 8_000]),
        (-1.0, [100; 5]),
        (f64::NAN, [500, 1_000, 2_000, 4_000, 8_000]),
        (f64::INFINITY, [500, 1_000, 2_000, 4_000, 8_000]),
    ] {
        let mut schedule = Schedule::default();
        for (n, millis) in (0..).zip(expected) {
            assert_eq!(schedule.retries(), n);
            let wait = schedule.next(&error, random);
            assert_eq!(wait, Some(Duration::from_millis(millis)), "{random}, retry {}", n + 1);
        }
        assert_eq!(schedule.next(&error, random), None, "{random}");
        assert_eq!(schedule.retries(), RETRIES);
    }
}

#[test]
fn a_wait_is_never_shorter_than_the_server_asks_nor_longer_than_a_minute() {
    for (asked, random, expected) in [
        (0.0, 1.0, Some(500)),
        (0.006, 0.0, Some(100)),
        (0.106, 0.0, Some(106)),
        (0.2, 1.0, Some(500)),
        (7.0, 0.5, Some(7_000)),
        (60.0, 0.5, Some(60_000)),
        (60.001, 0.5, None),
        (86_400.0, 0.5, None),
    ] {
        let wait = Schedule::default().next(&asks(asked), random);
        assert_eq!(wait, expected.map(Duration::from_millis), "{asked} s");
    }
}

#[test]
fn a_request_that_is_given_up_says_what_was_tried() {
    let fresh = Schedule::default();
    assert_eq!(fresh.give_up(plain(ErrorKind::Auth)), plain(ErrorKind::Auth));
    let mut tried = Schedule::default();
    while tried.next(&plain(ErrorKind::Server), 0.0).is_some() {}
    assert_eq!(tried.give_up(plain(ErrorKind::Server)).hint, "It was tried 6 times. do");
}
