//! Which processes belong to a keeper, and signals for all of them.
//!
//! Owns the walk through `/proc` and the sending. Must not know why. Where there is no `/proc`
//! the walk finds nothing, and whoever calls has the process group alone.
//!
//! Invariant: a signal goes only to descendants of the keeper and to members of its session,
//! never to the keeper itself.

use std::{collections::BTreeSet, fs};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::wire::Named;

/// One process as `/proc` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    named: Named,
    zombie: bool,
    parent: i32,
    group: i32,
    session: i32,
}

/// The living processes of one keeper.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    keeper: i32,
    members: Vec<Process>,
}

impl Tree {
    /// Looks now; a process that is born while we look can be missed, so look until none is left.
    pub(super) fn of(keeper: i32) -> Self {
        Self { keeper, members: members(keeper, processes()) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn named(&self) -> impl Iterator<Item = Named> + '_ {
        self.members.iter().map(|process| process.named.clone())
    }

    /// Sends the signal once to every member. Whole groups at a time, since a group cannot fork
    /// its way out of that; members that joined the keeper's own group get it one by one.
    pub(super) fn signal(&self, signal: Signal) {
        let mut groups = BTreeSet::new();
        for process in &self.members {
            if process.group > 1 && process.group != self.keeper {
                groups.insert(process.group);
            } else if let Some(pid) = Pid::from_raw(process.named.pid) {
                kill_process(pid, signal).ok();
            }
        }
        for group in groups.into_iter().filter_map(Pid::from_raw) {
            kill_process_group(group, signal).ok();
        }
    }
}

/// Everything below the keeper, and everything of its session.
fn members(keeper: i32, all: Vec<Process>) -> Vec<Process> {
    let mut family = BTreeSet::from([keeper]);
    loop {
        let before = family.len();
        for process in &all {
            if process.session == keeper || family.contains(&process.parent) {
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
        .filter_map(|entry| fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| parse_stat(&String::from_utf8_lossy(&stat)))
        .collect()
}

/// Reads `pid (name) state ppid pgrp session …`; the name may hold anything, parentheses too.
fn parse_stat(stat: &str) -> Option<Process> {
    let (pid, rest) = stat.split_once(" (")?;
    let (name, fields) = rest.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let mut number = || fields.next()?.parse::<i32>().ok();
    Some(Process {
        named: Named { pid: pid.parse().ok()?, name: name.to_owned() },
        zombie: matches!(state, "Z" | "X" | "x"),
        parent: number()?,
        group: number()?,
        session: number()?,
    })
}

#[cfg(test)]
mod tests;
