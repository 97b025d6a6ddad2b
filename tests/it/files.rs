//! The file tools on real files, called as a model calls them.

mod patch;
mod tables;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcc_tui::protocol::access::{Access, Resource};
use mcc_tui::protocol::id::CallId;
use mcc_tui::protocol::question::{Fate, Preview};
use mcc_tui::protocol::tool::{ToolCall, ToolStatus};
use mcc_tui::tools::process::Processes;
use mcc_tui::tools::registry::{Parsed, Registry};
use mcc_tui::tools::seen::Seen;
use mcc_tui::tools::workspace::Workspace;
use mcc_tui::tools::{Run, ToolContext, ToolError, ToolOutput};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A workspace in a folder that has a neighbour outside.
struct Place {
    _outer: tempfile::TempDir,
    context: ToolContext,
    run: Run,
}

impl Place {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("work")).unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        let context = ToolContext {
            workspace: Workspace::open(&outer.path().join("work")).unwrap(),
            seen: Seen::default(),
            processes: Processes::new(PathBuf::new()),
        };
        let run = Run {
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
            live: Arc::new(|_| {}),
        };
        Self { _outer: outer, context, run }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.context.workspace.root().join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn get(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.path(name)).unwrap()).unwrap()
    }

    fn parse(tool: &str, arguments: &Value) -> Parsed {
        let call = ToolCall {
            id: CallId("1".to_owned()),
            name: tool.to_owned(),
            arguments: arguments.to_string(),
        };
        Registry::files().parse(&call).unwrap()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        let parsed = Self::parse(tool, &arguments);
        let result = parsed.tool.run(&parsed.arguments, &self.context, &self.run).await;
        match &result {
            Ok(output) => assert!(!output.text.is_empty() && !output.summary.is_empty()),
            Err(error) => assert!(error.text.starts_with("Error: ") && !error.summary.is_empty()),
        }
        result
    }

    async fn text(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).await.unwrap().text
    }

    async fn error(&self, tool: &str, arguments: Value) -> ToolError {
        self.call(tool, arguments).await.unwrap_err()
    }

    async fn preview(&self, tool: &str, arguments: Value) -> Result<Preview, ToolError> {
        let parsed = Self::parse(tool, &arguments);
        parsed.tool.preview(&parsed.arguments, &self.context).await
    }

    fn access(&self, tool: &str, arguments: &Value) -> Result<Access, ToolError> {
        let parsed = Self::parse(tool, arguments);
        parsed.tool.access(&parsed.arguments, &self.context)
    }
}

// read_file

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

#[tokio::test]
async fn every_tool_stays_inside_the_folder() {
    let place = Place::new();
    symlink("../secret", place.path("link")).unwrap();
    for path in ["../secret", "/etc/passwd", "link"] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("list_files", json!({"path": path})),
            ("search_code", json!({"path": path, "pattern": "x"})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old": "secret", "new": "x"})),
        ] {
            let refused = place.access(tool, &arguments).unwrap_err();
            assert_eq!(refused.summary, "outside the folder", "{tool} {path}");
            assert_eq!(place.preview(tool, arguments.clone()).await.unwrap_err(), refused);
            assert_eq!(place.error(tool, arguments).await, refused);
        }
    }
    assert_eq!(fs::read_to_string(place.path("../secret")).unwrap(), "secret");
}

