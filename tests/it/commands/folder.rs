//! The folder that is remembered from one command to the next.

use mcc_tui::{
    protocol::{question::Preview, tool::ToolStatus},
    tools::{Tool, process::EndFolder, process::Exit, run_command::RunCommand},
};
use serde_json::json;

use super::{
    bench::{Bench, bench},
    probe::{Probe, in_its_own_process, processes},
};

impl Bench {
    /// Where the next command runs, relative to the workspace.
    async fn now(&self) -> String {
        let preview = RunCommand.preview(&json!({ "command": "pwd" }), &self.context).await;
        let Ok(Preview::Command { cwd, .. }) = preview else { panic!("{preview:?}") };
        let text = self.text("pwd -P").await;
        let pwd = text.lines().next().unwrap().to_owned();
        let shown = self.context.workspace.root().join(&cwd).canonicalize().unwrap();
        assert_eq!(pwd, shown.to_str().unwrap(), "what is shown is where it runs");
        cwd
    }
}

#[tokio::test]
async fn a_command_runs_where_the_one_before_went() {
    let bench = bench();
    assert_eq!(bench.now().await, ".");
    let text = bench.text("cd inner; mkdir -p a; cd a; echo hi").await;
    assert_eq!(text, "hi\nexit 0\n[... later commands run in `inner/a`. ...]");
    assert_eq!(bench.now().await, "inner/a");
    let text = bench.text("cd ../..").await;
    assert_eq!(text, "(no output)\nexit 0\n[... later commands run in `.`. ...]");
    assert_eq!(bench.now().await, ".");
}

#[tokio::test]
async fn of_a_shell_that_was_killed_nothing_is_said_of_folders() {
    let bench = bench();
    let text = bench.text("cd inner; kill -KILL $$").await;
    assert_eq!(text, "(no output)\nkilled by SIGKILL");
    assert_eq!(bench.now().await, ".");
}

#[tokio::test]
async fn however_a_command_ends_its_folder_and_its_code_are_its_own() {
    for (command, status, code) in [
        ("cd inner; exit 7", ToolStatus::Error, "exit 7"),
        ("set -eux; cd inner; false", ToolStatus::Error, "exit 1"),
        ("cd inner; kill -TERM $$; sleep 60", ToolStatus::Error, "killed by SIGTERM"),
        ("pwd() { echo /etc; }; echo() { false; }; cd inner", ToolStatus::Ok, "exit 0"),
        ("set -C; cd inner; set -o posix", ToolStatus::Ok, "exit 0"),
        ("cd inner; exec 3>&- 4>&- 5>&- >/dev/null 2>&1", ToolStatus::Ok, "exit 0"),
        ("pushd inner >/dev/null", ToolStatus::Ok, "exit 0"),
        ("cd inner; sleep 300 & true", ToolStatus::Ok, "exit 0"),
    ] {
        let bench = bench();
        let (told, text, _) = bench.command(command).await;
        assert_eq!(told, Some(status), "{command}: {text}");
        assert!(text.contains(code), "{command}: {text}");
        assert_eq!(bench.now().await, "inner", "{command}");
    }
}

#[tokio::test]
async fn what_is_not_the_shells_own_folder_at_its_end_moves_nothing() {
    for command in [
        "(cd inner)",
        "cd inner & wait",
        "bash -c 'cd inner'",
        "cd inner; cd ..",
        "cd inner; exec true",
        "cd inner; trap 'true' EXIT",
        "cd inner; kill -9 $$",
        "printf '.\\n%s\\n.\\n' $PWD/inner",
        "echo $PWD/inner; echo $PWD/inner >&2",
        "env | grep BASH_ENV",
    ] {
        let bench = bench();
        bench.command(command).await;
        assert_eq!(bench.now().await, ".", "{command}");
    }
}

#[tokio::test]
async fn a_folder_outside_is_told_and_not_taken() {
    let bench = bench();
    bench.command("cd inner").await;
    let text = bench.text("cd /etc; echo hi").await;
    let told = "[... it ended in /etc, outside of the workspace: later commands run in `inner` as \
                before. ...]";
    assert_eq!(text, format!("hi\nexit 0\n{told}"));
    assert_eq!(bench.now().await, "inner");
    std::os::unix::fs::symlink("/etc", bench.folder.path().join("inner/link")).unwrap();
    assert!(bench.text("cd link").await.contains("outside of the workspace"));
    assert_eq!(bench.now().await, "inner");
}

