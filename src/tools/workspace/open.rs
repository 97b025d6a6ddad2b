//! Opens files for reading, and says helpfully why one cannot be read.
//!
//! Owns the kinds of files that are refused, and near names. Must not decode content.
//!
//! Invariant: nothing but a regular file is ever opened, so opening and reading never block on
//! another process; what is opened is what was resolved, without following a new link.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::{Resolved, Workspace};
use crate::tools::ToolError;

/// Near names are looked for among so many entries of a folder.
const MAX_NEIGHBOURS: usize = 2_000;

/// Characters of a name that are compared.
const MAX_COMPARED: usize = 64;

/// Opens a regular file for reading.
///
/// # Errors
/// A text for the model: not found (with near names), a folder, a special file, no permission.
pub fn open_regular(workspace: &Workspace, path: &Resolved) -> Result<File, ToolError> {
    let metadata =
        path.absolute.symlink_metadata().map_err(|error| unreadable(workspace, path, &error))?;
    check_kind(path, &metadata)?;
    let file =
        open_nofollow(&path.absolute).map_err(|error| unreadable(workspace, path, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(workspace, path, &error))?;
    check_kind(path, &metadata)?;
    Ok(file)
}

/// Reads a whole regular file of at most `max` bytes.
///
/// # Errors
/// As [`open_regular`], and if the file is larger.
pub fn read_whole(workspace: &Workspace, path: &Resolved, max: u64) -> Result<Vec<u8>, ToolError> {
    let file = open_regular(workspace, path)?;
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(workspace, path, &error))?;
    if bytes.len() as u64 > max {
        return Err(ToolError::failed(
            "too large",
            format!(
                "`{}` is larger than {}, too large for this tool. Use a command for it.",
                path.relative,
                size(max)
            ),
        ));
    }
    Ok(bytes)
}

/// Opens for reading without blocking and without following a link anywhere in the path.
///
/// # Errors
/// What the system says.
pub fn open_nofollow(path: &Path) -> io::Result<File> {
    let flags =
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(File::from(open_strictly(path, flags)?))
}

#[cfg(target_os = "linux")]
fn open_strictly(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    use rustix::io::Errno;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Old kernels and some sandboxes lack the call.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
        other => return Ok(other?),
    }
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

#[cfg(not(target_os = "linux"))]
fn open_strictly(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Refuses everything but a regular file.
///
/// # Errors
/// A text for the model that names the kind.
pub fn check_kind(path: &Resolved, metadata: &Metadata) -> Result<(), ToolError> {
    let name = &path.relative;
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(ToolError::failed(
            "is a folder",
            format!("`{name}` is a folder, not a file. Use list_files to see what is in it."),
        ))
    } else {
        let kind = kind_word(metadata.file_type());
        Err(ToolError::failed(
            format!("is a {kind}"),
            format!("`{name}` is a {kind}, not a regular file. Only regular files can be used."),
        ))
    }
}

/// What a file that is no regular file and no folder is called.
#[must_use]
pub fn kind_word(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "named pipe"
    } else if kind.is_socket() {
        "socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "device"
    } else if kind.is_symlink() {
        "symbolic link"
    } else {
        "special file"
    }
}

/// The error for a file that could not be opened or read.
#[must_use]
pub fn unreadable(workspace: &Workspace, path: &Resolved, error: &io::Error) -> ToolError {
    let name = &path.relative;
    match error.kind() {
        io::ErrorKind::NotFound => not_found(workspace, path),
        io::ErrorKind::PermissionDenied => ToolError::failed(
            "no permission",
            format!("`{name}` cannot be read: permission denied. Ask the user, or go on without."),
        ),
        _ => ToolError::failed(
            "unreadable",
            format!("`{name}` cannot be read: {error}. Check the path with list_files."),
        ),
    }
}

