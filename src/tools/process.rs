//! Starting and ending commands with everything that they start.

use std::path::PathBuf;

/// How commands are started: through the keeper, a second process of this same program.
#[derive(Clone, Debug)]
pub struct Processes {
    keeper: PathBuf,
}

impl Processes {
    /// `keeper` is the path of the `mcc-tui` binary itself.
    #[must_use]
    pub fn new(keeper: PathBuf) -> Self {
        Self { keeper }
    }

    /// The binary that keeps commands.
    #[must_use]
    pub fn keeper(&self) -> &std::path::Path {
        &self.keeper
    }
}
