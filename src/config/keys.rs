//! The table `[keys]`: keys that mean something else than usual, as they stand in the file. Owns
//! who may set them; the screen knows what may be meant.

use super::{
    Sources,
    file::{ConfigError, FileConfig},
    ui::KeyChoice,
};
use crate::text::cut;

/// The choices, or what is wrong with them.
pub(super) fn choices(
    sources: &Sources<'_>,
    project: &FileConfig,
    user: &FileConfig,
) -> Result<Vec<KeyChoice>, ConfigError> {
    // Whoever can bind keys decides what a key allows.
    if project.keys.is_some() {
        return Err(ConfigError::not_in_project(&sources.project, "[keys]"));
    }
    let Some(keys) = &user.keys else { return Ok(Vec::new()) };
    let path = sources.user.clone().unwrap_or_default();
    let line = |key: &str| user.key_lines.get(key).copied();
    let fault = |key: &str, what: String| ConfigError { path: path.clone(), line: line(key), what };
    let Some(keys) = keys.as_table() else {
        return Err(fault("", "`keys` is a table: write [keys], and the keys below.".to_owned()));
    };
    let choice = |(key, action): (&String, &toml::Value)| {
        let action = action.as_str().ok_or_else(|| {
            let key_shown = cut::one_line(key, 64);
            fault(key, format!("`{key_shown}` in [keys] takes the name of an action, in quotes."))
        })?;
        let (key, action) = (key.clone(), action.to_owned());
        Ok(KeyChoice { line: line(&key), path: path.clone(), key, action })
    };
    keys.iter().map(choice).collect()
}
