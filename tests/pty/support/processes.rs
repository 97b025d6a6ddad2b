//! The processes of one terminal: the environment that they begin with, and how they are found.

use std::{fs, path::Path};

use portable_pty::CommandBuilder;
use rustix::process::Pid;

use super::eventually;

/// The living processes that have `marker` in their environment or on their command line.
pub(crate) fn processes_with(marker: &str) -> Vec<Pid> {
    let own = i32::try_from(std::process::id()).ok();
    let entries = fs::read_dir("/proc").expect("/proc is there").filter_map(Result::ok);
    let found = entries.filter_map(|entry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let has = |file: &str| {
            let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
            bytes.windows(marker.len()).any(|window| window == marker.as_bytes())
        };
        let is_it = Some(id) != own && (has("environ") || has("cmdline"));
        is_it.then(|| Pid::from_raw(id)).flatten()
    });
    found.collect()
}

/// Waits until no process has `marker` any more.
#[track_caller]
pub(crate) fn wait_until_gone(marker: &str) {
    eventually(|| processes_with(marker).is_empty(), "the end of all its processes");
}

pub(super) fn clean_environment(command: &mut CommandBuilder, home: &Path, marker: &str) {
    command.env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.env("HOME", home);
    // A model server may run on the developer's machine.
    command.env("MCC_NO_DISCOVERY", "1");
    for (variable, folder) in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_RUNTIME_DIR", "run"),
    ] {
        command.env(variable, home.join(folder));
    }
    let (name, value) = marker.split_once('=').unwrap_or((marker, ""));
    command.env(name, value);
}
