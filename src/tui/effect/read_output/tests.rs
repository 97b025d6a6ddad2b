//! What `read_output` promises, tested.

use std::{cell::Cell, fs, os::unix::fs::symlink, path::PathBuf};

use super::*;

/// A folder without a link in its path, and a file in it.
fn file(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let base = tempfile::tempdir().unwrap();
    let path = base.path().canonicalize().unwrap().join("1.txt");
    fs::write(&path, content).unwrap();
    (base, path)
}

fn whole(path: &Path, from: u64, bytes: u64) -> WholeFile {
    WholeFile { path: path.to_str().unwrap().to_owned(), from, bytes, cut: None }
}

fn text(file: &WholeFile) -> (String, Vec<String>) {
    let whole = read(file, &|| true).unwrap().unwrap();
    (whole.text().to_owned(), whole.notes().to_vec())
}

#[track_caller]
fn refused(path: &Path, why: &str) {
    let error = read(&whole(path, 0, 9), &|| true).unwrap().unwrap_err();
    assert_eq!(error, format!("{}: {why}", path.display()));
}

#[test]
fn exactly_the_part_that_is_the_output_is_read() {
    let (_base, path) = file(b"before\none\ntwo\nafter\n");
    assert_eq!(text(&whole(&path, 7, 8)), ("one\ntwo\n".to_owned(), vec![]));
    assert_eq!(text(&whole(&path, 0, 21)).0, "before\none\ntwo\nafter\n");
}

#[test]
fn a_file_that_is_not_all_says_so() {
    let (_base, path) = file(b"one\n");
    let (content, notes) = text(&whole(&path, 0, 1_000));
    assert_eq!(content, "one\n");
    let told = format!("The file holds only 4 of these 1,000 bytes: {}", path.display());
    assert_eq!(notes, [told]);
    let cut = Some("the disk was too slow".to_owned());
    let (_, notes) = text(&WholeFile { cut, ..whole(&path, 0, 4) });
    let why = "Only the first 4 bytes could be kept (the disk was too slow). They are in";
    assert_eq!(notes, [format!("{why} {}", path.display())]);
}

#[test]
fn what_is_no_regular_file_in_its_place_is_never_read_or_waited_for() {
    let (base, path) = file(b"secret");
    let folder = path.parent().unwrap();
    let link = folder.join("link");
    symlink(&path, &link).unwrap();
    refused(&link, "this is a symbolic link, which is not followed");
    let elsewhere = base.path().canonicalize().unwrap().join("elsewhere");
    symlink(folder, &elsewhere).unwrap();
    refused(&elsewhere.join("1.txt"), "its folder is a symbolic link, which is not followed");
    let pipe = folder.join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
    refused(&pipe, "this is no regular file");
    refused(folder, "this is no regular file");
    refused(Path::new("/dev/zero"), "this is no regular file");
    refused(Path::new("1.txt"), "this is no place of a file");
    let gone = "it is gone. It is kept as long as the session, and not if there are too many";
    refused(&folder.join("2.txt"), gone);
    refused(Path::new("/nowhere/2.txt"), gone);
}

#[test]
fn nobody_waits_for_what_is_not_wanted_any_more() {
    let (_base, path) = file(&vec![b'x'; 1 << 20]);
    let asked = Cell::new(0);
    let is_wanted = || asked.replace(asked.get() + 1) < 3;
    assert!(read(&whole(&path, 0, 1 << 20), &is_wanted).is_none());
    assert_eq!(asked.get(), 4);
}
