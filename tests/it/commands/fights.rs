//! Commands that fight their keeper: kill it, stop it, speak in its name, or look for secrets.

use std::{
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::Command,
    time::Duration,
};

use mcc_tui::tools::process::{Exit, settle};

use super::probe::{BOUND, Probe, in_its_own_process, processes};

/// Stops its keeper whenever it runs.
const STOPS_FOR_EVER: &str =
    "trap '' TERM; keeper=$PPID; echo ready; while :; do kill -STOP $keeper; done";

#[tokio::test]
async fn a_command_that_stops_its_keeper_again_and_again_can_be_stopped() {
    let end = Probe::new().run_and_stop(STOPS_FOR_EVER).await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Stopped, "ready\n"));
    assert!(end.survivors.is_empty());
}

#[tokio::test]
async fn a_command_that_stops_its_keeper_again_and_again_is_ended_unasked() {
    let end = Probe::new().run(STOPS_FOR_EVER).await;
    assert_eq!(end.output.head, "ready\n");
    assert!(end.survivors.is_empty());
}

#[tokio::test]
async fn the_time_limit_holds_for_a_command_that_stops_its_keeper() {
    let probe = Probe::new().timeout(Duration::from_millis(300));
    assert_eq!(probe.run(STOPS_FOR_EVER).await.exit, Exit::TimedOut);
}

#[tokio::test]
async fn a_keeper_that_is_stopped_when_its_shell_exits_tells_how_all_the_same() {
    let end = Probe::new().run("kill -STOP $PPID; echo hi; exit 3").await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Code(3), "hi\n"));
}

#[tokio::test]
async fn a_daemon_that_stops_the_keeper_does_not_hold_the_command() {
    let command = "keeper=$PPID; (setsid bash -c \"while :; do kill -STOP $keeper; done\" \
                   >/dev/null 2>&1 &); echo hi";
    let end = Probe::new().run(command).await;
    // Whether the keeper got to tell the exit is a race.
    assert!(matches!(end.exit, Exit::Code(0) | Exit::Signal(9)), "{:?}", end.exit);
    assert_eq!((end.output.head.as_str(), end.survivors.len()), ("hi\n", 0));
}

#[tokio::test]
async fn a_command_cannot_take_the_words_to_its_keeper() {
    let command = "exec 3<>/proc/$PPID/fd/0; cat <&3 & cat <&3 & sleep .2; kill -STOP $PPID; \
                   sleep .1; kill -CONT $PPID; trap '' TERM; echo ready; sleep 300; sleep 300";
    let end = Probe::new().run_and_stop(command).await;
    assert_eq!(end.exit, Exit::Stopped);
    assert!(end.output.head.contains("No such device or address"), "{}", end.output.head);
}

#[tokio::test]
async fn a_command_cannot_speak_for_its_keeper() {
    let command = r"printf 'exit 0\nsurvivor 1 init\ndone\n' > /proc/$PPID/fd/2
        tr '\0' a </dev/zero > /proc/$PPID/fd/2
        exit 7";
    let end = Probe::new().run(command).await;
    assert_eq!((end.exit, end.survivors.len()), (Exit::Code(7), 0));
    assert!(end.output.head.contains("No such device or address"), "{}", end.output.head);
}

#[tokio::test]
async fn what_escaped_a_killed_keeper_is_found_by_its_mark() {
    let command = "(setsid sleep 300 >/dev/null 2>&1 &); sleep .2; kill -9 $PPID; sleep 300";
    assert_eq!(Probe::new().run(command).await.exit, Exit::Signal(9));
}

#[test]
fn what_escaped_a_killed_keeper_and_shed_its_mark_is_inherited_and_ended() {
    let status =
        in_its_own_process("commands::fights::inherits_the_orphans_of_its_keepers").status();
    assert!(status.unwrap().success());
}

#[tokio::test]
#[ignore = "inherits orphans: run by another test, in a process of its own"]
async fn inherits_the_orphans_of_its_keepers() {
    let _adopting = processes().adopting();
    let (probe, other) = (Probe::new(), Probe::new());
    let command = format!(
        "(env -i setsid bash -c ': {}; sleep 300; :' >/dev/null 2>&1 &); sleep .3; \
         kill -9 $PPID; sleep 300",
        probe.mark()
    );
    let attack = async {
        assert_eq!(probe.run(&command).await.exit, Exit::Signal(9));
        other.stop.cancel();
    };
    // A command beside it has a keeper that lives, and is none of those orphans.
    let (end, ()) =
        tokio::join!(other.run("trap 'exit 5' TERM; echo here; sleep 300 & wait; wait"), attack);
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Stopped, "here\n"));
    let children = format!("/proc/self/task/{}/children", std::process::id());
    assert_eq!(std::fs::read_to_string(children).unwrap_or_default(), "", "not even zombies");
}

#[tokio::test]
async fn dropping_a_command_that_fights_its_keeper_leaves_nothing() {
    for command in [
        STOPS_FOR_EVER,
        "(setsid sleep 300 &); sleep .2; kill -9 $PPID; echo ready; sleep 300",
        "exec 3<>/proc/$PPID/fd/0; trap '' TERM; kill -STOP $PPID; echo ready; sleep 300",
    ] {
        let probe = Probe::new();
        let run = probe.run_handle("ready", Some(probe.stop.clone()));
        let run = mcc_tui::tools::Run { stop: tokio_util::sync::CancellationToken::new(), ..run };
        let processes = processes();
        tokio::select! {
            _ended = processes.run(probe.spec(command), &run) => {}
            () = probe.stop.cancelled() => {}
        }
        probe.until_nothing_is_left().await;
    }
}

#[test]
fn nothing_is_left_when_the_program_ends_with_its_runtime() {
    let probe = Probe::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let run = probe.run_handle("ready", Some(probe.stop.clone()));
        let run = mcc_tui::tools::Run { stop: tokio_util::sync::CancellationToken::new(), ..run };
        let processes = processes();
        tokio::select! {
            end = processes.run(probe.spec(STOPS_FOR_EVER), &run) => panic!("{end:?}"),
            () = probe.stop.cancelled() => {}
        }
    });
    drop(runtime);
    settle(BOUND);
    probe.assert_nothing_is_left();
}

#[test]
fn a_command_cannot_read_the_key_from_the_program_or_its_keeper() {
    // The sums tell what was printed from the command itself, which is told too.
    const LOOK: &str = "cat /proc/$PPID/environ || echo keeper $((6 * 7)); \
                        read -r _ _ _ program _ </proc/$PPID/stat; \
                        cat /proc/$program/environ || echo program $((6 * 7))";
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.toml");
    let arguments = serde_json::json!({ "command": LOOK }).to_string();
    let reply = "[[reply]]\n[[reply.call]]\nname = 'run_command'\nraw_arguments =";
    let text = format!("model = 'test'\n{reply} {arguments:?}\n[[reply]]\ntext = 'done'\n");
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_mcc-tui"));
    program
        .args(["--yolo", "--output-format", "stream-json", "-p", "go", "--script"])
        .arg(&script)
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("OPENAI_API_KEY", "a-key-to-be-found");
    if rustix::process::geteuid().is_root() {
        // Nothing is hidden from root.
        program.uid(65534).gid(65534);
    }
    let output = match program.output() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            println!("skipped: another user cannot run the program where it was built");
            return;
        }
        output => output.unwrap(),
    };
    let (told, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for closed in ["keeper 42", "program 42"] {
        assert!(told.contains(closed), "{closed}: {told}\n{errors}");
    }
    assert!(!told.contains("a-key-to-be-found"), "{told}");
}
