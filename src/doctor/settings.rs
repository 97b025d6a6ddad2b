//! The settings that follow from the checks, as lines of a config file: printed, or written into
//! the user's own.
//!
//! Owns which keys are written and how. Invariant: what else stands in the file stays, comments
//! included; the file is replaced as a whole or not at all; and one that cannot be read as TOML
//! is not touched. No key of a server is ever written.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use toml_edit::{DocumentMut, Item, Value};

use super::page::Saved;
use crate::{config::file::read_small, protocol::tool_mode::ToolMode, text::line};

/// What was found out, by the keys of the config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) base_url: String,
    pub(super) model: String,
    pub(super) tools: Option<ToolMode>,
    pub(super) context_window: Option<u64>,
    /// What the server turned out not to take, by name.
    pub(super) quirks: Vec<&'static str>,
}

impl Settings {
    /// Keys and values in the order in which they are written.
    pub(super) fn entries(&self) -> Vec<(&'static str, Value)> {
        let mut entries = vec![
            ("base_url", self.base_url.as_str().into()),
            ("model", self.model.as_str().into()),
        ];
        if let Some(tools) = self.tools {
            entries.push(("tools", tools.word().into()));
        }
        let window = self.context_window.and_then(|tokens| i64::try_from(tokens).ok());
        if let Some(tokens) = window {
            entries.push(("context_window", tokens.into()));
        }
        if !self.quirks.is_empty() {
            entries.push(("quirks", Value::Array(self.quirks.iter().copied().collect())));
        }
        entries
    }

    /// The lines of a file that holds nothing else.
    pub(super) fn lines(&self) -> String {
        let mut file = DocumentMut::new();
        for (key, value) in self.entries() {
            file.insert(key, Item::Value(value));
        }
        file.to_string()
    }

    /// A file's text with these settings in it.
    fn put_into(&self, text: &str) -> Result<String, String> {
        let mut file: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let line = error.span().map(|span| line::number(text, span.start));
            let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            format!("it is no TOML ({line}{})", error.message().trim_end_matches('.'))
        })?;
        for (key, mut value) in self.entries() {
            match file.get_mut(key) {
                None => {
                    file.insert(key, Item::Value(value));
                }
                Some(Item::Value(present)) => {
                    // The comment behind the old value stays.
                    *value.decor_mut() = present.decor().clone();
                    *present = value;
                }
                Some(_) => return Err(format!("`{key}` is a table there")),
            }
        }
        Ok(file.to_string())
    }

    /// Writes the settings into this file; makes it and its folders if there is none.
    pub(super) async fn save(&self, path: PathBuf) -> Saved {
        let (settings, file) = (self.clone(), path.clone());
        let written = tokio::task::spawn_blocking(move || settings.write(&file)).await;
        match written {
            Ok(Ok(())) => Saved::At(path),
            Ok(Err(why)) => Saved::Not(format!(
                "{} is left as it is: {why}. Mend it and save again, or add the lines yourself.",
                path.display()
            )),
            Err(_) => Saved::Not(format!("{} was not written.", path.display())),
        }
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        // A link stays a link: the file that it leads to is the one that is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let text = read(&path).map_err(|error| format!("it cannot be read ({error})"))?;
        let text = self.put_into(&text.unwrap_or_default())?;
        replace(&path, text.as_bytes()).map_err(|error| format!("it cannot be written ({error})"))
    }
}

/// The text of a file; none if there is no file.
fn read(path: &Path) -> io::Result<Option<String>> {
    match read_small(path) {
        Ok(text) => Ok(Some(text)),
        // A link that leads nowhere is there all the same.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Puts a new file in the place of the old one, with the old one's permissions.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("it is in no folder"))?;
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(facts) = fs::metadata(path) {
        file.as_file().set_permissions(facts.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
