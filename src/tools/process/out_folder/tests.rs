//! What `out_folder` promises, tested.

use std::io::Write;

use super::*;

#[test]
fn a_file_is_for_this_user_alone_and_goes_with_the_session() {
    let base = tempfile::tempdir().unwrap();
    let folder = OutFolder::below(base.path().join("out"));
    assert!(!base.path().join("out").exists(), "nothing is made before there is something");
    let (path, mut file, _in_use) = folder.create().unwrap();
    file.write_all(b"x").unwrap();
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(path.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
    drop(folder);
    assert_eq!(fs::read_dir(base.path().join("out")).unwrap().count(), 0);
}

#[test]
fn only_files_that_were_made_here_may_be_read() {
    let base = tempfile::tempdir().unwrap();
    let folder = OutFolder::below(base.path().to_owned());
    let (path, _file, _in_use) = folder.create().unwrap();
    let own = path.to_str().unwrap();
    assert_eq!(folder.readable(own), Some(path.clone()));
    let beside = path.with_file_name("other.txt");
    fs::write(&beside, "x").unwrap();
    for other in [
        beside.to_str().unwrap(),
        path.parent().unwrap().to_str().unwrap(),
        &format!("{own}/../other.txt"),
        "/etc/passwd",
        "1.txt",
        "",
    ] {
        assert_eq!(folder.readable(other), None, "{other}");
    }
}

#[test]
fn what_a_killed_session_left_is_removed_and_what_a_living_one_has_is_not() {
    let base = tempfile::tempdir().unwrap();
    let dead = base.path().join("1-dead");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("1.txt"), "x").unwrap();
    let living = OutFolder::below(base.path().to_owned());
    assert!(!dead.exists());
    let (path, ..) = living.create().unwrap();
    let other = OutFolder::below(base.path().to_owned());
    assert!(path.exists());
    let (others, ..) = other.create().unwrap();
    assert_ne!(path.parent(), others.parent());
}

#[test]
fn the_oldest_files_go_when_the_session_holds_too_much_unless_they_are_written() {
    let base = tempfile::tempdir().unwrap();
    let folder = OutFolder::below(base.path().to_owned());
    let (written, file, in_use) = folder.create().unwrap();
    // A sparse file has the size without the bytes.
    file.set_len(MOST_OF_SESSION).unwrap();
    let (old, file, unused) = folder.create().unwrap();
    file.set_len(1).unwrap();
    drop(unused);
    let (new, ..) = folder.create().unwrap();
    assert!(written.exists() && !old.exists() && new.exists());
    assert_eq!(folder.readable(old.to_str().unwrap()), None);
    drop(in_use);
}
