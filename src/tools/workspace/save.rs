//! Replaces the content of a file.
//!
//! Owns atomicity, modes, owners and missing folders. Must not know what is written or why.
//!
//! Invariant: a file has its old or its new content at every moment, except where it has to be
//! written in place (hard links, another owner, no room beside it), and that is told.

#[cfg(test)]
mod tests;

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, OFlags, XattrFlags, fchown, fsetxattr, lgetxattr, llistxattr};

/// Longest value of an extended attribute, and of the list of their names: the kernel's limit.
const MAX_ATTRIBUTE: usize = 64 * 1024;

/// Bits of a mode that are kept.
const MODE_BITS: u32 = 0o7777;

/// What was done to save.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Folders that did not exist, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// Why the file was written in place, if it was not replaced at once.
    pub in_place: Option<&'static str>,
}

/// Writes a file whole. `path` is canonical and below `root`; missing parents below `root` are
/// created, `root` itself is not.
///
/// # Errors
/// What the system says. The old content is still there then, unless it had to be written in
/// place; folders that were created are removed again.
pub fn save(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<Saved> {
    save_with_mode(root, path, bytes, None)
}

/// As [`save`]; a file that is new gets just this mode, if one is given.
///
/// # Errors
/// As [`save`].
pub fn save_with_mode(
    root: &Path,
    path: &Path,
    bytes: &[u8],
    mode: Option<u32>,
) -> io::Result<Saved> {
    let existing = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => Some(metadata),
        // Whoever put something else here did it after the path was resolved.
        Ok(_) => return Err(io::Error::other("it is not a regular file any more")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let parent = path.parent().ok_or_else(|| io::Error::other("it has no parent folder"))?;
    let created_folders = create_folders(root, parent)?;
    let in_place = match write((path, parent), existing.as_ref(), bytes, mode) {
        Ok(in_place) => in_place,
        Err(error) => {
            remove_folders(&created_folders);
            return Err(error);
        }
    };
    if fs::read(path)? != bytes {
        return Err(io::Error::other("reading it back gave another content"));
    }
    Ok(Saved { created_folders, in_place })
}

fn create_folders(root: &Path, parent: &Path) -> io::Result<Vec<PathBuf>> {
    let missing: Vec<&Path> =
        parent.ancestors().take_while(|folder| *folder != root && !folder.exists()).collect();
    let mut created = Vec::new();
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            Ok(()) => created.push(folder.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                remove_folders(&created);
                return Err(error);
            }
        }
    }
    Ok(created)
}

/// Removes folders that [`save`] created, as far as they are empty. Outermost first.
pub fn remove_folders(created: &[PathBuf]) {
    for folder in created.iter().rev() {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

fn write(
    (path, parent): (&Path, &Path),
    existing: Option<&Metadata>,
    bytes: &[u8],
    mode: Option<u32>,
) -> io::Result<Option<&'static str>> {
    if let Some(metadata) = existing {
        let reason = if metadata.nlink() > 1 {
            Some("it has hard links")
        } else if metadata.uid() != rustix::process::geteuid().as_raw() {
            Some("it belongs to another user")
        } else {
            None
        };
        if reason.is_some() {
            write_in_place(path, bytes)?;
            return Ok(reason);
        }
    }
    match (replace((path, parent), existing, bytes, mode), existing) {
        (Ok(()), _) => Ok(None),
        (Err(Failed::Beside(_)), Some(_)) => {
            write_in_place(path, bytes)?;
            Ok(Some("no other file could be put beside it"))
        }
        (Err(Failed::Beside(error) | Failed::Content(error)), _) => Err(error),
    }
}

enum Failed {
    /// Making or moving the temporary file failed: writing in place may still work.
    Beside(io::Error),
    /// Writing the content failed, e.g. the disk is full: in place it would be worse.
    Content(io::Error),
}

fn replace(
    (path, parent): (&Path, &Path),
    existing: Option<&Metadata>,
    bytes: &[u8],
    mode: Option<u32>,
) -> Result<(), Failed> {
    let is_free = existing.is_none() && mode.is_none();
    let first_mode = if is_free { 0o666 } else { 0o600 };
    let mut temporary = tempfile::Builder::new()
        .prefix(".mcc-")
        .permissions(Permissions::from_mode(first_mode))
        .tempfile_in(parent)
        .map_err(Failed::Beside)?;
    temporary.write_all(bytes).map_err(Failed::Content)?;
    if let Some(metadata) = existing {
        copy_attributes(path, temporary.as_file());
        copy_owner(temporary.as_file(), metadata).map_err(Failed::Beside)?;
    } else if let Some(mode) = mode {
        let mode = Permissions::from_mode(mode & MODE_BITS);
        temporary.as_file().set_permissions(mode).map_err(Failed::Beside)?;
    }
    temporary.as_file().sync_all().map_err(Failed::Content)?;
    temporary.persist(path).map_err(|failed| Failed::Beside(failed.error))?;
    // The content is safe already; that the name is too matters only if the machine dies now.
    if let Ok(folder) = File::open(parent) {
        drop(folder.sync_all());
    }
    Ok(())
}

fn copy_owner(file: &File, metadata: &Metadata) -> io::Result<()> {
    if file.metadata()?.gid() != metadata.gid() {
        fchown(file, None, Some(Gid::from_raw(metadata.gid())))?;
    }
    // After the owner: changing that clears bits of the mode.
    file.set_permissions(Permissions::from_mode(metadata.mode() & MODE_BITS))
}

/// Extended attributes of the user and access lists, as far as they can be copied. Not those
/// that give power to a program: the kernel takes them away with any change too.
fn copy_attributes(from: &Path, to: &File) {
    let mut names = vec![0; MAX_ATTRIBUTE];
    let Ok(length) = llistxattr(from, names.as_mut_slice()) else { return };
    names.truncate(length);
    let mut value = vec![0; MAX_ATTRIBUTE];
    for name in names.split(|byte| *byte == 0) {
        let is_kept = name.starts_with(b"user.") || name == b"system.posix_acl_access";
        if !is_kept {
            continue;
        }
        let Ok(length) = lgetxattr(from, name, value.as_mut_slice()) else { continue };
        let value = value.get(..length).unwrap_or_default();
        fsetxattr(to, name, value, XattrFlags::empty()).unwrap_or_default();
    }
}

fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut file = OpenOptions::new()
        .write(true)
        .custom_flags(i32::try_from(flags.bits()).map_err(io::Error::other)?)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file any more"));
    }
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}
