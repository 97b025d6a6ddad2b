//! One settings file: TOML, in which every unknown key is an error that names file, line and the
//! nearest known key. Owns the format; `config` owns what the values mean.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags};
use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::{
    KEY_VARIABLE, QUIRKS,
    budget::{self, BudgetFile, PriceFile},
    fields, headers, kinds,
    shell::{self, ShellFile},
    ui::{self, UiFile},
};
use crate::{
    protocol::{scheduler::Scheduler, tool_mode::ToolMode},
    text::{cut, line},
};

/// The most bytes of a settings file.
const MOST: u64 = 64 * 1024;

/// What a file may set. All of it is optional.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct FileConfig {
    pub(super) model: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) api_key_env: Option<String>,
    pub(super) context_window: Option<u64>,
    pub(super) max_iterations: Option<std::num::NonZeroU32>,
    pub(super) connect_timeout_s: Option<u64>,
    pub(super) idle_timeout_s: Option<u64>,
    pub(super) discover: Option<bool>,
    pub(super) tools: Option<ToolMode>,
    pub(super) scheduler: Option<Scheduler>,
    pub(super) quirks: Option<Vec<String>>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: toml::Table,
    pub(super) shell: ShellFile,
    pub(super) budget: BudgetFile,
    pub(super) price: PriceFile,
    pub(super) ui: UiFile,
    /// Read as it stands: what is wrong in it concerns nobody but a screen.
    pub(super) keys: Option<toml::Value>,
    /// In which lines the keys of `keys` stand, and in which it stands itself, by no name.
    #[serde(skip)]
    pub(super) key_lines: BTreeMap<String, usize>,
}

pub(super) const KEYS: [&str; 18] = [
    "model",
    "base_url",
    "api_key_env",
    "context_window",
    "max_iterations",
    "connect_timeout_s",
    "idle_timeout_s",
    "discover",
    "tools",
    "scheduler",
    "quirks",
    "headers",
    "body",
    "shell",
    "budget",
    "price",
    "ui",
    "keys",
];

/// A settings file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if the fault is in one.
    pub line: Option<usize>,
    /// What is wrong, and the fix.
    pub what: String,
}

impl ConfigError {
    /// A header that cannot be put together.
    pub(super) fn header(path: &Path, name: &str, what: &str) -> Self {
        let what = format!("the header `{}` in [headers] {what}.", cut::one_line(name, 64));
        Self { path: path.to_owned(), line: None, what }
    }

    /// A key that only the user's own file may set.
    pub(super) fn not_in_project(path: &Path, key: &str) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            what: format!(
                "`{key}` may only stand in your own config file, not in a project's: \
                 remove it here."
            ),
        }
    }
}

impl FileConfig {
    /// Reads a file; one that does not exist sets nothing.
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        match read_small(path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if absent(&error) => Ok(Self::default()),
            Err(error) => Err(ConfigError {
                path: path.to_owned(),
                line: None,
                what: format!("cannot be read ({error}). Mend or remove it."),
            }),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let at = |span: Option<std::ops::Range<usize>>, what: String| ConfigError {
            path: path.to_owned(),
            line: span.map(|span| line::number(text, span.start)),
            what,
        };
        let table = DeTable::parse(text).map_err(|error| at(error.span(), plain(&error)))?;
        if let Some((span, what)) = unknown_key(table.get_ref()) {
            return Err(at(Some(span), what));
        }
        let mut config: Self = toml::from_str(text).map_err(|error| {
            let told = error.span().and_then(|span| kinds::fault(text, table.get_ref(), &span));
            at(error.span(), told.unwrap_or_else(|| plain(&error)))
        })?;
        let line = |key: &str| {
            let keys: &[&str] = if key.is_empty() { &["keys"] } else { &["keys", key] };
            let span = span_of(table.get_ref(), keys)?;
            Some((key.to_owned(), line::number(text, span.start)))
        };
        let keys = config.keys.iter().filter_map(toml::Value::as_table).flat_map(toml::Table::keys);
        let keys = keys.map(String::as_str).chain([""]);
        config.key_lines = keys.filter_map(line).collect();
        match config.fault() {
            Some((keys, what)) => Err(at(span_of(table.get_ref(), &keys), what)),
            None => Ok(config),
        }
    }

