//! A provider that is made from the settings at the first request, so that the start of the
//! program waits for nothing; and again after a failure that a change of the settings can mend.
//!
//! Owns the way from settings to a provider: the missing key, the model that is not chosen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    config::{Config, ConfigError, ModelChoice, OPENAI, Server},
    protocol::{about::About, exit::ErrorKind},
    provider::{
        DeltaStream, Provider, ProviderError, Request,
        openai::{OpenAi, Settings},
    },
};

/// Models that a message names.
const NAMED: usize = 12;

type Load = dyn Fn() -> Result<Config, ConfigError> + Send + Sync;

/// Makes the provider when it is needed.
pub(super) struct Lazy {
    load: Box<Load>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    made: Option<Arc<OpenAi>>,
    /// What the user chose in the program: above all settings.
    chosen: Option<String>,
    /// What the settings said when they were last read.
    planned: Option<About>,
}

impl Lazy {
    pub(super) fn new(
        load: impl Fn() -> Result<Config, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        let lazy = Self { load: Box::new(load), state: Mutex::default() };
        // Reading two small files again is cheaper than carrying their content around.
        let planned = lazy.server().ok().map(|server| About {
            model: server.model.clone(),
            place: place(&server.base_url).to_owned(),
            scripted: false,
            context_window: server.context_window,
        });
        lazy.lock().planned = planned;
        lazy
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self) -> Result<Box<Server>, ProviderError> {
        let config = (self.load)().map_err(|error| {
            ProviderError::new(
                ErrorKind::Config,
                error.to_string(),
                "The file is read again with the next prompt.",
            )
        })?;
        match config.model {
            ModelChoice::Server(server) => Ok(server),
            ModelChoice::Demo => Err(ProviderError::new(
                ErrorKind::Config,
                "No model is set any more.",
                "Start with --model and --base-url, or mend the config file.",
            )),
        }
    }

    /// The provider, made now if it is not there.
    async fn provider(&self) -> Result<Arc<OpenAi>, ProviderError> {
        if let Some(made) = self.lock().made.clone() {
            return Ok(made);
        }
        let server = self.server()?;
        check_key(&server)?;
        let chosen = self.lock().chosen.clone();
        let model = chosen.unwrap_or_else(|| server.model.clone());
        let nameless = model.is_empty();
        let provider = Arc::new(OpenAi::new(settings(&server, model))?);
        if nameless {
            provider.use_model(only_model(&provider).await?);
        }
        self.lock().made = Some(Arc::clone(&provider));
        Ok(provider)
    }

    /// After a failure that the settings may be the cause of, they are read again.
    fn forget_after(&self, error: &ProviderError) {
        if matches!(error.kind, ErrorKind::Config | ErrorKind::Auth | ErrorKind::ModelNotFound) {
            self.lock().made = None;
        }
    }
}

impl Provider for Lazy {
    fn about(&self) -> About {
        let state = self.lock();
        if let Some(made) = &state.made {
            return made.about();
        }
        let mut about = state.planned.clone().unwrap_or_else(|| About {
            model: String::new(),
            place: "settings cannot be used".to_owned(),
            scripted: false,
            context_window: None,
        });
        if let Some(chosen) = &state.chosen {
            about.model.clone_from(chosen);
        }
        about
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        async move {
            let answer = match self.provider().await {
                Ok(provider) => provider.stream(request).await,
                Err(error) => Err(error),
            };
            answer.inspect_err(|error| self.forget_after(error))
        }
        .boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ProviderError>> {
        async move { self.provider().await?.models().await }.boxed()
    }

    fn use_model(&self, model: String) {
        let mut state = self.lock();
        if let Some(made) = &state.made {
            made.use_model(model.clone());
        }
        state.chosen = Some(model);
    }
}

fn settings(server: &Server, model: String) -> Settings {
    Settings {
        base_url: server.base_url.clone(),
        api_key: server.key.clone(),
        key_source: server.key_variable.clone(),
        model,
        context_window: server.context_window,
        connect_timeout: server.connect_timeout,
        idle_timeout: server.idle_timeout,
        user_agent: concat!("mcc-tui/", env!("CARGO_PKG_VERSION")).to_owned(),
        allow_insecure_key: server.allow_insecure_key,
    }
}

fn check_key(server: &Server) -> Result<(), ProviderError> {
    if let Some(why) = &server.key_withheld {
        return Err(ProviderError::new(ErrorKind::Config, format!("{why}."), String::new()));
    }
    if server.key.is_none() && server.base_url.trim_end_matches('/') == OPENAI {
        let variable = &server.key_variable;
        return Err(ProviderError::new(
            ErrorKind::Auth,
            format!("No API key: {variable} is not set, and {OPENAI} needs one."),
            format!(
                "Set {variable} in the environment, or name another variable with `api_key_env` \
                 in ~/.config/mcc-tui/config.toml. A local server needs no key: \
                 --base-url http://localhost:11434/v1"
            ),
        ));
    }
    Ok(())
}

/// The model of a server that offers just one; else the user has to choose.
async fn only_model(provider: &OpenAi) -> Result<String, ProviderError> {
    let mut models = provider.models().await?;
    if models.len() == 1
        && let Some(model) = models.pop()
    {
        return Ok(model);
    }
    let names = models.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let message = match models.len() {
        0 => "No model is set, and the server offers none.".to_owned(),
        n if n > NAMED => format!("No model is set, and the server offers {n}: {names}, …"),
        n => format!("No model is set, and the server offers {n}: {names}."),
    };
    Err(ProviderError::new(
        ErrorKind::Config,
        message,
        "Choose one: --model NAME, MCC_MODEL, or `model` in .mcc-tui/config.toml.",
    ))
}

/// Host and port of an address, for people.
fn place(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
