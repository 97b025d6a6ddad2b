//! What a tool call may touch. Owns the words for it; knows no tools and no file system: the
//! paths in here are canonical already.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One thing that can be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// One file.
    File(PathBuf),
    /// A directory with all that is below it.
    Tree(PathBuf),
    /// Anything at all: what is unknown or unproven.
    World,
    /// The working directory of later commands.
    Cwd,
    /// The network.
    Net,
}

/// What one call may read and write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// What it may read.
    pub reads: Vec<Resource>,
    /// What it may change.
    pub writes: Vec<Resource>,
}

impl Access {
    /// A call that reads these and changes nothing.
    #[must_use]
    pub fn read(resource: Resource) -> Self {
        Self { reads: vec![resource], writes: Vec::new() }
    }

    /// A call that reads and changes this.
    #[must_use]
    pub fn write(resource: Resource) -> Self {
        Self { reads: vec![resource.clone()], writes: vec![resource] }
    }

    /// A call of which nothing is known: it may change anything.
    #[must_use]
    pub fn unknown() -> Self {
        Self::write(Resource::World)
    }

    /// Whether the call changes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.writes.is_empty()
    }
}
