//! The folder of a session that holds the output of its commands, and whose files may be read.
//!
//! Owns the folder: it is made with the first file, locked while the session lives, and removed
//! with it. A session that was killed leaves it unlocked, and the next one removes it.
//!
//! Invariant: only this user can read it; a path is given out as readable only if it is exactly
//! that of a file that was made here.

use std::{
    collections::VecDeque,
    fs::{self, DirBuilder, File, OpenOptions},
    hash::BuildHasher,
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use rustix::fs::{FlockOperation, flock};

/// Most that the files of one session hold, in bytes; the oldest go first.
const MOST_OF_SESSION: u64 = 512 << 20;

/// Folders that are tried before there is none.
const TRIES: u32 = 8;

/// Held by whoever writes a file.
pub(super) type InUse = Arc<()>;

/// Where the output of commands goes.
#[derive(Debug)]
pub(super) struct OutFolder {
    base: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    made: Option<Made>,
    next: u32,
    files: VecDeque<(PathBuf, Weak<()>)>,
}

#[derive(Debug)]
struct Made {
    path: PathBuf,
    /// Locked for as long as it is open.
    _lock: File,
}

impl OutFolder {
    /// Makes nothing yet, but removes what sessions left below `base` that were killed.
    pub(super) fn below(base: PathBuf) -> Self {
        sweep(&base);
        Self { base, state: Mutex::default() }
    }

    /// A new file that only this user can read, and what says that it is in use.
    pub(super) fn create(&self) -> io::Result<(PathBuf, File, InUse)> {
        let mut state = self.locked();
        if state.made.as_ref().is_none_or(|made| !made.path.is_dir()) {
            state.made = Some(make(&self.base)?);
        }
        state.next += 1;
        let name = format!("{}.txt", state.next);
        let made = state.made.as_ref().ok_or_else(|| io::Error::other("no folder"))?;
        let path = made.path.join(name);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let in_use = InUse::default();
        state.files.push_back((path.clone(), Arc::downgrade(&in_use)));
        drop_oldest(&mut state.files);
        Ok((path, file, in_use))
    }

    /// The path, if it is that of a file that was made here and is still there.
    pub(super) fn readable(&self, path: &str) -> Option<PathBuf> {
        let state = self.locked();
        let known = state.files.iter().find(|(known, _)| known == Path::new(path))?;
        Some(known.0.clone())
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OutFolder {
    fn drop(&mut self) {
        if let Some(made) = &self.locked().made {
            fs::remove_dir_all(&made.path).ok();
        }
    }
}

fn drop_oldest(files: &mut VecDeque<(PathBuf, Weak<()>)>) {
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut all: u64 = files.iter().map(|(path, _)| size(path)).sum();
    while all > MOST_OF_SESSION {
        let Some(at) = files.iter().position(|(_, in_use)| in_use.strong_count() == 0) else {
            return;
        };
        let Some((path, _)) = files.remove(at) else { return };
        all -= size(&path).min(all);
        fs::remove_file(path).ok();
    }
}

/// A folder with a name that nobody has, locked.
fn make(base: &Path) -> io::Result<Made> {
    DirBuilder::new().recursive(true).mode(0o700).create(base)?;
    for _ in 0..TRIES {
        let unguessable = std::hash::RandomState::new().hash_one(std::process::id());
        let path = base.join(format!("{}-{unguessable:016x}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&path)?;
        let lock = File::open(&path)?;
        // Another session that sweeps may have been faster.
        let locked = flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
        let own = lock.metadata()?.ino();
        if locked && fs::metadata(&path).is_ok_and(|found| found.ino() == own) {
            return Ok(Made { path: path.canonicalize()?, _lock: lock });
        }
    }
    Err(io::Error::other("no folder of its own"))
}

/// Removes the folders that nobody holds locked.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let lock = File::open(entry.path()).ok().filter(|_| is_folder);
        if let Some(lock) = lock
            && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests;
