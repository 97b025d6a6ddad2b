//! What a tool call may touch. Owns the conflict rule; knows no tools and no file system:
//! the paths in here are canonical already.

use std::path::{Path, PathBuf};

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

impl Resource {
    /// Whether two resources can be the same thing.
    #[must_use]
    pub fn overlaps(&self, other: &Resource) -> bool {
        use Resource::{Cwd, File, Net, Tree, World};
        match (self, other) {
            (World, _) | (_, World) | (Cwd, Cwd) | (Net, Net) => true,
            (File(a), File(b)) => a == b,
            (Tree(dir), File(file)) | (File(file), Tree(dir)) => within(file, dir),
            (Tree(a), Tree(b)) => within(a, b) || within(b, a),
            _ => false,
        }
    }
}

fn within(path: &Path, dir: &Path) -> bool {
    path.starts_with(dir)
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

    /// Whether the order of the two calls can matter: one writes what the other touches.
    #[must_use]
    pub fn conflicts(&self, other: &Access) -> bool {
        let touches = |writes: &[Resource], access: &Access| {
            writes.iter().any(|written| {
                access.reads.iter().chain(&access.writes).any(|touched| written.overlaps(touched))
            })
        };
        touches(&self.writes, other) || touches(&other.writes, self)
    }
}
