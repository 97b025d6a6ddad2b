//! What `save` promises, tested.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::{Saved, save};

#[test]
fn an_existing_file_keeps_its_mode_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.sh");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o754)).unwrap();
    let inode = fs::metadata(&path).unwrap().ino();
    assert_eq!(save(folder.path(), &path, b"new").unwrap(), Saved::default());
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(metadata.mode() & 0o7777, 0o754);
    assert_ne!(metadata.ino(), inode, "replaced, not written over");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_new_file_gets_the_mode_that_the_umask_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("by_std");
    fs::write(&path, "").unwrap();
    let expected = fs::metadata(&path).unwrap().mode();
    let path = folder.path().join("by_save");
    save(folder.path(), &path, b"x").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode(), expected);
}

#[test]
fn hard_links_stay_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    fs::write(&one, "a longer old content").unwrap();
    fs::hard_link(&one, &two).unwrap();
    assert_eq!(save(folder.path(), &one, b"new").unwrap().in_place, Some("it has hard links"));
    assert_eq!(fs::read(&two).unwrap(), b"new");
}

#[test]
fn missing_folders_are_created_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let saved = save(folder.path(), &folder.path().join("a/b/c.txt"), b"x").unwrap();
    assert_eq!(saved.created_folders, [folder.path().join("a"), folder.path().join("a/b")]);
}

#[test]
fn a_folder_in_the_way_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d");
    fs::create_dir(&path).unwrap();
    assert!(save(folder.path(), &path, b"x").is_err());
    assert!(path.is_dir());
}

#[test]
fn folders_are_removed_again_if_the_file_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b").join("n".repeat(300));
    assert!(save(folder.path(), &path, b"x").is_err());
    assert!(!folder.path().join("a").exists());
}

#[test]
fn the_folder_that_everything_is_in_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    for path in ["c.txt", "a/b/c.txt"] {
        let error = save(&root, &root.join(path), b"x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        assert!(!root.exists());
    }
}

#[test]
fn attributes_of_the_user_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "old").unwrap();
    if setxattr(&path, "user.note", b"kept", XattrFlags::empty()).is_err() {
        println!("skipped: this file system knows no attributes");
        return;
    }
    super::save(folder.path(), &path, b"new").unwrap();
    let mut value = [0; 16];
    let length = getxattr(&path, "user.note", value.as_mut_slice()).unwrap();
    assert_eq!(&value[..length], b"kept");
}
