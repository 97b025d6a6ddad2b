//! Reading a file: pages, encodings, what is no text, and what is not there.

use super::*;

#[tokio::test]
async fn a_file_is_read_with_line_numbers() {
    let place = Place::new();
    place.put("a.txt", "one\ntwo\n\nlast");
    let output = place.call("read_file", json!({"path": "a.txt"})).await.unwrap();
    assert_eq!(output.text, "1\tone\n2\ttwo\n3\t\n4\tlast\n");
    assert_eq!(output.summary, "4 lines");
    assert_eq!(output.status, None);
}

#[tokio::test]
async fn a_part_of_a_file_says_which_part_and_how_to_read_on() {
    let place = Place::new();
    place.put("a.txt", (1..=10).map(|n| format!("l{n}\n")).collect::<Vec<_>>().concat());
    assert_eq!(
        place.text("read_file", json!({"path": "a.txt", "offset": 3, "limit": 2})).await,
        "3\tl3\n4\tl4\n[... lines 3-4 of 10; read on with offset 5 ...]\n"
    );
    assert_eq!(
        place.text("read_file", json!({"path": "a.txt", "offset": -2})).await,
        "9\tl9\n10\tl10\n[... lines 9-10 of 10; end of file ...]\n"
    );
    assert!(
        place
            .text("read_file", json!({"path": "a.txt", "offset": -99}))
            .await
            .starts_with("1\tl1\n")
    );
    let error = place.error("read_file", json!({"path": "a.txt", "offset": 11})).await;
    assert!(error.text.contains("only 10 lines"), "{error}");
    assert_eq!(
        place.error("read_file", json!({"path": "a.txt", "limit": 0})).await.status,
        ToolStatus::Refused
    );
}

#[tokio::test]
async fn a_long_file_comes_as_its_first_page() {
    let place = Place::new();
    place.put("a.txt", "x\n".repeat(8_431));
    let text = place.text("read_file", json!({"path": "a.txt", "limit": 5000})).await;
    assert_eq!(text.lines().count(), 2_001);
    assert!(text.ends_with("2000\tx\n[... lines 1-2000 of 8431; read on with offset 2001 ...]\n"));
    place.put("b.txt", format!("{}\n", "y".repeat(3_000)).repeat(100));
    let text = place.text("read_file", json!({"path": "b.txt"})).await;
    assert!(text.starts_with(&format!(
        "1\t{} [... 2000 of 3000 characters shown ...]\n",
        "y".repeat(2_000)
    )));
    assert!(text.len() < 55_000);
    assert!(
        text.contains("[... lines 1-25 of 100; read on with offset 26 ...]"),
        "{}",
        text.lines().last().unwrap()
    );
}

