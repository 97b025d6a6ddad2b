//! What happens now, in a few words: a field of the status line. Owns the words for it.

use super::fit::{Field, Worth};
use crate::tui::{
    app::{App, Piece},
    signs::BETWEEN,
};

/// Seconds from which on a wait for the first word is told, and one for the next.
const WAITED: u64 = 3;
const STALLED: u64 = 5;

/// What happens, if a turn runs.
pub(super) fn field(app: &App) -> Option<Field> {
    if !app.is_busy() {
        return None;
    }
    let (worth, forms) = words(app);
    Field::new(worth, app.theme.status, forms)
}

fn words(app: &App) -> (Worth, Vec<String>) {
    let news = |words: &[&str]| (Worth::Warning, words.iter().map(ToString::to_string).collect());
    if app.stopping {
        news(&["stopping"])
    } else if let Some(forms) = retry(app) {
        (Worth::Warning, forms)
    } else if app.must_choose {
        news(&["waits for your choice: /model", "choose: /model"])
    } else if !app.questions.is_empty() {
        news(&["waits for your answer", "asks you"])
    } else if app.progress.running > 0 {
        (Worth::Working, vec!["working".to_owned()])
    } else {
        (Worth::Doing, waiting(app))
    }
}

/// What the model does, and for how long nothing came from it.
fn waiting(app: &App) -> Vec<String> {
    let saying = match app.progress.piece {
        Piece::Thought => "thinking",
        Piece::Answer => "answering",
    };
    match (app.progress.heard, silence(app)) {
        (true, Some(seconds)) => {
            vec![format!("{saying}, nothing for {seconds} s"), format!("{saying}, {seconds} s")]
        }
        (true, None) => vec![saying.to_owned()],
        (false, Some(seconds)) => {
            vec![format!("waits for the model, {seconds} s"), format!("waits, {seconds} s")]
        }
        (false, None) => vec!["waits for the model".to_owned(), "waits".to_owned()],
    }
}

/// Seconds for which nothing came from the model, once there are some.
fn silence(app: &App) -> Option<u64> {
    let (since, from) = match app.progress.heard_at {
        Some(heard) if app.progress.heard => (Some(heard), STALLED),
        _ => (app.progress.since, WAITED),
    };
    let seconds = app.now.saturating_duration_since(since?).as_secs();
    (seconds >= from).then_some(seconds)
}

/// `network · retry 2 of 5 in 3 s`, and after the wait, until the model says something, what is
/// waited for then.
fn retry(app: &App) -> Option<Vec<String>> {
    let retry = app.progress.retry.as_ref()?;
    let long = format!("retry {} of {}", retry.attempt, retry.of);
    let few = format!("retry {}/{}", retry.attempt, retry.of);
    if app.retry().is_none() {
        return Some(vec![format!("waits for the model{BETWEEN}{long}"), long, few]);
    }
    // Counted up: it must not say 0 while there is something to wait for.
    let left = retry.at.saturating_duration_since(app.now).as_millis().div_ceil(1_000);
    Some(vec![
        format!("{}{BETWEEN}{long} in {left} s", retry.kind.word()),
        format!("{long} in {left} s"),
        format!("{few} in {left} s"),
    ])
}
