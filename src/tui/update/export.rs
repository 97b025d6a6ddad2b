//! `/export`: what is written, and what is said about it.

use crate::{
    text::{cut::one_line, sanitize::sanitize},
    tui::{
        app::App,
        cell::Cell,
        effect::Effect,
        record::{Export, ExportError, Format},
    },
};

/// Characters of a name in a notice.
const NAME: usize = 300;

pub(super) fn command(app: &App, name: &str) -> Vec<Effect> {
    let text = match Format::of(name) {
        Format::Json => app.record.json(&app.about),
        Format::Markdown => app.record.markdown(&app.about, &app.folder),
    };
    vec![Effect::Export(Export { name: name.to_owned(), text })]
}

/// Tells what became of it; a free name stands ready in the prompt if the one given is not.
pub(super) fn done(app: &mut App, done: Result<String, ExportError>) {
    let clean = |name: &str| one_line(&sanitize(name), NAME);
    let words = match done {
        Ok(name) => format!("The session is written to {}.", clean(&name)),
        Err(ExportError::Exists { name, free }) => {
            let ready = !free.is_empty() && app.composer.is_empty();
            if ready {
                app.composer.replace(&format!("/export {free}"));
            }
            let how =
                if ready { "Enter takes the name in the prompt" } else { "Give another name" };
            format!("{} exists, and stays as it is. {how}.", clean(&name))
        }
        Err(ExportError::Failed { name, why }) => {
            format!("{} cannot be written: {}. Give another name.", clean(&name), clean(&why))
        }
    };
    if app.transcript.more_below() {
        // The notice comes at the end, out of sight.
        app.report(&words);
    }
    app.transcript.push(Cell::notice(&words));
}
