//! What a session is, for the head of the screen and the first line of every JSON stream.

use serde::{Deserialize, Serialize};

/// Which model works where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Name of the model; empty while it is not known.
    pub model: String,
    /// Where it runs, e.g. `localhost:11434`; `built in` for a script.
    pub place: String,
    /// Whether the words come from a script and not from a model.
    pub scripted: bool,
    /// Size of the context window in tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
}
