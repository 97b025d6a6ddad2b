//! The provider that speaks the chat-completions API through `async-openai`. Owns the connection
//! to one server; this module and those below it alone name the HTTP crates.
//!
//! Knows no sessions, no retry policy and no screen. Invariant: a request is sent once (and again
//! only in another form, after a refusal that says which), neither the key nor a header of the user
//! is in an error or in a log, and dropping a stream or the future before it closes the connection.

mod attempt;
mod chunk;
mod client;
mod endpoint;
mod fault;
mod feed;
mod frames;
mod gate;
mod handover;
mod headers;
mod knock;
mod models;
pub(super) mod peek;
mod quirks;
pub mod reach;
mod reading;
mod request;
mod settings;
mod surrogates;
mod window;

use std::{
    fmt,
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use async_openai::{Client, config::OpenAIConfig};
use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use reqwest::header::HeaderValue;
use serde_json::{Map, Value};
use tokio::time::timeout;

use self::{
    attempt::Attempt,
    endpoint::Endpoint,
    gate::{Gate, Line, Refusal},
    handover::Handover,
    headers::Headers,
    peek::Peek,
    quirks::Quirks,
    reading::Reading,
};
pub use self::{knock::is_deserted, settings::Settings};
use super::{
    DeltaStream, Provider, ProviderError, Request,
    error::{BY_MODEL, HttpAnswer, Origin},
    price, window as size,
};
use crate::{
    protocol::{about::About, cost::Price, exit::ErrorKind},
    text::balance::is_bulky,
};

/// What the program calls itself to servers.
const USER_AGENT: &str = concat!("mcc-tui/", env!("CARGO_PKG_VERSION"));
/// The most bytes of a list of models.
const MAX_LIST: usize = 8 * 1024 * 1024;
/// How long the list of models may take when it is only wanted for a hint.
const HINT_PATIENCE: Duration = Duration::from_secs(3);
/// How many models a hint names.
const HINT_MODELS: usize = 10;

/// A server that speaks chat-completions.
pub struct OpenAi {
    settings: Settings,
    endpoint: Arc<Endpoint>,
    headers: Headers,
    authorization: Option<HeaderValue>,
    body: Arc<Map<String, Value>>,
    model: RwLock<String>,
    quirks: Arc<Quirks>,
    windows: window::Learnt,
    http: OnceLock<reqwest::Client>,
}

impl OpenAi {
    /// Checks the settings. Opens no connection and reads no certificates: that is left to the
    /// first request.
    ///
    /// # Errors
    /// `Config`: the address, the key, a header, a field or the name of a quirk cannot be used, or
    /// a secret would go unencrypted to another machine.
    pub fn new(settings: Settings) -> Result<Self, ProviderError> {
        let endpoint = Endpoint::parse(&settings.base_url)?;
        let settings = settings.tidied(&endpoint);
        let headers = Headers::check(&settings.headers)?;
        settings.check_secrecy(&endpoint, &headers)?;
        settings.check_body()?;
        let quirks = Quirks::named(&settings.quirks).map_err(|what| {
            ProviderError::new(ErrorKind::Config, what, "Correct `quirks` in the config file.")
        })?;
        Ok(Self {
            authorization: settings.authorization(&headers)?,
            body: Arc::new(settings.body.clone()),
            model: RwLock::new(settings.model.clone()),
            settings,
            endpoint: Arc::new(endpoint),
            headers,
            quirks: Arc::new(quirks),
            windows: window::Learnt::default(),
            http: OnceLock::new(),
        })
    }

    /// Names of what the server is known not to take from the present model: what was set, and
    /// what it refused since.
    pub fn quirks(&self) -> Vec<&'static str> {
        self.quirks.of(&self.model()).names()
    }

    fn model(&self) -> String {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds out how large the context window of the present model is; then `about` tells it.
    /// What was answered is not asked again, but Ollama is; a hosted service is not asked where it
    /// is set. Takes at most ten seconds. Best called once the model has answered: then it is
    /// loaded, and its server knows. Cancel-safe: then, or without an answer in time, the next call
    /// asks again.
    ///
    /// Gives what the user should know of the size, once: that it is a guess, or less than is set.
    pub async fn learn_window(&self) -> Option<String> {
        let model = self.model();
        let set = self.set_window(&model);
        let peek = self.peek()?;
        if set.is_some() && peek.is_hosted() {
            return None;
        }
        let question = self.windows.begin(&model)?;
        let answer = window::find(&peek, &model, question).await;
        self.windows.end(&model, answer, set)
    }

    /// What the settings say; that is the size of the model that they name, if they name one.
    fn set_window(&self, model: &str) -> Option<u64> {
        let named = &self.settings.model;
        self.settings.context_window.filter(|_| named.is_empty() || model == named)
    }

    fn line(&self, model: &str) -> Result<Line, ProviderError> {
        let by_header = self.headers.authorization.is_some();
        let origin = Origin {
            base_url: self.settings.base_url.clone(),
            model: model.to_owned(),
            key_source: if by_header {
                "the header authorization".to_owned()
            } else {
                self.settings.key_source.clone()
            },
            key: if by_header { self.headers.token.clone() } else { self.settings.api_key.clone() },
            secrets: self.headers.secrets.clone(),
        };
        Ok(Line {
            http: self.http()?,
            authorization: self.authorization.clone(),
            endpoint: Arc::clone(&self.endpoint),
            origin: Arc::new(origin),
            connect: self.settings.connect_timeout,
            idle: self.settings.idle_timeout,
        })
    }

    fn http(&self) -> Result<reqwest::Client, ProviderError> {
        if let Some(http) = self.http.get() {
            return Ok(http.clone());
        }
        let settings = &self.settings;
        let http =
            client::build(&self.endpoint, self.headers.all.clone(), settings.connect_timeout)?;
        Ok(self.http.get_or_init(|| http).clone())
    }

    /// The way to ask beside the conversation. None if no client can be set up, which the next
    /// request tells.
    fn peek(&self) -> Option<Peek> {
        Some(Peek::new(self.http().ok()?, self.authorization.clone(), &self.endpoint))
    }

    async fn begin(&self, request: Request) -> Result<DeltaStream, ProviderError> {
        let model = self.model();
        let line = self.line(&model)?;
        let (fields, quirks) = (Arc::clone(&self.body), Arc::clone(&self.quirks));
        let mut attempt = Attempt::new(model, request, fields, quirks);
        // Ends: each lesson is another row of a table.
        let error = loop {
            match open(&line, attempt.body()).await {
                Ok(stream) => return Ok(attempt.listen(stream)),
                Err(refusal) if attempt.learn(&refusal.error) => {}
                Err(refusal) => break refusal.error,
            }
        };
        let mut error = attempt.explain(error);
        if error.kind == ErrorKind::ModelNotFound {
            self.name_models(&mut error, attempt.model()).await;
        }
        Err(error)
    }

    /// Adds to the hint which models there are.
    async fn name_models(&self, error: &mut ProviderError, wanted: &str) {
        let Ok(Ok(names)) = timeout(HINT_PATIENCE, self.models()).await else { return };
        let count = names.len();
        let nearest = models::nearest(names, wanted, HINT_MODELS);
        if nearest.is_empty() {
            return;
        }
        let more = match count.saturating_sub(nearest.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        error.hint = format!(
            "Choose another model {BY_MODEL}. The server offers {}{more}.",
            nearest.join(", ")
        );
    }

    /// The models that the server offers, by name. Cancel-safe.
    ///
    /// # Errors
    /// No list came, or none that can be read.
    pub async fn models(&self) -> Result<Vec<String>, ProviderError> {
        let line = self.line(&self.model())?;
        let answer = line.send(line.ask_for_models()?).await;
        let response =
            answer.map_err(|refusal| models::unlisted(refusal.error, line.endpoint.shown()))?;
        let status = response.status().as_u16();
        let text = gate::read_text(response, MAX_LIST, line.idle).await;
        let list = if is_bulky(&text) { None } else { serde_json::from_str::<Value>(&text).ok() };
        list.as_ref().and_then(models::names).ok_or_else(|| {
            let answer = HttpAnswer { status, retry_after: None, body: &text };
            let error = ProviderError::from_http(&answer, &line.origin);
            models::unlisted(error, line.endpoint.shown())
        })
    }
}

impl Provider for OpenAi {
    fn about(&self) -> About {
        let model = self.model();
        About {
            context_window: self.windows.size(&model, self.set_window(&model)),
            model,
            place: self.endpoint.place(),
            scripted: false,
        }
    }

    fn window(&self) -> size::Window {
        let model = self.model();
        self.windows.about(&model, self.set_window(&model))
    }

    fn price(&self) -> Option<Price> {
        let model = self.model();
        let own = self.settings.price.as_ref().filter(|own| own.is_of(&model));
        // The name of a model on this machine says nothing of what it costs.
        let published = || price::published(self.endpoint.host(), &model);
        own.map(|own| Price::flat(own.rates)).or_else(published)
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        self.begin(request).boxed()
    }

    fn use_model(&self, model: String) {
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = model;
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Sends one request through the API crate, whose own retries are off: its service is the gate.
async fn open(line: &Line, body: &Value) -> Result<DeltaStream, Refusal> {
    // All is set, so that nothing is taken from the environment: a key for one server must not go
    // to another.
    let config = OpenAIConfig::default()
        .with_api_base(line.endpoint.base())
        .with_api_key("")
        .with_org_id("")
        .with_project_id("");
    let handover = Arc::new(Handover::new());
    let gate = Gate { line: line.clone(), handover: Arc::clone(&handover) };
    let client = Client::build(line.http.clone(), config).with_http_service(gate);
    let chunks = client.chat().create_stream_byot::<&Value, Value>(body).await;
    let chunks = chunks.map_err(reading::refusal)?;
    Ok(Reading::new(chunks.boxed(), handover, Arc::clone(&line.origin)).deltas())
}

/// The server of this base URL for the screen; none if it is no address.
#[must_use]
pub fn place(base_url: &str) -> Option<String> {
    Endpoint::parse(base_url).ok().map(|endpoint| endpoint.place())
}

/// The names that [`Settings::quirks`] may hold.
#[must_use]
pub fn quirk_names() -> Vec<&'static str> {
    quirks::names()
}
