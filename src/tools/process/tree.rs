//! Which processes belong to a keeper, and signals for all of them.
//!
//! Owns the walk through `/proc` and the sending. Must not know why. Where there is no `/proc`
//! the walk finds nothing, and whoever calls has the process group alone.
//!
//! Invariant: a signal goes only to descendants of the keeper, to members of its session, and,
//! once it is lost, to what bears its mark and to its orphans; never to a keeper, nor to us.

use std::{collections::BTreeSet, fs};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::wire::Named;

/// One process as `/proc` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    named: Named,
    zombie: bool,
    stopped: bool,
    parent: i32,
    group: i32,
    session: i32,
    /// When it was started, in ticks since the system was: tells it from a later one with its id.
    started: u64,
}

/// The living processes of one keeper.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    keeper: i32,
    members: Vec<Process>,
    dead_orphans: Vec<i32>,
}

impl Tree {
    /// Looks now; a process that is born while we look can be missed, so look until none is left.
    pub(super) fn of(keeper: i32) -> Self {
        let family = BTreeSet::from([keeper]);
        Self { keeper, members: members(keeper, family, processes()), dead_orphans: Vec::new() }
    }

    /// The same for a keeper that cannot be relied on. What it lost is found by `mark`, which
    /// stands in its environment, and, with `adopting`, among the children of this process: all
    /// of them that are not in that set are orphans of keepers.
    pub(super) fn lost(keeper: i32, mark: &str, adopting: Option<&BTreeSet<i32>>) -> Self {
        let (own, all) = (own_pid(), processes());
        let is_orphan = |process: &Process| {
            process.parent == own
                && adopting.is_some_and(|keepers| !keepers.contains(&process.named.pid))
        };
        let mut family = BTreeSet::from([keeper]);
        let mut dead_orphans = Vec::new();
        for process in &all {
            let pid = process.named.pid;
            if is_orphan(process) && process.zombie {
                dead_orphans.push(pid);
            } else if is_orphan(process) || (pid != own && bears(mark, pid)) {
                family.insert(pid);
            }
        }
        Self { keeper, members: members(keeper, family, all), dead_orphans }
    }

    /// Orphans that only have to be waited for.
    pub(super) fn dead_orphans(&self) -> impl Iterator<Item = i32> + '_ {
        self.dead_orphans.iter().copied()
    }

    /// Whether a process has children. Unknown counts as yes.
    pub(super) fn has_children(pid: i32) -> bool {
        let all = processes();
        all.is_empty() || all.iter().any(|process| process.parent == pid)
    }

    /// Whether a signal stopped this process.
    pub(super) fn is_stopped(pid: i32) -> bool {
        process(pid).is_some_and(|process| process.stopped)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn named(&self) -> impl Iterator<Item = Named> + '_ {
        self.members.iter().map(|process| process.named.clone())
    }

    /// Whether none of these lives any more. Those that were started since do not count.
    pub(super) fn is_gone(&self) -> bool {
        let lives = |before: &Process| {
            let is_same = |now: &Process| now.started == before.started && !now.zombie;
            process(before.named.pid).as_ref().is_some_and(is_same)
        };
        !self.members.iter().any(lives)
    }

    /// Sends the signal to one member after the other: their group may be ours.
    pub(super) fn signal_each(&self, signal: Signal) {
        self.members.iter().for_each(|process| process.signal(signal));
    }

    /// Sends the signal once to every member. Whole groups at a time, since a group cannot fork
    /// its way out of that; members that joined the keeper's own group get it one by one.
    pub(super) fn signal(&self, signal: Signal) {
        let mut groups = BTreeSet::new();
        for process in &self.members {
            if process.group > 1 && process.group != self.keeper {
                groups.insert(process.group);
            } else {
                process.signal(signal);
            }
        }
        for group in groups.into_iter().filter_map(Pid::from_raw) {
            kill_process_group(group, signal).ok();
        }
    }
}

impl Process {
    /// Sends the signal to this process and never to another one that got its id meanwhile.
    fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.named.pid) else { return };
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
            match pidfd_open(pid, PidfdFlags::empty()) {
                // The descriptor means one process for ever: the one that is looked at now.
                Ok(descriptor) => {
                    if process(self.named.pid).is_some_and(|now| now.started == self.started) {
                        pidfd_send_signal(&descriptor, signal).ok();
                    }
                    return;
                }
                Err(rustix::io::Errno::SRCH) => return,
                // Old kernels and some sandboxes lack the call.
                Err(_) => {}
            }
        }
        kill_process(pid, signal).ok();
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// Whether this stands in the environment of a process.
fn bears(mark: &str, pid: i32) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|variables| {
        variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    })
}

/// Everything below the family, and everything of the keeper's session.
fn members(keeper: i32, mut family: BTreeSet<i32>, all: Vec<Process>) -> Vec<Process> {
    let own = own_pid();
    loop {
        let before = family.len();
        for process in &all {
            let ours = process.session == keeper || family.contains(&process.parent);
            if ours && process.named.pid != own {
                family.insert(process.named.pid);
            }
        }
        if family.len() == before {
            break;
        }
    }
    all.into_iter()
        .filter(|process| {
            let pid = process.named.pid;
            pid != keeper && pid > 1 && !process.zombie && family.contains(&pid)
        })
        .collect()
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| {
            entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit)
        })
        .filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

fn process(pid: i32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&String::from_utf8_lossy(&stat))
}

/// Fields between the session (6) and the time of the start (22).
const STARTED_AFTER_SESSION: usize = 15;

/// Reads `pid (name) state ppid pgrp session … starttime …`; the name may hold anything,
/// parentheses too.
fn parse_stat(stat: &str) -> Option<Process> {
    let (pid, rest) = stat.split_once(" (")?;
    let (name, fields) = rest.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let mut number = || fields.next()?.parse::<i32>().ok();
    Some(Process {
        named: Named { pid: pid.parse().ok()?, name: name.to_owned() },
        zombie: matches!(state, "Z" | "X" | "x"),
        stopped: state == "T",
        parent: number()?,
        group: number()?,
        session: number()?,
        started: fields.nth(STARTED_AFTER_SESSION)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests;
