//! The file of prompts: one a line as JSON, with the folder that it was typed in; the newest last. A
//! line that is a string alone is a prompt of which the folder is not known, as older files have them.
//!
//! Owns its form, its bounds and its lock. Must not know who reads it. Invariant: two programs
//! that write at once lose nothing of each other; a broken file costs what is broken, and no more.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use serde::{Deserialize, Serialize};

/// Prompts in the file.
const MOST: usize = 1_000;
/// Bytes of the file. A prompt that is larger than a quarter of it is not written.
const MOST_BYTES: usize = 1 << 20;
/// Bytes that are read of a file that somebody else made.
const MOST_READ: u64 = 16 << 20;
/// What it takes to let nobody else read it.
const MODE: u32 = 0o600;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Entry {
    Placed { prompt: String, folder: String },
    Bare(String),
}

impl Entry {
    fn is_of(&self, of: &str) -> bool {
        matches!(self, Self::Placed { folder, .. } if folder == of)
    }

    fn prompt(self) -> String {
        match self {
            Self::Placed { prompt, .. } | Self::Bare(prompt) => prompt,
        }
    }
}

/// The prompts in the file: those of other folders, then those of this one, which are looked for
/// first; the newest last. None if there is none that can be read.
pub(in crate::tui) fn load(path: &Path, folder: &Path) -> Vec<String> {
    let Ok(bytes) = read(path) else { return Vec::new() };
    let mut entries = parse(&bytes);
    entries.drain(..entries.len().saturating_sub(MOST));
    let folder = name(folder);
    let (own, others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.is_of(&folder));
    others.into_iter().chain(own).map(Entry::prompt).collect()
}

/// The folder as it stands in the file, whatever links have led there.
fn name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.to_string_lossy().into_owned()
}

/// Adds prompts that were typed in this folder; the oldest go if the file would be too large.
///
/// # Errors
/// The file cannot be written.
pub(in crate::tui) fn add(path: &Path, folder: &Path, prompts: &[String]) -> io::Result<()> {
    let folder = name(folder);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let lock = open(&path.with_extension("lock"), OpenOptions::new().write(true).create(true))?;
    lock.lock()?;
    let old = read(path).unwrap_or_default();
    let fresh: Vec<String> = prompts
        .iter()
        .map(|prompt| Entry::Placed { prompt: prompt.clone(), folder: folder.clone() })
        .filter_map(|entry| serde_json::to_string(&entry).ok())
        .filter(|line| line.len() <= MOST_BYTES / 4)
        .collect();
    let new_bytes: usize = fresh.iter().map(|line| line.len() + 1).sum();
    let lines = old.split(|byte| *byte == b'\n').count() - 1;
    let is_whole = old.is_empty() || old.ends_with(b"\n");
    if is_whole && lines + fresh.len() <= MOST && old.len() + new_bytes <= MOST_BYTES {
        let mut file = open(path, OpenOptions::new().append(true).create(true))?;
        return file.write_all(text(&fresh).as_bytes());
    }
    // Mended and cut at once, with room to grow: not every prompt writes it anew.
    let kept = parse(&old).into_iter().filter_map(|entry| serde_json::to_string(&entry).ok());
    let mut all: Vec<String> = kept.chain(fresh).collect();
    let mut room = MOST_BYTES * 3 / 4;
    let fits = |line: &&String| {
        let left = room.checked_sub(line.len() + 1);
        left.inspect(|left| room = *left).is_some()
    };
    let keep = all.iter().rev().take(MOST * 3 / 4).take_while(fits).count();
    all.drain(..all.len() - keep);
    let beside = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(beside)?;
    file.write_all(text(&all).as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Opens a file for us alone. Whatever is no file would be waited for.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("not a file"));
    }
    let file = options.mode(MODE).open(path)?;
    if file.metadata()?.permissions().mode() & 0o777 != MODE {
        file.set_permissions(fs::Permissions::from_mode(MODE))?;
    }
    Ok(file)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_READ).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What can be read of it: a line that is no prompt is left out.
