//! The prompt, or a part of it, from stdin. Owns when stdin is read beside a prompt that was typed:
//! a pipe that somebody left open must not make the program wait for ever.

use std::io::{self, IsTerminal, Read, Write};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{FileType, fstat},
};

/// The most that is read: more fits no context window.
const MOST: u64 = 16 * 1024 * 1024;
/// How long a pipe may be silent before it is taken for one that nobody writes.
const PATIENCE: Timespec = Timespec { tv_sec: 3, tv_nsec: 0 };

/// Whether something was piped in beside the prompt on the command line.
pub(super) fn waits() -> bool {
    let stdin = io::stdin();
    let Ok(kind) = fstat(&stdin).map(|stat| FileType::from_raw_mode(stat.st_mode)) else {
        return false;
    };
    if kind == FileType::RegularFile {
        return true;
    }
    if kind != FileType::Fifo {
        return false;
    }
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let speaks = poll(&mut fds, Some(&PATIENCE)).is_ok_and(|ready| ready > 0);
    if !speaks {
        let words = "· nothing came on stdin for 3 s: going on without it";
        let _told = writeln!(io::stderr(), "{words}").is_ok();
    }
    speaks
}

/// Reads stdin to its end.
///
/// # Errors
/// A sentence for the user.
pub(super) fn prompt() -> Result<String, String> {
    if io::stdin().is_terminal() {
        let words = "· type the prompt; Ctrl-D on a line of its own ends it";
        let _told = writeln!(io::stderr(), "{words}").is_ok();
    }
    let mut bytes = Vec::new();
    io::stdin()
        .take(MOST)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read the prompt from stdin: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