/// The error for everything, once the folder of the session is gone.
#[must_use]
pub fn vanished(workspace: &Workspace) -> Option<ToolError> {
    let root = workspace.root();
    (!root.is_dir()).then(|| {
        ToolError::failed(
            "folder is gone",
            format!(
                "the folder of this session, `{}`, does not exist any more. It is not created \
                 again: ask the user.",
                root.display()
            ),
        )
    })
}

/// The error for a path where nothing is, with up to three near names.
#[must_use]
pub fn not_found(workspace: &Workspace, path: &Resolved) -> ToolError {
    if let Some(error) = vanished(workspace) {
        return error;
    }
    let name = &path.relative;
    let mut text = format!("`{name}` does not exist.");
    let folder = path.absolute.parent().unwrap_or(workspace.root());
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder);
    if let Some(error) = not_text(workspace, path, existing) {
        return error;
    }
    if existing == folder {
        let wanted = path.absolute.file_name().unwrap_or_default().to_string_lossy();
        let near: Vec<String> = near_names(folder, &wanted)
            .iter()
            .map(|near| format!("`{}`", workspace.relative(&folder.join(near))))
            .collect();
        if near.is_empty() {
            text.push_str(" list_files of its folder shows what is there.");
        } else {
            text.push_str(" Near names: ");
            text.push_str(&near.join(", "));
            text.push('.');
        }
    } else {
        let missing = workspace.relative(folder);
        let existing = workspace.relative(existing);
        write!(
            text,
            " Its folder `{missing}` does not exist either; the nearest that does is \
             `{existing}`: use list_files there."
        )
        .unwrap_or_default();
    }
    ToolError::failed("not found", text)
}

/// The error if what the path names is there, under a name that no text can name.
fn not_text(workspace: &Workspace, path: &Resolved, existing: &Path) -> Option<ToolError> {
    let missing = path.absolute.strip_prefix(existing).ok()?.components().next()?.as_os_str();
    let shown = missing.to_str().filter(|name| name.contains(char::REPLACEMENT_CHARACTER))?;
    let is_there =
        names(existing).any(|name| name.to_str().is_none() && name.to_string_lossy() == shown);
    is_there.then(|| {
        ToolError::failed(
            "name is not UTF-8",
            format!(
                "the name that is shown as `{}` is not valid UTF-8, so it cannot be opened. Use \
                 a command with `?` for each U+FFFD in it, or leave it out.",
                workspace.relative(&existing.join(missing))
            ),
        )
    })
}

fn names(folder: &Path) -> impl Iterator<Item = OsString> {
    let entries = folder.read_dir().into_iter().flatten().take(MAX_NEIGHBOURS);
    entries.flatten().map(|entry| entry.file_name())
}

/// Up to three entries of a folder whose names are near the wanted one, nearest first. Names
/// that are not UTF-8 are none of them: they could not be used.
#[must_use]
pub fn near_names(folder: &Path, wanted: &str) -> Vec<String> {
    let mut near: Vec<(f64, String)> = names(folder)
        .filter_map(|name| name.into_string().ok())
        .map(|name| (nearness(wanted, &name), name))
        .filter(|(nearness, _)| *nearness >= 0.6)
        .collect();
    near.sort_by(|(a, name_a), (b, name_b)| b.total_cmp(a).then_with(|| name_a.cmp(name_b)));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// 1 for the same name but for case, down to 0. The same stem with another extension is near.
fn nearness(wanted: &str, name: &str) -> f64 {
    let (wanted, name) = (compared(wanted), compared(name));
    let whole = strsim::normalized_damerau_levenshtein(&wanted, &name);
    let stem = |name: &str| Path::new(name).file_stem().map(std::ffi::OsStr::to_os_string);
    if stem(&wanted) == stem(&name) { whole.max(0.9) } else { whole }
}

/// What is compared of a name: the cost grows with the product of the lengths.
fn compared(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).take(MAX_COMPARED).collect()
}

/// A size for people: `41 B`, `1.2 KB`, in steps of 1024.
#[must_use]
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["KB", "MB", "GB", "TB"] {
        // 1023.95 would be shown as 1024.0.
        if value < 1023.95 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}
