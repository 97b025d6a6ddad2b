//! Exit codes and signals in words.
//!
//! Owns the words. Pure.

use rustix::process::Signal;

/// What a shell means by a code.
pub(super) fn code_in_words(code: i32) -> Option<String> {
    match code {
        124 => Some("a timeout that the command set".to_owned()),
        126 => Some("cannot be executed".to_owned()),
        127 => Some("command not found".to_owned()),
        129..=192 => signal_name(code - 128).map(|name| format!("killed by {name}")),
        _ => None,
    }
}

/// The signals that end programs.
pub(super) fn signal_name(number: i32) -> Option<&'static str> {
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    names.into_iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| name)
}
