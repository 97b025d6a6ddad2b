//! What commands cost in memory, whatever they print: measured in a process of its own.

use std::path::PathBuf;

use mcc_tui::tools::{
    Run,
    process::{CommandSpec, Exit, Processes},
};
use tokio_util::sync::CancellationToken;

use super::probe::{BOUND, in_its_own_process, processes};

/// A number of kilobytes from the status of this process.
fn kilobytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

async fn run(processes: &Processes, spec: CommandSpec) -> u64 {
    let live = std::sync::Arc::new(|_: &str| {});
    let handle = Run { stop: CancellationToken::new(), kill: CancellationToken::new(), live };
    let running = processes.run(spec, &handle);
    let end = tokio::time::timeout(BOUND, running).await.unwrap().unwrap();
    assert_eq!(end.exit, Exit::Code(0));
    end.output.total_bytes
}

/// How much the peak grew, in kilobytes, while this command printed `bytes`.
async fn growth(processes: &Processes, command: &str, bytes: u64) -> u64 {
    let spec = |command: &str| CommandSpec::new(command, "/".into(), BOUND);
    // What is needed once is needed by now.
    run(processes, spec("echo hi")).await;
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = kilobytes("VmHWM:");
    assert_eq!(run(processes, spec(command)).await, bytes);
    kilobytes("VmHWM:") - before
}

#[test]
fn a_command_costs_at_most_a_mebibyte_whatever_it_prints() {
    for test in ["prints_300_megabytes", "prints_a_line_of_200_megabytes"] {
        let test = format!("commands::memory::{test}");
        assert!(in_its_own_process(&test).status().unwrap().success(), "{test}");
    }
}

async fn costs_at_most_a_mebibyte(command: &str, bytes: u64) {
    let folder = tempfile::tempdir().unwrap();
    let with_file = processes().spilling_below(PathBuf::from(folder.path()));
    for processes in [processes(), with_file] {
        let grew = growth(&processes, command, bytes).await;
        println!("{command}: the peak grew by {grew} kB");
        assert!(grew <= 1 << 10, "{grew} kB");
    }
}

#[tokio::test]
#[ignore = "measures its process: run by another test, in a process of its own"]
async fn prints_300_megabytes() {
    costs_at_most_a_mebibyte("yes | head -c 300M", 300 << 20).await;
}

#[tokio::test]
#[ignore = "measures its process: run by another test, in a process of its own"]
async fn prints_a_line_of_200_megabytes() {
    costs_at_most_a_mebibyte("head -c 200M /dev/zero | tr '\\0' x", 200 << 20).await;
}
