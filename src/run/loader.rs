//! The settings, read from where they stand: again and again, if they were wrong. Owns where that
//! is, and what is said of settings that cannot be used.

use std::path::PathBuf;

use super::env;
use crate::{
    cli::Cli,
    config::{self, Config, ConfigError, Flags, Sources},
    protocol::budget::Budgets,
};

/// What is said before the fault of a config file.
pub(super) const UNUSABLE: &str = "The settings cannot be used.";
/// What becomes of one that was mended, where there are further prompts.
pub(super) const AGAIN: &str = "it is read again with the next prompt.";

/// What there is to do about this fault, unless it says so itself, and what comes then.
pub(super) fn hint(error: &ConfigError, then: &str) -> String {
    if !error.what.contains("Mend ") {
        return format!("Mend the file; {then}");
    }
    let mut rest = then.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}

/// Reads the settings; again and again, if they were wrong.
#[derive(Clone)]
pub(super) struct Loader {
    pub(super) flags: Flags,
    pub(super) root: PathBuf,
}

impl Loader {
    pub(super) fn load(&self) -> Result<Config, ConfigError> {
        Config::load(&Sources {
            flags: self.flags.clone(),
            env: &env,
            project: config::project_file(&self.root),
            user: config::user_file(&env),
        })
    }

    /// As if the flags for this server had been given.
    pub(super) fn named(&self, base_url: String, model: String) -> Self {
        let flags = Flags { base_url: Some(base_url), model: Some(model), ..self.flags.clone() };
        Self { flags, root: self.root.clone() }
    }
}

pub(super) fn flags(cli: &Cli) -> Flags {
    Flags {
        model: cli.model.clone(),
        base_url: cli.base_url.clone(),
        max_iterations: cli.max_iterations,
        no_mouse: cli.no_mouse,
        allow_insecure_key: cli.allow_insecure_key,
        tools: cli.tools,
        budgets: Budgets { tokens: cli.max_tokens, cost: cli.max_cost, time: cli.max_time },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_mended_is_said_once() {
        let fault = |what: &str| ConfigError { path: "a".into(), line: None, what: what.into() };
        let hint = |what: &str| hint(&fault(what), AGAIN);
        let mend = "Mend the file; it is read again with the next prompt.";
        assert_eq!(hint("unknown key `modle`. Did you mean `model`?"), mend);
        let once = "It is read again with the next prompt.";
        assert_eq!(hint("`theme` cannot be 7. Mend this line."), once);
        assert_eq!(hint("cannot be read (denied). Mend or remove it."), once);
    }
}