fn parse(bytes: &[u8]) -> Vec<Entry> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state").join("history");
        (folder, path)
    }

    fn add_one(path: &Path, prompt: &str) {
        add(path, Path::new("/here"), &[prompt.to_owned()]).unwrap();
    }

    #[test]
    fn what_was_added_is_read_again_and_only_we_may_read_it() {
        let (_folder, path) = place();
        assert_eq!(load(&path, Path::new("/here")), Vec::<String>::new());
        add_one(&path, "one\nof two lines");
        add_one(&path, "\u{1b}漢\"\\");
        assert_eq!(load(&path, Path::new("/here")), ["one\nof two lines", "\u{1b}漢\"\\"]);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        add_one(&path, "three");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_broken_file_costs_only_what_is_broken() {
        let (_folder, path) = place();
        add_one(&path, "good");
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(b"\xff\xfe\nnot json\n[1]\n\"cut");
        fs::write(&path, bytes).unwrap();
        assert_eq!(load(&path, Path::new("/here")), ["good"]);
        add_one(&path, "new");
        assert_eq!(load(&path, Path::new("/here")), ["good", "new"]);
        assert!(!fs::read_to_string(&path).unwrap().contains("not json"));
    }

    #[test]
    fn what_is_no_file_is_no_history() {
        let (folder, _) = place();
        assert_eq!(load(folder.path(), Path::new("/here")), Vec::<String>::new());
        assert!(add(folder.path(), Path::new("/here"), &["x".to_owned()]).is_err());
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_or_they_are_too_large() {
        let (_folder, path) = place();
        let many: Vec<_> = (0..1_000).map(|n| n.to_string()).collect();
        add(&path, Path::new("/here"), &many).unwrap();
        assert_eq!(load(&path, Path::new("/here")).len(), 1_000);
        add_one(&path, "newest");
        let kept = load(&path, Path::new("/here"));
        assert_eq!((kept.len(), kept.last().unwrap().as_str()), (750, "newest"));
        for _ in 0..10 {
            add_one(&path, &"x".repeat(200_000));
            assert!(path.metadata().unwrap().len() <= 1 << 20);
        }
        assert!(!load(&path, Path::new("/here")).is_empty());
        add_one(&path, &"y".repeat(300_000));
        assert!(load(&path, Path::new("/here")).iter().all(|prompt| !prompt.starts_with('y')));
    }

    #[test]
    fn programs_that_write_at_once_lose_nothing() {
        let (_folder, path) = place();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    (0..25).for_each(|n| add_one(path, &format!("{writer}-{n}")));
                });
            }
        });
        let mut all = load(&path, Path::new("/here"));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 100);
    }

    #[test]
    fn the_prompts_of_this_folder_are_the_newest_and_the_others_are_there_too() {
        let (_folder, path) = place();
        for (folder, prompt) in [("/a", "1"), ("/b", "2"), ("/a", "3"), ("/b", "4")] {
            add(&path, Path::new(folder), &[prompt.to_owned()]).unwrap();
        }
        assert_eq!(load(&path, Path::new("/a")), ["2", "4", "1", "3"]);
        assert_eq!(load(&path, Path::new("/b")), ["1", "3", "2", "4"]);
        assert_eq!(load(&path, Path::new("/c")), ["1", "2", "3", "4"]);
    }

    #[test]
    fn a_file_of_strings_is_read_and_goes_on_also_when_it_is_written_anew() {
        let (_folder, path) = place();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "\"old\"\n\"old \\n two\"\n").unwrap();
        add_one(&path, "new");
        assert_eq!(load(&path, Path::new("/here")), ["old", "old \n two", "new"]);
        let mut broken = fs::read(&path).unwrap();
        broken.extend(b"not json");
        fs::write(&path, broken).unwrap();
        add(&path, Path::new("/there"), &["other".to_owned()]).unwrap();
        assert_eq!(load(&path, Path::new("/here")), ["old", "old \n two", "other", "new"]);
    }

    #[test]
    fn a_folder_is_the_same_by_whatever_link_it_was_reached() {
        let (folder, path) = place();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        add(&path, &real, &["own".to_owned()]).unwrap();
        add_one(&path, "other");
        assert_eq!(load(&path, &link), ["other", "own"]);
    }
}
