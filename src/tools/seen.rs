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
/// How many separate parts of one content are remembered: the newest.
const PARTS: usize = 64;

/// Contents that the model has seen, by canonical path and hash. Clones share one memory.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    files: Arc<Mutex<HashMap<PathBuf, VecDeque<Content>>>>,
}

/// One content of a file, and what of it was seen.
#[derive(Clone, Debug)]
struct Content {
    fingerprint: Fingerprint,
    whole: bool,
    /// Lines that were seen, first and last; apart from each other.
    parts: Vec<(u64, u64)>,
}

/// Lines of a file that were shown, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
    /// How many lines the file has.
    pub of: u64,
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

impl Content {
    fn add(&mut self, shown: Shown) {
        let (mut first, mut last) = (shown.first, shown.last);
        // Parts that touch become one.
        self.parts.retain(|(from, to)| {
            let touch = *from <= last.saturating_add(1) && first <= to.saturating_add(1);
            if touch {
                (first, last) = (first.min(*from), last.max(*to));
            }
            !touch
        });
        if self.parts.len() >= PARTS {
            self.parts.remove(0);
        }
        self.parts.push((first, last));
        self.whole |= first <= 1 && last >= shown.of;
    }
}

impl Seen {
    /// The model saw this content, or wrote it. `path` is canonical.
    pub fn note(&self, path: &Path, bytes: &[u8]) {
        self.put(path, Fingerprint::of(bytes), |content| content.whole = true);
    }

    /// As [`Seen::note`], for content that was never held as a whole, and of which these lines were
    /// shown. All of it is known once all lines were.
    pub fn note_lines(&self, path: &Path, fingerprint: Fingerprint, shown: Shown) {
        self.put(path, fingerprint, |content| content.add(shown));
    }

    fn put(&self, path: &Path, fingerprint: Fingerprint, see: impl FnOnce(&mut Content)) {
        let mut files = self.lock();
        let contents = files.entry(path.to_owned()).or_default();
        let known = contents.iter().position(|known| known.fingerprint == fingerprint);
        let mut content = known.and_then(|at| contents.remove(at)).unwrap_or(Content {
            fingerprint,
            whole: false,
            parts: Vec::new(),
        });
        see(&mut content);
        if contents.len() >= CONTENTS_A_FILE {
            contents.pop_front();
        }
        contents.push_back(content);
    }

    /// Whether the model has seen just this content, and all of it.
    #[must_use]
    pub fn knows(&self, path: &Path, bytes: &[u8]) -> bool {
        self.find(path, bytes, |content| content.whole)
    }

    /// Whether the model has seen just this content, but not all of it.
    #[must_use]
    pub fn knows_in_part(&self, path: &Path, bytes: &[u8]) -> bool {
        self.find(path, bytes, |content| !content.whole)
    }

    fn find(&self, path: &Path, bytes: &[u8], is_it: impl Fn(&Content) -> bool) -> bool {
        let fingerprint = Fingerprint::of(bytes);
        let files = self.lock();
        let mut contents = files.get(path).into_iter().flatten();
        contents.any(|content| content.fingerprint == fingerprint && is_it(content))
    }

    /// Whether the last content that the model saw of this file, if any, is another one.
    #[must_use]
    pub fn is_stale(&self, path: &Path, bytes: &[u8]) -> bool {
        let fingerprint = Fingerprint::of(bytes);
        let files = self.lock();
        files.get(path).and_then(VecDeque::back).is_some_and(|last| last.fingerprint != fingerprint)
    }

    /// The model knows nothing any more.
    pub fn forget(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, VecDeque<Content>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
