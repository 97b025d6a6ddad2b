//! The folder that the model works in: resolves paths and keeps them inside.

use std::path::{Path, PathBuf};

/// The folder that the model works in, canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Takes a folder that exists.
    ///
    /// # Errors
    /// If the folder cannot be resolved.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        Ok(Self { root: folder.canonicalize()? })
    }

    /// The folder itself, canonical.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }
}
