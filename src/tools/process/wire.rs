//! What is said between this program and a keeper: the request, the control bytes, the reports.
//!
//! Owns the wording alone; both ends use it. Knows no processes. Both ends are the same binary,
//! so there are no versions; still every reader is total, because a command can write into what
//! it finds.

use std::{
    ffi::OsString,
    io::{self, BufRead},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
};

/// The argument that makes this program a keeper.
pub const KEEPER_FLAG: &str = "--keeper";

/// Longest command or path that a keeper takes, in bytes.
const LONGEST: usize = 16 << 20;

/// What a keeper is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) cwd: PathBuf,
    pub(super) command: OsString,
    /// Whether to report the folder that the shell ended in.
    pub(super) tells_folder: bool,
}

impl Request {
    /// Both lengths and the wish on a line of their own, then both texts.
    pub(super) fn encode(&self) -> Vec<u8> {
        let (cwd, command) = (self.cwd.as_os_str().as_bytes(), self.command.as_bytes());
        let tells = u8::from(self.tells_folder);
        let mut bytes = format!("{} {} {tells}\n", cwd.len(), command.len()).into_bytes();
        bytes.extend_from_slice(cwd);
        bytes.extend_from_slice(command);
        bytes
    }

    /// Reads a request to its end; fails if the other end closed before.
    pub(super) fn decode(from: &mut impl BufRead) -> io::Result<Self> {
        let malformed = || io::Error::new(io::ErrorKind::InvalidData, "malformed request");
        let mut lengths = String::new();
        io::Read::take(&mut *from, 64).read_line(&mut lengths)?;
        let mut lengths = lengths.split_whitespace().map(str::parse::<usize>);
        let (Some(Ok(cwd)), Some(Ok(command)), Some(Ok(tells @ 0..=1))) =
            (lengths.next(), lengths.next(), lengths.next())
        else {
            return Err(malformed());
        };
        if cwd > LONGEST || command > LONGEST {
            return Err(malformed());
        }
        let mut read = |length: usize| {
            let mut bytes = vec![0; length];
            from.read_exact(&mut bytes).map(|()| OsString::from_vec(bytes))
        };
        let (cwd, command) = (read(cwd)?.into(), read(command)?);
        Ok(Self { cwd, command, tells_folder: tells == 1 })
    }
}

/// What a keeper is told while the command runs: one byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// End everything: TERM, then KILL.
    Stop,
    /// The same, but with more time in between.
    Expire,
    /// End everything with KILL.
    Kill,
    /// The output of the command that exited was read: end what it left behind.
    Read,
}

impl Control {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Stop => b't',
            Self::Expire => b'x',
            Self::Kill => b'k',
            Self::Read => b'e',
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        let all = [Self::Stop, Self::Expire, Self::Kill, Self::Read];
        all.into_iter().find(|control| control.byte() == byte)
    }
}

/// One process by its id and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its process id.
    pub pid: i32,
    /// Its short name, as the system tells it; control characters replaced.
    pub name: String,
}

/// Where a shell was when it exited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EndFolder {
    /// Not known: nobody asked, or the shell ended without telling.
    #[default]
    Unknown,
    /// In a folder that does not exist any more, or whose name is no plain text.
    Unusable,
    /// Here. It is the command's word: it may be any path.
    At(PathBuf),
}

/// Longest path that is reported, in bytes.
const LONGEST_FOLDER: usize = 3000;

impl EndFolder {
    /// What a shell told, as text.
    pub(super) fn told(path: &str) -> Self {
        let plain = path.starts_with('/') && !path.contains(char::is_control);
        if plain && path.len() <= LONGEST_FOLDER { Self::At(path.into()) } else { Self::Unusable }
    }
}

/// What a keeper reports: one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The command could not be started; nothing follows but [`Report::Done`].
    Failed(String),
    /// The shell runs.
    Started(i32),
    /// Where the shell is, as it exits.
    Folder(EndFolder),
    /// The shell exited.
    Exit(i32),
    /// A signal ended the shell.
    Signal(i32),
    /// A process that the command left behind, about to be ended.
    Leftover(Named),
    /// A process that cannot be ended.
    Survivor(Named),
    /// Nothing more follows.
    Done,
}

impl Report {
    /// The line, with its end.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Failed(why) => format!("failed {}\n", one_line(why)),
            Self::Started(pid) => format!("started {pid}\n"),
            Self::Folder(EndFolder::At(path)) => format!("folder {}\n", path.display()),
            Self::Folder(_) => "folder\n".to_owned(),
            Self::Exit(code) => format!("exit {code}\n"),
            Self::Signal(number) => format!("signal {number}\n"),
            Self::Leftover(one) => format!("leftover {} {}\n", one.pid, one_line(&one.name)),
            Self::Survivor(one) => format!("survivor {} {}\n", one.pid, one_line(&one.name)),
            Self::Done => "done\n".to_owned(),
        }
    }

    /// Reads one line without its end; `None` for what is no report.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "failed" => Some(Self::Failed(rest.to_owned())),
            "started" => rest.parse().ok().map(Self::Started),
            "folder" => Some(Self::Folder(EndFolder::told(rest))),
            "exit" => rest.parse().ok().map(Self::Exit),
            "signal" => rest.parse().ok().map(Self::Signal),
            "leftover" => named(rest).map(Self::Leftover),
            "survivor" => named(rest).map(Self::Survivor),
            "done" => Some(Self::Done),
            _ => None,
        }
    }
}

fn named(text: &str) -> Option<Named> {
    let (pid, name) = text.split_once(' ')?;
    Some(Named { pid: pid.parse().ok()?, name: name.to_owned() })
}

/// Most characters of a reason or a name in a report, which a reader bounds too.
const LONGEST_WORDS: usize = 1000;

/// A process may name itself with a line break and forge a report.
fn one_line(text: &str) -> String {
    text.chars().take(LONGEST_WORDS).map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests;
