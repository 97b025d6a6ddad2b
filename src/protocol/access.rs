//! What a tool call may touch. Owns the words for it; knows no tools and no file system: the
//! paths in here are canonical already.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::secret::is_secret;

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

impl Resource {
    /// Whether the two have something in common.
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::World, _)
            | (_, Self::World)
            | (Self::Cwd, Self::Cwd)
            | (Self::Net, Self::Net) => true,
            (Self::File(a), Self::File(b)) => a == b,
            (Self::Tree(tree), Self::File(path)) | (Self::File(path), Self::Tree(tree)) => {
                path.starts_with(tree)
            }
            (Self::Tree(a), Self::Tree(b)) => a.starts_with(b) || b.starts_with(a),
            _ => false,
        }
    }
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

    /// Whether this call and the other must not run at the same time: one may change what the
    /// other touches.
    #[must_use]
    pub fn conflicts_with(&self, other: &Self) -> bool {
        self.changes_for(other) || other.changes_for(self)
    }

    fn changes_for(&self, other: &Self) -> bool {
        let touched = || other.reads.iter().chain(&other.writes);
        self.writes.iter().any(|write| touched().any(|touched| write.overlaps(touched)))
    }

    /// Whether the call changes nothing but, perhaps, where later commands run: nobody needs to be
    /// asked about it.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.writes.iter().all(|write| *write == Resource::Cwd)
    }

    /// A file that it reads and whose name says that it holds secrets, if there is one. What lies
    /// in a folder that it reads is not looked at.
    #[must_use]
    pub fn secret(&self) -> Option<&Path> {
        self.reads.iter().find_map(|read| match read {
            Resource::File(path) if is_secret(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Whether the call changes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.writes.is_empty()
    }
}
