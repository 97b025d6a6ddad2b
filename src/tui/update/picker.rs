//! The picker of a model: when it opens, and what becomes of the choice.
//!
//! Invariant: it never opens by itself over something that somebody types or decides.

use crossterm::event::KeyEvent;

use crate::{
    protocol::{models::ServerModels, op::Op},
    text::{cut::one_line, sanitize::sanitize},
    tui::{
        app::App,
        cell::Cell,
        effect::Effect,
        overlay::picker::{Chosen, Picker},
    },
};

/// Characters of a name in a notice.
const NAME: usize = 120;

/// Opens it and asks for the models.
pub(super) fn open(app: &mut App, name: &str) -> Vec<Effect> {
    app.help = None;
    app.picker = Some(Picker::new(name));
    vec![Effect::Send(Op::ListModels)]
}

/// The models became known. `choose`: nobody has named one, and there are several; a prompt that
/// waits for that asks once.
pub(super) fn listed(app: &mut App, servers: Vec<ServerModels>, choose: bool) -> Vec<Effect> {
    let was_asked = app.must_choose;
    app.must_choose |= choose && app.about.model.is_empty();
    let is_asked = choose && !was_asked;
    if app.picker.is_none() && is_asked {
        if may_open(app) {
            app.picker = Some(Picker::new(""));
        } else if app.must_choose {
            app.transcript.push(Cell::notice(
                "No model is chosen, and the server offers several: /model shows them.",
            ));
        }
    }
    let current = &app.about.model;
    let chosen = app.picker.as_mut().and_then(|picker| picker.list(servers, current));
    chosen.map_or_else(Vec::new, |chosen| choose_it(app, &chosen))
}

/// Whether nobody is doing anything that it would disturb. A turn that waits for the choice is
/// not disturbed.
fn may_open(app: &App) -> bool {
    !app.is_drafting()
        && app.help.is_none()
        && !app.has_list()
        && app.search.is_none()
        && !app.calls.take_keys()
        && app.questions.is_empty()
        && app.queued.is_empty()
        && (app.must_choose || !app.is_busy())
}

/// Chooses what is marked; nothing is, while nothing is known.
pub(super) fn choose_marked(app: &mut App) -> Vec<Effect> {
    let chosen = app.picker.as_ref().and_then(Picker::marked);
    chosen.map_or_else(Vec::new, |chosen| choose_it(app, &chosen))
}

fn choose_it(app: &mut App, chosen: &Chosen) -> Vec<Effect> {
    close(app);
    let name = one_line(&sanitize(&chosen.model), NAME);
    let place = one_line(&sanitize(&chosen.place), NAME);
    if chosen.here && chosen.model == app.about.model {
        app.say(&format!("{name} answers, as before"));
    } else {
        app.transcript.push(Cell::notice(&words(app, chosen, (&name, &place))));
    }
    let Chosen { base_url, model, .. } = chosen.clone();
    vec![Effect::Send(Op::UseModel { model, server: Some(base_url) })]
}

fn words(app: &App, chosen: &Chosen, (name, place): (&str, &str)) -> String {
    if app.about.scripted && chosen.here {
        return format!("{name} answers from the next request on.");
    }
    let mut keep = format!("model = \"{name}\"");
    if !chosen.here {
        let url = one_line(&sanitize(&chosen.base_url), NAME);
        keep = format!("{keep} and base_url = \"{url}\"");
    }
    let settings = sanitize(&app.settings);
    format!(
        "{name} @ {place} answers from the next request on, in this session. \
         To keep it: {keep} in {settings}."
    )
}

/// Closes it; whoever asks a question waits for a moment without keys first.
pub(super) fn close(app: &mut App) {
    let now = app.now;
    if app.picker.take().is_some()
        && let Some(approval) = app.questions.front_mut()
    {
        approval.rearm(now);
    }
}

/// Gives a key to the filter, if the picker is open.
pub(super) fn key(app: &mut App, key: KeyEvent) -> bool {
    app.picker.as_mut().map(|picker| picker.key(key)).is_some()
}

/// Gives a paste to the filter, if the picker is open.
pub(super) fn paste(app: &mut App, text: &str) -> bool {
    app.picker.as_mut().map(|picker| picker.paste(text)).is_some()
}

pub(super) fn clear(app: &mut App) {
    if let Some(picker) = &mut app.picker {
        picker.clear();
    }
}
