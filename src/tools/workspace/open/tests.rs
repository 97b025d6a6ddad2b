//! What `open` promises, tested.

use super::{compared, near_names, open_nofollow, size};

#[test]
fn sizes_are_shown_in_steps_of_1024() {
    for (bytes, shown) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (1229, "1.2 KB"),
        (1024 * 1024 - 1, "1.0 MB"),
        (5 * 1024 * 1024 / 2, "2.5 MB"),
        (1024 * 1024 * 1024, "1.0 GB"),
    ] {
        assert_eq!(size(bytes), shown);
    }
}

#[test]
fn near_names_come_nearest_first_and_ignore_what_is_far() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["main.rs", "Main.txt", "zebra", "mian.rs"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    assert_eq!(near_names(folder.path(), "MAIN.rs"), ["main.rs", "Main.txt", "mian.rs"]);
    assert_eq!(near_names(folder.path(), "zebr"), ["zebra"]);
    assert!(near_names(folder.path(), "qqqqqq").is_empty());
    assert!(near_names(folder.path(), &"zebra".repeat(1 << 20)).is_empty());
}

#[test]
fn a_link_anywhere_in_the_path_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("d")).unwrap();
    std::fs::write(folder.join("d/f"), "x").unwrap();
    std::os::unix::fs::symlink("d/f", folder.join("link")).unwrap();
    assert!(open_nofollow(&folder.join("d/f")).is_ok());
    assert!(open_nofollow(&folder.join("link")).is_err());
}

#[test]
fn of_a_long_name_only_the_first_characters_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let name = "x".repeat(200);
    std::fs::write(folder.path().join(&name), "").unwrap();
    assert_eq!(compared(&name), "x".repeat(64));
    // Each of these is two characters in lower case.
    assert_eq!(compared(&"İ".repeat(64)).chars().count(), 64);
    assert_eq!(near_names(folder.path(), &"X".repeat(100_000)), [name]);
}
