//! Commands that are stopped, dropped, or lose the program that started them.

use std::{process::Stdio, time::Duration};

use mcc_tui::tools::process::Exit;

use super::probe::{BOUND, Probe, in_its_own_process, processes};

#[tokio::test]
async fn a_stop_ends_the_command_with_all_its_children() {
    for command in [
        "echo ready; sleep 300 & sleep 300",
        "echo ready; sleep 300",
        "echo ready; sleep 300 | sleep 300 | sleep 300",
        "setsid sleep 300 & echo ready; wait",
        "(setsid sleep 300 &) ; echo ready; sleep 300",
        "( ( sleep 300 & ) & ); echo ready; sleep 300",
        "sleep 300 & kill -STOP $!; echo ready; wait",
        "set -m; sleep 300 & sleep 300 & echo ready; wait",
        "for i in $(seq 200); do sleep 300 & done; echo ready; wait",
    ] {
        let end = Probe::new().run_and_stop(command).await;
        assert_eq!(end.exit, Exit::Stopped, "{command}");
        assert_eq!((end.output.head.as_str(), end.survivors.len()), ("ready\n", 0), "{command}");
    }
}

/// Each starts two more, eight levels deep: 255 processes, unless the system allows no more.
const BOMB: &str = "ulimit -u 4000; bomb() { [ $1 -gt 0 ] && { bomb $(($1-1)) & bomb $(($1-1)) & }; \
                    [ $1 = 0 ] || sleep 300; }; bomb 8 2>/dev/null & sleep 1; echo ready; wait; \
                    sleep 300";

#[tokio::test]
async fn a_stop_ends_what_multiplies() {
    let end = Probe::new().run_and_stop(BOMB).await;
    assert_eq!((end.exit, end.survivors.len()), (Exit::Stopped, 0));
}

#[tokio::test]
async fn a_stop_ends_what_goes_on_to_multiply_in_sessions_of_its_own() {
    let command = "again() { trap '' TERM; while :; do setsid sleep 300 & sleep .01; done; }; \
                   again & echo ready; wait; sleep 300";
    let end = Probe::new().run_and_stop(command).await;
    assert_eq!((end.exit, end.survivors.len()), (Exit::Stopped, 0));
}

#[tokio::test]
async fn a_command_that_ends_programs_by_a_word_of_its_own_ends_itself_and_not_its_keeper() {
    let probe = Probe::new();
    let end = probe.run(&format!("sleep 300 & pkill -f {}; sleep 300", probe.mark())).await;
    assert_eq!(end.exit, Exit::Signal(15));
}

#[tokio::test]
async fn a_command_that_ignores_the_stop_is_killed() {
    for command in [
        "trap '' TERM; echo ready; while :; do sleep 300; done",
        "trap 'sleep 300' TERM; echo ready; sleep 300 & wait; sleep 300",
        "(trap '' TERM HUP INT; exec setsid sleep 300) & echo ready; wait",
    ] {
        let end = Probe::new().run_and_stop(command).await;
        assert_eq!((end.exit, end.output.head.as_str()), (Exit::Stopped, "ready\n"), "{command}");
    }
}

#[tokio::test]
async fn a_command_may_clean_up_when_it_is_stopped() {
    let command = "trap 'echo cleaned; exit 0' TERM; echo ready; sleep 300 & wait";
    let end = Probe::new().run_and_stop(command).await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Stopped, "ready\ncleaned\n"));
}

#[tokio::test]
async fn after_the_time_limit_a_command_has_two_seconds_to_clean_up() {
    let command = "trap 'sleep 1; echo cleaned; exit 0' TERM; echo ready; sleep 300 & wait";
    let probe = Probe::new().timeout(Duration::from_millis(300));
    let end = probe.run(command).await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::TimedOut, "ready\ncleaned\n"));
}

#[tokio::test]
async fn a_stop_shortens_the_time_that_the_limit_gave() {
    let command = "trap 'echo ready; sleep 1.2; echo cleaned' TERM; sleep 300 & wait; sleep 300";
    let probe = Probe::new().timeout(Duration::from_millis(300));
    let end = probe.run_and_stop(command).await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::TimedOut, "ready\n"));
}

#[tokio::test]
async fn a_kill_does_not_wait_for_the_command() {
    let probe = Probe::new();
    let run = probe.run_handle("ready", Some(probe.kill.clone()));
    let command = "trap 'echo asked' TERM; echo ready; while :; do sleep 300 & wait; done";
    let processes = processes();
    let running = processes.run(probe.spec(command), &run);
    let end = tokio::time::timeout(BOUND, running).await.unwrap().unwrap();
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Stopped, "ready\n"));
    probe.assert_nothing_is_left();
}

#[tokio::test]
async fn a_stop_at_any_moment_leaves_nothing() {
    for delay in [0, 1, 10, 100] {
        let probe = Probe::new();
        let stop = probe.stop.clone();
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(delay)).await;
            stop.cancel();
        };
        let (end, ()) = tokio::join!(probe.run("setsid sleep 300 & sleep 300"), cancel);
        assert_eq!(end.exit, Exit::Stopped, "after {delay} ms");
    }
}

#[tokio::test]
async fn a_command_that_was_stopped_before_it_began_never_runs() {
    let (probe, folder) = (Probe::new(), tempfile::tempdir().unwrap());
    probe.stop.cancel();
    let trace = folder.path().join("trace");
    let end = probe.run(&format!("touch {}", trace.display())).await;
    assert_eq!(end.exit, Exit::Stopped);
    assert!(!trace.exists());
}

#[tokio::test]
async fn dropping_at_any_moment_leaves_nothing() {
    for delay in [0, 1, 3, 10, 30, 100] {
        let (processes, probe) = (processes(), Probe::new());
        let run = probe.run_handle("", None);
        let running = processes.run(probe.spec("trap '' TERM; setsid sleep 300 & sleep 300"), &run);
        tokio::time::timeout(Duration::from_millis(delay), running).await.unwrap_err();
        probe.until_nothing_is_left().await;
    }
}

#[tokio::test]
async fn dropping_a_running_command_ends_it() {
    let (processes, probe) = (processes(), Probe::new());
    let run = probe.run_handle("y\ny\n", Some(probe.kill.clone()));
    let run = mcc_tui::tools::Run { kill: tokio_util::sync::CancellationToken::new(), ..run };
    tokio::select! {
        end = processes.run(probe.spec("sleep 300 & echo ready; exec yes"), &run) => panic!("{end:?}"),
        () = probe.kill.cancelled() => {}
    }
    probe.until_nothing_is_left().await;
}

#[tokio::test]
async fn killing_the_program_ends_its_commands() {
    let probe = Probe::new();
    let mut program = in_its_own_process("commands::stops::runs_a_command_for_ever")
        .env("PROBE_NAME", probe.mark())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The program itself carries the mark, and so do the shell and its two children.
    probe.until("the command never began", || probe.left().len() >= 4).await;
    program.kill().unwrap();
    program.wait().unwrap();
    probe.until_nothing_is_left().await;
}

#[tokio::test]
#[ignore = "the program that another test kills"]
async fn runs_a_command_for_ever() {
    let Ok(mark) = std::env::var("PROBE_NAME") else { return };
    let probe = Probe::marked(mark);
    probe.run("trap '' TERM HUP; setsid sleep 300 & sleep 300").await;
}
