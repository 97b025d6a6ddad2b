//! Keys: looked up, then done. Owns who gets a key that means nothing by itself.

use crossterm::event::{KeyCode, KeyEvent};

use super::{
    abort, asked, calls, command, copy, find, in_background, input, picker, review, scroll, stream,
    theme,
};
use crate::{
    protocol::{op::Op, question::Decision},
    tui::{
        app::{App, HINT},
        composer::Composer,
        effect::Effect,
        keymap::{self, Action, Moment},
        overlay::{approval::Approval, help::Help},
    },
};

pub(super) fn key(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    let now = app.now;
    if let Some(question) = app.questions.front_mut().filter(|question| !question.is_armed(now)) {
        question.put_off(now);
    }
    let mut effects = take(app, key);
    effects.extend(input::look(app));
    effects
}

fn take(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    if !app.has_list()
        && !app.calls.is_open()
        && app.search.is_none()
        && let Some(effects) = word(app, key)
    {
        return effects;
    }
    if !app.has_list() && calls::key(app, key) {
        return Vec::new();
    }
    let action = app.keys.lookup(&key, moment(app));
    if asked::key(app, key, action) {
        return Vec::new();
    }
    if let Some(action) = action {
        return act(app, action, key);
    }
    if let Some(effects) = in_background::key(app, key) {
        return effects;
    }
    let is_covered = app.help.is_some() || app.calls.is_open();
    if app.recall.is_some() && !is_covered && !moment(app).picker {
        let is_taken = input::recall_key(app, key);
        return if is_taken { Vec::new() } else { take(app, key) };
    }
    other(app, key);
    Vec::new()
}

/// What holds at the moment.
pub(in crate::tui) fn moment(app: &App) -> Moment {
    let (first_row, last_row) = app.composer.edges();
    Moment {
        busy: app.is_busy(),
        empty: app.composer.is_empty(),
        question: app.question().is_some(),
        review: app.question().is_some_and(Approval::is_review),
        asked: !app.questions.is_empty(),
        retry: app.retry().is_some(),
        help: app.help.is_some(),
        picker: app.has_list(),
        search: app.search.is_some(),
        hits: app.search.as_ref().is_some_and(|search| !search.is_typing()),
        selected: app.transcript.has_selection(),
        list: app.commands.fitting(&app.composer).is_some(),
        files: app.files.is_open(),
        recall: app.recall.is_some(),
        browse: app.calls.selected().is_some(),
        pager: app.calls.is_open(),
        first_row,
        last_row,
    }
}

/// A word to the model is being typed: it takes all keys but those that stop the turn.
fn word(app: &mut App, key: KeyEvent) -> Option<Vec<Effect>> {
    let approval = app.questions.front_mut()?;
    let word = approval.word.as_mut()?;
    match key.code {
        KeyCode::Enter => {
            let message = word.take();
            Some(decide(app, Decision::Deny { message }))
        }
        KeyCode::Esc => {
            // Back to the question; one more Esc stops the turn.
            keep_word(app);
            Some(Vec::new())
        }
        KeyCode::Char('c') if key.modifiers.contains(crossterm::event::KeyModifiers::CONTROL) => {
            None
        }
        KeyCode::PageUp | KeyCode::PageDown => None,
        _ => {
            word.key(key);
            Some(Vec::new())
        }
    }
}