#[tokio::test]
async fn a_folder_that_is_gone_is_told_and_the_root_takes_its_place() {
    let bench = bench();
    assert!(bench.text("cd inner; rmdir ../inner").await.contains("does not exist any more"));
    assert_eq!(bench.now().await, ".");
    bench.command("mkdir -p a/b; cd a/b").await;
    std::fs::remove_dir_all(bench.folder.path().join("a")).unwrap();
    let text = bench.text("echo hi").await;
    assert!(text.starts_with("hi\nexit 0\n[... the folder `a/b` of earlier commands"), "{text}");
    assert_eq!(bench.text("echo hi").await, "hi\nexit 0", "it is told once");
    assert_eq!(bench.now().await, ".");
}

#[tokio::test]
async fn a_named_folder_holds_for_one_call() {
    let bench = bench();
    bench.command("mkdir other; cd inner").await;
    let output = bench.call(json!({ "command": "pwd; cd /", "cwd": "other" })).await;
    assert!(output.text.ends_with("/other\nexit 0"), "{}", output.text);
    assert_eq!(bench.now().await, "inner");
}

#[tokio::test]
async fn a_command_that_was_stopped_moves_nothing() {
    let bench = bench();
    let output = bench.call(json!({ "command": "cd inner; sleep 60", "timeout_s": 1 })).await;
    assert_eq!(output.status, Some(ToolStatus::TimedOut));
    assert_eq!(bench.now().await, ".");
}

#[tokio::test]
async fn a_command_in_the_background_moves_nothing_and_runs_where_the_others_do() {
    let bench = bench();
    bench.command("cd inner").await;
    let output = bench.start("pwd; cd ..").await;
    assert!(output.text.contains("/inner\n"), "{}", output.text);
    assert_eq!(bench.now().await, "inner");
}

#[tokio::test]
async fn a_command_longer_than_an_argument_moves_too() {
    let bench = bench();
    bench.command(&format!("# {}\ncd inner", "x".repeat(200 << 10))).await;
    assert_eq!(bench.now().await, "inner");
}

#[tokio::test]
async fn the_command_itself_is_not_changed_by_being_watched() {
    let bench = bench();
    let text = bench.text("if then").await;
    assert!(text.contains("line 1: `if then'"), "{text}");
    let text = bench.text("env | grep -e BASH -e ^ENV=; set -x; true").await;
    assert_eq!(text, "+ true\nexit 0");
    let text = bench.text("echo $0 $# $-; trap -p TERM").await;
    assert_eq!(text, "bash 0 hBc\nexit 0");
}

#[tokio::test]
async fn commands_side_by_side_have_the_folder_by_value_and_do_not_move_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("inner")).unwrap();
    let (processes, probe) = (processes(), Probe::new());
    let probe = probe.within(&root);
    let run = probe.run_handle("", None);
    let goes = "cd inner; for i in 1 2 3 4 5; do sleep .05; pwd; done";
    let stays = "for i in 1 2 3 4 5; do sleep .05; pwd; done; cd inner";
    let (goes, stays) =
        tokio::join!(processes.run(probe.spec(goes), &run), processes.run(probe.spec(stays), &run));
    for (end, wanted) in [(goes.unwrap(), root.join("inner")), (stays.unwrap(), root.clone())] {
        assert_eq!((end.exit, end.folder), (Exit::Code(0), EndFolder::Unknown));
        let line = format!("{}\n", wanted.display());
        assert_eq!(end.output.head, line.repeat(5));
    }
    assert_eq!(processes.folder(), None);
    probe.assert_nothing_is_left();
}

#[test]
fn no_note_of_a_folder_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let status = in_its_own_process("commands::folder::notes_its_folder")
        .env("TMPDIR", folder.path())
        .status();
    assert!(status.unwrap().success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
#[ignore = "needs a folder for temporary files of its own: run by another test, in a process of its own"]
async fn notes_its_folder() {
    let bench = bench();
    for command in ["cd inner", "exec true", "kill -9 $$", "if then", "sleep 300 & cd ."] {
        bench.command(command).await;
    }
    let stopped = json!({ "command": "trap '' TERM; sleep 60; sleep 60", "timeout_s": 1 });
    bench.call(stopped).await;
    assert_eq!(bench.now().await, "inner");
}
