//! How the end of a command is told: to the model as text, to the screen as one line.
//!
//! Owns the words and the cut. Pure: knows neither processes nor arguments.
//!
//! Invariant: the text is never empty, never longer than [`MOST_CHARACTERS`] and some lines, and
//! says what is missing from it.

use super::{MOST_SECONDS, harmless};
use crate::{
    protocol::tool::ToolStatus,
    text::sanitize::settle,
    tools::{
        ToolOutput,
        process::{Captured, CommandEnd, Exit, Named},
    },
};

/// Most characters of output that the model gets.
const MOST_CHARACTERS: usize = 30_000;

/// Of a longer output so many are of its beginning; the end tells more.
const HEAD_CHARACTERS: usize = 10_000;

/// Most processes that are named.
const MOST_NAMED: usize = 10;

/// `seconds` is the limit that a command ran into.
pub(super) fn tell(end: &CommandEnd, command: &str, seconds: u64) -> ToolOutput {
    let printed_nothing = end.output.total_bytes == 0;
    let (status, how) = how_it_ended(end.exit, command, printed_nothing, seconds);
    let output = match shown(&end.output) {
        nothing if nothing.is_empty() => "(no output)".to_owned(),
        blank if blank.trim().is_empty() => "(only white space)".to_owned(),
        output => output,
    };
    let mut told = vec![output.strip_suffix('\n').unwrap_or(&output).to_owned(), how.clone()];
    for (what, some) in [
        ("left-over processes were stopped", &end.leftovers),
        ("processes that could not be stopped", &end.survivors),
    ] {
        if !some.is_empty() {
            told.push(format!("{what}: {}", names(some)));
        }
    }
    let text = told.join("\n");
    let lines = match end.output.total_lines {
        0 => "no output".to_owned(),
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let mut summary = match end.exit {
        Exit::Code(_) | Exit::Signal(_) => vec![how, lines],
        Exit::TimedOut => vec![how],
        Exit::Stopped => vec!["stopped".to_owned()],
    };
    if !end.survivors.is_empty() {
        summary.push(format!("still running: {}", names(&end.survivors)));
    }
    let summary = summary.join(" · ");
    ToolOutput { status: Some(status), text, summary, diff: None }
}

fn how_it_ended(
    exit: Exit,
    command: &str,
    printed_nothing: bool,
    seconds: u64,
) -> (ToolStatus, String) {
    match exit {
        Exit::Code(0) => (ToolStatus::Ok, "exit 0".to_owned()),
        Exit::Code(1) => match harmless::meaning(command, printed_nothing) {
            Some(meaning) => (ToolStatus::Ok, format!("exit 1 ({meaning})")),
            None => (ToolStatus::Error, "exit 1".to_owned()),
        },
        Exit::Code(code) => {
            let told = code_in_words(code).map_or(String::new(), |words| format!(" ({words})"));
            (ToolStatus::Error, format!("exit {code}{told}"))
        }
        Exit::Signal(number) => {
            let name = signal_name(number).map_or(format!("signal {number}"), str::to_owned);
            (ToolStatus::Error, format!("killed by {name}"))
        }
        Exit::TimedOut => {
            let most =
                if seconds == MOST_SECONDS { ", the most that a command may run" } else { "" };
            (ToolStatus::TimedOut, format!("timed out after {seconds} s{most}"))
        }
        Exit::Stopped => (ToolStatus::Cancelled, "stopped by the user".to_owned()),
    }
}

/// What a shell means by a code.
fn code_in_words(code: i32) -> Option<String> {
    match code {
        126 => Some("cannot be executed".to_owned()),
        127 => Some("command not found".to_owned()),
        129..=192 => signal_name(code - 128).map(|name| format!("killed by {name}")),
        _ => None,
    }
}

/// The signals that end programs, by the numbers that they have on every system.
fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

fn names(some: &[Named]) -> String {
    let name = |one: &Named| format!("{} {}", one.pid, settle(&one.name));
    let named = some.iter().take(MOST_NAMED).map(name).collect::<Vec<_>>().join(", ");
    match some.len().checked_sub(MOST_NAMED) {
        Some(more @ 1..) => format!("{named} and {more} more"),
        _ => named,
    }
}

/// Output fit for the model: settled, and cut once in the middle if it is too long.
fn shown(output: &Captured) -> String {
    let head = settle(&output.head);
    if !output.cut() && head.chars().count() <= MOST_CHARACTERS {
        return head.into_owned();
    }
    let tail = settle(&output.tail);
    let (kept_head, after) = split_at_char(&head, HEAD_CHARACTERS);
    let rest = if output.cut() { tail.as_ref() } else { after };
    let skip = rest.chars().count().saturating_sub(MOST_CHARACTERS - HEAD_CHARACTERS);
    let (before, kept_tail) = split_at_char(rest, skip);
    let dropped: &[&str] = if output.cut() { &[after, before] } else { &[before] };
    let bytes = dropped.iter().map(|part| part.len() as u64).sum::<u64>();
    let lines = dropped.iter().map(|part| part.matches('\n').count() as u64).sum::<u64>();
    let (lines, bytes) = (lines + output.left_out_lines, bytes + output.left_out_bytes);
    let kept_head = kept_head.trim_end_matches('\n');
    format!("{kept_head}\n[... {lines} lines, {bytes} bytes left out ...]\n{kept_tail}")
}

fn split_at_char(text: &str, characters: usize) -> (&str, &str) {
    let at = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(at).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests;
