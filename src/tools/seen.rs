//! Which contents of files the model has seen: overwriting needs to have seen what is lost.
//!
//! Owns the memory of contents as fingerprints. Must not read files or know any tool.
//!
//! Invariant: only the content decides, never a time stamp; the memory is bounded.

#[cfg(test)]
mod tests;

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many contents of one file are remembered: the newest.
const CONTENTS_A_FILE: usize = 16;

/// Contents that the model has seen, by canonical path and hash. Clones share one memory.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    files: Arc<Mutex<HashMap<PathBuf, VecDeque<Fingerprint>>>>,
}

/// Tells two contents of a file apart. Guards against accidents, not against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    length: u64,
    hash: u64,
}

/// Computes a [`Fingerprint`] from content that comes in pieces, cut anywhere.
#[derive(Clone, Debug, Default)]
pub struct Fingerprinter {
    length: u64,
    hasher: DefaultHasher,
}

impl Fingerprinter {
    /// Takes the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.length = self.length.saturating_add(bytes.len() as u64);
        self.hasher.write(bytes);
    }

    /// The fingerprint of all that was taken.
    #[must_use]
    pub fn finish(&self) -> Fingerprint {
        Fingerprint { length: self.length, hash: self.hasher.finish() }
    }
}

impl Fingerprint {
    /// The fingerprint of a whole content.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.update(bytes);
        fingerprinter.finish()
    }
}

impl Seen {
    /// The model saw this content, or wrote it. `path` is canonical.
    pub fn note(&self, path: &Path, bytes: &[u8]) {
        self.note_fingerprint(path, Fingerprint::of(bytes));
    }

    /// As [`Seen::note`], for content that was never held as a whole.
    pub fn note_fingerprint(&self, path: &Path, fingerprint: Fingerprint) {
        let mut files = self.lock();
        let contents = files.entry(path.to_owned()).or_default();
        contents.retain(|known| *known != fingerprint);
        if contents.len() >= CONTENTS_A_FILE {
            contents.pop_front();
        }
        contents.push_back(fingerprint);
    }

    /// Whether the model has seen just this content.
    #[must_use]
    pub fn knows(&self, path: &Path, bytes: &[u8]) -> bool {
        let fingerprint = Fingerprint::of(bytes);
        self.lock().get(path).is_some_and(|contents| contents.contains(&fingerprint))
    }

    /// Whether the last content that the model saw of this file, if any, is another one.
    #[must_use]
    pub fn is_stale(&self, path: &Path, bytes: &[u8]) -> bool {
        let fingerprint = Fingerprint::of(bytes);
        let files = self.lock();
        files.get(path).and_then(VecDeque::back).is_some_and(|last| *last != fingerprint)
    }

    /// The model knows nothing any more.
    pub fn forget(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, VecDeque<Fingerprint>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
