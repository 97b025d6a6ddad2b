//! How commands end by themselves.

use std::time::Duration;

use mcc_tui::tools::process::{CommandSpec, Exit};

use super::probe::{BOUND, Probe, processes};

#[tokio::test]
async fn the_exit_code_of_the_shell_is_told() {
    for (command, code) in [
        ("true", 0),
        ("false", 1),
        ("exit 2", 2),
        ("/etc/passwd", 126),
        ("no-such-program-anywhere", 127),
        ("exit 130", 130),
        ("exit 137", 137),
        ("exit 143", 143),
        ("exit 255", 255),
        ("cd /nonexistent", 1),
        ("if then", 2),
    ] {
        let end = Probe::new().run(command).await;
        assert_eq!(end.exit, Exit::Code(code), "{command}");
        assert!(end.leftovers.is_empty() && end.survivors.is_empty(), "{command}");
    }
}

#[tokio::test]
async fn the_signal_that_ended_the_shell_is_told() {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("USR1", 10), ("SEGV", 11)] {
        let end = Probe::new().run(&format!("echo before; kill -{name} $$; sleep 300")).await;
        assert_eq!(end.exit, Exit::Signal(number), "{name}");
        assert_eq!(end.output.head, "before\n");
    }
}

#[tokio::test]
async fn a_command_never_waits_for_input() {
    for command in ["cat", "read x", "read -p 'Continue? [y/N] ' x"] {
        let end = Probe::new().run(command).await;
        assert!(matches!(end.exit, Exit::Code(0 | 1)), "{command}");
    }
}

#[tokio::test]
async fn a_command_has_no_terminal() {
    let end = Probe::new().run("tty; (exec < /dev/tty) 2>/dev/null && echo has one").await;
    assert_eq!(end.output.head, "not a tty\n");
}

#[tokio::test]
async fn a_command_is_no_login_dumps_no_core_and_keeps_the_umask() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap().trim();
    let end = Probe::new().run("shopt login_shell; ulimit -c; ulimit -Hc; umask").await;
    assert_eq!(end.output.head, format!("login_shell    \toff\n0\n0\n{umask}\n"));
}

#[tokio::test]
async fn a_folder_that_is_gone_is_said_and_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let error = Probe::new().within(&gone).try_run("echo ran").await.unwrap_err();
    assert!(error.to_string().contains("does not exist any more"), "{error}");
}

#[tokio::test]
async fn a_command_may_delete_the_folder_that_it_runs_in() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let end = Probe::new().within(&inner).run("rmdir ../inner && echo deleted").await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Code(0), "deleted\n"));
}

#[tokio::test]
async fn a_command_runs_where_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let end = Probe::new().within(&real).run("pwd").await;
    assert_eq!(end.output.head, format!("{}\n", real.display()));
}

#[tokio::test]
async fn a_command_may_be_longer_than_an_argument() {
    let long = "x".repeat(200 << 10);
    let end = Probe::new().run(&format!("word='{long}'; echo ${{#word}}; exit 3")).await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::Code(3), "204800\n"));
    let end = Probe::new().run(&format!("# {long}\ncat; set | grep -c ^mcc_command=")).await;
    assert_eq!(end.output.head, "0\n", "its input is empty, and its variables are its own");
}

#[tokio::test]
async fn a_command_that_is_no_text_for_a_shell_is_an_error() {
    let error = Probe::new().try_run("echo \0").await.unwrap_err();
    assert!(error.to_string().contains("no shell could start"), "{error}");
}

#[tokio::test]
async fn a_keeper_that_is_not_there_is_an_error() {
    let probe = Probe::new();
    let nowhere = mcc_tui::tools::process::Processes::new("/nonexistent/mcc-tui".into());
    let run = probe.run_handle("", None);
    assert!(nowhere.run(probe.spec("true"), &run).await.is_err());
}

#[tokio::test]
async fn many_commands_run_side_by_side() {
    let probes: Vec<_> = (0..16).map(|_| Probe::new()).collect();
    let running = probes.iter().enumerate().map(|(number, probe)| async move {
        let end = probe.run(&format!("echo {number}; exit {number}")).await;
        assert_eq!(end.exit, Exit::Code(i32::try_from(number).unwrap()));
        assert_eq!(end.output.head, format!("{number}\n"));
    });
    futures_util::future::join_all(running).await;
}

#[tokio::test]
async fn after_the_time_limit_a_command_is_stopped_and_what_it_printed_is_kept() {
    let probe = Probe::new().timeout(Duration::from_millis(300));
    let end = probe.run("echo before; sleep 300 & sleep 300").await;
    assert_eq!((end.exit, end.output.head.as_str()), (Exit::TimedOut, "before\n"));
}

#[tokio::test]
async fn the_time_limit_ends_a_command_that_ignores_it() {
    let probe = Probe::new().timeout(Duration::from_millis(300));
    let end = probe.run("trap '' TERM; while :; do sleep 300; done").await;
    assert_eq!(end.exit, Exit::TimedOut);
}

#[test]
fn a_thousand_commands_leave_no_zombie_and_no_descriptor() {
    let status =
        super::probe::in_its_own_process("commands::ends::a_thousand_commands").status().unwrap();
    assert!(status.success());
}

#[tokio::test]
#[ignore = "counts what its process holds: run by another test, in a process of its own"]
async fn a_thousand_commands() {
    let (processes, probe) = (processes(), Probe::new());
    let held = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let run = probe.run_handle("", None);
    processes.run(probe.spec("true"), &run).await.unwrap();
    let before = held();
    for number in 0..1000 {
        // Every tenth leaves something behind, which takes longer to end.
        let command = if number % 10 == 0 { "sleep 300 & echo ho" } else { "echo hi | cat" };
        let spec = CommandSpec { tells_folder: true, ..probe.spec(command) };
        let running = processes.run(spec, &run);
        let end = tokio::time::timeout(BOUND, running).await.unwrap().unwrap();
        assert_eq!(end.exit, Exit::Code(0));
    }
    assert_eq!(held(), before);
    let children =
        std::fs::read_to_string(format!("/proc/self/task/{0}/children", std::process::id()));
    assert_eq!(children.unwrap_or_default(), "");
    probe.assert_nothing_is_left();
}
