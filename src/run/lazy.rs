//! The provider that is made when it is needed, so that the start of the program waits for
//! nothing: from the settings, from what is found on this machine, from what the user chooses of
//! that, or the demo; and again after a failure that a change of the settings can mend.
//!
//! Owns the choice of who answers: the missing key, the model that is not chosen, the search.
//! Invariants: only one choice is made at a time, and everybody who needs it waits for that one; a
//! server that was found and not set gets no key.

mod board;
mod found;
mod listing;
mod lists;
mod making;
mod question;
mod server;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, ready},
    stream::{self, BoxStream},
};
use tokio::sync::Notify;

use super::loader::{self, AGAIN, Loader};
use crate::{
    config::{Config, ModelChoice, Search, Server},
    protocol::{
        about::About,
        cost::Price,
        exit::ErrorKind,
        models::{Listing, ServerModels},
    },
    provider::{
        Delta, DeltaStream, Provider, ProviderError, Remark, Request, Window,
        calling::Calling,
        discover::Found,
        openai::{OpenAi, is_deserted},
        scripted::{Script, Scripted},
    },
};
use board::{Board, News};
use lists::Lists;
use making::Unnamed;
use question::Question;

/// Makes the provider when it is needed.
pub(super) struct Lazy {
    loader: Loader,
    demo: Arc<Scripted>,
    making: tokio::sync::Mutex<()>,
    /// Held by the response that comes, or by a listing: some servers break a response off for any
    /// other request.
    line: Arc<tokio::sync::Mutex<()>>,
    state: Mutex<State>,
    board: Arc<Board>,
    question: Arc<Question>,
    has_choice: Notify,
}

#[derive(Default)]
struct State {
    made: Option<Made>,
    /// Address of the server that answers, or will.
    at: Option<String>,
    /// What the user chose in the program: above all settings.
    chosen: Option<Choice>,
    /// How often the user chose.
    choices: u64,
    /// What is known before anything is made.
    planned: Option<About>,
    /// Why the server gets no key, although there is one.
    withheld: Option<String>,
    /// Whether the choice takes a search, and the program has not begun it.
    must_search: bool,
    /// Whether somebody is there who can choose.
    attended: bool,
    /// Whether it is a model that has to answer, or nobody.
    insists: bool,
    lists: Lists,
}

/// What the user chose.
#[derive(Clone)]
struct Choice {
    /// The address, if it is not the server of the settings.
    elsewhere: Option<String>,
    model: String,
}

/// Who answers.
#[derive(Clone)]
enum Made {
    Server(Arc<OpenAi>, Calling),
    Demo(Arc<Scripted>),
}

impl Made {
    fn provider(&self) -> &dyn Provider {
        match self {
            Self::Server(_, calling) => calling,
            Self::Demo(demo) => &**demo,
        }
    }
}

impl Lazy {
    /// `loaded` is what the loader gave just now; `root` is the folder that the demo plays in.
    pub(super) fn new(
        loader: Loader,
        loaded: Option<&Config>,
        root: &Path,
    ) -> Result<Self, ProviderError> {
        let demo = Arc::new(Scripted::new(Script::demo()?, root));
        let mut state = State::default();
        match loaded.map(|config| (&config.model, &config.search)) {
            Some((ModelChoice::Server(server), _)) => {
                state.planned = Some(server::about(server));
                state.at = Some(server.base_url.clone());
            }
            Some((ModelChoice::Unset, Search::Off)) => {
                state.made = Some(Made::Demo(Arc::clone(&demo)));
            }
            Some((ModelChoice::Unset, _)) => {
                state.planned = Some(found::about());
                state.must_search = true;
            }
            None => {}
        }
        Ok(Self {
            loader,
            demo,
            making: tokio::sync::Mutex::default(),
            line: Arc::default(),
            state: Mutex::new(state),
            board: Arc::default(),
            question: Arc::default(),
            has_choice: Notify::new(),
        })
    }

    /// From now on somebody is there who can choose.
    pub(super) fn attend(&self) {
        let mut state = self.lock();
        state.attended = true;
        // A server of which no model is named is asked at once, so that one can be chosen.
        let is_nameless = |about: &About| about.model.is_empty();
        state.must_search |= state.planned.as_ref().is_some_and(is_nameless);
    }

    /// From now on the demo does not stand in for a model that is missing: nobody looks on who
    /// would see that it is one.
    pub(super) fn insist(&self) {
        let mut state = self.lock();
        state.insists = true;
        if matches!(state.made, Some(Made::Demo(_))) {
            (state.made, state.planned) = (None, Some(found::nobody()));
        }
    }

    /// Makes the choice now, if that takes a search.
    pub(super) async fn search(&self) {
        if std::mem::take(&mut self.lock().must_search) {
            let Err(error) = self.make(Unnamed::Ask).await else { return };
            if self.lock().attended && !self.board.has_choice() {
                let texts = vec![format!("{error} {}", error.hint)];
                self.board.put(News { texts, choose: false });
            }
        } else if let Some(text) = self.first_look().await {
            self.board.put(News { texts: vec![text], choose: false });
        }
    }

