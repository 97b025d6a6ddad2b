//! The provider that speaks the chat-completions API through `async-openai`. Owns the connection
//! to one server; this module and those below it alone name the HTTP crates.
//!
//! Knows no sessions, no retry policy and no screen. Invariant: a request is sent once (a second
//! time only without a field that the server refused), the key is in no error and in no log, and
//! dropping a stream or the future before it closes the connection.

mod chunk;
mod client;
mod endpoint;
mod fault;
mod feed;
mod frames;
mod gate;
mod handover;
mod models;
pub(super) mod peek;
mod quirks;
mod reading;
mod request;
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
use serde_json::Value;
use tokio::time::timeout;

use self::{
    endpoint::Endpoint,
    gate::{Gate, Line, Refusal},
    handover::Handover,
    peek::Peek,
    quirks::Quirks,
    reading::Reading,
};
use super::{
    DeltaStream, Provider, ProviderError, Request,
    error::{HttpAnswer, Origin},
    window as size,
};
use crate::{
    protocol::{about::About, exit::ErrorKind},
    text::balance::is_bulky,
};

/// What the program calls itself to servers.
pub const USER_AGENT: &str = concat!("mcc-tui/", env!("CARGO_PKG_VERSION"));
/// The most bytes of a list of models.
const MAX_LIST: usize = 8 * 1024 * 1024;
/// How long the list of models may take when it is only wanted for a hint.
const HINT_PATIENCE: Duration = Duration::from_secs(3);
/// How many models a hint names.
const HINT_MODELS: usize = 10;

/// How to reach a server. Its `Debug` does not show the key.
#[derive(Clone)]
pub struct Settings {
    /// The address up to and without `/chat/completions`, e.g. `http://localhost:11434/v1`.
    pub base_url: String,
    /// The key; none or blank for a server that wants none.
    pub api_key: Option<String>,
    /// Name of the variable that the key comes from or should come from, e.g. `OPENAI_API_KEY`.
    pub key_source: String,
    /// The model to begin with.
    pub model: String,
    /// Size of its context window in tokens, if known.
    pub context_window: Option<u64>,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest silence before and inside of an answer; a comment in the stream breaks it.
    pub idle_timeout: Duration,
    /// What the program calls itself.
    pub user_agent: String,
    /// Whether the key may go unencrypted to another machine.
    pub allow_insecure_key: bool,
}

/// A server that speaks chat-completions.
pub struct OpenAi {
    settings: Settings,
    endpoint: Arc<Endpoint>,
    authorization: Option<HeaderValue>,
    model: RwLock<String>,
    quirks: Quirks,
    windows: window::Learnt,
    http: OnceLock<reqwest::Client>,
}

impl OpenAi {
    /// Checks the settings. Opens no connection and reads no certificates: that is left to the
    /// first request.
    ///
    /// # Errors
    /// `Config`: the address or the key cannot be used, or the key would go unencrypted to
    /// another machine.
    pub fn new(mut settings: Settings) -> Result<Self, ProviderError> {
        let endpoint = Endpoint::parse(&settings.base_url)?;
        endpoint.base().clone_into(&mut settings.base_url);
        let key = settings.api_key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        settings.api_key = key.map(str::to_owned);
        if settings.api_key.is_some()
            && !endpoint.is_encrypted()
            && !endpoint.is_loopback()
            && !settings.allow_insecure_key
        {
            return Err(insecure(&settings));
        }
        let authorization = settings.api_key.as_deref().map(authorization).transpose();
        let authorization = authorization.map_err(|()| bad_key(&settings))?;
        Ok(Self {
            model: RwLock::new(settings.model.clone()),
            settings,
            endpoint: Arc::new(endpoint),
            authorization,
            quirks: Quirks::default(),
            windows: window::Learnt::default(),
            http: OnceLock::new(),
        })
    }

