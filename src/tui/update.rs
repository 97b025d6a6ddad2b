//! [`update`]: what happened changes the state, and may wish for effects. Sync, pure, no I/O.

mod asked;
mod calls;
mod command;
mod copy;
mod export;
mod find;
mod in_background;
mod input;
mod keys;
pub(super) mod mouse;
mod own;
mod paste;
mod picker;
mod review;
mod stream;
mod theme;

pub(super) use keys::moment;

use super::{
    app::App,
    effect::{Effect, Whose},
    hint::Hint,
    message::Msg,
};
use crate::protocol::{exit::AbortBy, op::Op};

/// Rows that one step of the wheel moves.
const WHEEL: i64 = 3;

/// Takes one message.
pub(super) fn update(app: &mut App, msg: Msg) -> Vec<Effect> {
    let before = Hint::before(app, &msg);
    let mut effects = take(app, msg);
    stream::count_asked(app);
    effects.extend(calls::ask_for_output(app));
    Hint::settle(app, before);
    effects
}

fn take(app: &mut App, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Key(key) => return keys::key(app, key),
        Msg::Paste(text) => return paste::paste(app, &text),
        Msg::Burst(text) => return paste::burst(app, &text),
        Msg::Files(paths) => app.files.listed(paths, app.now),
        Msg::History(earlier) => app.composer.history().put_before(earlier),
        Msg::Edited(Whose::Prompt, ended) => {
            input::edited(app, ended);
            return input::look(app);
        }
        Msg::Edited(Whose::Write { call_id, path }, ended) => {
            review::edited(app, (&call_id, &path), ended);
        }
        Msg::OutputRead(id, read) => calls::output_read(app, &id, read),
        Msg::Wheel(steps, at) => mouse::wheel(app, steps * WHEEL, at),
        Msg::Click(column, row) => mouse::press(app, (column, row)),
        Msg::Drag(column, row) => return mouse::drag(app, (column, row)),
        Msg::Release => return mouse::release(app),
        Msg::Copied(copied) => calls::take_away::copied(app, &copied),
        Msg::Resize => {
            // What is selected stays in view.
            let selected = app.calls.selected();
            app.calls.select(selected);
            return vec![Effect::Redraw];
        }
        Msg::Stream(event) => {
            app.record.push(&event);
            return stream::event(app, event);
        }
        Msg::Exported(written) => export::done(app, written),
        Msg::EngineGone => stream::engine_gone(app),
        Msg::NotSent(text) => not_sent(app, &text),
        Msg::NotHeard => {
            app.picker = None;
            app.say("the engine does not answer");
        }
        Msg::Signal(by) => {
            app.stopping = app.is_busy();
            return vec![Effect::Interrupt(by), Effect::Quit];
        }
        Msg::Suspend => return vec![Effect::Suspend],
        Msg::Focus(focused) => app.focused = focused,
        Msg::Ground(ground) => app.skin.set_ground(ground),
        Msg::Device(device) => return keys::device(app, device),
    }
    Vec::new()
}

fn not_sent(app: &mut App, text: &str) {
    app.sent = None;
    app.steered.retain(|steered| steered != text);
    app.composer.give_back(text);
    app.say("the engine does not answer: not sent");
}

/// Sends the first prompt, as if it had been typed: it stands in the history then.
pub(super) fn begin(app: &mut App, prompt: &str) -> Vec<Effect> {
    // What another program may have put there is never a command.
    let blank = if prompt.starts_with('!') { " " } else { "" };
    app.composer.paste(&format!("{blank}{prompt}"));
    command::send(app)
}

/// Sends a prompt, or a shell command of the user's own: the turn is the engine's from here on.
fn submit(app: &mut App, text: String) -> Vec<Effect> {
    app.sent = Some(text.clone());
    // Whether it has to wait for the choice of a model is told anew, and asked anew.
    app.must_choose = false;
    let op = match text.strip_prefix('!') {
        Some(command) if input::is_command(&text) => {
            Op::RunCommand { command: command.trim().to_owned() }
        }
        _ => Op::Submit { text },
    };
    vec![Effect::Send(op)]
}

/// Stops the running turn; pressed again, without patience. While none runs it closes what lies on
/// top.
fn abort(app: &mut App) -> Vec<Effect> {
    if !app.is_busy() {
        close_top(app);
        return Vec::new();
    }
    app.help = None;
    theme::give_back(app);
    in_background::close(app);
    picker::close(app);
    find::close(app);
    input::close_recall(app);
    app.stopping = true;
    calls::all_are_stopping(app);
    vec![Effect::Interrupt(AbortBy::User)]
}

/// Closes what is drawn over everything else.
fn close_top(app: &mut App) {
    if app.help.is_some() || app.has_list() {
        keys::close(app);
    } else if app.calls.is_open() {
        calls::close(app);
    } else if app.search.is_some() {
        find::close(app);
    } else {
        input::close_recall(app);
    }
}

/// Scrolls what lies on top.
fn scroll(app: &mut App, rows: i64) {
    if app.themes.is_some() {
        theme::step(app, rows);
    } else if app.in_background.is_open() {
        app.in_background.step(rows);
    } else if let Some(picker) = &mut app.picker {
        picker.step(rows);
    } else if let Some(help) = &mut app.help {
        help.scroll(rows);
    } else if let Some(pager) = app.calls.pager() {
        pager.scroll(rows);
    } else {
        app.transcript.scroll(rows);
    }
}

#[cfg(test)]
mod tests;
