//! How a model calls tools. Owns the three words, the same in settings, flags and reports.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a model calls tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolMode {
    /// By the server's own tool calls; as text once these turn out not to work.
    #[default]
    Auto,
    /// By the server's own tool calls, whatever happens.
    Native,
    /// As text, by the protocol of `Thought:`, `Action:`, `Observation:` and `Answer:`.
    Text,
}

impl ToolMode {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Text => "text",
        }
    }
}

impl FromStr for ToolMode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        [Self::Auto, Self::Native, Self::Text]
            .into_iter()
            .find(|mode| mode.word() == word)
            .ok_or_else(|| "it is one of auto, native, text".to_owned())
    }
}
