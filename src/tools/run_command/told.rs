//! How the end of a command is told, and how far one in the background is: to the model as text,
//! to the screen as one line.
//!
//! Owns the words; the cut is [`shown`]'s. Pure: knows neither processes nor arguments.
//!
//! Invariant: the text is never empty, never longer than [`MOST_CHARACTERS`] and some lines, and
//! says what is missing from it.

mod exits;
mod shown;

use std::{path::Path, time::Duration};

pub(super) use self::shown::MOST_CHARACTERS;
use self::shown::{Shown, by_the_end, by_the_look};
use super::{MOST_SECONDS, harmless};
use crate::{
    protocol::tool::ToolStatus,
    text::{number::counted, sanitize::settle},
    tools::{
        ToolOutput,
        process::{
            BackgroundCommand, Captured, CommandEnd, Exit, Look, Named, OutputFile, StoppedBy,
        },
    },
};

/// Most processes that are named.
const MOST_NAMED: usize = 10;

/// Most characters of a command in a list.
const MOST_OF_COMMAND: usize = 60;

/// What is told of a command beside its end.
#[derive(Clone, Copy)]
pub(in crate::tools) struct Asked<'a> {
    /// What ran.
    pub(in crate::tools) command: &'a str,
    /// The limit that it may have run into, in seconds.
    pub(in crate::tools) seconds: u64,
    /// Who stopped it, if it was stopped.
    pub(in crate::tools) stopped_by: StoppedBy,
}

/// A command that was waited for.
pub(super) fn tell(end: &CommandEnd, asked: Asked<'_>) -> ToolOutput {
    let (status, how) = how_it_ended(end.exit, end.output.total_bytes == 0, asked);
    let rest = end.file.as_ref().map(in_file);
    let shown = Shown::of(&end.output, rest.as_deref());
    let whole = shown.as_ref().and_then(|shown| shown.whole(&end.output, by_the_end(end)));
    let output = shown.map_or_else(|| "(no output)".to_owned(), |shown| shown.text);
    let mut told = vec![output, how.clone()];
    told.extend(no_text(&end.output));
    told.extend(processes(end));
    let mut summary = match end.exit {
        Exit::Code(_) | Exit::Signal(_) => vec![how, lines(&end.output)],
        Exit::TimedOut => vec![how],
        Exit::Stopped => vec!["stopped".to_owned()],
    };
    summary.extend(still_running(end));
    let (text, summary) = (told.join("\n"), summary.join(" · "));
    ToolOutput { status: Some(status), text, summary, diff: None, whole }
}

/// A look at a background command.
pub(in crate::tools) fn tell_look(look: &Look) -> ToolOutput {
    let BackgroundCommand { id, elapsed, .. } = &look.what;
    let rest = look.file.as_deref().map(|path| format!("full text: {}", path.display()));
    let shown = Shown::of(&look.output, rest.as_deref());
    let whole = shown.as_ref().and_then(|shown| shown.whole(&look.output, by_the_look(look)));
    let mut told = Vec::from_iter(shown.map(|shown| shown.text));
    let time = time_in_words(*elapsed);
    let mut summary = vec![id.clone()];
    match &look.end {
        None => {
            told.extend(told.is_empty().then(|| "(no new output)".to_owned()));
            told.push(format!("{id} is running ({time})"));
            summary.push(format!("running · {}", lines(&look.output)));
        }
        Some(Err(why)) => {
            told.push(format!("{id} is gone after {time}: {}", settle(why)));
            summary.push("gone".to_owned());
        }
        Some(Ok(end)) => {
            told.extend(told.is_empty().then(|| "(no new output)".to_owned()));
            let (_, how) = how_in_background(&look.what, end.exit);
            told.push(format!("{id} ended after {time}: {how}"));
            told.extend(processes(end));
            summary.extend([how, lines(&look.output)]);
            summary.extend(still_running(end));
        }
    }
    told.extend(look.file.as_deref().map(all_output));
    let (text, summary) = (told.join("\n"), summary.join(" · "));
    ToolOutput { status: Some(ToolStatus::Ok), text, summary, diff: None, whole }
}

/// That a background command ended, for a model that has not asked.
pub(super) fn tell_end(look: &Look) -> String {
    let BackgroundCommand { elapsed, last_line, .. } = &look.what;
    let (named, time) = (list(std::slice::from_ref(&look.what)), time_in_words(*elapsed));
    let how = match &look.end {
        Some(Ok(end)) => how_in_background(&look.what, end.exit).1,
        _ => how_it_failed().1,
    };
    let last = if last_line.is_empty() {
        "It printed nothing.".to_owned()
    } else {
        format!("Its last line: {last_line:?}.")
    };
    format!("The background command {named} ended after {time}: {how}. {last}")
}

/// How a background command ended, in words.
pub(super) fn how_in_background(what: &BackgroundCommand, exit: Exit) -> (ToolStatus, String) {
    let BackgroundCommand { command, elapsed, stopped_by, .. } = what;
    let asked = Asked { command, seconds: elapsed.as_secs(), stopped_by: *stopped_by };
    // It may have printed before.
    how_it_ended(exit, false, asked)
}

