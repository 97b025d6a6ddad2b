//! What `run_command` promises, tested.

use serde_json::json;

use super::*;
use crate::protocol::tool::ToolStatus;

fn read(arguments: &Value) -> Result<Call, ToolError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    Call::read(arguments, &Workspace::open(folder.path()).unwrap())
}

#[test]
fn the_spec_is_small_because_it_goes_with_every_request() {
    let spec = serde_json::to_string(&RunCommand.spec()).unwrap();
    assert!(spec.len() <= 600, "{} bytes", spec.len());
}

#[test]
fn a_call_has_usual_values_and_limits() {
    let call = read(&json!({ "command": "ls" })).unwrap();
    assert_eq!((call.seconds, call.folder.relative.as_str()), (120, "."));
    for (asked, given) in [(1, 1), (600, 600), (601, 600)] {
        let call = read(&json!({ "command": "ls", "timeout_s": asked })).unwrap();
        assert_eq!(call.seconds, given, "{asked}");
    }
}

#[test]
fn a_folder_inside_is_shown_as_seen_from_the_root() {
    for (cwd, shown) in [("src", "src"), ("./src/../src", "src"), ("", "."), (".", ".")] {
        let call = read(&json!({ "command": "ls", "cwd": cwd })).unwrap();
        assert_eq!(call.folder.relative, shown);
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_a_way_out() {
    for (arguments, summary) in [
        (json!({}), "bad arguments"),
        (json!({ "command": " \n" }), "empty command"),
        (json!({ "command": "echo \0" }), "NUL in the command"),
        (json!({ "command": "x".repeat(2 << 20) }), "command too long"),
        (json!({ "command": "ls", "timeout_s": 0 }), "no time"),
        (json!({ "command": "ls", "cwd": ".." }), "outside the folder"),
        (json!({ "command": "ls", "cwd": "/" }), "outside the folder"),
        (json!({ "command": "ls", "cwd": "nowhere" }), "no such folder"),
        (json!({ "command": "ls", "cwd": "file" }), "no such folder"),
    ] {
        let error = read(&arguments).map(|_| ()).unwrap_err();
        assert_eq!((error.status, error.summary.as_str()), (ToolStatus::Refused, summary));
        assert!(error.text.starts_with("Error: "));
    }
}
