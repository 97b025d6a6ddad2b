//! The provider that is made when it is needed, so that the start of the program waits for
//! nothing: from the settings, from what is found on this machine, or the demo; and again after a
//! failure that a change of the settings can mend.
//!
//! Owns the choice of who answers: the missing key, the model that is not chosen, the search.
//! Invariant: only one choice is made at a time, and everybody who needs it waits for that one.

mod found;
mod server;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, ready},
    stream,
};
use tokio::sync::Notify;

use super::Loader;
use crate::{
    config::{Config, ModelChoice, Search, Server},
    protocol::{about::About, exit::ErrorKind},
    provider::{
        Delta, DeltaStream, Provider, ProviderError, Remark, Request, Window,
        openai::OpenAi,
        scripted::{Script, Scripted},
    },
};

/// Makes the provider when it is needed.
pub(super) struct Lazy {
    loader: Loader,
    demo: Arc<Scripted>,
    making: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    has_news: Notify,
}

#[derive(Default)]
struct State {
    made: Option<Made>,
    /// What the user chose in the program: above all settings.
    chosen: Option<String>,
    /// What is known before anything is made.
    planned: Option<About>,
    /// Why the server gets no key, although there is one.
    withheld: Option<String>,
    /// What the user should know of the choice.
    news: Option<String>,
    /// Whether the choice takes a search, and the program has not begun it.
    must_search: bool,
}

/// Who answers.
#[derive(Clone)]
enum Made {
    Server(Arc<OpenAi>),
    Demo(Arc<Scripted>),
}

impl Made {
    fn provider(&self) -> &dyn Provider {
        match self {
            Self::Server(server) => &**server,
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
            Some((ModelChoice::Server(server), _)) => state.planned = Some(server::about(server)),
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
            state: Mutex::new(state),
            has_news: Notify::new(),
        })
    }

    /// Makes the choice now, if that takes a search.
    pub(super) async fn search(&self) {
        if std::mem::take(&mut self.lock().must_search) {
            // What goes wrong here goes wrong again with the first request, and is told then.
            let _chosen = self.made().await.is_ok();
        }
    }

    /// What the user should know of the last choice, and was not told.
    pub(super) fn take_news(&self) -> Option<String> {
        self.lock().news.take()
    }

    /// The same, as soon as there is any. Cancel-safe.
    pub(super) async fn news(&self) -> String {
        loop {
            if let Some(news) = self.take_news() {
                return news;
            }
            self.has_news.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who answers, chosen now if nobody is.
    async fn made(&self) -> Result<Made, ProviderError> {
        let _alone = self.making.lock().await;
        if let Some(made) = self.lock().made.clone() {
            return Ok(made);
        }
        let (server, news) = self.server().await?;
        let made = match server {
            Some(server) => Made::Server(self.connect(&server).await?),
            None => Made::Demo(Arc::clone(&self.demo)),
        };
        let mut state = self.lock();
        state.made = Some(made.clone());
        if news.is_some() {
            state.news = news;
            self.has_news.notify_one();
        }
        Ok(made)
    }

    /// The server that is set or found, and what the user should know of the search.
    async fn server(&self) -> Result<(Option<Box<Server>>, Option<String>), ProviderError> {
        let config = load(&self.loader)?;
        if let ModelChoice::Server(server) = config.model {
            return Ok((Some(server), None));
        }
        let found = found::search(&config.search).await;
        let news = found::notice(&config.search, found.as_ref());
        let Some(found) = found else { return Ok((None, Some(news))) };
        // As if its flags had been given, so that all other settings hold for it too.
        let config = load(&self.loader.named(found.base_url, found.model))?;
        let server = match config.model {
            ModelChoice::Server(server) => Some(server),
            ModelChoice::Unset => None,
        };
        Ok((server, Some(news)))
    }

    async fn connect(&self, server: &Server) -> Result<Arc<OpenAi>, ProviderError> {
        let chosen = {
            let mut state = self.lock();
            state.planned = Some(server::about(server));
            state.withheld.clone_from(&server.key_withheld);
            state.chosen.clone()
        };
        server::check_key(server)?;
        let model = chosen.unwrap_or_else(|| server.model.clone());
        let nameless = model.is_empty();
        let provider = Arc::new(OpenAi::new(server::settings(server, model))?);
        if nameless {
            provider.use_model(server::only_model(&provider).await?);
        }
        Ok(provider)
    }

    async fn begin(&self, request: Request) -> Result<DeltaStream, ProviderError> {
        match self.made().await? {
            Made::Server(server) => {
                let stream = server.stream(request).await?;
                Ok(with_window(server, stream))
            }
            Made::Demo(demo) => demo.stream(request).await,
        }
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

fn load(loader: &Loader) -> Result<Config, ProviderError> {
    loader.load().map_err(|error| {
        let again = "The file is read again with the next prompt.";
        ProviderError::new(ErrorKind::Config, error.to_string(), again)
    })
}

/// The same stream, at whose end the context window is asked for: the model is loaded by then,
/// and never beside a response, since some servers break that one off for any other request.
fn with_window(server: Arc<OpenAi>, stream: DeltaStream) -> DeltaStream {
    let ask = stream::once(async move { server.learn_window().await });
    let notice = |text| Ok(Delta::Remark(Remark::Notice(text)));
    stream.chain(ask.filter_map(move |text| ready(text.map(notice)))).boxed()
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
            about.model.clone_from(chosen);
        }
        about
    }

    fn window(&self) -> Window {
        self.lock().made.as_ref().map_or_else(Window::default, |made| made.provider().window())
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        async move { self.begin(request).await.map_err(|error| self.after(error)) }.boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ProviderError>> {
        async move { self.made().await?.provider().models().await }.boxed()
    }

    fn use_model(&self, model: String) {
        let mut state = self.lock();
        if let Some(made) = &state.made {
            made.provider().use_model(model.clone());
        }
        state.chosen = Some(model);
    }
}

#[cfg(test)]
mod tests;
