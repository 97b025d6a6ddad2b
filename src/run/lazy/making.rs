//! Makes who answers: what the user chose, else what is set, else what is found, else the demo.
//!
//! Owns the order of these, and the wait for a model that nobody has named. Must not know when it
//! is made anew. Invariant: what is made is what was chosen last.

use std::sync::Arc;

use super::{Choice, Lazy, Made, News, found, server};
use crate::{
    config::{Config, ModelChoice, Server},
    provider::{Provider, ProviderError, calling::Calling, discover::Found, openai::OpenAi},
};

/// What is done about a model that nobody has named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unnamed {
    /// The user is asked, if there is one, and waited for.
    Await,
    /// The user is asked, if there is one.
    Ask,
}

impl Lazy {
    /// Who answers, chosen now if nobody is.
    pub(super) async fn make(&self, unnamed: Unnamed) -> Result<Made, ProviderError> {
        let _alone = self.making.lock().await;
        loop {
            let (choices, attended) = {
                let state = self.lock();
                if let Some(made) = state.made.clone() {
                    return Ok(made);
                }
                (state.choices, state.attended)
            };
            let (server, news) = self.server().await?;
            let made = match server {
                Some(server) => match self.connect(&server).await? {
                    Ok(api) => Made::Server(Arc::clone(&api), Calling::new(api, server.tools)),
                    Err(unchosen) => {
                        if attended {
                            self.board.put(News { texts: Vec::new(), choose: true });
                        }
                        if !attended || unnamed == Unnamed::Ask {
                            return Err(unchosen);
                        }
                        self.choice_after(choices).await;
                        continue;
                    }
                },
                None => Made::Demo(Arc::clone(&self.demo)),
            };
            let mut state = self.lock();
            if state.choices != choices {
                // It is another one that was chosen meanwhile.
                continue;
            }
            state.made = Some(made.clone());
            drop(state);
            if let Some(news) = news {
                self.board.put(news);
            }
            return Ok(made);
        }
    }

    /// Waits until the user has chosen more often than so. Cancel-safe.
    async fn choice_after(&self, choices: u64) {
        while self.lock().choices == choices {
            self.has_choice.notified().await;
        }
    }

    /// The server that is chosen, set or found, and what the user should know of the search.
    async fn server(&self) -> Result<(Option<Box<Server>>, Option<News>), ProviderError> {
        let config = self.load(&self.loader)?;
        let chosen = self.lock().chosen.clone();
        if let Some(Choice { elsewhere: Some(url), model }) = chosen {
            return Ok((self.found_server(&config, url, model)?, None));
        }
        if let ModelChoice::Server(server) = config.model {
            return Ok((Some(server), None));
        }
        let found = found::search(&config.search).await;
        let (attended, insists) = {
            let state = self.lock();
            (state.attended, state.insists)
        };
        if found.is_none() && insists {
            self.lock().planned = Some(found::nobody());
            return Err(found::no_model(&config.search));
        }
        let text = found::notice(&config.search, found.as_ref(), attended);
        let choose = attended && found.as_ref().is_some_and(Found::has_several);
        let news = News { texts: vec![text], choose };
        self.lock().lists.found(found.clone(), None);
        let Some(found) = found else { return Ok((None, Some(news))) };
        Ok((self.found_server(&config, found.base_url, found.model)?, Some(news)))
    }

    /// As if its flags had been given, so that all other settings hold for it too; but nobody has
    /// named it, so it gets no key.
    fn found_server(
        &self,
        config: &Config,
        base_url: String,
        model: String,
    ) -> Result<Option<Box<Server>>, ProviderError> {
        let named = self.load(&self.loader.named(base_url, model))?;
        let Some(mut server) = named.model.into_server() else { return Ok(None) };
        (server.key, server.key_withheld) = (None, None);
        server.headers.clear();
        if config.model != ModelChoice::Unset {
            // Those are of the model that is set.
            (server.context_window, server.price) = (None, None);
        }
        Ok(Some(server))
    }

    /// Makes the provider for this server; the inner error is that no model is named or chosen,
    /// and that the server offers several.
    async fn connect(
        &self,
        server: &Server,
    ) -> Result<Result<Arc<OpenAi>, ProviderError>, ProviderError> {
        let chosen = {
            let mut state = self.lock();
            state.planned = Some(server::about(server));
            state.at = Some(server.base_url.clone());
            state.withheld.clone_from(&server.key_withheld);
            state.chosen.as_ref().map(|choice| choice.model.clone())
        };
        server::check_key(server)?;
        let provider = Arc::new(OpenAi::new(server::settings(server))?);
        if let Some(model) = chosen {
            provider.use_model(model);
        } else if server.model.is_empty() {
            let models = provider.models().await?;
            let Some(model) = server::only_model(&models) else {
                let unchosen = server::unchosen(&models);
                if models.is_empty() {
                    return Err(unchosen);
                }
                let mut state = self.lock();
                state.lists.set(server);
                state.lists.told(Ok(models));
                return Ok(Err(unchosen));
            };
            provider.use_model(model);
            if self.lock().attended {
                self.board.put(News::default());
            }
        }
        Ok(Ok(provider))
    }
}
