//! Opens files for reading, and says helpfully why one cannot be read.
//!
//! Owns the kinds of files that are refused, and near names. Must not decode content.
//!
//! Invariant: nothing but a regular file is ever opened, so opening and reading never block on
//! another process; what is opened is what was resolved, without following a new link.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::{Resolved, Workspace};
use crate::text::cut;
use crate::tools::ToolError;

/// Near names are looked for among so many entries of a folder.
const MAX_NEIGHBOURS: usize = 5_000;

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

/// The error for a path where nothing is, with up to three near names.
#[must_use]
pub fn not_found(workspace: &Workspace, path: &Resolved) -> ToolError {
    let name = &path.relative;
    let mut text = format!("`{name}` does not exist.");
    let folder = path.absolute.parent().unwrap_or(workspace.root());
    if folder.is_dir() {
        let wanted = path.absolute.file_name().unwrap_or_default().to_string_lossy();
        let near: Vec<String> = near_names(folder, &wanted)
            .iter()
            .map(|near| format!("`{}`", workspace.relative(&folder.join(near))))
            .collect();
        if near.is_empty() {
            text.push_str(" Use list_files or search_code to find it.");
        } else {
            text.push_str(" Near names: ");
            text.push_str(&near.join(", "));
            text.push('.');
        }
    } else {
        let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder);
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

/// Up to three entries of a folder whose names are near the wanted one, nearest first.
#[must_use]
pub fn near_names(folder: &Path, wanted: &str) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut near: Vec<(f64, String)> = entries
        .take(MAX_NEIGHBOURS)
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .map(|name| (nearness(wanted, &name), name))
        .filter(|(nearness, _)| *nearness >= 0.6)
        .collect();
    near.sort_by(|(a, name_a), (b, name_b)| b.total_cmp(a).then_with(|| name_a.cmp(name_b)));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// 1 for the same name but for case, down to 0. The same stem with another extension is near.
fn nearness(wanted: &str, name: &str) -> f64 {
    // No file has a longer name, and comparing takes time by the square of the length.
    let (wanted, name) = (cut::head(wanted, 255).to_lowercase(), name.to_lowercase());
    let start = |name: &str| name.chars().take(64).collect::<String>();
    let whole = strsim::normalized_damerau_levenshtein(&start(&wanted), &start(&name));
    let stem = |name: &str| Path::new(name).file_stem().map(std::ffi::OsStr::to_os_string);
    if stem(&wanted) == stem(&name) { whole.max(0.9) } else { whole }
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
