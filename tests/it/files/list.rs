//! Listing a folder and finding files by a glob.

use super::*;

#[tokio::test]
async fn a_folder_is_listed_folders_first_with_sizes_and_links() {
    let place = Place::new();
    place.put("b/inner.txt", "12345");
    place.put("a/x", "");
    place.put("z.txt", "x".repeat(1_229));
    place.put("c.txt", "x");
    symlink("b", place.path("link")).unwrap();
    let output = place.call("list_files", json!({})).await.unwrap();
    assert_eq!(output.text, "a/\nb/\nc.txt  1 B\nlink -> b\nz.txt  1.2 KB\n");
    assert_eq!(output.summary, "5 entries");
    assert_eq!(
        place.text("list_files", json!({"depth": 2})).await,
        "a/\nb/\na/x  0 B\nb/inner.txt  5 B\nc.txt  1 B\nlink -> b\nz.txt  1.2 KB\n"
    );
    assert_eq!(place.text("list_files", json!({"path": "b"})).await, "inner.txt  5 B\n");
    assert_eq!(
        place.text("list_files", json!({"limit": 2})).await,
        "a/\nb/\n[... 3 more entries; list a smaller folder or raise limit ...]\n"
    );
}

#[tokio::test]
async fn what_git_ignores_is_left_out_and_counted() {
    let place = Place::new();
    place.put(".gitignore", "target\n*.log\n");
    place.put(".git/config", "");
    place.put("target/debug/out.txt", "");
    place.put("target/debug/out.log", "");
    place.put("a.log", "");
    place.put("a.rs", "");
    assert_eq!(
        place.text("list_files", json!({"depth": 3})).await,
        "a.rs  0 B\n[... 1 hidden and 2 ignored left out; include_ignored shows them ...]\n"
    );
    let all = place.text("list_files", json!({"include_ignored": true})).await;
    assert_eq!(all, "target/\n.gitignore  13 B\na.log  0 B\na.rs  0 B\n");
    let inside = place.text("list_files", json!({"path": "target/debug"})).await;
    assert_eq!(inside, "out.log  0 B\nout.txt  0 B\n", "a path that is named is not filtered");
}

#[tokio::test]
async fn files_are_found_by_a_glob_on_all_levels() {
    let place = Place::new();
    for file in ["b.rs", "src/a.rs", "src/deep/c.rs", "src/deep/c.ts", "src/rs/x.md"] {
        place.put(file, "x");
    }
    let all = "b.rs  1 B\nsrc/a.rs  1 B\nsrc/deep/c.rs  1 B\n";
    assert_eq!(place.text("list_files", json!({"glob": "*.rs"})).await, all);
    assert_eq!(place.text("list_files", json!({"glob": "**/*.rs"})).await, all);
    for (arguments, found) in [
        (json!({"glob": "src/*.rs"}), "src/a.rs  1 B\n"),
        (json!({"glob": "deep/*", "path": "src"}), "deep/c.rs  1 B\ndeep/c.ts  1 B\n"),
        (json!({"glob": "*.rs", "depth": 1}), "b.rs  1 B\n"),
        (json!({"glob": "*.go"}), "`.` has no file that fits the glob.\n"),
    ] {
        assert_eq!(place.text("list_files", arguments.clone()).await, found, "{arguments}");
    }
    let error = place.error("list_files", json!({"glob": "a["})).await;
    assert!(error.text.contains("Use one like `*.rs`"), "{error}");
}

#[tokio::test]
async fn an_ignore_file_that_is_not_used_is_told() {
    let place = Place::new();
    place.put("a.txt", "needle\n");
    symlink("/dev/zero", place.path(".gitignore")).unwrap();
    let note = "[... 1 ignore file not used, for instance .gitignore (a symbolic link) ...]\n";
    assert_eq!(
        place.text("list_files", json!({})).await,
        format!("a.txt  7 B\n[... 1 hidden left out; include_ignored shows them ...]\n{note}")
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle"})).await,
        format!("a.txt:1: needle\n{note}")
    );
    let all = place.text("list_files", json!({"include_ignored": true})).await;
    assert_eq!(all, ".gitignore -> /dev/zero\na.txt  7 B\n", "no rules are read for this");
}

#[tokio::test]
async fn a_listing_without_entries_says_so() {
    let place = Place::new();
    assert_eq!(place.text("list_files", json!({})).await, "`.` is empty.\n");
    place.put("a.txt", "");
    let error = place.error("list_files", json!({"path": "a.txt"})).await;
    assert!(error.text.contains("read_file"), "{error}");
    assert_eq!(place.error("list_files", json!({"path": "b"})).await.summary, "not found");
}

#[tokio::test]
async fn a_name_with_a_line_feed_does_not_forge_an_entry() {
    let place = Place::new();
    place.put("a\nb", "");
    assert_eq!(place.text("list_files", json!({})).await, "a\\nb  0 B\n");
}
