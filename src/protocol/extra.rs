//! What the user may add to every request to a server. Owns the form of a header and which fields
//! of the body are not theirs; sends nothing.
//!
//! Invariant: every value of a header counts as a secret, and no `Debug` shows it.

use std::fmt;

/// Fields of the body that make a request what it is, so that no setting may replace them.
pub const OUR_FIELDS: [&str; 4] = ["messages", "model", "stream", "tools"];

/// One header that goes with every request. Its `Debug` does not show the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name as it was written; `authorization` takes the place of the one with the key.
    pub name: String,
    /// Its value, with what the environment says in it.
    pub value: String,
    /// The parts of the value that came from the environment.
    pub secrets: Vec<String>,
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: [value]", self.name)
    }
}
