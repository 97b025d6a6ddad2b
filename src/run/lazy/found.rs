//! The search for a server when none is set: where it goes, how long it may take, and what is
//! said of how it went. Owns these words; `provider::discover` owns the search itself.

use std::time::Duration;

use crate::{
    config::Search,
    protocol::{about::About, exit::ErrorKind},
    provider::{
        ProviderError,
        discover::{Candidate, Found, PATIENCE, discover, usual},
    },
    run::DEMO_NOTICE,
};

/// What to do without a model.
const SET_ONE: &str = "\
Name one: --base-url http://localhost:11434/v1 --model NAME (Ollama; LM Studio: port 1234), or \
--model NAME with OPENAI_API_KEY set; or start a server on this machine. --demo plays the built-in \
demo.";

/// How long it may take where somebody named the addresses: they may be further away.
const NAMED_PATIENCE: Duration = Duration::from_secs(3);
/// How long it may take when somebody asked for it: a server that is busy answers late.
const ASKED_PATIENCE: Duration = Duration::from_secs(1);

/// What is known while the search goes on.
pub(super) fn about() -> About {
    About {
        model: String::new(),
        place: "this machine".to_owned(),
        scripted: false,
        context_window: None,
    }
}

/// What is known when there is no model, and no search for one.
pub(super) fn nobody() -> About {
    About { model: "no model".to_owned(), ..about() }
}

/// Why a prompt is not answered, where no demo stands in for a model.
pub(super) fn no_model(search: &Search) -> ProviderError {
    let message = match search {
        Search::Off => "No model is set, and none is looked for.",
        Search::Usual | Search::At(_) => "No model is set, and no model server answers here.",
    };
    ProviderError::new(ErrorKind::Config, message, SET_ONE)
}

pub(super) async fn search(search: &Search) -> Option<Found> {
    discover(&candidates(search), patience(search, PATIENCE)).await
}

/// The same with more patience, and without the servers that are asked in another way.
pub(super) async fn search_but(search: &Search, others: impl Fn(&str) -> bool) -> Option<Found> {
    let mut candidates = candidates(search);
    candidates.retain(|candidate| !others(&candidate.base_url));
    discover(&candidates, patience(search, ASKED_PATIENCE)).await
}

fn candidates(search: &Search) -> Vec<Candidate> {
    match search {
        Search::Off => Vec::new(),
        Search::Usual => usual(),
        Search::At(urls) => {
            let candidate = |url: &String| Candidate { name: String::new(), base_url: url.clone() };
            urls.iter().map(candidate).collect()
        }
    }
}

fn patience(search: &Search, usual: Duration) -> Duration {
    if matches!(search, Search::At(_)) { NAMED_PATIENCE } else { usual }
}

/// What the user should know of how it went; `attended`: on a screen, where `/model` is at hand.
pub(super) fn notice(search: &Search, found: Option<&Found>, attended: bool) -> String {
    match (search, found) {
        (_, Some(found)) if attended && found.has_several() => found.notice_on_screen(),
        (_, Some(found)) => found.notice(),
        (Search::Off, None) => DEMO_NOTICE.to_owned(),
        (_, None) => format!("No model is set, and no model server answers here. {DEMO_NOTICE}"),
    }
}
