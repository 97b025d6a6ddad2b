//! The settings: what is meant, put together from flags, environment, project file, user file
//! and defaults, the first that is set winning.
//!
//! Owns the names of the settings and who may set what. Must not know the screen or a provider.
//!
//! Invariant: a project file can never lead a key, or a header of the user, to a server that the
//! user did not name.

pub mod budget;
mod fields;
pub mod file;
mod headers;
mod keys;
mod kinds;
mod shell;
mod ui;

use std::{
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value};

pub use file::ConfigError;
use file::FileConfig;
pub use ui::{KeyChoice, LinkChoice, SignChoice, ThemeName, Ui, WidthMethod};

use crate::protocol::{
    budget::Budgets, cost::OwnPrice, extra::Header, scheduler::Scheduler, tool_mode::ToolMode,
};

/// Where `OpenAI` answers.
pub const OPENAI: &str = "https://api.openai.com/v1";
/// The variable that holds the key, unless `api_key_env` names another.
pub const KEY_VARIABLE: &str = "OPENAI_API_KEY";
/// What `quirks` may hold: names of what a server is known not to take.
pub const QUIRKS: [&str; 14] = [
    "no_stream_options",
    "no_stop",
    "max_completion_tokens",
    "max_tokens",
    "reasoning_content",
    "null_content",
    "no_content",
    "answer_after_tools",
    "alternate_roles",
    "system_in_user",
    "ids_9",
    "ids_40",
    "ids_64",
    "plain_schemas",
];
/// Requests in one turn, unless set.
pub const MAX_ITERATIONS: u32 = 20;

/// What flags set.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--model`
    pub model: Option<String>,
    /// `--base-url`
    pub base_url: Option<String>,
    /// `--max-iterations`
    pub max_iterations: Option<u32>,
    /// `--no-mouse`
    pub no_mouse: bool,
    /// `--allow-insecure-key`
    pub allow_insecure_key: bool,
    /// `--tools`
    pub tools: Option<ToolMode>,
    /// `--max-tokens`, `--max-cost`, `--max-time`
    pub budgets: Budgets,
}

/// Where settings come from.
pub struct Sources<'a> {
    /// What was typed.
    pub flags: Flags,
    /// Looks up a variable of the environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The project's file.
    pub project: PathBuf,
    /// The user's file, if there is a home.
    pub user: Option<PathBuf>,
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which model is asked.
    pub model: ModelChoice,
    /// Requests in one turn.
    pub max_iterations: u32,
    /// What a session may use.
    pub budgets: Budgets,
    /// Which calls of one response may run at the same time.
    pub scheduler: Scheduler,
    /// Whether the screen takes the mouse; unset, where that does no harm.
    pub mouse: Option<bool>,
    /// Whether what is selected with the mouse is copied at once.
    pub copy_on_select: bool,
    /// How the screen looks, and what it tells the terminal.
    pub ui: Ui,
    /// Variables that commands get to see although their names look like secrets.
    pub pass: Vec<String>,
    /// Keys that mean something else than usual, or why there are none. The screen knows what may
    /// be meant, and nobody else needs to know what is wrong with them.
    pub keys: Result<Vec<KeyChoice>, ConfigError>,
    /// Where to look for a server if no model is set.
    pub search: Search,
}

/// Where to look for a server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Nowhere.
    Off,
    /// At the ports of the usual servers.
    Usual,
    /// At these addresses instead.
    At(Vec<String>),
}

/// Which model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// Nothing is set: what is found on this machine, or the built-in demo.
    Unset,
    /// A server.
    Server(Box<Server>),
}

impl ModelChoice {
    /// The server, if one is set.
    #[must_use]
    pub fn server(&self) -> Option<&Server> {
        match self {
            Self::Server(server) => Some(server),
            Self::Unset => None,
        }
    }

    /// The same, taken out.
    #[must_use]
    pub fn into_server(self) -> Option<Box<Server>> {
        match self {
            Self::Server(server) => Some(server),
            Self::Unset => None,
        }
    }
}