    /// The variable that holds the key, as far as this file knows.
    pub(super) fn key_variable(&self) -> &str {
        self.api_key_env.as_deref().unwrap_or(KEY_VARIABLE)
    }

    /// What cannot be meant: the keys that lead there, and what is wrong.
    fn fault(&self) -> Option<(Vec<&str>, String)> {
        let header = |(name, value): (&'_ String, &'_ String)| {
            let what = headers::fault(name, value)?;
            Some(format!("the header `{}` {what}. Mend or remove it.", cut::one_line(name, 64)))
        };
        let field = |(key, value): (&'_ String, &'_ toml::Value)| {
            let what = fields::fault(key, value)?;
            Some(format!("`{}` {what}. Remove it.", cut::one_line(key, 64)))
        };
        let quirk = |name: &String| {
            (!QUIRKS.contains(&name.as_str())).then(|| nearest("quirk", name, &QUIRKS, ""))
        };
        let in_headers =
            self.headers.iter().find_map(|at| Some((vec!["headers", at.0], header(at)?)));
        let in_body = || self.body.iter().find_map(|at| Some((vec!["body", at.0], field(at)?)));
        let in_shell = || Some((vec!["shell", "pass"], self.shell.fault(self.key_variable())?));
        let mut quirks = self.quirks.iter().flatten();
        let in_price = || Some((vec!["price"], self.price.fault()?));
        let others = in_headers.or_else(in_body).or_else(in_shell).or_else(in_price);
        others.or_else(|| Some((vec!["quirks"], quirks.find_map(quirk)?)))
    }
}

/// The text of a settings file. Anything else may stand in its place in a folder that was
/// cloned: a pipe that never answers, a device that never ends.
///
/// # Errors
/// There is no such file, or it cannot be read, is not a regular file, not UTF-8, or larger than
/// 64 KiB.
pub fn read_small(path: &Path) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    if file.take(MOST + 1).read_to_string(&mut text)? as u64 > MOST {
        return Err(io::Error::other("it is larger than 64 KiB"));
    }
    Ok(text)
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn plain(error: &toml::de::Error) -> String {
    format!("{}. Mend this line.", error.message().trim_end_matches('.'))
}

fn unknown_key(table: &DeTable<'_>) -> Option<(std::ops::Range<usize>, String)> {
    for (key, value) in table {
        if !KEYS.contains(&key.get_ref().as_ref()) {
            return Some((key.span(), nearest("key", key.get_ref(), &KEYS, "")));
        }
        let known: &[&str] = match key.get_ref().as_ref() {
            "ui" => &ui::KEYS,
            "shell" => &shell::KEYS,
            "budget" => &budget::KEYS,
            "price" => &budget::PRICE_KEYS,
            _ => continue,
        };
        if let DeValue::Table(inner) = value.get_ref()
            && let Some((inner, _)) =
                inner.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref()))
        {
            let place = format!(" in [{}]", key.get_ref());
            return Some((inner.span(), nearest("key", inner.get_ref(), known, &place)));
        }
    }
    None
}

/// Where the last of these keys stands, each in the table of the one before.
fn span_of(table: &DeTable<'_>, keys: &[&str]) -> Option<std::ops::Range<usize>> {
    let (first, rest) = keys.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == *first)?;
    match value.get_ref() {
        DeValue::Table(inner) if !rest.is_empty() => span_of(inner, rest),
        _ => Some(key.span()),
    }
}

/// That there is no such name, and the nearest that there is. `kind` is what it should name.
fn nearest(kind: &str, key: &str, known: &[&str], place: &str) -> String {
    let nearest = known
        .iter()
        .filter(|_| key.len() <= 64)
        .map(|name| (strsim::damerau_levenshtein(key, name), name))
        .min()
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3);
    let key = cut::one_line(key, 64);
    match nearest {
        Some((_, name)) => format!("unknown {kind} `{key}`{place}. Did you mean `{name}`?"),
        None => format!("unknown {kind} `{key}`{place}. Known {kind}s: {}.", known.join(", ")),
    }
}