// list_files

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
async fn several_edits_of_a_file_follow_each_other_or_nothing_is_done() {
    let place = Place::new();
    place.put("a.txt", "one\r\ntwo\r\n");
    place.text("read_file", json!({"path": "a.txt"})).await;
    let edits = json!([{"old": "one", "new": "1"}, {"old_string": "1\ntwo", "newString": "1\n2"}]);
    let told = place.text("multi_edit", json!({"path": "a.txt", "edits": edits})).await;
    assert!(told.contains("2 edits"), "{told}");
    assert_eq!(place.get("a.txt"), "1\r\n2\r\n");
    let edits = json!([{"old": "1", "new": "one"}, {"old": "3", "new": "three"}]);
    let error = place.error("multi_edit", json!({"path": "a.txt", "edits": edits})).await;
    assert!(error.text.contains("edit 2 of 2"), "{error}");
    assert_eq!(place.get("a.txt"), "1\r\n2\r\n", "all or nothing");
    let error = place.error("multi_edit", json!({"path": "a.txt", "edits": []})).await;
    assert!(error.text.contains("no edit"), "{error}");
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

// search_code

#[tokio::test]
async fn matches_come_in_order_with_path_and_line() {
    let place = Place::new();
    place.put("b.rs", "fn main() {}\n");
    place.put("a/z.rs", "x\nfn one() {}\nfn two() {}\n");
    place.put("a.txt", "fn no() {}\n");
    let output =
        place.call("search_code", json!({"pattern": r"fn \w+", "glob": "*.rs"})).await.unwrap();
    assert_eq!(output.text, "a/z.rs:2: fn one() {}\na/z.rs:3: fn two() {}\nb.rs:1: fn main() {}\n");
    assert_eq!(output.summary, "3 matches in 2 files");
    assert_eq!(
        place
            .text("search_code", json!({"pattern": "FN ", "ignore_case": true, "mode": "count"}))
            .await,
        "a/z.rs: 2\na.txt: 1\nb.rs: 1\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "fn", "mode": "files", "path": "a"})).await,
        "a/z.rs\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "fn", "limit": 1})).await,
        "a/z.rs:2: fn one() {}\n[... 3 more matches not shown; narrow the search or raise limit ...]\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "main", "path": "b.rs"})).await,
        "b.rs:1: fn main() {}\n"
    );
}

#[tokio::test]
async fn contexts_that_overlap_are_one() {
    let place = Place::new();
    place.put("a", "1\nhit\n3\nhit\n5\n6\n7\n8\nhit\n");
    place.put("b", "hit\n");
    assert_eq!(
        place.text("search_code", json!({"pattern": "hit", "context": 1})).await,
        "a-1- 1\na:2: hit\na-3- 3\na:4: hit\na-5- 5\n--\na-8- 8\na:9: hit\n--\nb:1: hit\n"
    );
}

#[tokio::test]
async fn a_limit_leaves_no_context_of_what_it_cuts() {
    let place = Place::new();
    place.put("a", "hit\n2\n3\n4\n5\nhit\n");
    place.put("b", "1\nhit\n");
    assert_eq!(
        place.text("search_code", json!({"pattern": "hit", "context": 1, "limit": 1})).await,
        "a:1: hit\na-2- 2\n[... 2 more matches not shown; narrow the search or raise limit ...]\n"
    );
}

#[tokio::test]
async fn the_end_of_a_line_is_before_either_line_end() {
    let place = Place::new();
    place.put("a", "foo\r\nfoo bar\nfoo\n");
    assert_eq!(
        place.text("search_code", json!({"pattern": "^foo$"})).await,
        "a:1: foo\na:3: foo\n"
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_to_search_is_told() {
    let place = Place::new();
    place.put("long", "x".repeat(20 * 1024 * 1024));
    place.put("short", "needle\n");
    let text = place.text("search_code", json!({"pattern": "needle"})).await;
    assert_eq!(
        text,
        "short:1: needle\n[... 1 file could not be searched, for instance long (a line is too \
         long) ...]\n"
    );
}

#[tokio::test]
async fn binary_is_skipped_and_utf16_is_searched() {
    let place = Place::new();
    place.put("bin", b"needle\0needle\n");
    place.put("late", [b"needle\n".repeat(20_000), b"\0".to_vec()].concat());
    place.put(
        "wide",
        "\u{FEFF}a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle"})).await,
        "wide:1: a needle\n[... 2 binary files skipped ...]\n"
    );
}

