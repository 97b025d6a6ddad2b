//! One spelling for each file, also on a disk that ignores case.
//!
//! Owns which spelling that is: of what exists, the one that its folder lists; of what does not
//! exist yet on such a disk, the one in small letters, for comparing only. Must not know what a
//! path is used for.
//!
//! Invariant: two paths that name one file are equal after it; two that name two files are not.
//! The names of a hard link are two files.

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// What has to be asked of a disk.
trait Names {
    /// Device and number of what is at the path, links not followed.
    fn id(&self, path: &Path) -> Option<(u64, u64)>;

    /// The names in a folder.
    fn list(&self, folder: &Path) -> Vec<OsString>;
}

struct Disk;

impl Names for Disk {
    fn id(&self, path: &Path) -> Option<(u64, u64)> {
        path.symlink_metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    fn list(&self, folder: &Path) -> Vec<OsString> {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).collect()
    }
}

/// A path without links, spelled as its folders list it, as far as it exists.
#[must_use]
pub fn spelled(path: &Path) -> PathBuf {
    spelled_on(&Disk, path)
}

/// A spelled path as it is compared with others. Not for opening: what does not exist yet may
/// be in small letters.
#[must_use]
pub fn compared(path: &Path) -> PathBuf {
    compared_on(&Disk, path)
}

fn spelled_on(disk: &impl Names, path: &Path) -> PathBuf {
    let mut spelled = PathBuf::new();
    let mut exists = true;
    for part in path.components() {
        let name = part.as_os_str();
        let next = spelled.join(name);
        exists = exists && disk.id(&next).is_some();
        spelled = match part {
            Component::Normal(name) if exists && answers_to_other_case(disk, &next, name) => {
                spelled.join(listed(disk, &spelled, name).unwrap_or_else(|| name.to_owned()))
            }
            _ => next,
        };
    }
    spelled
}

fn compared_on(disk: &impl Names, path: &Path) -> PathBuf {
    let existing = path.ancestors().find(|part| disk.id(part).is_some());
    let Some(existing) = existing.filter(|existing| *existing != path) else {
        return path.to_owned();
    };
    match path.strip_prefix(existing) {
        Ok(rest) if ignores_case(disk, existing) => {
            let small = rest.to_str().map(str::to_lowercase);
            existing.join(small.map_or_else(|| rest.to_owned(), PathBuf::from))
        }
        _ => path.to_owned(),
    }
}

/// Whether the same thing is there under the name in the other case: on a disk that ignores
/// case, or because it was linked so.
fn answers_to_other_case(disk: &impl Names, path: &Path, name: &OsStr) -> bool {
    let Some(other) = other_case(name) else { return false };
    let id = disk.id(path);
    id.is_some() && disk.id(&path.with_file_name(other)) == id
}

/// The name as its folder lists it. What is listed just so is itself.
fn listed(disk: &impl Names, folder: &Path, name: &OsStr) -> Option<OsString> {
    let names = disk.list(folder);
    if names.iter().any(|listed| listed == name) {
        return None;
    }
    let small = name.to_str()?.to_lowercase();
    names.into_iter().find(|listed| listed.to_str().is_some_and(|it| it.to_lowercase() == small))
}

/// Whether the disk that an existing folder lies on ignores case, as far as names above tell.
fn ignores_case(disk: &impl Names, folder: &Path) -> bool {
    let telling = folder.ancestors().find_map(|part| {
        let name = part.file_name()?;
        Some((part, name, other_case(name)?))
    });
    telling.is_some_and(|(part, name, other)| {
        let above = part.parent().unwrap_or(part);
        answers_to_other_case(disk, part, name) && !disk.list(above).contains(&other)
    })
}

/// The name with small and capital letters exchanged, if it has any.
fn other_case(name: &OsStr) -> Option<OsString> {
    let name = name.to_str()?;
    let other: String = name
        .chars()
        .map(|char| match char {
            'a'..='z' => char.to_ascii_uppercase(),
            char => char.to_ascii_lowercase(),
        })
        .collect();
    (other != name).then(|| OsString::from(other))
}
