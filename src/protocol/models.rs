//! Which models there are: one list a server, with how far it has got. Owns nothing else.

use serde::{Deserialize, Serialize};

/// What one server offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerModels {
    /// Its address, by which `UseModel` names it.
    pub base_url: String,
    /// The server for the screen, e.g. `localhost:11434`.
    pub place: String,
    /// What people call it, e.g. `Ollama`; empty if that is not known.
    pub name: String,
    /// Whether it is the one that answers.
    pub present: bool,
    /// Its models by name, as far as they are known.
    pub models: Vec<String>,
    /// How far the list has got.
    #[serde(flatten)]
    pub listing: Listing,
}

impl ServerModels {
    /// A server that has told nothing yet, and that is being asked.
    #[must_use]
    pub fn asked(base_url: String, place: String) -> Self {
        Self {
            base_url,
            place,
            name: String::new(),
            present: false,
            models: Vec::new(),
            listing: Listing::Asking,
        }
    }

    /// A server that has told its models.
    #[must_use]
    pub fn known(base_url: String, place: String, models: Vec<String>) -> Self {
        Self { models, listing: Listing::Known, ..Self::asked(base_url, place) }
    }
}

/// How far the list of one server has got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "listing", rename_all = "snake_case")]
pub enum Listing {
    /// The server told it.
    Known,
    /// The server is being asked.
    Asking,
    /// The server is asked once its answer is complete: some break it off for any other request.
    Waiting,
    /// The server did not tell it.
    Failed {
        /// What happened.
        message: String,
        /// What the user can do.
        hint: String,
    },
}
