//! Asks the servers in reach for their models: the one of the settings with its key, and whatever
//! a search finds without one.
//!
//! Owns when that may be done: never beside a response. Invariant: it ends, whoever is silent.

use std::{future::Future, time::Duration};

use futures_util::{
    FutureExt, Stream, StreamExt,
    future::{BoxFuture, ready},
    stream::{self, BoxStream, FuturesUnordered},
};
use tokio::time::timeout;

use super::{Lazy, Made, found, lists, server};
use crate::{
    config::{Config, Server},
    protocol::{
        exit::ErrorKind,
        models::{Listing, ServerModels},
    },
    provider::{ProviderError, discover::Found, openai::OpenAi},
    run::loader::UNUSABLE,
};

/// How long the server of the settings may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What one of those that are asked told.
enum Told {
    Set(Result<Vec<String>, ProviderError>),
    Found(Option<Found>),
}

impl Lazy {
    /// What is known at once, then what the servers tell, as it comes.
    pub(super) fn list(&self) -> BoxStream<'_, Vec<ServerModels>> {
        let config = match self.load(&self.loader) {
            Ok(config) => config,
            Err(error) => return stream::once(ready(vec![unusable(error)])).boxed(),
        };
        let is_busy = self.line.try_lock().is_err();
        let has_list = {
            let mut state = self.lock();
            if let Some(server) = config.model.server() {
                state.lists.set(server);
            }
            state.lists.begin();
            state.at.as_deref().is_some_and(|at| state.lists.has(at))
        };
        let now = if is_busy { Listing::Waiting } else { Listing::Asking };
        let first = stream::once(ready(self.known(&now)));
        if is_busy && has_list {
            // The list of the server that is busy is good enough.
            return first.boxed();
        }
        let more = async move { self.ask(config).await };
        first.chain(stream::once(more).flatten()).boxed()
    }

    /// Asks everybody, as soon as no response comes any more.
    async fn ask(&self, config: Config) -> impl Stream<Item = Vec<ServerModels>> + Send + '_ {
        let line = self.line.lock().await;
        let asked: FuturesUnordered<BoxFuture<'_, Told>> = FuturesUnordered::new();
        let set = config.model.into_server();
        let set_url = set.as_ref().map(|server| server.base_url.clone());
        if let Some(server) = set {
            asked.push(self.ask_set(*server).map(Told::Set).boxed());
        }
        let search = config.search;
        let is_set =
            move |url: &str| set_url.as_deref().is_some_and(|set| lists::is_same(set, url));
        asked.push(async move { Told::Found(found::search_but(&search, is_set).await) }.boxed());
        let asking = stream::once(ready(self.known(&Listing::Asking)));
        let mut left = asked.len();
        let told = asked.map(move |told| {
            let _held = &line;
            left = left.saturating_sub(1);
            self.keep(told);
            if left == 0 { self.lists() } else { self.known(&Listing::Asking) }
        });
        asking.chain(told)
    }

    fn ask_set(&self, set: Server) -> impl Future<Output = Result<Vec<String>, ProviderError>> {
        let made = {
            let state = self.lock();
            let is_it = state.at.as_deref().is_some_and(|at| lists::is_same(at, &set.base_url));
            state.made.clone().filter(|_| is_it)
        };
        async move {
            let provider = if let Some(Made::Server(provider, _)) = made {
                provider
            } else {
                server::check_key(&set)?;
                OpenAi::new(server::settings(&set))?.into()
            };
            timeout(PATIENCE, provider.models()).await.unwrap_or_else(|_| Err(silent(&set)))
        }
    }

    fn keep(&self, told: Told) {
        let mut state = self.lock();
        match told {
            Told::Set(answer) => state.lists.told(answer),
            Told::Found(found) => {
                let at = state.at.clone();
                state.lists.found(found, at.as_deref());
            }
        }
    }

    /// What is known; something, in any case, for somebody who waits.
    fn known(&self, unknown: &Listing) -> Vec<ServerModels> {
        let mut known = self.lists_with(unknown);
        if known.is_empty() {
            known.push(lists::this_machine(unknown.clone()));
        }
        known
    }
}

fn unusable(error: ProviderError) -> ServerModels {
    let mut unusable = lists::this_machine(Listing::Failed {
        message: format!("{UNUSABLE} {}", error.message),
        hint: error.hint,
    });
    "settings".clone_into(&mut unusable.place);
    unusable
}

fn silent(server: &Server) -> ProviderError {
    ProviderError::new(
        ErrorKind::Timeout,
        format!(
            "{} has not told its models within {} s.",
            server::place(&server.base_url),
            PATIENCE.as_secs()
        ),
        "See whether it runs, and try again.",
    )
}
