//! Which servers are the same, which stay, and which is first.

use super::*;
use crate::provider::discover::Candidate;

fn found(servers: &[(&str, &str, &[&str])]) -> Option<Found> {
    let offer = |(name, url, models): &(&str, &str, &[&str])| Offer {
        server: Candidate { name: (*name).to_owned(), base_url: (*url).to_owned() },
        place: url.trim_start_matches("http://").trim_end_matches("/v1").to_owned(),
        models: models.iter().map(|model| (*model).to_owned()).collect(),
    };
    let offers: Vec<_> = servers.iter().map(offer).collect();
    let first = offers.first()?;
    let (base_url, model) = (first.server.base_url.clone(), first.models[0].clone());
    Some(Found { base_url, model, offers })
}

fn places(lists: &Lists, at: Option<&str>) -> Vec<String> {
    lists.all(at, &Listing::Asking).into_iter().map(|offer| offer.place).collect()
}

#[test]
fn this_machine_is_the_same_by_all_its_names() {
    let right = "http://127.0.0.1:11434/v1";
    for url in ["http://localhost:11434/v1/", "HTTP://LOCALHOST:11434/v1", "http://[::1]:11434/v1"]
    {
        assert!(is_same(url, right), "{url}");
    }
    for url in [
        "http://localhost:11435/v1",
        "https://localhost:11434/v1",
        "http://localhost.example.com:11434/v1",
        "http://127.0.0.1:11434",
    ] {
        assert!(!is_same(url, right), "{url}");
    }
}

#[test]
fn the_present_server_is_first_and_stays_though_a_search_misses_it() {
    let (a, b) = ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1");
    let mut lists = Lists::default();
    lists.found(found(&[("A", a, &["x"]), ("B", b, &["y"])]), None);
    assert_eq!(places(&lists, Some(a)), ["127.0.0.1:1", "127.0.0.1:2"]);
    assert_eq!(places(&lists, Some(b)), ["127.0.0.1:2", "127.0.0.1:1"]);
    lists.found(None, Some(b));
    assert_eq!(places(&lists, Some(b)), ["127.0.0.1:2"]);
    assert!(lists.has("http://localhost:2/v1"));
}

#[test]
fn what_no_search_finds_any_more_is_not_offered() {
    let mut lists = Lists::default();
    lists.found(found(&[("Ollama", "http://127.0.0.1:1/v1", &["x"])]), None);
    lists.found(None, None);
    assert_eq!(places(&lists, None), Vec::<String>::new());
}