/// How to reach a model.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// Address, up to and with `/v1`.
    pub base_url: String,
    /// Name of the model; empty if none is set.
    pub model: String,
    /// The key, if there is one for this server.
    pub key: Option<String>,
    /// The variable that the key is, or would be, read from.
    pub key_variable: String,
    /// Why there is no key although the variable is set.
    pub key_withheld: Option<String>,
    /// Context window in tokens, if set.
    pub context_window: Option<u64>,
    /// What the model costs, if set.
    pub price: Option<OwnPrice>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long a stream may be silent.
    pub idle_timeout: Duration,
    /// Whether the key may go over plain http to another machine.
    pub allow_insecure_key: bool,
    /// How the model calls tools.
    pub tools: ToolMode,
    /// What goes with every request besides, if it may go to this server.
    pub headers: Vec<Header>,
    /// What stands in the body of every request besides.
    pub body: Map<String, Value>,
    /// What the server is known not to take: some of [`QUIRKS`].
    pub quirks: Vec<String>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// The settings when nothing is set.
    #[must_use]
    pub fn defaults(flags: &Flags) -> Self {
        Self {
            model: ModelChoice::Unset,
            max_iterations: flags.max_iterations.unwrap_or(MAX_ITERATIONS),
            budgets: flags.budgets,
            scheduler: Scheduler::default(),
            mouse: flags.no_mouse.then_some(false),
            copy_on_select: true,
            ui: Ui::default(),
            pass: Vec::new(),
            keys: Ok(Vec::new()),
            search: Search::Off,
        }
    }

    /// Reads the files and puts everything together.
    ///
    /// # Errors
    /// A file that cannot be read or understood, or a header whose variable is not set: names file,
    /// line and fix.
    pub fn load(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let project = FileConfig::read(&sources.project)?;
        let user = match &sources.user {
            Some(path) => FileConfig::read(path)?,
            None => FileConfig::default(),
        };
        if project.api_key_env.is_some() {
            return Err(ConfigError::not_in_project(&sources.project, "api_key_env"));
        }
        if !project.headers.is_empty() {
            return Err(ConfigError::not_in_project(&sources.project, "[headers]"));
        }
        // A price of nothing would end no budget.
        if !project.price.is_empty() {
            return Err(ConfigError::not_in_project(&sources.project, "[price]"));
        }
        // A secret is the user's to give away.
        if !project.shell.is_empty() {
            return Err(ConfigError::not_in_project(&sources.project, "[shell] pass"));
        }
        put_together(sources, &project, &user)
    }
}

fn put_together(
    sources: &Sources<'_>,
    project: &FileConfig,
    user: &FileConfig,
) -> Result<Config, ConfigError> {
    let flags = &sources.flags;
    let env = |name: &str| (sources.env)(name).filter(|value| !value.trim().is_empty());
    Ok(Config {
        model: model_choice(sources, project, user, &env)?,
        max_iterations: flags
            .max_iterations
            .or(project.max_iterations.or(user.max_iterations).map(NonZeroU32::get))
            .unwrap_or(MAX_ITERATIONS),
        budgets: budget::put_together(flags.budgets, &project.budget, &user.budget),
        scheduler: project.scheduler.or(user.scheduler).unwrap_or_default(),
        mouse: flags.no_mouse.then_some(false).or(project.ui.mouse).or(user.ui.mouse),
        copy_on_select: project.ui.copy_on_select.or(user.ui.copy_on_select).unwrap_or(true),
        ui: ui::put_together(&project.ui, &user.ui, &env),
        pass: user.shell.pass.clone(),
        keys: keys::choices(sources, project, user),
        search: search(project.discover.or(user.discover), &env),
    })
}

/// `MCC_NO_DISCOVERY` switches the search off; `MCC_DISCOVER` leads it elsewhere (base URLs with
/// commas between them: for tests, and for servers on other ports or machines).
fn search(in_file: Option<bool>, env: &dyn Fn(&str) -> Option<String>) -> Search {
    if env("MCC_NO_DISCOVERY").is_some() {
        return Search::Off;
    }
    if let Some(list) = env("MCC_DISCOVER") {
        let urls = list.split(',').map(str::trim).filter(|url| !url.is_empty());
        return Search::At(urls.map(str::to_owned).collect());
    }
    if in_file == Some(false) { Search::Off } else { Search::Usual }
}

