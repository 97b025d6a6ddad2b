//! Processes that not even KILL ends: a command that runs as one user starts one of another user.
//!
//! Only root can play both. Where that cannot be done, a line says so.

use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader},
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::program::{command, program};

const NOBODY: u32 = 65_534;

/// Makes a program `stay` in the folder, with which nobody becomes root; whether that works.
fn prepare(folder: &Path) -> bool {
    let is_root = rustix::process::getuid().is_root();
    let known = ["/usr/bin/setpriv", "/bin/setpriv"].into_iter();
    let Some(setpriv) = known.filter(|_| is_root).find(|path| fs::exists(path).unwrap()) else {
        return false;
    };
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    let stay = folder.join("stay");
    fs::copy(setpriv, &stay).unwrap();
    fs::set_permissions(&stay, Permissions::from_mode(0o4755)).unwrap();
    let mut who = Command::new(stay);
    let output = who.args(["--reuid", "0", "id", "-u"]).uid(NOBODY).gid(NOBODY).output();
    output.is_ok_and(|output| output.stdout == b"0\n")
}

/// Interrupts the program once a command says that it is ready; gives all events.
fn interrupted(folder: &Path, calls: &[Value]) -> Vec<Value> {
    let binary = folder.join("mcc-tui");
    if !binary.exists() {
        fs::copy(env!("CARGO_BIN_EXE_mcc-tui"), &binary).unwrap();
    }
    let prepared = program(folder, calls);
    let mut child = Command::new(&binary)
        .args(prepared.get_args())
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_STATE_HOME")
        .uid(NOBODY)
        .gid(NOBODY)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut events = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = event["text"].as_str().unwrap_or_default();
        if event["event"] == "tool_output" && text.contains("ready") {
            kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        }
        events.push(event);
    }
    assert_eq!(child.wait().unwrap().code(), Some(130), "{events:?}");
    events
}

#[test]
fn what_not_even_kill_ends_is_named_in_a_notice_after_an_abort() {
    let folder = tempfile::tempdir().unwrap();
    if !prepare(folder.path()) {
        println!("skipped: needs root, setpriv, and a disk where programs may change their user");
        return;
    }
    let stays = "./stay --reuid 0 sleep 300 & echo $! >pid; \
                 until [ $(cat /proc/$!/comm) = sleep ]; do sleep .05; done; echo ready; sleep 300";
    let in_background = [command(stays, true), command("echo ready; sleep 300", false)];
    for calls in [&[command(stays, false)][..], &in_background] {
        let events = interrupted(folder.path(), calls);
        let pid: i32 =
            fs::read_to_string(folder.path().join("pid")).unwrap().trim().parse().unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).expect("it was there until now");
        let named = format!("{pid} sleep");
        let is_named = |event: &&Value, key: &str| {
            event[key].as_str().is_some_and(|text| text.contains(&named))
        };
        let notices = events.iter().filter(|event| event["event"] == "notice");
        let notices: Vec<_> = notices.filter(|event| is_named(event, "text")).collect();
        assert_eq!(notices.len(), 1, "{events:?}");
        assert!(notices[0]["text"].as_str().unwrap().contains("not even by KILL"), "{notices:?}");
        let results = events.iter().map(|event| &event["result"]);
        let told = results.filter(|result| is_named(result, "text")).count();
        assert_eq!(told, usize::from(calls.len() == 1), "the model is told of its call's");
    }
}