fn act(app: &mut App, action: Action, key: KeyEvent) -> Vec<Effect> {
    if asked::is_no_answer(app, action, &key) {
        return Vec::new();
    }
    asked::before(app, action);
    match action {
        Action::Calls(action) => return calls::act(app, action, key),
        Action::Send => return command::send(app),
        Action::Choose if app.themes.is_some() => theme::keep(app),
        Action::Choose if app.in_background.is_open() => app.say("x ends the marked command"),
        Action::Choose => return picker::choose_marked(app),
        Action::Abort => return abort(app),
        Action::ClearOrQuit => return clear_or_quit(app),
        Action::Quit => return vec![Effect::Quit],
        Action::Input(key) => return input::act(app, key),
        Action::RetryNow => return retry_now(app),
        Action::Redraw => return vec![Effect::Redraw],
        Action::Suspend => return vec![Effect::Suspend],
        Action::AllowOnce => return review::allow(app),
        Action::Review(action) => return review::act(app, action),
        Action::AllowSession => return allow_session(app, key),
        Action::Focus => asked::switch_focus(app),
        Action::Deny => return decide(app, Decision::Deny { message: String::new() }),
        Action::Mouse => return switch_mouse(app),
        Action::DenyWith => {
            if let Some(approval) = app.questions.front_mut() {
                approval.word = Some(Composer::new());
            }
        }
        Action::NewLine => app.composer.new_line(),
        Action::DeleteToHead => app.composer.delete_to_head(),
        Action::HistoryBack => history_back(app),
        Action::HistoryForward => app.composer.forward(),
        Action::Complete => command::complete(app),
        Action::CloseList => app.commands.close(app.composer.text()),
        Action::Previous => step(app, -1),
        Action::Next => step(app, 1),
        Action::ClearFilter => {
            picker::clear(app);
            find::clear(app);
        }
        Action::Find => find::open(app),
        Action::NextHit if key.code == KeyCode::Enter && find::end_typing(app) => {}
        Action::NextHit => find::step(app, true),
        Action::PreviousHit => find::step(app, false),
        Action::CloseSearch => find::close(app),
        Action::Copy => return copy::selection_or_answer(app),
        Action::Unselect => app.transcript.unselect(),
        Action::PageUp => page(app, -1),
        Action::PageDown => page(app, 1),
        Action::Top => to_end(app, false),
        Action::End => to_end(app, true),
        Action::Fold => {
            app.unfolded = !app.unfolded;
            app.transcript.fold_as_all();
        }
        Action::Help => app.help = Some(Help::new(app.question().is_some())),
        Action::Close => close(app),
    }
    Vec::new()
}

/// The terminal is not what it might have been: the mouse is taken after all, unless somebody has
/// said whose it is.
pub(super) fn device(app: &mut App, device: u32) -> Vec<Effect> {
    app.skin.set_device(device);
    let takes = app.skin.terminal().takes_mouse(app.mouse_choice);
    if takes == app.mouse {
        return Vec::new();
    }
    app.mouse = takes;
    vec![Effect::Mouse(takes)]
}

/// Gives the mouse to the terminal, or takes it again.
pub(super) fn switch_mouse(app: &mut App) -> Vec<Effect> {
    app.mouse = !app.mouse;
    app.mouse_choice = Some(app.mouse);
    app.say(match app.mouse {
        true if app.skin.terminal().in_screen => "screen holds Esc back now: Ctrl-C stops",
        true => "the wheel scrolls",
        false => "the mouse is the terminal's",
    });
    vec![Effect::Mouse(app.mouse)]
}

/// Closes what lies over the prompt; a question below it has to be seen before it takes keys.
pub(super) fn close(app: &mut App) {
    let now = app.now;
    if app.help.take().is_some()
        && let Some(approval) = app.questions.front_mut()
    {
        approval.rearm(now);
    }
    theme::give_back(app);
    in_background::close(app);
    picker::close(app);
}

