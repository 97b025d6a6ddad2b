//! How a shell tells the folder that it ends in: beside its output, which is the command's own.
//!
//! Owns one small file. Bash reads it before the command, by `BASH_ENV`, and sets a trap for its
//! exit; the trap writes the folder over it. So the command itself stays as it was given, no
//! descriptor is left open for it, and nothing it prints is taken for the folder.
//!
//! Invariant: the file is gone when this is dropped. What is read is hostile: a command can write
//! there too.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use tempfile::TempPath;

use super::super::wire::EndFolder;

/// What stands before and after the folder: whatever lacks one of them was not written whole.
const EDGE: &str = ".\n";

/// Most that is read, in bytes.
const LONGEST: u64 = 8 << 10;

pub(super) struct Note {
    path: TempPath,
}

impl Note {
    /// Fails where temporary files cannot be made, or stand at a path that bash would expand.
    pub(super) fn new() -> io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix("mcc-folder-").tempfile()?;
        let script = file.path().to_str().and_then(script);
        let script = script.ok_or_else(|| io::Error::other("a path that a shell would expand"))?;
        file.write_all(script.as_bytes())?;
        Ok(Self { path: file.into_temp_path() })
    }

    /// What makes bash read it.
    pub(super) fn variable(&self) -> (&'static str, &OsStr) {
        ("BASH_ENV", self.path.as_os_str())
    }

    /// What the shell wrote there, after it exited.
    pub(super) fn read(self) -> EndFolder {
        let path: &Path = &self.path;
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
        if read.is_err() {
            return EndFolder::Unknown;
        }
        written(&bytes)
    }
}

/// The path stands in quotes within quotes; and bash expands the variable that holds it.
fn script(path: &str) -> Option<String> {
    if path.contains(|c: char| c.is_control() || "'\\$`\"".contains(c)) {
        return None;
    }
    Some(format!(
        "unset BASH_ENV\n\
         trap \"{{ builtin echo .; builtin pwd -P; builtin echo .; }} >|'{path}' 2>/dev/null\" EXIT\n"
    ))
}

fn written(bytes: &[u8]) -> EndFolder {
    let Some(rest) = bytes.strip_prefix(EDGE.as_bytes()) else { return EndFolder::Unknown };
    // The shell has no folder any more: then nothing stands between the edges.
    let Some(folder) = rest.strip_suffix(EDGE.as_bytes()) else { return EndFolder::Unknown };
    let folder = std::str::from_utf8(folder).unwrap_or_default();
    EndFolder::told(folder.strip_suffix('\n').unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_only_by_what_was_written_whole() {
        let at = |path: &str| EndFolder::At(path.into());
        for (bytes, folder) in [
            (&b".\n/a/b c\n.\n"[..], at("/a/b c")),
            (b".\n/\n.\n", at("/")),
            (b".\n.\n", EndFolder::Unusable),
            (b".\n/a\nb\n.\n", EndFolder::Unusable),
            (b".\n/\xff\n.\n", EndFolder::Unusable),
            (b".\n/a\n", EndFolder::Unknown),
            (b"", EndFolder::Unknown),
            (b"unset BASH_ENV\ntrap", EndFolder::Unknown),
        ] {
            assert_eq!(written(bytes), folder, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_path_that_a_shell_would_expand_is_not_used() {
        assert!(script("/tmp/a b").unwrap().contains("'/tmp/a b'"));
        for path in ["/tmp/$(x)", "/tmp/`x`", "/tmp/it's", "/tmp/a\\b", "/tmp/a\"b", "/tmp/a\nb"] {
            assert_eq!(script(path), None, "{path}");
        }
    }

    #[test]
    fn the_file_is_gone_when_the_note_is() {
        let note = Note::new().unwrap();
        let path = note.path.to_path_buf();
        assert!(path.is_file());
        assert_eq!(note.read(), EndFolder::Unknown, "no shell wrote there");
        assert!(!path.exists());
    }
}
