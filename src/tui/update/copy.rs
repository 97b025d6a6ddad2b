//! What is copied by a key or a command: the last answer, its code, the whole turn. Owns which
//! text that is; the clipboard is an effect.

use super::calls::take_away;
use crate::tui::{
    app::App, calls::opened, cell::Cell, effect::Effect, markdown::blocks::codes, record,
};

/// What is selected, else the last answer; in an open call, else what came of it.
pub(super) fn selection_or_answer(app: &mut App) -> Vec<Effect> {
    if app.calls.is_open() {
        let selected = opened(app).and_then(|(view, call, look)| view.selected((call, &look)));
        return match selected {
            Some(text) => vec![Effect::Copy(text)],
            None => take_away::item(app),
        };
    }
    let (transcript, look) = app.transcript_and_look();
    match transcript.selected(look) {
        Some(text) => vec![Effect::Copy(text)],
        None => answer(app),
    }
}

/// `/copy` with what follows it.
pub(super) fn command(app: &mut App, what: &str) -> Vec<Effect> {
    match what {
        "" | "answer" => answer(app),
        "code" => {
            let code = answers(app).find_map(|text| codes(text).pop());
            copy(app, code, "there is no code in what was said so far")
        }
        "turn" => {
            let turn = Some(record::markdown::turn(app.record.turn(0)));
            let turn = turn.filter(|text| !text.trim().is_empty());
            copy(app, turn, "nothing was said yet")
        }
        _ => {
            app.say("/copy, /copy code or /copy turn");
            Vec::new()
        }
    }
}

fn answer(app: &mut App) -> Vec<Effect> {
    let answer = answers(app).next().map(|text| text.trim().to_owned());
    copy(app, answer, "there is no answer yet")
}

fn copy(app: &mut App, text: Option<String>, none: &str) -> Vec<Effect> {
    let Some(text) = text else {
        app.say(none);
        return Vec::new();
    };
    vec![Effect::Copy(text)]
}

/// What the model said, the newest first, as it wrote it.
fn answers(app: &mut App) -> impl Iterator<Item = &str> {
    app.transcript.newest_first().filter_map(|cell| match cell {
        Cell::Assistant(markdown) => Some(markdown.source()).filter(|text| !text.trim().is_empty()),
        _ => None,
    })
}
