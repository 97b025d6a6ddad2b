//! What `commit` promises, tested.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::commit;
use crate::tools::workspace::Workspace;
use crate::tools::workspace::change::Change;
use crate::tools::workspace::rewrite::{Moved, Rewrite};

/// A folder with files `a` and `b`, and a list of changes: `a` is written, `b` removed, `d/new`
/// created.
struct Place {
    _outer: tempfile::TempDir,
    workspace: Workspace,
    rewrites: Vec<Rewrite>,
}

impl Place {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(outer.path()).unwrap();
        for (name, text) in [("a", "old a"), ("b", "old b")] {
            fs::write(workspace.root().join(name), text).unwrap();
        }
        fs::set_permissions(workspace.root().join("b"), Permissions::from_mode(0o751)).unwrap();
        let rewrite = |name: &str, old: Option<&str>, new: Option<&str>| Rewrite {
            path: workspace.resolve(name).unwrap(),
            old: old.map(Into::into),
            new: new.map(Into::into),
            change: Change::default(),
            moved: Moved::No,
        };
        let rewrites = vec![
            rewrite("b", Some("old b"), None),
            rewrite("a", Some("old a"), Some("new a")),
            rewrite("d/e/new", None, Some("new")),
        ];
        Self { _outer: outer, workspace, rewrites }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    fn tree(&self) -> BTreeMap<PathBuf, Option<String>> {
        let mut found = BTreeMap::new();
        let mut pending = vec![self.workspace.root().to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let text = fs::read_to_string(&path).ok();
                if text.is_none() {
                    pending.push(path.clone());
                }
                found.insert(path, text);
            }
        }
        found
    }
}

#[test]
fn all_is_done_and_nothing_else_is_left() {
    let place = Place::new();
    let saved = commit(place.workspace.root(), &place.rewrites, &mut |_| Ok(())).unwrap();
    assert_eq!(saved.len(), 3);
    assert_eq!(saved[2].created_folders, [place.path("d"), place.path("d/e")]);
    let tree = place.tree();
    let names: Vec<&Path> =
        tree.keys().map(|path| path.strip_prefix(place.workspace.root()).unwrap()).collect();
    assert_eq!(names, ["a", "d", "d/e", "d/e/new"].map(Path::new));
    assert_eq!(fs::read_to_string(place.path("a")).unwrap(), "new a");
}

#[test]
fn a_failure_at_any_change_puts_all_back() {
    for at in 0..3 {
        let place = Place::new();
        let before = (place.tree(), fs::metadata(place.path("b")).unwrap());
        let failed = commit(place.workspace.root(), &place.rewrites, &mut |index| {
            if index == at { Err(io::Error::other("no more room")) } else { Ok(()) }
        })
        .unwrap_err();
        // Removals come last.
        let path = ["a", "d/e/new", "b"].map(|name| place.path(name))[at].clone();
        assert_eq!((failed.path, failed.error.to_string()), (path, "no more room".to_owned()));
        assert!(failed.stands.is_empty());
        assert_eq!(place.tree(), before.0, "at {at}");
        let b = fs::metadata(place.path("b")).unwrap();
        assert_eq!((b.ino(), b.mode()), (before.1.ino(), before.1.mode()));
    }
}

#[test]
fn a_real_failure_puts_all_back_too() {
    let place = Place::new();
    let before = place.tree();
    let root = place.workspace.root().to_owned();
    let failed = commit(&root, &place.rewrites, &mut |index| {
        // Where a folder is to be created, somebody puts a file.
        if index == 1 { fs::write(root.join("d"), "in the way") } else { Ok(()) }
    })
    .unwrap_err();
    assert_eq!(failed.path, place.path("d/e/new"));
    assert!(failed.stands.is_empty());
    fs::remove_file(place.path("d")).unwrap();
    assert_eq!(place.tree(), before);
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_put_back_but_named() {
    let place = Place::new();
    let root = place.workspace.root().to_owned();
    let failed = commit(&root, &place.rewrites, &mut |index| {
        if index < 2 {
            return Ok(());
        }
        fs::write(root.join("a"), "by somebody else")?;
        Err(io::Error::other("no more room"))
    })
    .unwrap_err();
    let stands: Vec<&PathBuf> = failed.stands.iter().map(|(path, _)| path).collect();
    assert_eq!(stands, [&place.path("a")]);
    assert_eq!(fs::read_to_string(place.path("a")).unwrap(), "by somebody else");
    assert!(!place.path("d").exists());
}

#[test]
fn a_file_that_moves_keeps_its_mode() {
    let place = Place::new();
    let moved = Rewrite {
        path: place.workspace.resolve("c").unwrap(),
        old: None,
        new: Some(b"old b".to_vec()),
        change: Change::default(),
        moved: Moved::From("b".to_owned(), 0o100_600),
    };
    commit(place.workspace.root(), &[moved], &mut |_| Ok(())).unwrap();
    assert_eq!(fs::metadata(place.path("c")).unwrap().mode() & 0o7777, 0o600);
}