/// The same where that is not known.
pub(super) fn how_it_failed() -> (ToolStatus, String) {
    (ToolStatus::Error, "nobody knows how".to_owned())
}

/// A command that was just started in the background, or failed at once.
pub(super) fn tell_start(look: &Look) -> ToolOutput {
    let id = &look.what.id;
    if let Some(Ok(end)) = &look.end {
        let command = &look.what.command;
        let asked = Asked { command, seconds: 0, stopped_by: look.what.stopped_by };
        let end = CommandEnd { output: look.output.clone(), ..end.clone() };
        let mut output = tell(&end, asked);
        output.text.push_str("\nIt ended at once: nothing of it runs in the background.");
        return output;
    }
    let rest = look.file.as_deref().map(|path| format!("full text: {}", path.display()));
    let shown = Shown::of(&look.output, rest.as_deref());
    let whole = shown.as_ref().and_then(|shown| shown.whole(&look.output, by_the_look(look)));
    let mut told = Vec::from_iter(shown.map(|shown| shown.text));
    told.push(format!(
        "{id} runs in the background. shell_output tells what it prints, shell_kill ends it; it \
         ends with the session, or when the user stops a turn. The folder of later commands did \
         not change."
    ));
    told.extend(look.file.as_deref().map(all_output));
    let (text, summary) = (told.join("\n"), format!("{id} runs in the background"));
    ToolOutput { status: Some(ToolStatus::Ok), text, summary, diff: None, whole }
}

/// One line about several background commands, for a list.
pub(in crate::tools) fn list(commands: &[BackgroundCommand]) -> String {
    let one = |one: &BackgroundCommand| {
        let command = crate::text::cut::one_line(&settle(&one.command), MOST_OF_COMMAND);
        format!("{} ({command})", one.id)
    };
    commands.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn in_file(file: &OutputFile) -> String {
    let path = file.path.display();
    match &file.cut {
        None => format!("full text: {path}"),
        Some(why) => format!("its first {} bytes: {path} ({why})", file.bytes),
    }
}

fn all_output(path: &Path) -> String {
    format!("all of its output: {}", path.display())
}

fn lines(output: &Captured) -> String {
    match output.total_lines {
        0 => "no output".to_owned(),
        lines => counted(usize::try_from(lines).unwrap_or(usize::MAX), "line"),
    }
}

/// What the model is told of bytes that it cannot be shown.
fn no_text(output: &Captured) -> Option<String> {
    let is_odd = |text: &String| text.contains(['\u{fffd}', '\0']);
    let words = "not all of it is text: other bytes are shown as U+FFFD, zero bytes are left out";
    (is_odd(&output.head) || is_odd(&output.tail)).then(|| words.to_owned())
}

fn processes(end: &CommandEnd) -> impl Iterator<Item = String> {
    [
        ("left-over processes were stopped", &end.leftovers),
        ("processes that could not be stopped", &end.survivors),
    ]
    .into_iter()
    .filter(|(_, some)| !some.is_empty())
    .map(|(what, some)| format!("{what}: {}", names(some)))
}

fn still_running(end: &CommandEnd) -> Option<String> {
    (!end.survivors.is_empty()).then(|| format!("still running: {}", names(&end.survivors)))
}

fn how_it_ended(exit: Exit, printed_nothing: bool, asked: Asked<'_>) -> (ToolStatus, String) {
    match exit {
        Exit::Code(0) => (ToolStatus::Ok, "exit 0".to_owned()),
        Exit::Code(1) => match harmless::meaning(asked.command, printed_nothing) {
            Some(meaning) => (ToolStatus::Ok, format!("exit 1 ({meaning})")),
            None => (ToolStatus::Error, "exit 1".to_owned()),
        },
        Exit::Code(code) => {
            let words = exits::code_in_words(code);
            let told = words.map_or(String::new(), |words| format!(" ({words})"));
            (ToolStatus::Error, format!("exit {code}{told}"))
        }
        Exit::Signal(number) => {
            let name = exits::signal_name(number);
            let name = name.map_or(format!("signal {number}"), str::to_owned);
            (ToolStatus::Error, format!("killed by {name}"))
        }
        Exit::TimedOut => {
            let seconds = asked.seconds;
            let most =
                if seconds == MOST_SECONDS { ", the most that a command may run" } else { "" };
            (ToolStatus::TimedOut, format!("timed out after {seconds} s{most}"))
        }
        Exit::Stopped => (ToolStatus::Cancelled, stopped(asked.stopped_by).to_owned()),
    }
}

fn stopped(by: StoppedBy) -> &'static str {
    match by {
        StoppedBy::User => "stopped by the user",
        StoppedBy::Model => "stopped by shell_kill",
        StoppedBy::EndOfRun => "stopped at the end of the run",
    }
}

pub(super) fn time_in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

pub(super) fn names(some: &[Named]) -> String {
    let name = |one: &Named| format!("{} {}", one.pid, settle(&one.name));
    let named = some.iter().take(MOST_NAMED).map(name).collect::<Vec<_>>().join(", ");
    match some.len().checked_sub(MOST_NAMED) {
        Some(more @ 1..) => format!("{named} and {more} more"),
        _ => named,
    }
}

#[cfg(test)]
mod tests;
