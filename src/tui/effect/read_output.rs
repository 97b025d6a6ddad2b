//! Reads the whole output of a command from its file, for the screen.
//!
//! Owns what is taken for that file. Must not know how it is shown. Blocks: for a job beside the
//! screen.
//!
//! Invariant: only a regular file that stands where it was made is read, and of that no more than
//! the output; a pipe, a device or a link in its place is never opened to be read from.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

use crate::{
    protocol::tool::WholeFile,
    text::{cut::one_line, number::grouped, sanitize::sanitize},
    tui::overlay::call::whole::{Gathering, WholeText},
};

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;
/// Characters of a path, and of a reason, that are told.
const TOLD: usize = 1_000;

/// Reads it. `None` once nobody wants it any more; a sentence if it cannot be read.
pub(in crate::tui) fn read(
    file: &WholeFile,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Result<WholeText, String>> {
    let path = one_line(&sanitize(&file.path), TOLD);
    let read = open(Path::new(&file.path)).and_then(|mut opened| {
        opened.seek(SeekFrom::Start(file.from))?;
        let mut gathering = Gathering::new();
        let bytes = gather(&mut opened.take(file.bytes), &mut gathering, is_wanted)?;
        Ok(bytes.map(|bytes| gathering.finish(short(file, bytes, &path), &path)))
    });
    match read {
        Ok(read) => read.map(Ok),
        Err(error) => Some(Err(format!("{path}: {}", in_words(&error)))),
    }
}

fn open(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|_| path.is_absolute());
    let folder = folder.ok_or_else(|| io::Error::other("this is no place of a file"))?;
    if folder.canonicalize()? != folder {
        return Err(io::Error::other("its folder is a symbolic link, which is not followed"));
    }
    let kind = path.symlink_metadata()?.file_type();
    if kind.is_symlink() {
        return Err(io::Error::other("this is a symbolic link, which is not followed"));
    }
    if !kind.is_file() {
        return Err(io::Error::other("this is no regular file"));
    }
    // It may have become another meanwhile. Without waiting: the other end of a pipe may never be opened.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let is_file = file.metadata()?.is_file();
    is_file.then_some(file).ok_or_else(|| io::Error::other("this is no regular file"))
}

/// Gives the bytes that were there.
fn gather(
    file: &mut impl Read,
    gathering: &mut Gathering,
    is_wanted: &dyn Fn() -> bool,
) -> io::Result<Option<u64>> {
    let mut buffer = vec![0; CHUNK];
    let mut bytes = 0;
    while is_wanted() {
        let count = match file.read(&mut buffer) {
            Ok(0) => return Ok(Some(bytes)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        gathering.push(buffer.get(..count).unwrap_or_default());
        bytes += count as u64;
    }
    Ok(None)
}

/// Why these bytes are not the whole output, if they are not.
fn short(file: &WholeFile, bytes: u64, path: &str) -> Option<String> {
    let (here, read) = (grouped(file.bytes), grouped(bytes));
    if bytes < file.bytes {
        return Some(format!("The file holds only {read} of these {here} bytes: {path}"));
    }
    let why = one_line(&sanitize(file.cut.as_ref()?), TOLD);
    Some(format!("Only the first {read} bytes could be kept ({why}). They are in {path}"))
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "it is gone. It is kept as long as the session, and not if there are too many"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
