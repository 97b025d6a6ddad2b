//! What is sent from the prompt: a message to the model, or a command to the screen.
//!
//! Invariant: what is neither stays in the prompt.

use super::{copy, export, picker, submit};
use crate::{
    protocol::op::Op,
    text::{cut::one_line, sanitize::sanitize},
    tui::{
        app::App,
        cell::Cell,
        command::{self, Command, Does, Typed},
        effect::Effect,
        overlay::help::Help,
    },
};

/// Characters of a word that is no command.
const WORD: usize = 40;

/// Sends what stands in the prompt, or does it.
pub(super) fn send(app: &mut App) -> Vec<Effect> {
    let text = app.composer.text();
    if text.trim().is_empty() || app.composer.break_at_backslash() {
        return Vec::new();
    }
    match command::read(&text) {
        Typed::Message if app.composer.begins_with('!') && text.trim() == "!" => {
            app.say("behind the ! a command is missing");
            Vec::new()
        }
        Typed::Message => message(app),
        Typed::Command(command, argument) => run(app, command, argument),
        Typed::Unknown(word) => {
            let meant = app.commands.fitting(&app.composer).and_then(|fitting| fitting.meant());
            if let Some(command) = meant {
                run(app, command, "")
            } else {
                unknown(app, word);
                Vec::new()
            }
        }
    }
}

fn message(app: &mut App) -> Vec<Effect> {
    let is_typed = app.composer.begins_with('!');
    let mut text = app.composer.take_sent();
    if !is_typed && text.starts_with('!') {
        // A folded paste: nobody saw that it begins like a command.
        text.insert(0, ' ');
    }
    app.hint = None;
    if app.is_busy() {
        app.queued.push_back(text);
        return Vec::new();
    }
    app.transcript.go_to_end();
    submit(app, text)
}

/// A command is done at once, also while a turn runs.
fn run(app: &mut App, command: &Command, argument: &str) -> Vec<Effect> {
    app.composer.take_sent();
    app.hint = None;
    match command.does {
        Does::Model => return picker::open(app, argument),
        Does::New if app.is_busy() => app.say("a turn runs: Esc stops it, then /new"),
        Does::New => {
            app.transcript.go_to_end();
            return vec![Effect::Send(Op::NewSession)];
        }
        Does::Copy => return copy::command(app, argument),
        Does::Export => return export::command(app, argument),
        Does::Theme if argument.is_empty() => super::theme::open(app),
        Does::Theme => super::theme::set(app, argument),
        Does::Jobs => super::in_background::open(app),
        Does::Mouse => return super::keys::switch_mouse(app),
        Does::Help => app.help = Some(Help::default()),
        Does::Quit => return vec![Effect::Quit],
    }
    Vec::new()
}

fn unknown(app: &mut App, word: &str) {
    let word = one_line(&sanitize(word), WORD);
    let nearest = command::nearest(&word).map(|command| command.name).unwrap_or_default();
    app.transcript.push(Cell::notice(&format!(
        "There is no command /{word}; the nearest is /{nearest}. With a blank before it, it is \
         sent as a message."
    )));
}

/// Writes the marked command out.
pub(super) fn complete(app: &mut App) {
    let fitting = app.commands.fitting(&app.composer);
    if let Some(command) = fitting.and_then(|fitting| fitting.marked())
        && !matches!(command::read(&app.composer.text()), Typed::Command(..))
    {
        let blank = if command.argument.is_empty() { "" } else { " " };
        app.composer.replace(&format!("/{}{blank}", command.name));
    }
}

/// Marks another command.
pub(super) fn step(app: &mut App, steps: i64) {
    if let Some(fitting) = app.commands.fitting(&app.composer) {
        app.commands.step(app.composer.text(), &fitting, steps);
    }
}