#[tokio::test]
async fn ignored_files_are_searched_only_where_they_are_named() {
    let place = Place::new();
    place.put(".gitignore", "gen\n");
    place.put("gen/a.rs", "needle\n");
    let text = place.text("search_code", json!({"pattern": "needle"})).await;
    assert_eq!(
        text,
        "no matches for \"needle\" in . (0 files; hidden and git-ignored ones are left out)\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle", "path": "gen"})).await,
        "gen/a.rs:1: needle\n"
    );
    assert_eq!(
        place.text("search_code", json!({"pattern": "needle", "path": "gen/a.rs"})).await,
        "gen/a.rs:1: needle\n"
    );
}

#[tokio::test]
async fn the_result_does_not_depend_on_timing() {
    let place = Place::new();
    for file in 0..300 {
        place.put(&format!("d{}/f{file}", file % 7), format!("hit {file}\n").repeat(3));
    }
    let arguments = json!({"pattern": "hit", "limit": 500});
    let first = place.text("search_code", arguments.clone()).await;
    assert!(
        first.ends_with("[... 400 more matches not shown; narrow the search or raise limit ...]\n")
    );
    for _ in 0..5 {
        assert_eq!(place.text("search_code", arguments.clone()).await, first);
    }
}

#[tokio::test]
async fn a_stopped_search_says_so_and_is_no_empty_success() {
    let place = Place::new();
    place.put("a", "hit\n");
    place.run.stop.cancel();
    for (tool, arguments) in [
        ("search_code", json!({"pattern": "hit"})),
        ("list_files", json!({})),
        ("read_file", json!({"path": "a"})),
    ] {
        let output = place.call(tool, arguments).await.unwrap();
        assert_eq!(output.status, Some(ToolStatus::Cancelled), "{tool}");
        assert!(output.text.contains("stopped"), "{tool}: {}", output.text);
    }
}

// write_file

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

// edit_file

#[tokio::test]
async fn an_edit_is_previewed_applied_and_told() {
    let place = Place::new();
    place.put("a.rs", "fn a() {}\nfn b() {}\n");
    let arguments = json!({"path": "a.rs", "old": "fn b() {}", "new": "fn c() {}"});
    let Preview::Write { diff, creates, added, removed, .. } =
        place.preview("edit_file", arguments.clone()).await.unwrap()
    else {
        panic!("not a write")
    };
    assert_eq!((creates, added, removed), (false, 1, 1));
    let output = place.call("edit_file", arguments.clone()).await.unwrap();
    assert_eq!(output.text, "Edited `a.rs` at line 2 (+1 −1).");
    assert_eq!(output.diff, Some(diff));
    assert_eq!(place.get("a.rs"), "fn a() {}\nfn c() {}\n");
    let error = place.error("edit_file", arguments.clone()).await;
    assert!(error.text.contains("already applied?"), "{error}");
    assert_eq!(place.preview("edit_file", arguments).await.unwrap_err(), error);
}

#[tokio::test]
async fn an_edit_creates_what_is_missing_or_empty_and_nothing_else() {
    let place = Place::new();
    place.text("edit_file", json!({"path": "d/new", "old": "", "new": "x\n"})).await;
    assert_eq!(place.get("d/new"), "x\n");
    place.put("empty", "");
    place.text("edit_file", json!({"path": "empty", "old": "", "new": "x\n"})).await;
    assert_eq!(place.get("empty"), "x\n");
    assert_eq!(
        place.error("edit_file", json!({"path": "empty", "old": "", "new": "y"})).await.summary,
        "old is empty"
    );
    assert_eq!(
        place.error("edit_file", json!({"path": "none", "old": "a", "new": "y"})).await.summary,
        "not found"
    );
}

