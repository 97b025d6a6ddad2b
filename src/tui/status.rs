//! The status line: derived from the state, owning nothing. What its fields say, and which of them
//! fit, are files of their own, as is the head of the screen.
//!
//! Invariant: at any width no field is cut, and which key does what is said.

mod doing;
mod fit;
pub(super) mod header;
mod keys;
mod spent;

use std::time::Duration;

use fit::{Field, Worth, fit};
pub(super) use keys::{prompt, queued};
use ratatui::text::{Line, Span};

use super::{
    app::App,
    signs::{BETWEEN, FREE, FULL, SPINNER},
    wrap,
};
use crate::text::{number::short, sanitize::sanitize};

/// Columns of the gauge of the context window.
const GAUGE: u64 = 8;
/// From so many hundredths on the window is nearly full.
const NEARLY: u64 = 80;
/// Columns of a model's name that is told here.
const MODEL: usize = 40;
/// From so many columns on the line says that there is no sandbox.
const SANDBOX: u16 = 110;
/// Rows that a word for the user may take above the line.
const SAID_ROWS: usize = 3;

/// The status line: what happens, what it cost, and which key does what now. `named`: the header
/// names the model.
pub(super) fn line(app: &App, width: u16, named: bool) -> Line<'static> {
    let columns = usize::from(width);
    let beat = if app.is_busy() { format!(" {} ", spinner(app)) } else { " ".to_owned() };
    let keys = keys::field(app, columns.saturating_sub(wrap::width(&beat)));
    let least = keys.as_ref().map_or(0, Field::least);
    let sign = [beat.as_str(), " ", ""].into_iter().find(|it| wrap::width(it) + least <= columns);
    let sign = sign.unwrap_or_default();
    let said = said(app).filter(|_| is_said_here(app, width));
    let mut fields: Vec<Field> = said.into_iter().chain(told(app, width, named)).collect();
    fields.extend(keys);
    let mut line = Line::from(Span::styled(sign.to_owned(), app.theme.running));
    for (n, field) in fit(fields, columns.saturating_sub(wrap::width(sign))).iter().enumerate() {
        if n > 0 {
            line.push_span(Span::styled(BETWEEN, app.theme.status));
        }
        line.push_span(Span::styled(field.words().to_owned(), field.style));
    }
    // Only a key with a very long name on a very small screen.
    wrap::cut_line(&line, width)
}

/// A word for the user, where it does not fit into the line beside what Esc does: rows that stand
/// above it.
pub(super) fn above(app: &App, width: u16, line_width: u16) -> Vec<Line<'static>> {
    let Some(hint) = app.hint.as_ref().filter(|_| !is_said_here(app, line_width)) else {
        return Vec::new();
    };
    let margin = [Span::raw(" ")];
    let words = Line::from(Span::styled(hint.words().to_owned(), app.theme.warning));
    let mut rows = wrap::wrap_line(&words, width, &margin, &margin);
    if rows.len() > SAID_ROWS {
        let rest = rows.split_off(SAID_ROWS - 1);
        let rest = rest.iter().map(|row| row.to_string().trim().to_owned()).collect::<Vec<_>>();
        let rest = Span::styled(format!(" {}", rest.join(" ")), app.theme.warning);
        rows.push(wrap::cut_line(&Line::from(rest), width));
    }
    rows
}

fn said(app: &App) -> Option<Field> {
    Field::new(Worth::Said, app.theme.warning, [app.hint.as_ref()?.words().to_owned()])
}

/// Whether a word for the user stands in the line. The search has no room for one.
fn is_said_here(app: &App, width: u16) -> bool {
    let sign = if app.is_busy() { 3 } else { 1 };
    let room = usize::from(width).saturating_sub(sign);
    let words = said(app).map_or(0, |field| field.least() + wrap::width(BETWEEN));
    let keys = keys::field(app, room).map_or(0, |field| field.least());
    app.search.is_none() && words + keys <= room
}

/// What there is to tell, but for the keys.
fn told(app: &App, width: u16, named: bool) -> Vec<Field> {
    let style = app.theme.status;
    let progress = &app.progress;
    let mut fields: Vec<Field> = doing::field(app).into_iter().collect();
    if app.is_busy() && progress.max > 0 {
        let of = format!("{}/{}", progress.iteration, progress.max);
        let forms = [format!("iteration {of}"), format!("it {of}")];
        fields.extend(Field::new(Worth::Iteration, style, forms));
    }
    if app.is_busy() && progress.running > 0 {
        let s = if progress.running == 1 { "" } else { "s" };
        let words = format!("{} tool{s}", progress.running);
        fields.extend(Field::new(Worth::Tools, style, [words]));
    }
    fields.extend(tokens(app));
    fields.extend(spent::fields(app));
    if !app.about.scripted {
        let worth = if named { Worth::Named } else { Worth::Model };
        fields.extend(Field::new(worth, style, model(app)));
    }
    if width >= SANDBOX {
        let asks = if app.yolo { "nothing asks" } else { "asks first" };
        let forms = [format!("{asks}, no sandbox"), "no sandbox".to_owned()];
        fields.extend(Field::new(Worth::Sandbox, style, forms));
    }
    fields
}

/// The model's name, and its last part, as far as they are no sentences.
fn model(app: &App) -> impl Iterator<Item = String> {
    let name = sanitize(&app.about.model).trim().to_owned();
    let last = name.rsplit('/').next().unwrap_or_default().to_owned();
    [name, last].into_iter().filter(|name| wrap::width(name) <= MODEL)
}

/// How full the context window is: `12.4k of 128k tokens ━━┄┄┄┄┄┄ 25%`; `~` if it is our estimate.
fn tokens(app: &App) -> Option<Field> {
    let context = app.progress.context;
    if context == 0 {
        return None;
    }
    let about = if app.progress.estimated { "~" } else { "" };
    let used = format!("{about}{}", short(context));
    let Some(window) = app.about.context_window.filter(|window| *window > 0) else {
        let forms = [format!("{used} tokens"), format!("ctx {used}")];
        return Field::new(Worth::Tokens, app.theme.status, forms);
    };
    let (gauge, hundredths) = gauge(context, window);
    let share = format!("{hundredths}%");
    let of = short(window);
    let forms = [
        format!("{used} of {of} tokens {gauge} {share}"),
        format!("{used}/{of} {gauge} {share}"),
        format!("{used}/{of} {share}"),
        format!("ctx {about}{share}"),
    ];
    let nearly = hundredths >= NEARLY;
    let style = if nearly { app.theme.warning } else { app.theme.status };
    Field::new(Worth::Tokens, style, forms)
}

/// `━━┄┄┄┄┄┄`, and how many hundredths of the window are used.
fn gauge(context: u64, window: u64) -> (String, u64) {
    let of = |most: u64| {
        let part = u128::from(context.min(window)) * u128::from(most) / u128::from(window.max(1));
        u64::try_from(part).unwrap_or(most)
    };
    let full = usize::try_from(of(GAUGE).max(1)).unwrap_or(1);
    let free = usize::try_from(GAUGE).unwrap_or(full).saturating_sub(full);
    (format!("{}{}", FULL.repeat(full), FREE.repeat(free)), of(100))
}

fn spinner(app: &App) -> &'static str {
    beat(app.now.saturating_duration_since(app.began))
}

/// How the spinner looks after this time.
pub(super) fn beat(since: Duration) -> &'static str {
    let beat = since.as_millis() / 80 % 10;
    usize::try_from(beat).ok().and_then(|beat| SPINNER.get(beat)).copied().unwrap_or("*")
}

#[cfg(test)]
mod tests;
