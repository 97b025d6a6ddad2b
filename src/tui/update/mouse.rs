//! The pointer: what is pressed, dragged over and released. Owns what counts as a double click.

use std::time::Duration;

use crate::tui::{app::App, calls::opened, effect::Effect, selection::Grain};

/// The longest time between two presses that belong together.
const DOUBLE: Duration = Duration::from_millis(400);

pub(super) fn press(app: &mut App, at: (u16, u16)) {
    let again = app.pressed.filter(|pressed| {
        pressed.at == at && app.now.saturating_duration_since(pressed.when) <= DOUBLE
    });
    let times = again.map_or(1, |pressed| pressed.times % 3 + 1);
    if again.is_some_and(|pressed| pressed.has_opened) {
        // Two clicks select a word, also on the line of a call, which the first one has opened.
        super::calls::unclick(app);
    }
    app.pressed = Some(Pressed { at, when: app.now, times, has_opened: false });
    let grain = match times {
        1 => Grain::Letter,
        2 => Grain::Word,
        _ => Grain::Line,
    };
    if app.help.is_some() || app.picker.is_some() {
        return;
    }
    if let Some((view, call, look)) = opened(app) {
        view.press(at, grain, (call, &look));
    } else if !app.calls.is_open() {
        let (transcript, look) = app.transcript_and_look();
        transcript.press(at, grain, look);
    }
}

/// The wheel scrolls what lies under the pointer: a question, or else what lies on top.
pub(super) fn wheel(app: &mut App, rows: i64, at: (u16, u16)) {
    let is_hidden = is_covered(app) || app.has_list();
    match app.questions.front_mut().filter(|question| !is_hidden && question.is_at(at)) {
        Some(question) => question.scroll(rows),
        None => super::scroll(app, rows),
    }
}

pub(super) fn drag(app: &mut App, to: (u16, u16)) -> Vec<Effect> {
    // Whoever drags does not click, also where nothing but blanks is selected.
    app.pressed = app.pressed.filter(|pressed| pressed.at == to);
    let (transcript, look) = app.transcript_and_look();
    transcript.drag(to, look);
    if let Some((view, call, look)) = opened(app) {
        view.drag(to, (call, &look));
    }
    Vec::new()
}

/// Copies what is selected, unless the user wants to say so himself.
pub(super) fn release(app: &mut App) -> Vec<Effect> {
    let (transcript, look) = app.transcript_and_look();
    let of_transcript = transcript.release(look);
    let of_call = opened(app).and_then(|(view, call, look)| view.release((call, &look)));
    match of_transcript.or(of_call) {
        Some(text) if app.copy_on_select => vec![Effect::Copy(text)],
        Some(_) => {
            app.say("selected; Alt-C copies it");
            Vec::new()
        }
        None => {
            // Nothing was selected: it was a click.
            if let Some(pressed) = app.pressed {
                let has_opened = super::calls::click(app, pressed.at.0, pressed.at.1);
                app.pressed = Some(Pressed { has_opened, ..pressed });
            }
            Vec::new()
        }
    }
}

/// Whether something lies over the transcript.
fn is_covered(app: &App) -> bool {
    app.help.is_some() || app.picker.is_some() || app.calls.is_open()
}

/// The last press of the button.
#[derive(Clone, Copy, Debug)]
pub(in crate::tui) struct Pressed {
    at: (u16, u16),
    when: std::time::Instant,
    /// How often it was pressed there, from 1 to 3.
    times: u8,
    /// Its click has opened a call.
    has_opened: bool,
}
