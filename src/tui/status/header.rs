//! The head of the screen, and what an empty session shows below it: who answers, where, and what
//! must be seen on every screen.
//!
//! Owns which of it is shortened first. Invariant: that nothing asks and that no model answers is
//! said in the header, or [`has_marks`] denies it.

use ratatui::text::{Line, Span};

use crate::{
    text::sanitize::sanitize,
    tui::{app::App, keymap::Action, signs::BETWEEN, update::moment, wrap},
};

const PROGRAM: &str = " mcc-tui";
/// Columns of a folder below which it is left out.
const LEAST_FOLDER: usize = 8;

/// The header: program, folder, model. On a narrow screen the folder is shortened first, and then
/// the model: that nothing asks, and that no real model answers, is the last to go.
pub(in crate::tui) fn header(app: &App, width: u16) -> Line<'static> {
    let theme = &app.theme;
    let room = usize::from(width).saturating_sub(wrap::width(PROGRAM));
    let (folder, model) = (sanitize(&app.folder), model(app));
    let long = if app.yolo { " · yolo: nothing asks" } else { "" };
    let parts = wrap::width(&model) + wrap::width(BETWEEN) * 2 + LEAST_FOLDER;
    let yolo = if parts + wrap::width(long) <= room || !app.yolo { long } else { " · yolo" };
    let room = room.saturating_sub(wrap::width(yolo) + wrap::width(BETWEEN));
    let left = room.saturating_sub(wrap::width(&model) + wrap::width(BETWEEN));
    let folder = (left >= LEAST_FOLDER || wrap::width(&folder) <= left)
        .then(|| format!("{BETWEEN}{}", path_end(&folder, left)));
    let style = if app.about.scripted { theme.warning } else { theme.text };
    let line = Line::from(vec![
        Span::styled(PROGRAM, theme.strong),
        Span::styled(format!("{}{BETWEEN}", folder.unwrap_or_default()), theme.dim),
        Span::styled(cut_to(&model, room), style),
        Span::styled(yolo, theme.warning),
    ]);
    wrap::cut_line(&line, width)
}

/// What must be seen on every screen, in a word each: what the header says of it where there is
/// one that has room for it.
pub(in crate::tui) fn marks(app: &App) -> String {
    let yolo = app.yolo.then_some("yolo");
    let marks: Vec<_> = yolo.into_iter().chain(is_demo(app).then_some("demo")).collect();
    marks.join(" ")
}

/// Whether the header says at this width what [`marks`] says.
pub(in crate::tui) fn has_marks(app: &App, width: u16) -> bool {
    let who = if is_demo(app) { model(app) } else { String::new() };
    let yolo = if app.yolo { " · yolo" } else { "" };
    let wanted = wrap::width(PROGRAM) + wrap::width(BETWEEN) + wrap::width(&who);
    wanted + wrap::width(yolo) <= usize::from(width)
}

/// The end of a path, which tells most: `…/billing-api`.
fn path_end(path: &str, room: usize) -> String {
    if wrap::width(path) <= room {
        return path.to_owned();
    }
    let ends = path.match_indices('/').filter_map(|(at, _)| path.get(at..));
    let fits = |end: &&str| wrap::width(end) < room && end.len() > 1;
    ends.into_iter().find(fits).map_or_else(
        || {
            let chars = path.char_indices().filter_map(|(at, _)| path.get(at..));
            let end = chars.into_iter().find(|end| wrap::width(end) < room);
            format!("…{}", end.unwrap_or_default())
        },
        |end| format!("…{end}"),
    )
}

fn cut_to(text: &str, room: usize) -> String {
    let columns = u16::try_from(room).unwrap_or(u16::MAX);
    wrap::cut_line(&Line::from(text.to_owned()), columns).to_string()
}

fn is_demo(app: &App) -> bool {
    app.about.scripted && app.about.model == "demo"
}

fn model(app: &App) -> String {
    let about = &app.about;
    if is_demo(app) {
        return "demo, not a real model".to_owned();
    }
    if about.scripted {
        return format!("script {}", sanitize(&about.model));
    }
    let name = if about.model.is_empty() { "model not chosen yet" } else { &about.model };
    format!("{} @ {}", sanitize(name), sanitize(&about.place))
}

/// What holds commands back.
pub(in crate::tui) fn held_back(app: &App) -> String {
    let asks = if app.yolo { "Nothing asks first" } else { "Changes and commands ask first" };
    format!("{asks}; there is no sandbox: commands can do what you can.")
}

/// What an empty session shows: who answers, where, where to find more, and what holds commands
/// back.
pub(in crate::tui) fn first_screen(app: &App, width: u16) -> Vec<Line<'static>> {
    let (about, theme) = (&app.about, &app.theme);
    let (name, place) = (sanitize(&about.model), sanitize(&about.place));
    let who = if about.scripted {
        format!("{} answers.", model(app))
    } else if name.is_empty() {
        format!("{place} answers; its model is not chosen yet.")
    } else {
        format!("{name} answers, at {place}.")
    };
    let now = moment(app);
    let help = app.keys.label(Action::Help, now).unwrap_or("?");
    let more = format!("{help} shows the keys and commands, /model the models.");
    let style = if app.yolo { theme.warning } else { theme.dim };
    let rows = [(who, theme.text), (more, theme.dim), (held_back(app), style)];
    let margin = [Span::raw(" ")];
    let wrapped = rows.into_iter().flat_map(|(words, style)| {
        wrap::wrap_line(&Line::from(Span::styled(words, style)), width, &margin, &margin)
    });
    wrapped.collect()
}