#[tokio::test]
async fn encodings_and_line_ends_are_told() {
    let place = Place::new();
    place.put("crlf", "a\r\nb\r\n");
    place.put("mixed", "a\r\nb\nc\rd\n");
    place.put("utf16", b"\xFF\xFEh\0i\0\n\0");
    place.put("bom", "\u{FEFF}hi\n");
    place.put("latin", b"Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Gr\xFC\xDFe\n");
    place.put("broken", [b"zw\xC3\xB6lf ".as_slice(), b"\xFF end\n"].concat());
    for (name, starts, told) in [
        ("crlf", "1\ta\n2\tb\n", "all lines end with CRLF"),
        ("mixed", "1\ta\n2\tb\n3\tc\\rd\n", "mixed line ends: 1 CRLF, 2 LF"),
        ("utf16", "1\thi\n", "decoded from UTF-16LE"),
        ("bom", "1\thi\n", "UTF-8 byte order mark"),
        ("latin", "1\tGrüße aus Köln, schöne Grüße\n", "decoded from windows-1252"),
        ("broken", "1\tzwölf \u{FFFD} end\n", "invalid UTF-8 in 1 place,"),
    ] {
        let text = place.text("read_file", json!({"path": name})).await;
        assert!(text.starts_with(starts) && text.contains(told), "{name}: {text}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_refused_with_its_kind() {
    let place = Place::new();
    place.put("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    fs::create_dir(place.path("folder")).unwrap();
    let pipe = place.path("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    for (name, told) in [
        ("image", "binary (image/png, 16 B)"),
        ("folder", "list_files"),
        ("pipe", "named pipe"),
        ("socket", "socket"),
    ] {
        let error = place.error("read_file", json!({"path": name})).await;
        assert!(error.text.contains(told), "{name}: {error}");
    }
    drop(socket);
}

#[tokio::test]
async fn control_characters_reach_the_model_as_escapes() {
    let place = Place::new();
    place.put("a", "x\u{1b}]0;title\u{7} \u{202e}y\n");
    let text = place.text("read_file", json!({"path": "a"})).await;
    assert_eq!(
        text,
        "1\tx\\u{1b}]0;title\\u{7} \\u{202e}y\n[... control characters are shown as \\u{...} ...]\n"
    );
    let text = place.text("search_code", json!({"path": "a", "pattern": "title"})).await;
    assert_eq!(text, "a:1: x\\u{1b}]0;title\\u{7} \\u{202e}y\n");
}

#[tokio::test]
async fn a_named_pipe_blocks_no_tool() {
    let place = Place::new();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, place.path("pipe"), fifo, mode, 0).unwrap();
    symlink("pipe", place.path("link")).unwrap();
    for path in ["pipe", "link"] {
        let patch =
            |body: &str| json!({"patch": format!("*** Begin Patch\n{body}\n*** End Patch")});
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("search_code", json!({"path": path, "pattern": "x"})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old": "x", "new": "y"})),
            ("apply_patch", patch(&format!("*** Update File: {path}\n@@\n-x\n+y"))),
            ("apply_patch", patch(&format!("*** Add File: {path}\n+y"))),
        ] {
            let error = place.error(tool, arguments).await;
            assert_eq!(error.summary, "is a named pipe", "{tool} {path}: {error}");
        }
    }
    place.text("list_files", json!({})).await;
}

#[tokio::test]
async fn an_empty_file_is_told_in_words() {
    let place = Place::new();
    place.put("a", "");
    let output = place.call("read_file", json!({"path": "a"})).await.unwrap();
    assert_eq!(
        (output.text.as_str(), output.summary.as_str()),
        ("`a` is empty (0 bytes).", "empty")
    );
}

#[tokio::test]
async fn a_missing_file_is_told_with_near_names() {
    let place = Place::new();
    place.put("src/main.rs", "");
    let error = place.error("read_file", json!({"path": "src/mian.rs"})).await;
    assert_eq!(error.summary, "not found");
    assert!(error.text.contains("`src/main.rs`"), "{error}");
    let error = place.error("read_file", json!({"path": "scr/deep/main.rs"})).await;
    assert!(error.text.contains("`scr/deep` does not exist either"), "{error}");
}

#[tokio::test]
async fn a_name_that_is_no_text_is_not_offered_as_its_own_near_name() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"bad\xFFname");
    if fs::write(place.context.workspace.root().join(name), "x").is_err() {
        println!("skipped: this file system knows only names in UTF-8");
        return;
    }
    for path in ["bad\u{FFFD}name", "bad\u{FFFD}name/below"] {
        let error = place.error("read_file", json!({"path": path})).await;
        assert_eq!(error.summary, "name is not UTF-8", "{error}");
        assert!(error.text.contains("`bad\u{FFFD}name` is not valid UTF-8"), "{error}");
    }
    let error = place.error("read_file", json!({"path": "bad_name"})).await;
    assert_eq!(error.summary, "not found");
    assert!(!error.text.contains('\u{FFFD}'), "{error}");
}

#[tokio::test]
async fn a_folder_that_vanished_is_told_and_not_created_again() {
    let place = Place::new();
    let root = place.context.workspace.root();
    fs::remove_dir(root).unwrap();
    for (tool, arguments) in [
        ("write_file", json!({"path": "a.txt", "content": "x"})),
        ("write_file", json!({"path": "d/a.txt", "content": "x"})),
        ("edit_file", json!({"path": "a.txt", "old": "", "new": "x"})),
        ("edit_file", json!({"path": "a.txt", "old": "y", "new": "x"})),
        ("read_file", json!({"path": "a.txt"})),
        ("list_files", json!({})),
        ("search_code", json!({"pattern": "x"})),
    ] {
        let error = place.error(tool, arguments).await;
        assert_eq!(error.summary, "folder is gone", "{tool}: {error}");
        assert!(error.text.contains("does not exist any more"), "{tool}: {error}");
        assert!(!root.exists(), "{tool}");
    }
}