    /// What keeps the server of the settings from answering, as far as it is known without asking
    /// it anything: whoever is there to mend it does so before the first prompt.
    async fn first_look(&self) -> Option<String> {
        if !self.lock().attended {
            return None;
        }
        let server = self.load(&self.loader).ok()?.model.into_server()?;
        if let Err(error) = server::check_key(&server) {
            return Some(format!("{error} {}", error.hint));
        }
        let deserted = is_deserted(&server.base_url).await;
        deserted.then(|| server::deserted(&server))
    }

    /// What the user should know of the last choice, and was not told.
    pub(super) fn take_news(&self) -> Option<News> {
        self.board.take()
    }

    /// The same, as soon as there is any. Cancel-safe.
    pub(super) async fn news(&self) -> News {
        self.board.next().await
    }

    /// The lists that are known.
    pub(super) fn lists(&self) -> Vec<ServerModels> {
        self.lists_with(&Listing::Asking)
    }

    fn lists_with(&self, unknown: &Listing) -> Vec<ServerModels> {
        let state = self.lock();
        state.lists.all(state.at.as_deref(), unknown)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self, loader: &Loader) -> Result<Config, ProviderError> {
        loader.load().map_err(|error| {
            let then = if self.lock().attended { AGAIN } else { "then run this again." };
            let hint = loader::hint(&error, then);
            ProviderError::new(ErrorKind::Config, error.to_string(), hint)
        })
    }

    async fn made(&self) -> Result<Made, ProviderError> {
        self.make(Unnamed::Await).await
    }

    async fn begin(&self, request: Request) -> Result<DeltaStream, ProviderError> {
        match self.made().await? {
            Made::Server(server, calling) => {
                self.question.end();
                let line = Arc::clone(&self.line).lock_owned().await;
                let stream = calling.stream(request).await?;
                let (question, board) = (Arc::clone(&self.question), Arc::clone(&self.board));
                let ask = stream::once(async move { question.ask(server, board).await });
                let notice = |text| Ok(Delta::Remark(Remark::Notice(text)));
                let stream = stream.chain(ask.filter_map(move |text| ready(text.map(notice))));
                let held = move |delta| {
                    let _held = &line;
                    delta
                };
                Ok(stream.map(held).boxed())
            }
            Made::Demo(demo) => demo.stream(request).await,
        }
    }

    /// Uses this model, there or where we are.
    fn choose(&self, model: String, elsewhere: Option<String>, at: Option<String>) {
        let mut state = self.lock();
        match (&state.made, &at) {
            (Some(made), None) => made.provider().use_model(model.clone()),
            (_, None) => {}
            (_, Some(base_url)) => {
                state.planned = Some(About {
                    model: model.clone(),
                    place: server::place(base_url),
                    scripted: false,
                    context_window: None,
                });
                state.made = None;
                state.at = at;
            }
        }
        state.chosen = Some(Choice { elsewhere, model });
        state.choices += 1;
        drop(state);
        self.has_choice.notify_one();
    }

    /// After a failure that the settings may be the cause of, they are read again. A server that
    /// missed a key gets the reason why there was none.
    fn after(&self, mut error: ProviderError) -> ProviderError {
        let mut state = self.lock();
        if matches!(error.kind, ErrorKind::Config | ErrorKind::Auth | ErrorKind::ModelNotFound) {
            state.made = None;
        }
        if error.kind == ErrorKind::Auth
            && let Some(why) = state.withheld.clone()
        {
            error.hint = why;
        }
        error
    }
}

/// A server as the settings have it, for who wants to talk to it without a session.
pub(super) fn connect(server: &Server) -> Result<OpenAi, ProviderError> {
    server::check_key(server)?;
    OpenAi::new(server::settings(server))
}

/// Looks for a server where the settings say.
pub(super) async fn search(search: &Search) -> Option<Found> {
    found::search(search).await
}

impl Provider for Lazy {
    fn about(&self) -> About {
        let state = self.lock();
        if let Some(made) = &state.made {
            return made.provider().about();
        }
        let mut about = state.planned.clone().unwrap_or_else(|| About {
            model: "no model".to_owned(),
            place: "settings that cannot be used".to_owned(),
            scripted: false,
            context_window: None,
        });
        if let Some(chosen) = &state.chosen {
            about.model.clone_from(&chosen.model);
        }
        about
    }

    fn window(&self) -> Window {
        self.lock().made.as_ref().map_or_else(Window::default, |made| made.provider().window())
    }

    fn price(&self) -> Option<Price> {
        self.lock().made.as_ref().and_then(|made| made.provider().price())
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        async move { self.begin(request).await.map_err(|error| self.after(error)) }.boxed()
    }

    fn use_model(&self, model: String) {
        let elsewhere = self.lock().chosen.as_ref().and_then(|choice| choice.elsewhere.clone());
        self.choose(model, elsewhere, None);
    }

    fn offers(&self) -> BoxStream<'_, Vec<ServerModels>> {
        self.list()
    }

    fn use_offer(&self, base_url: &str, model: String) -> Result<(), ProviderError> {
        let (elsewhere, at) = {
            let state = self.lock();
            let Some((offer, is_set)) = state.lists.find(base_url) else {
                return Err(ProviderError::new(
                    ErrorKind::Config,
                    format!("No server at {base_url} offered a model."),
                    "/model asks again.",
                ));
            };
            let here = state.at.as_deref().is_some_and(|at| lists::is_same(at, base_url));
            let url = offer.base_url.clone();
            ((!is_set).then(|| url.clone()), (!here).then_some(url))
        };
        self.choose(model, elsewhere, at);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