    fn model(&self) -> String {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds out how large the context window of the present model is; then `about` tells it.
    /// Nothing is asked twice, but Ollama is, and a hosted service is not asked where it is set.
    /// Takes at most two seconds. Best called once the model has answered: then it is loaded, and
    /// its server knows. If it is dropped, this model is not asked about again.
    ///
    /// Gives what the user should know of the size, once: that it is a guess, or less than is set.
    pub async fn learn_window(&self) -> Option<String> {
        let model = self.model();
        let set = self.set_window(&model);
        let peek = Peek::new(self.http().ok()?, self.authorization.clone(), &self.endpoint);
        if set.is_some() && peek.is_hosted() {
            return None;
        }
        let question = self.windows.begin(&model)?;
        let told = window::ask(&peek, &model, question).await;
        let found = match question {
            window::Question::Again => told?,
            window::Question::New => {
                let local = self.endpoint.is_loopback().then(size::Known::assumed);
                let hosted = peek.is_hosted();
                told.or_else(|| size::Known::published(&model, hosted)).or(local)?
            }
        };
        self.windows.end(&model, found, set)
    }

    /// What the settings say; that is the size of the model that they name, if they name one.
    fn set_window(&self, model: &str) -> Option<u64> {
        let named = &self.settings.model;
        self.settings.context_window.filter(|_| named.is_empty() || model == named)
    }

    fn line(&self, model: &str) -> Result<Line, ProviderError> {
        let origin = Origin {
            base_url: self.settings.base_url.clone(),
            model: model.to_owned(),
            key_source: self.settings.key_source.clone(),
            key: self.settings.api_key.clone(),
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
        let http = client::build(&self.endpoint, &settings.user_agent, settings.connect_timeout)?;
        Ok(self.http.get_or_init(|| http).clone())
    }

    async fn begin(&self, request: Request) -> Result<DeltaStream, ProviderError> {
        let model = self.model();
        let line = self.line(&model)?;
        let mut body = request::body(&model, &request);
        self.quirks.repair(&mut body);
        let refusal = match open(&line, &body).await {
            Ok(stream) => return Ok(stream),
            Err(refusal) => refusal,
        };
        if self.quirks.learn(refusal.error.status, &refusal.body, &body) {
            self.quirks.repair(&mut body);
            return open(&line, &body).await.map_err(|refusal| refusal.error);
        }
        let mut error = refusal.error;
        if error.kind == ErrorKind::ModelNotFound {
            self.name_models(&mut error, &model).await;
        }
        Err(error)
    }

    /// Adds to the hint which models there are.
    async fn name_models(&self, error: &mut ProviderError, wanted: &str) {
        let Ok(Ok(names)) = timeout(HINT_PATIENCE, self.list()).await else { return };
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
            "Choose another model with --model. The server offers {}{more}.",
            nearest.join(", ")
        );
    }

    async fn list(&self) -> Result<Vec<String>, ProviderError> {
        let line = self.line(&self.model())?;
        let url = format!("{}/models", self.endpoint.base());
        let request = line.http.get(url).build().map_err(|error| {
            ProviderError::new(ErrorKind::Config, error.to_string(), "Correct --base-url.")
        })?;
        let response = line.send(request).await.map_err(|refusal| refusal.error)?;
        let status = response.status().as_u16();
        let text = gate::read_text(response, MAX_LIST, line.idle).await;
        let list = if is_bulky(&text) { None } else { serde_json::from_str::<Value>(&text).ok() };
        list.as_ref().and_then(models::names).ok_or_else(|| {
            let answer = HttpAnswer { status, retry_after: None, body: &text };
            let mut error = ProviderError::from_http(&answer, &line.origin);
            if error.kind == ErrorKind::Protocol {
                error.message = String::from("The server's list of models could not be read.");
                error.hint = format!(
                    "Check --base-url, now {}: for most servers it ends in /v1.",
                    self.endpoint.base()
                );
            }
            error
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

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        self.begin(request).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, ProviderError>> {
        self.list().boxed()
    }

    fn use_model(&self, model: String) {
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = model;
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("base_url", &self.base_url)
            .field("api_key", &self.api_key.as_ref().map(|_| "[key]"))
            .field("key_source", &self.key_source)
            .field("model", &self.model)
            .field("context_window", &self.context_window)
            .field("connect_timeout", &self.connect_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("user_agent", &self.user_agent)
            .field("allow_insecure_key", &self.allow_insecure_key)
            .finish()
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

fn authorization(key: &str) -> Result<HeaderValue, ()> {
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| ())?;
    value.set_sensitive(true);
    Ok(value)
}

fn insecure(settings: &Settings) -> ProviderError {
    ProviderError::new(
        ErrorKind::Config,
        format!(
            "The key in {} is not sent to {}: the connection is not encrypted, and everyone on the \
             way could read it.",
            settings.key_source, settings.base_url
        ),
        "Use an address that begins with https://, unset the key if the server needs none, or \
         start with --allow-insecure-key.",
    )
}

fn bad_key(settings: &Settings) -> ProviderError {
    ProviderError::new(
        ErrorKind::Config,
        format!("The key in {} holds characters that no key can hold.", settings.key_source),
        "Set it again, without line breaks or quotation marks.",
    )
}
