//! The list of themes: what is marked is seen at once, and kept or given back.

use crate::{
    config::ThemeName,
    text::{cut::one_line, sanitize::sanitize},
    tui::{app::App, cell::Cell, overlay::themes::ThemeList, skin::Skin},
};

/// Characters of a name that is none of a theme.
const NAME: usize = 40;

/// Opens the list, with the theme in use marked.
pub(super) fn open(app: &mut App) {
    app.help = None;
    app.themes = Some(ThemeList::new(app.skin.chosen()));
}

/// Marks another one and shows it.
pub(super) fn step(app: &mut App, steps: i64) {
    if let Some(list) = &mut app.themes {
        app.skin.choose(list.step(steps));
    }
}

/// Keeps what is marked, for this session.
pub(super) fn keep(app: &mut App) {
    if app.themes.take().is_none() {
        return;
    }
    rearm(app);
    tell(app);
}

/// Takes the theme of this name, for this session.
pub(super) fn set(app: &mut App, name: &str) {
    let known = ThemeName::ALL.into_iter();
    if let Some(theme) = known.clone().find(|theme| theme.name().eq_ignore_ascii_case(name)) {
        app.skin.choose(theme);
        return tell(app);
    }
    let name = one_line(&sanitize(name), NAME);
    let names = known.map(ThemeName::name).collect::<Vec<_>>().join(", ");
    app.transcript.push(Cell::notice(&format!("There is no theme {name}. There are: {names}.")));
}

/// Says which theme it is, and how to keep it.
fn tell(app: &mut App) {
    let (name, settings) = (Skin::name(&app.skin), sanitize(&app.settings).into_owned());
    app.transcript.push(Cell::notice(&format!(
        "The theme is {name}, in this session. To keep it: theme = \"{name}\" below [ui] in \
         {settings}."
    )));
}

/// Closes the list; all looks as before.
pub(super) fn give_back(app: &mut App) {
    if let Some(list) = app.themes.take() {
        app.skin.choose(list.before());
        rearm(app);
    }
}

/// Whoever asks a question waits for a moment without keys first.
fn rearm(app: &mut App) {
    let now = app.now;
    if let Some(approval) = app.questions.front_mut() {
        approval.rearm(now);
    }
}
