//! Background commands beside the calls that start and look at them: what the user is told, and
//! what the model is told without having asked.
//!
//! Owns these words. Must not know screens, nor how commands are kept.

use tokio_util::sync::CancellationToken;

use super::told;
use crate::{
    protocol::background::{BackgroundCommand, BackgroundState},
    tools::process::{self, Exit, Follower, Processes, StoppedBy},
};

/// Ends all background commands; what the user is told of it, if there were any.
pub async fn end_background(
    processes: &Processes,
    by: StoppedBy,
    kill: &CancellationToken,
) -> Option<String> {
    let ended = processes.end_background(by, kill).await;
    let (were, list) = match ended.len() {
        0 => return None,
        1 => ("A background command was", told::list(&ended)),
        _ => ("Background commands were", told::list(&ended)),
    };
    let why = match by {
        StoppedBy::EndOfRun => "as this run is over",
        StoppedBy::User | StoppedBy::Model => "too",
    };
    Some(format!("{were} stopped {why}: {list}."))
}

/// A command as a front end shows it.
#[must_use]
pub fn shown(command: &process::BackgroundCommand) -> BackgroundCommand {
    let state = match command.state {
        process::BackgroundState::Running => BackgroundState::Running,
        process::BackgroundState::Ended(exit) => {
            let (status, how) = told::how_in_background(command, exit);
            BackgroundState::Ended { status, how, by_itself: exit != Exit::Stopped }
        }
        process::BackgroundState::Failed => {
            let (status, how) = told::how_it_failed();
            BackgroundState::Ended { status, how, by_itself: true }
        }
    };
    BackgroundCommand {
        id: command.id.clone(),
        command: command.command.clone(),
        state,
        elapsed_ms: u64::try_from(command.elapsed.as_millis()).unwrap_or(u64::MAX),
        last_line: command.last_line.clone(),
    }
}

/// What the user is told of a command that ended by itself; of another one the user knows.
#[must_use]
pub fn end_notice(command: &process::BackgroundCommand) -> Option<String> {
    let BackgroundState::Ended { how, by_itself: true, .. } = shown(command).state else {
        return None;
    };
    let (named, time) =
        (told::list(std::slice::from_ref(command)), told::time_in_words(command.elapsed));
    Some(format!("The background command {named} ended by itself after {time}: {how}."))
}

/// What the model has to know of background commands that ended since the last time; empty if
/// nothing.
#[must_use]
pub fn news(processes: &Processes) -> Vec<String> {
    processes.untold_ends().iter().map(told::tell_end).collect()
}

/// What the user is told of processes that nothing could end, if there are any.
#[must_use]
pub fn stuck_notice(follower: &Follower) -> Option<String> {
    let stuck = follower.take_stuck();
    let (these, they) = match stuck.len() {
        0 => return None,
        1 => ("This process", "it belongs to another user, or hangs"),
        _ => ("These processes", "they belong to another user, or hang"),
    };
    let named = told::names(&stuck);
    Some(format!(
        "{these} of a command could not be ended, not even by KILL: {named}. Probably {they} in a \
         device. End them by hand with the rights that they have."
    ))
}
