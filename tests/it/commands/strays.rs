//! What commands leave behind when they end by themselves, and commands that fight their keeper.

use mcc_tui::tools::process::Exit;

use super::probe::Probe;

#[tokio::test]
async fn a_command_returns_when_its_shell_exits_and_what_it_left_is_ended_and_named() {
    for command in [
        "sleep 300 & echo hi",
        "sleep 300 >/dev/null 2>&1 & echo hi",
        "setsid sleep 300 & echo hi",
        "(setsid sleep 300 &); echo hi",
        "( ( sleep 300 & ) & ); echo hi",
        "nohup sleep 300 2>/dev/null & echo hi",
        "(trap '' TERM HUP; exec sleep 300) & echo hi",
    ] {
        let end = Probe::new().run(command).await;
        assert_eq!((end.exit, end.output.head.as_str()), (Exit::Code(0), "hi\n"), "{command}");
        // A child can be caught before it became `sleep`.
        assert_eq!(end.leftovers.len(), 1, "{command}: {:?}", end.leftovers);
        assert!(end.survivors.is_empty());
    }
}

#[tokio::test]
async fn a_process_substitution_does_not_hold_the_command() {
    let end = Probe::new().run("exec > >(cat; sleep 300); echo hi").await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Code(0), "hi\n"));
    assert!(end.leftovers.iter().any(|one| one.name == "sleep"), "{:?}", end.leftovers);
}

#[tokio::test]
async fn an_endless_child_does_not_hold_the_command() {
    let end = Probe::new().run("yes & echo hi >&2").await;
    assert_eq!(end.exit, Exit::Code(0));
    assert_eq!(end.leftovers.len(), 1, "{:?}", end.leftovers);
}

#[tokio::test]
async fn a_command_that_kills_its_keeper_is_ended_all_the_same() {
    let end = Probe::new().run("echo hi; kill -9 $PPID; sleep 300 & sleep 300").await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Signal(9), "hi\n"));
}

#[tokio::test]
async fn a_command_that_stops_its_keeper_can_be_stopped() {
    let end = Probe::new()
        .run_and_stop("kill -STOP $PPID; echo ready; setsid sleep 300 & sleep 300")
        .await;
    assert_eq!(end.exit, Exit::Stopped);
}

#[tokio::test]
async fn a_keeper_does_not_bear_the_name_of_the_program() {
    // So that a command that ends programs by name does not end its own keeper.
    let end = Probe::new().run("cat /proc/$PPID/cmdline /proc/$PPID/comm").await;
    assert_eq!(end.output.head, "command-keeper\0--keeper\0command-keeper\n");
}
