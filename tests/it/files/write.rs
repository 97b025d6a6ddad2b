//! Writing a file: only over what was seen, with its traits, links and names kept.

use super::*;

#[test]
fn a_file_with_two_names_is_one_to_whoever_writes_it() {
    let place = Place::new();
    place.put("a.txt", "x");
    place.put("c.txt", "x");
    fs::hard_link(place.path("a.txt"), place.path("b.txt")).unwrap();
    let write =
        |path: &str| place.access("write_file", &json!({"path": path, "content": "y"})).unwrap();
    let read = |tool: &str, path: &str| place.access(tool, &json!({"path": path})).unwrap();
    for other in [write("b.txt"), read("read_file", "b.txt"), read("list_files", ".")] {
        assert!(write("a.txt").conflicts_with(&other), "{other:?}");
    }
    assert!(!write("c.txt").conflicts_with(&read("read_file", "b.txt")));
}

#[tokio::test]
async fn a_file_that_was_read_in_part_is_not_overwritten() {
    let place = Place::new();
    place.put("a.txt", "1\n2\n3\n4\n");
    let read = |offset: u64, limit: u64| json!({"path": "a.txt", "offset": offset, "limit": limit});
    place.text("read_file", read(1, 2)).await;
    let write = json!({"path": "a.txt", "content": "gone\n"});
    let error = place.error("write_file", write.clone()).await;
    assert!(error.text.contains("only a part of it was read"), "{error}");
    assert_eq!(place.get("a.txt"), "1\n2\n3\n4\n");
    place.text("read_file", read(3, 2)).await;
    place.text("write_file", write).await;
    assert_eq!(place.get("a.txt"), "gone\n");
}

#[tokio::test]
async fn a_new_file_is_created_with_its_folders() {
    let place = Place::new();
    let arguments = json!({"path": "a/b/c.txt", "content": "one\ntwo\n"});
    let preview = place.preview("write_file", arguments.clone()).await.unwrap();
    let diff = "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    let Preview::Write { path, diff: shown, creates, added, removed, files } = preview else {
        panic!("not a write")
    };
    assert_eq!((path.as_str(), shown.as_str()), ("a/b/c.txt", diff));
    assert_eq!((creates, added, removed), (true, 2, 0));
    assert_eq!((files[0].fate.clone(), files[0].hunks.len()), (Fate::Created, 1));
    assert!(!place.path("a").exists(), "a preview changes nothing");
    let root = place.context.workspace.root().to_owned();
    let access = place.access("write_file", &arguments).unwrap();
    assert_eq!(
        access.writes,
        [Resource::File(root.join("a/b/c.txt")), Resource::Tree(root.join("a"))]
    );
    let output = place.call("write_file", arguments.clone()).await.unwrap();
    assert_eq!(
        output.text,
        "Created `a/b/c.txt`: 2 lines, 8 bytes (+2 −0).\nCreated the folders `a`, `a/b`."
    );
    assert_eq!(output.summary, "+2 −0");
    assert_eq!(output.diff.as_deref(), Some(diff));
    assert_eq!(place.get("a/b/c.txt"), "one\ntwo\n");
    let access = place.access("write_file", &arguments).unwrap();
    assert_eq!(access, Access::write(Resource::File(place.path("a/b/c.txt"))));
}

#[tokio::test]
async fn an_existing_file_is_overwritten_only_as_it_was_seen() {
    let place = Place::new();
    place.put("a.txt", "one\ntwo\n");
    let arguments = json!({"path": "a.txt", "content": "new\n"});
    let error = place.error("write_file", arguments.clone()).await;
    assert!(
        error.text.contains("was not read") && error.text.contains("1\tone\n2\ttwo"),
        "{error}"
    );
    assert_eq!(place.preview("write_file", arguments.clone()).await.unwrap_err(), error);
    assert_eq!(place.get("a.txt"), "one\ntwo\n");
    place.text("read_file", json!({"path": "./a.txt"})).await;
    let output = place.call("write_file", arguments).await.unwrap();
    assert_eq!(output.text, "Replaced `a.txt`: 1 line, 4 bytes (+1 −2).");
    // What was written is known; what someone else made of it is not.
    place.text("write_file", json!({"path": "a.txt", "content": "newer\n"})).await;
    place.put("a.txt", "by someone else\n");
    assert_eq!(
        place.error("write_file", json!({"path": "a.txt", "content": "x"})).await.summary,
        "not read yet"
    );
    place.text("edit_file", json!({"path": "a.txt", "old": "someone", "new": "no one"})).await;
    place.text("write_file", json!({"path": "a.txt", "content": "x"})).await;
    assert_eq!(place.get("a.txt"), "x");
}

#[tokio::test]
async fn the_same_content_is_no_change() {
    let place = Place::new();
    let path = place.put("a.txt", "one\n");
    let before = fs::metadata(&path).unwrap();
    let arguments = json!({"path": "a.txt", "content": "one\n"});
    assert_eq!(place.preview("write_file", arguments.clone()).await.unwrap(), Preview::Nothing);
    let output = place.call("write_file", arguments).await.unwrap();
    assert_eq!((output.summary.as_str(), output.diff), ("no change", None));
    assert_eq!(fs::metadata(&path).unwrap().ino(), before.ino());
}

#[tokio::test]
async fn traits_of_the_overwritten_file_are_kept() {
    let place = Place::new();
    let path = place.put("a.sh", "\u{FEFF}one\r\ntwo\r\n");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    symlink("a.sh", place.path("link")).unwrap();
    place.text("read_file", json!({"path": "a.sh"})).await;
    let text = place.text("write_file", json!({"path": "link", "content": "1\n2\n"})).await;
    assert!(text.contains("CRLF") && text.contains("byte order mark"), "{text}");
    assert_eq!(place.get("a.sh"), "\u{FEFF}1\r\n2\r\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o755);
    assert_eq!(fs::read_link(place.path("link")).unwrap(), Path::new("a.sh"));
}

#[tokio::test]
async fn hard_links_stay_and_that_is_told() {
    let place = Place::new();
    let path = place.put("a", "one");
    fs::hard_link(&path, place.path("b")).unwrap();
    place.text("read_file", json!({"path": "a"})).await;
    let text = place.text("write_file", json!({"path": "a", "content": "two"})).await;
    assert!(text.contains("in place, because it has hard links"), "{text}");
    assert_eq!(place.get("b"), "two");
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_before_anyone_is_asked() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).unwrap();
    let path = place.put("fixed", "x");
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    place.put("file", "x");
    for (path, content, summary) in [
        ("folder", "x".to_owned(), "is a folder"),
        ("fixed", "y".to_owned(), "read-only"),
        ("file/below", "y".to_owned(), "not a folder"),
        ("big", "x".repeat(10 * 1024 * 1024 + 1), "too large"),
    ] {
        let arguments = json!({"path": path, "content": content});
        assert_eq!(
            place.preview("write_file", arguments.clone()).await.unwrap_err().summary,
            summary
        );
        assert_eq!(place.error("write_file", arguments).await.summary, summary);
    }
}