/// A key that is no command goes to what has the focus.
fn other(app: &mut App, key: KeyEvent) {
    if app.themes.is_some() || picker::key(app, key) || find::key(app, key) {
        return;
    }
    if let Some(help) = &mut app.help {
        match key.code {
            KeyCode::Up => help.scroll(-1),
            KeyCode::Down => help.scroll(1),
            KeyCode::PageUp => help.scroll(-i64::from(app.page)),
            KeyCode::PageDown => help.scroll(i64::from(app.page)),
            KeyCode::Home | KeyCode::Char('g') => help.scroll(i64::MIN),
            KeyCode::End | KeyCode::Char('G') => help.scroll(i64::MAX),
            _ => {}
        }
        return;
    }
    if app.calls.is_open() {
        return;
    }
    if app.calls.selected().is_some() {
        // Whoever begins to write is done with the calls.
        calls::leave_for_word(app, &key);
    }
    if app.questions.is_empty() {
        // Blanks that nobody sees would make an empty prompt one that is not.
        if key.code == KeyCode::Tab {
            return;
        }
        app.quit_until = None;
        app.composer.key(key);
        return;
    }
    asked::other(app, key);
}

/// The mark of what is open: the picker, else the list of commands.
fn step(app: &mut App, steps: i64) {
    if app.has_list() {
        scroll(app, steps);
    } else {
        command::step(app, steps);
    }
}

/// To the end of what is open, or to its beginning.
fn to_end(app: &mut App, last: bool) {
    if app.has_list() {
        scroll(app, if last { i64::MAX } else { i64::MIN });
    } else if last {
        app.transcript.go_to_end();
    } else {
        app.transcript.go_to_top();
    }
}

/// What is shown does not wait any more either: the next word is the engine's.
fn retry_now(app: &mut App) -> Vec<Effect> {
    let now = app.now;
    if let Some(retry) = &mut app.progress.retry {
        retry.at = now;
    }
    vec![Effect::Send(Op::RetryNow)]
}

/// A queued prompt comes back first: it has not been said yet.
fn history_back(app: &mut App) {
    match app.queued.pop_back() {
        Some(text) => input::bring_back(app, vec![text]),
        None => app.composer.back(),
    }
}

fn clear_or_quit(app: &mut App) -> Vec<Effect> {
    if !app.composer.is_empty() {
        app.composer.clear();
        let undo = Action::Input(keymap::prompt::Input::Undo);
        let undo = app.keys.label(undo, moment(app)).unwrap_or("undo").to_owned();
        app.say(&format!("cleared; {undo} or Up brings it back"));
        return Vec::new();
    }
    if app.quit_until.is_some() {
        return vec![Effect::Quit];
    }
    app.quit_until = Some(app.now + HINT);
    app.say("Ctrl-C again quits");
    Vec::new()
}

fn page(app: &mut App, pages: i64) {
    if let Some(approval) = asked::scrolled(app) {
        return approval.page(pages);
    }
    let rows = i64::from(app.page.saturating_sub(2).max(1)) * pages;
    scroll(app, rows);
}

/// Takes two presses: a letter of a word that somebody types must not open the whole session.
fn allow_session(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    if !review::is_whole(app) {
        return Vec::new();
    }
    match app.questions.front_mut() {
        Some(approval) if approval.sure.is_none() => {
            approval.sure = Some(key);
            Vec::new()
        }
        _ => decide(app, Decision::AllowSession),
    }
}

/// A word to the model that is not sent becomes part of the prompt: nothing typed is lost.
pub(super) fn keep_word(app: &mut App) {
    let word = app.questions.front_mut().and_then(|approval| approval.word.take());
    if let Some(word) = word.map(|word| word.text()).filter(|word| !word.trim().is_empty()) {
        app.composer.give_back(&word);
        app.say("what you typed is in the input box");
    }
}

/// Answers the question that is shown. The next one has to arm itself first.
pub(super) fn decide(app: &mut App, decision: Decision) -> Vec<Effect> {
    let Some(approval) = app.questions.pop_front() else { return Vec::new() };
    let now = app.now;
    if let Some(next) = app.questions.front_mut() {
        next.rearm(now);
    }
    app.hint = None;
    let call_id = approval.question.call_id;
    if let Decision::Deny { message } = &decision {
        stream::this_turn(app).for_each(|iteration| iteration.denied(&call_id, message));
    }
    vec![Effect::Send(Op::Decide { call_id, decision })]
}
