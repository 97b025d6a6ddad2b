//! The search for a server when none is set: where it goes, how long it may take, and what is
//! said of how it went. Owns these words; `provider::discover` owns the search itself.

use std::time::Duration;

use crate::{
    config::Search,
    protocol::about::About,
    provider::discover::{Candidate, Found, PATIENCE, discover, usual},
    run::DEMO_NOTICE,
};

/// How long it may take where somebody named the addresses: they may be further away.
const NAMED_PATIENCE: Duration = Duration::from_secs(3);

/// What is known while the search goes on.
pub(super) fn about() -> About {
    About {
        model: String::new(),
        place: "this machine".to_owned(),
        scripted: false,
        context_window: None,
    }
}

pub(super) async fn search(search: &Search) -> Option<Found> {
    match search {
        Search::Off => None,
        Search::Usual => discover(&usual(), PATIENCE).await,
        Search::At(urls) => {
            let candidate = |url: &String| Candidate { name: String::new(), base_url: url.clone() };
            let candidates: Vec<_> = urls.iter().map(candidate).collect();
            discover(&candidates, NAMED_PATIENCE).await
        }
    }
}

/// What the user should know of how it went.
pub(super) fn notice(search: &Search, found: Option<&Found>) -> String {
    match (search, found) {
        (_, Some(found)) => found.notice(),
        (Search::Off, None) => DEMO_NOTICE.to_owned(),
        (_, None) => format!("No model is set, and no model server answers here. {DEMO_NOTICE}"),
    }
}
