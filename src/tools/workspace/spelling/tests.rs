//! What `spelling` promises, tested on disks that are made up, and on the real one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Names, compared_on, spelled, spelled_on};

/// A disk with these paths, each with a number.
struct Made {
    paths: BTreeMap<PathBuf, u64>,
    ignores_case: bool,
}

fn disk(ignores_case: bool, paths: &[&str]) -> Made {
    let paths = paths.iter().zip(1..).map(|(path, id)| (PathBuf::from(path), id)).collect();
    Made { paths, ignores_case }
}

impl Names for Made {
    fn id(&self, path: &Path) -> Option<(u64, u64)> {
        let fold = |path: &Path| {
            let text = path.to_str().unwrap();
            if self.ignores_case { text.to_lowercase() } else { text.to_owned() }
        };
        let found = self.paths.iter().find(|(known, _)| fold(known) == fold(path));
        found.map(|(_, id)| (0, *id))
    }

    fn list(&self, folder: &Path) -> Vec<OsString> {
        let inside = self.paths.keys().filter(|path| path.parent() == Some(folder));
        inside.filter_map(|path| path.file_name()).map(ToOwned::to_owned).collect()
    }
}

#[test]
fn what_exists_is_spelled_as_it_is_listed() {
    let disk = disk(true, &["/", "/Home", "/Home/Src", "/Home/Src/Main.rs", "/Home/ß"]);
    for path in ["/home/src/main.rs", "/HOME/SRC/MAIN.RS", "/Home/Src/Main.rs"] {
        assert_eq!(spelled_on(&disk, Path::new(path)), Path::new("/Home/Src/Main.rs"));
    }
    assert_eq!(spelled_on(&disk, Path::new("/home/src/New.rs")), Path::new("/Home/Src/New.rs"));
}

#[test]
fn what_does_not_exist_yet_is_compared_without_case_where_the_disk_ignores_it() {
    let paths = ["/", "/Home"];
    let compared =
        |ignores_case, path: &str| compared_on(&disk(ignores_case, &paths), Path::new(path));
    assert_eq!(compared(true, "/Home/New/File"), compared(true, "/Home/new/FILE"));
    assert_eq!(compared(true, "/Home"), Path::new("/Home"));
    assert_eq!(compared(false, "/Home/New"), Path::new("/Home/New"));
}

#[test]
fn two_files_that_differ_in_case_stay_two() {
    let mut sensitive = disk(false, &["/", "/w", "/w/a", "/w/A"]);
    for path in ["/w/a", "/w/A", "/w/b", "/W/a"] {
        assert_eq!(spelled_on(&sensitive, Path::new(path)), Path::new(path));
    }
    // Also if they are one by a hard link.
    sensitive.paths.insert("/w/A".into(), 3);
    sensitive.paths.insert("/w/a".into(), 3);
    for path in ["/w/a", "/w/A"] {
        assert_eq!(spelled_on(&sensitive, Path::new(path)), Path::new(path));
    }
}

#[test]
fn a_real_path_is_spelled_as_the_disk_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    fs::write(folder.join("File"), "").unwrap();
    assert_eq!(spelled(&folder.join("File")), folder.join("File"));
    let other = if folder.join("fILE").exists() { "File" } else { "fILE" };
    assert_eq!(spelled(&folder.join("fILE")), folder.join(other));
}