#[tokio::test]
async fn an_edit_of_a_file_that_changed_fits_or_fails_but_says_so() {
    let place = Place::new();
    place.put("a", "one\ntwo\n");
    place.text("read_file", json!({"path": "a"})).await;
    place.put("a", "zero\none\ntwo\n");
    let text = place.text("edit_file", json!({"path": "a", "old": "two", "new": "2"})).await;
    assert!(text.contains("changed since you last saw it"), "{text}");
    assert_eq!(place.get("a"), "zero\none\n2\n");
}

#[tokio::test]
async fn encodings_survive_an_edit() {
    let place = Place::new();
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    place.put("wide", wide("ä\r\nb\r\n"));
    place.text("edit_file", json!({"path": "wide", "old": "b", "new": "日\nc"})).await;
    assert_eq!(fs::read(place.path("wide")).unwrap(), wide("ä\r\n日\r\nc\r\n"));
    let latin = b"Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Gr\xFC\xDFe\n";
    place.put("latin", latin);
    let error = place.error("edit_file", json!({"path": "latin", "old": "aus", "new": "日"})).await;
    assert_eq!(error.summary, "not encodable");
    place.text("edit_file", json!({"path": "latin", "old": "aus Köln", "new": "für"})).await;
    assert_eq!(
        fs::read(place.path("latin")).unwrap(),
        b"Gr\xFC\xDFe f\xFCr, sch\xF6ne Gr\xFC\xDFe\n"
    );
    place.put("broken", [b"zw\xC3\xB6lf ".as_slice(), b"\xFF end\n"].concat());
    let error = place.error("edit_file", json!({"path": "broken", "old": "end", "new": "x"})).await;
    assert_eq!(error.summary, "damaged text");
}

#[test]
fn all_spellings_of_a_file_are_one_resource() {
    let place = Place::new();
    let file = Resource::File(place.put("d/a", "x"));
    symlink("d/a", place.path("link")).unwrap();
    symlink("d", place.path("folder")).unwrap();
    let absolute = place.path("d/a").to_str().unwrap().to_owned();
    let mut spellings = vec!["d/a", "./d/a", "d//a", "d/../d/a", "link", "folder/a", &absolute];
    if place.path("D/A").exists() {
        spellings.extend(["D/A", "d/A", "LINK"]);
    }
    for path in spellings {
        let patch = format!("*** Update File: {path}\n@@\n-x\n+y\n");
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("search_code", json!({"path": path, "pattern": "x"})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old": "x", "new": "y"})),
            ("apply_patch", json!({"patch": patch})),
        ] {
            let access = place.access(tool, &arguments).unwrap();
            assert_eq!(access.reads, std::slice::from_ref(&file), "{tool} {path}");
            let writes = if access.is_read_only() { vec![] } else { vec![file.clone()] };
            assert_eq!(access.writes, writes, "{tool} {path}");
        }
    }
    // What is not there yet has one name too.
    for path in ["n/b/c", "./n/b/c", "folder/../n/b/c"] {
        let access = place.access("write_file", &json!({"path": path, "content": ""})).unwrap();
        let writes = [Resource::File(place.path("n/b/c")), Resource::Tree(place.path("n"))];
        assert_eq!(access.writes, writes, "{path}");
    }
}

#[test]
fn reading_tools_only_read_and_name_what() {
    let place = Place::new();
    let file = place.put("src/a.rs", "");
    symlink("src", place.path("link")).unwrap();
    let tree = Access::read(Resource::Tree(place.path("src")));
    let file = Access::read(Resource::File(file));
    for (tool, arguments, access) in [
        ("read_file", json!({"path": "link/a.rs"}), &file),
        ("search_code", json!({"path": "src/a.rs", "pattern": "x"}), &file),
        ("search_code", json!({"path": "link", "pattern": "x"}), &tree),
        ("list_files", json!({"path": "./src/"}), &tree),
    ] {
        assert_eq!(&place.access(tool, &arguments).unwrap(), access, "{tool}");
    }
}