fn model_choice(
    sources: &Sources<'_>,
    project: &FileConfig,
    user: &FileConfig,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<ModelChoice, ConfigError> {
    let flags = &sources.flags;
    let trusted_url = flags.base_url.clone().or_else(|| env("OPENAI_BASE_URL"));
    let url_from_project = trusted_url.is_none() && project.base_url.is_some();
    let base_url = trusted_url.or(project.base_url.clone()).or(user.base_url.clone());
    let model = flags
        .model
        .clone()
        .or_else(|| env("MCC_MODEL"))
        .or(project.model.clone())
        .or(user.model.clone());
    let key_variable = user.key_variable().to_owned();
    let key = env(&key_variable);
    // Headers are for a server that was named, and not for one that is found.
    if base_url.is_none() && model.is_none() && key.is_none() && user.headers.is_empty() {
        return Ok(ModelChoice::Unset);
    }
    let base_url = base_url.unwrap_or_else(|| OPENAI.to_owned());
    let users_own = user.base_url.as_deref() == Some(base_url.as_str());
    let stranger = url_from_project && !users_own;
    let key_withheld = stranger && base_url != OPENAI;
    // Unlike the key, they were never said to be for the usual server.
    let headers_withheld = stranger && (base_url != OPENAI || user.base_url.is_some());
    let headers = if headers_withheld { Vec::new() } else { headers(sources, user, env)? };
    let withheld = key_withheld && key.is_some() || headers_withheld && !user.headers.is_empty();
    let seconds = |pick: fn(&FileConfig) -> Option<u64>, default: u64| {
        Duration::from_secs(pick(project).or(pick(user)).unwrap_or(default).max(1))
    };
    Ok(ModelChoice::Server(Box::new(Server {
        key: key.filter(|_| !key_withheld),
        key_withheld: withheld.then(|| why_withheld(&sources.project, &base_url)),
        base_url,
        model: model.unwrap_or_default(),
        key_variable,
        context_window: project.context_window.or(user.context_window),
        price: user.price.price(user.model.clone()),
        connect_timeout: seconds(|file| file.connect_timeout_s, 10),
        idle_timeout: seconds(|file| file.idle_timeout_s, 300),
        allow_insecure_key: flags.allow_insecure_key,
        tools: flags.tools.or(project.tools).or(user.tools).unwrap_or_default(),
        headers,
        body: body(project, user),
        quirks: project.quirks.clone().or(user.quirks.clone()).unwrap_or_default(),
    })))
}

fn why_withheld(project: &Path, base_url: &str) -> String {
    format!(
        "{} names {base_url}, and a project file may not send your key or your headers anywhere. \
         To allow it, start with --base-url {base_url} or set it in your own config file.",
        project.display()
    )
}

fn headers(
    sources: &Sources<'_>,
    user: &FileConfig,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Header>, ConfigError> {
    let file = sources.user.as_deref().unwrap_or(Path::new("config.toml"));
    let expand = |(name, value): (&String, &String)| {
        headers::expand(name, value, env).map_err(|what| ConfigError::header(file, name, &what))
    };
    user.headers.iter().map(expand).collect()
}

/// The fields of both files; of one that stands in both, the project's.
fn body(project: &FileConfig, user: &FileConfig) -> Map<String, Value> {
    fields::read(&user.body).into_iter().chain(fields::read(&project.body)).collect()
}

/// The project's file below this folder.
#[must_use]
pub fn project_file(workspace: &Path) -> PathBuf {
    workspace.join(".mcc-tui").join("config.toml")
}

/// The user's file: `$XDG_CONFIG_HOME/mcc-tui/config.toml`, or below `~/.config`.
#[must_use]
pub fn user_file(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    xdg(env, "XDG_CONFIG_HOME", ".config").map(|dir| dir.join("mcc-tui").join("config.toml"))
}

/// The folder for logs: `$XDG_STATE_HOME/mcc-tui`, or below `~/.local/state`.
#[must_use]
pub fn state_dir(env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    xdg(env, "XDG_STATE_HOME", ".local/state").map(|dir| dir.join("mcc-tui"))
}

/// A base directory after the XDG specification: relative values are ignored.
fn xdg(env: &dyn Fn(&str) -> Option<String>, name: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |text: String| Some(PathBuf::from(text)).filter(|path| path.is_absolute());
    env(name)
        .and_then(absolute)
        .or_else(|| env("HOME").and_then(absolute).map(|home| home.join(below_home)))
}

/// The keys of a file by their tables: those of none first.
#[cfg(test)]
pub(crate) fn known_keys() -> [(Option<&'static str>, &'static [&'static str]); 5] {
    [
        (None, &file::KEYS),
        (Some("ui"), &ui::KEYS),
        (Some("shell"), &shell::KEYS),
        (Some("budget"), &budget::KEYS),
        (Some("price"), &budget::PRICE_KEYS),
    ]
}

#[cfg(test)]
mod tests;
