//! The file tools on real files, called as a model calls them.

mod edit;
mod list;
mod patch;
mod read;
mod search;
mod tables;
mod write;

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
