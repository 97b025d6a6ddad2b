//! The built binary with an environment of its own. Owns how it is started, heard and stopped;
//! knows nothing of what it does.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::{Child, Command};

/// A bound that fails a hang, not a slow machine.
pub const BOUND: Duration = Duration::from_mins(2);

/// What a run came to.
pub struct Outcome {
    /// The exit code; -1 if a signal ended it.
    pub code: i32,
    /// What was printed on stdout.
    pub out: String,
    /// What was printed on stderr.
    pub err: String,
}

/// The binary in this folder, with this home and nothing else of the environment of the tests. It
/// is given no stdin, and killed when it is dropped.
pub fn program(folder: &Path, home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcc-tui"));
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        // A model server may run on the developer's machine.
        .env("MCC_NO_DISCOVERY", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Waits for the end of a run.
pub async fn outcome(child: Child) -> Outcome {
    let output = tokio::time::timeout(BOUND, child.wait_with_output()).await.expect("it ends");
    let output = output.unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Sends a signal, by its name without `SIG`. The process must be there.
pub fn signal(pid: u32, name: &str) {
    let kill = std::process::Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(kill.unwrap().success(), "{name} reaches nobody");
}
