//! Changes several files, all or none.
//!
//! Owns the order of the changes and the way back. Must not know why they are made.
//!
//! Invariant: after a failure every file is as it was, or is named as one that is not. Nothing
//! is put back over what somebody else wrote meanwhile.

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::rewrite::{Moved, Rewrite};
use super::save::{self, Saved};

/// Why not everything was changed.
#[derive(Debug)]
pub struct Failed {
    /// The file that could not be changed.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
    /// Files that could not be put back, and why. Usually none.
    pub stands: Vec<(PathBuf, io::Error)>,
}

/// One change that was made, and what is needed to take it back.
enum Undo<'a> {
    /// It was written: this was there before.
    Written { rewrite: &'a Rewrite, folders: Vec<PathBuf> },
    /// It was put aside, to be removed for good when all is done.
    Aside { path: &'a Path, aside: TempPath },
}

/// Makes the changes; files are removed last. `before` is asked before each, by its index: an
/// error from it counts as a failure of that change. Gives how each was saved.
///
/// # Errors
/// What failed, after everything was put back.
pub fn commit(
    root: &Path,
    rewrites: &[Rewrite],
    before: &mut dyn FnMut(usize) -> io::Result<()>,
) -> Result<Vec<Saved>, Failed> {
    let mut done = Vec::new();
    let mut saved: Vec<Saved> = rewrites.iter().map(|_| Saved::default()).collect();
    let (writes, removals): (Vec<_>, Vec<_>) =
        rewrites.iter().zip(&mut saved).partition(|(rewrite, _)| rewrite.new.is_some());
    for (index, (rewrite, saved)) in writes.into_iter().chain(removals).enumerate() {
        if rewrite.is_nothing() {
            continue;
        }
        match before(index).and_then(|()| step(root, rewrite)) {
            Ok((how, undo)) => {
                *saved = how;
                done.push(undo);
            }
            Err(error) => {
                // Writing in place may have torn it.
                done.push(Undo::Written { rewrite, folders: Vec::new() });
                let stands = take_back(root, done);
                return Err(Failed { path: rewrite.path.absolute.clone(), error, stands });
            }
        }
    }
    // What cannot be removed for good now is a hidden file that nobody misses.
    done.into_iter().for_each(drop);
    Ok(saved)
}

fn step<'a>(root: &Path, rewrite: &'a Rewrite) -> io::Result<(Saved, Undo<'a>)> {
    let path = rewrite.path.absolute.as_path();
    let Some(new) = &rewrite.new else {
        let parent = path.parent().ok_or_else(|| io::Error::other("it has no parent folder"))?;
        let aside = tempfile::Builder::new().prefix(".mcc-").tempfile_in(parent)?.into_temp_path();
        fs::rename(path, &aside)?;
        return Ok((Saved::default(), Undo::Aside { path, aside }));
    };
    let mode = match &rewrite.moved {
        Moved::From(_, mode) => Some(*mode),
        Moved::No | Moved::Away => None,
    };
    let saved = save::save_with_mode(root, path, new, mode)?;
    let folders = saved.created_folders.clone();
    Ok((saved, Undo::Written { rewrite, folders }))
}

fn take_back(root: &Path, done: Vec<Undo<'_>>) -> Vec<(PathBuf, io::Error)> {
    let mut stands = Vec::new();
    for undo in done.into_iter().rev() {
        let (path, result) = match undo {
            Undo::Aside { path, aside } => {
                (path, aside.persist_noclobber(path).map_err(|failed| failed.error))
            }
            Undo::Written { rewrite, folders } => {
                (rewrite.path.absolute.as_path(), restore(root, rewrite, &folders))
            }
        };
        if let Err(error) = result {
            stands.push((path.to_owned(), error));
        }
    }
    stands
}

fn restore(root: &Path, rewrite: &Rewrite, folders: &[PathBuf]) -> io::Result<()> {
    let path = &rewrite.path.absolute;
    let now = match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if is_absence(&error) => None,
        Err(error) => return Err(error),
    };
    if now == rewrite.old {
        return Ok(());
    }
    let is_torn = |now: &[u8]| {
        let new = rewrite.new.as_deref().unwrap_or_default();
        let old = rewrite.old.as_deref().unwrap_or_default();
        let common = now.iter().zip(new).take_while(|(a, b)| a == b).count();
        now.get(common..) == old.get(common..)
    };
    match &now {
        Some(now) if Some(now) != rewrite.new.as_ref() && !is_torn(now) => {
            return Err(io::Error::other("somebody else changed it meanwhile"));
        }
        _ => {}
    }
    if let Some(old) = &rewrite.old {
        return save::save(root, path, old).map(drop);
    }
    fs::remove_file(path)?;
    save::remove_folders(folders);
    Ok(())
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
