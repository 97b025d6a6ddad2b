//! What `run_command` promises, tested.

use serde_json::json;

use super::*;
use crate::{
    protocol::tool::ToolStatus,
    tools::{
        process::{Captured, CommandEnd, EndFolder, Exit, Processes},
        seen::Seen,
        workspace::Workspace,
    },
};

struct Bench {
    folder: tempfile::TempDir,
    context: ToolContext,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let context = ToolContext {
        workspace: Workspace::open(folder.path()).unwrap(),
        seen: Seen::default(),
        processes: Processes::new("/nonexistent".into()),
    };
    Bench { folder, context }
}

fn read(arguments: &Value) -> Result<Call, ToolError> {
    Call::read(arguments, &bench().context)
}

#[test]
fn the_spec_is_small_because_it_goes_with_every_request() {
    let spec = serde_json::to_string(&RunCommand.spec()).unwrap();
    assert!(spec.len() <= 830, "{} bytes", spec.len());
}

#[test]
fn a_call_has_usual_values_and_limits() {
    let call = read(&json!({ "command": "ls" })).unwrap();
    assert_eq!((call.seconds, call.folder.relative.as_str()), (Some(120), "."));
    for (asked, given) in [(1, 1), (600, 600), (601, 600)] {
        let call = read(&json!({ "command": "ls", "timeout_s": asked })).unwrap();
        assert_eq!(call.seconds, Some(given), "{asked}");
    }
    let call = read(&json!({ "command": "ls", "background": true })).unwrap();
    assert_eq!(call.seconds, None, "a server runs as long as the session");
    let call = read(&json!({ "command": "ls", "background": true, "timeout_s": 5 })).unwrap();
    assert_eq!(call.seconds, Some(5));
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
        (json!({ "command": "vim file" }), "needs a terminal"),
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

#[test]
fn what_a_command_may_touch_includes_the_folder_of_the_next_unless_it_cannot() {
    let bench = bench();
    for (arguments, reads, writes, world) in [
        (json!({ "command": "make" }), true, true, true),
        (json!({ "command": "make", "cwd": "src" }), false, false, true),
        (json!({ "command": "make", "background": true }), true, false, true),
        // What is proven to read only may still lead the next command elsewhere.
        (json!({ "command": "ls" }), true, false, false),
        (json!({ "command": "cd src && ls" }), true, true, false),
        (json!({ "command": "ls", "cwd": "src" }), false, false, false),
        (json!({ "command": "ls", "background": true }), true, false, true),
    ] {
        let access = Call::read(&arguments, &bench.context).unwrap().access(&bench.context);
        assert_eq!(access.reads.contains(&Resource::Cwd), reads, "{arguments}");
        assert_eq!(access.writes.contains(&Resource::Cwd), writes, "{arguments}");
        assert_eq!(access.writes.contains(&Resource::World), world, "{arguments}");
    }
}

fn end(exit: Exit, folder: EndFolder) -> CommandEnd {
    let (leftovers, survivors) = (Vec::new(), Vec::new());
    CommandEnd { exit, output: Captured::default(), file: None, folder, leftovers, survivors }
}

impl Bench {
    /// A command ends there; what is told, and where the next one runs.
    fn ends(&self, exit: Exit, folder: EndFolder) -> (Option<String>, String) {
        let (ran_in, _) = folder::remembered(&self.context).unwrap();
        let told = folder::after(&self.context, &ran_in, &end(exit, folder));
        let (next, _) = folder::remembered(&self.context).unwrap();
        (told, next.relative)
    }

    fn at(&self, path: &str) -> EndFolder {
        EndFolder::At(self.context.workspace.root().join(path))
    }
}

#[test]
fn a_command_runs_where_the_one_before_ended() {
    let bench = bench();
    let (told, next) = bench.ends(Exit::Code(0), bench.at("src"));
    assert_eq!((told.as_deref(), next.as_str()), (Some("later commands run in `src`."), "src"));
    assert_eq!(bench.ends(Exit::Code(1), bench.at("src")), (None, "src".to_owned()));
    assert_eq!(bench.ends(Exit::Code(0), EndFolder::Unknown), (None, "src".to_owned()));
    let root = EndFolder::At(bench.context.workspace.root().to_owned());
    let (told, next) = bench.ends(Exit::Signal(9), root);
    assert_eq!((told.as_deref(), next.as_str()), (Some("later commands run in `.`."), "."));
    assert_eq!(bench.context.processes.folder(), None);
}

#[test]
fn what_a_command_that_was_stopped_did_with_the_folder_does_not_count() {
    let bench = bench();
    for exit in [Exit::TimedOut, Exit::Stopped] {
        let (told, next) = bench.ends(exit, bench.at("src"));
        assert_eq!(told.as_deref(), Some("later commands run in `.` as before."));
        assert_eq!(next, ".");
    }
}

#[test]
fn a_folder_outside_of_the_workspace_is_not_taken() {
    let bench = bench();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.folder.path().join("link")).unwrap();
    let nowhere = EndFolder::At("/etc".into());
    for folder in [nowhere, bench.at("link"), bench.at("src/../..")] {
        let (told, next) = bench.ends(Exit::Code(0), folder);
        assert!(told.unwrap().ends_with("later commands run in `.` as before."));
        assert_eq!(next, ".");
    }
    // What is no folder is not taken either.
    for folder in [bench.at("file"), bench.at("gone"), EndFolder::Unusable] {
        let (told, next) = bench.ends(Exit::Code(0), folder);
        assert!(told.is_some());
        assert_eq!(next, ".");
    }
}

#[test]
fn a_folder_that_vanished_falls_back_to_the_root_and_says_so() {
    let bench = bench();
    let outside = tempfile::tempdir().unwrap();
    let src = bench.folder.path().join("src");
    bench.ends(Exit::Code(0), bench.at("src"));
    std::fs::remove_dir(&src).unwrap();
    let call = Call::read(&json!({ "command": "ls" }), &bench.context).unwrap();
    assert_eq!(call.folder.relative, ".");
    assert!(call.note.unwrap().contains("`src` of earlier commands"));
    // So does one that a link took the place of, which leads outside.
    std::os::unix::fs::symlink(outside.path(), &src).unwrap();
    let call = Call::read(&json!({ "command": "ls" }), &bench.context).unwrap();
    assert_eq!(call.folder.relative, ".");
    // After a command has run in the root, it is said no more.
    bench.ends(Exit::Code(0), EndFolder::Unknown);
    assert_eq!(Call::read(&json!({ "command": "ls" }), &bench.context).unwrap().note, None);
}

#[test]
fn a_call_that_names_its_folder_runs_there_and_says_nothing_of_the_other() {
    let bench = bench();
    bench.ends(Exit::Code(0), bench.at("src"));
    let call = Call::read(&json!({ "command": "ls", "cwd": "." }), &bench.context).unwrap();
    assert_eq!((call.folder.relative.as_str(), call.note), (".", None));
}
