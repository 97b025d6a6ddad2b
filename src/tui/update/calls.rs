//! Selecting what stands in the transcript, one item after the other; opening and stopping calls;
//! and the time line of the turn.
//!
//! Owns what their keys and clicks do; what is taken away of an item is [`take_away`]. Invariant: nothing here takes a key from a prompt that is not
//! empty; only the call that is meant is stopped.

use std::{sync::Arc, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(super) mod take_away;

use super::{find, stream};
use crate::{
    protocol::{id::CallId, op::Op},
    tui::{
        app::App,
        cell::{Look, iteration::Iteration},
        effect::Effect,
        keymap::calls::OnCalls,
        overlay::call::{CallView, whole::WholeText},
        transcript::Item,
    },
};

/// The longest time between a letter that did something here and the next one of its word.
const WORD: Duration = Duration::from_millis(700);

/// What is said to whoever searches the time line.
const NO_SEARCH: &str = "the time line has no search: Esc closes it";

/// Does what a key means.
pub(super) fn act(app: &mut App, action: OnCalls, key: KeyEvent) -> Vec<Effect> {
    remember(app, &key);
    match action {
        OnCalls::Older => step(app, false),
        OnCalls::Newer => step(app, true),
        OnCalls::CallBefore => to_call(app, false),
        OnCalls::CallAfter => to_call(app, true),
        OnCalls::Open => open_selected(app),
        OnCalls::First => to_edge(app, false),
        OnCalls::Newest => to_edge(app, true),
        OnCalls::Stop => return stop(app),
        OnCalls::Leave => leave_or_write(app, &key),
        OnCalls::TimeLine if app.calls.shows_timeline() => close(app),
        OnCalls::TimeLine => app.calls.open_timeline(),
        OnCalls::Close => close(app),
        OnCalls::TurnBefore => to_turn(app, false),
        OnCalls::TurnAfter => to_turn(app, true),
        OnCalls::Fold => fold(app, false),
        OnCalls::Unfold => fold(app, true),
        OnCalls::Copy if app.calls.has_selection() => return super::copy::selection_or_answer(app),
        OnCalls::Copy => return take_away::item(app),
        OnCalls::CopyCode => return take_away::code(app),
        OnCalls::CopyTurn => return take_away::turn(app),
        OnCalls::Find => search(app),
        OnCalls::NextHit => next_hit(app, true),
        OnCalls::HitBefore => next_hit(app, false),
        scrolls => scroll(app, scrolls),
    }
    Vec::new()
}

fn scroll(app: &mut App, by: OnCalls) {
    let half_page = i64::from((app.page / 2).max(1));
    match (app.calls.pager(), by) {
        (Some(pager), OnCalls::Up) => pager.scroll(-1),
        (Some(pager), OnCalls::Down) => pager.scroll(1),
        (Some(pager), OnCalls::PageUp) => pager.page(-1),
        (Some(pager), OnCalls::PageDown) => pager.page(1),
        (Some(pager), OnCalls::HalfUp) => pager.half_page(-1),
        (Some(pager), OnCalls::HalfDown) => pager.half_page(1),
        (Some(pager), OnCalls::Top) => pager.go_to_top(),
        (Some(pager), _) => pager.go_to_end(),
        (None, OnCalls::HalfUp) => app.transcript.scroll(-half_page),
        (None, OnCalls::HalfDown) => app.transcript.scroll(half_page),
        (None, _) => {}
    }
}

/// Begins the search in what is looked at. One below the time line would be unseen.
fn search(app: &mut App) {
    let is_open = app.calls.is_open();
    match app.calls.view() {
        Some(view) => view.find(),
        None if is_open => app.say(NO_SEARCH),
        None => find::open_for_hits(app),
    }
}

fn next_hit(app: &mut App, forward: bool) {
    let is_open = app.calls.is_open();
    match app.calls.view() {
        Some(view) => view.next_hit(forward),
        None if is_open => app.say(NO_SEARCH),
        None => find::next_hit(app, forward),
    }
}

/// A letter that means something here may yet be the first of a word.
fn remember(app: &mut App, key: &KeyEvent) {
    let letter = match key.code {
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
        _ => None,
    };
    let (word, at) = &mut app.calls.letters;
    if letter.is_none() || app.now.saturating_duration_since(*at) > WORD {
        word.clear();
    }
    word.extend(letter);
    *at = app.now;
}

/// Back to the prompt with a key that is its own; if it is a letter, with those of its word that
/// were taken for something else.
pub(super) fn leave_for_word(app: &mut App, key: &KeyEvent) {
    remember(app, key);
    let mut word = std::mem::take(&mut app.calls.letters.0);
    word.pop();
    leave(app);
    write(app, &word);
}

/// Back to the prompt; a letter that means that, but comes right behind others, is one of a word.
fn leave_or_write(app: &mut App, key: &KeyEvent) {
    let word = std::mem::take(&mut app.calls.letters.0);
    leave(app);
    if matches!(key.code, KeyCode::Char(_)) && word.chars().count() > 1 {
        write(app, &word);
    }
}

fn write(app: &mut App, word: &str) {
    for c in word.chars() {
        app.composer.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
}

fn to_turn(app: &mut App, later: bool) {
    let selected = app.calls.selected();
    let next = selected.and_then(|place| app.transcript.turn_beside(place, later));
    if let Some(next) = next {
        select(app, Some(next));
    }
}

/// Folds or unfolds what is selected, and nothing else.
fn fold(app: &mut App, unfold: bool) {
    let Some(item) = app.calls.selected() else { return };
    if !app.transcript.fold(item, unfold) {
        app.say("nothing is folded here");
    }
    app.calls.select(Some(item));
}

/// Asks for the whole output of the open call, once there is one.
pub(super) fn ask_for_output(app: &mut App) -> Option<Effect> {
    let view = app.calls.view()?;
    let (call_id, file) = view.ask_for_output(app.transcript.call(view.place())?)?;
    Some(Effect::ReadOutput { call_id, file })
}

/// Takes what came of that.
pub(super) fn output_read(app: &mut App, id: &CallId, read: Result<Arc<WholeText>, String>) {
    if let Some(view) = app.calls.view() {
        view.output_read(id, read);
    }
}

/// Gives a key to the search that is being typed; false if none is, or the key is for all.
pub(super) fn key(app: &mut App, key: KeyEvent) -> bool {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    if is_ctrl && matches!(key.code, KeyCode::Char('c' | 'l' | 'z')) {
        return false;
    }
    let Some(view) = app.calls.view().filter(|view| view.is_typing()) else { return false };
    view.key(key);
    true
}

/// Gives a paste to the search that is being typed; whoever pastes otherwise means the prompt.
pub(super) fn paste(app: &mut App, text: &str) -> bool {
    if let Some(view) = app.calls.view().filter(|view| view.is_typing()) {
        view.paste(text);
        return true;
    }
    if app.calls.selected().is_some() {
        leave(app);
    }
    app.calls.is_open()
}

/// A click opens the call of that line; whoever looks at calls goes on from this one afterwards.
/// Gives whether there is one.
pub(super) fn click(app: &mut App, column: u16, row: u16) -> bool {
    let Some(place) = call_at(app, column, row) else { return false };
    if app.calls.selected().is_some() {
        select(app, Some(place));
    }
    open(app, place);
    true
}

/// The click that has opened a call was the first of two: it is closed again.
pub(super) fn unclick(app: &mut App) {
    app.calls.close();
    rearm(app);
}

/// The call whose line stands there.
fn call_at(app: &mut App, column: u16, row: u16) -> Option<Item> {
    let area = app.calls.area;
    let is_covered = app.calls.is_open() || app.help.is_some() || app.has_list();
    if is_covered || !area.contains((column, row).into()) {
        return None;
    }
    let look = Look {
        width: area.width,
        theme: &app.theme,
        highlighter: &app.highlighter,
        now: app.now,
        unfolded: app.unfolded,
        all: false,
    };
    let row = usize::from(row - area.y);
    app.transcript.call_in_row(row, usize::from(area.height), look)
}

/// The turn is being stopped, with all that runs.
pub(super) fn all_are_stopping(app: &mut App) {
    for iteration in stream::this_turn(app) {
        iteration.stop_all();
    }
}

/// Back to the prompt.
pub(super) fn leave(app: &mut App) {
    if app.search.as_ref().is_some_and(|search| !search.is_typing()) {
        find::close(app);
    }
    select(app, None);
    rearm(app);
}

/// Closes the search in what is open, else ends what is selected there, else closes what is open.
pub(super) fn close(app: &mut App) {
    match app.calls.view() {
        Some(view) if view.is_searching() => view.end_search(),
        Some(view) if view.has_selection() => view.unselect(),
        _ => app.calls.close(),
    }
    rearm(app);
}

/// A question that stood there meanwhile has to be seen before it takes keys.
fn rearm(app: &mut App) {
    let now = app.now;
    if let Some(question) = app.questions.front_mut() {
        question.rearm(now);
    }
}

/// What is selected, if it is still there.
fn selected(app: &mut App) -> Option<Item> {
    let item = app.calls.selected()?;
    let (transcript, look) = app.transcript_and_look();
    transcript.has(item, look).then_some(item)
}

/// The newest call first, or what stands last if there is none; then one item after the other.
fn step(app: &mut App, later: bool) {
    let selected = selected(app);
    let (transcript, look) = app.transcript_and_look();
    let next = match selected {
        Some(item) => transcript.item_beside(item, later, look).or(Some(item)),
        None => transcript.newest_call().or_else(|| transcript.item_at_edge(true, look)),
    };
    if next.is_none() {
        app.say("nothing was said yet");
    }
    select(app, next);
}

/// To the next call, or to the one before.
fn to_call(app: &mut App, later: bool) {
    let Some(item) = selected(app) else { return step(app, later) };
    match app.transcript.call_beside(item, later) {
        Some(call) => select(app, Some(call)),
        None => app.say(if later { "no call after this" } else { "no call before this" }),
    }
}

/// The first of all items, or the last.
fn to_edge(app: &mut App, last: bool) {
    let (transcript, look) = app.transcript_and_look();
    let edge = transcript.item_at_edge(last, look);
    // What stands beyond, the end of a turn, is seen too.
    if last {
        transcript.go_to_end();
    } else {
        transcript.go_to_top();
    }
    select(app, edge);
}

/// Opens a call; of anything else, what is folded.
fn open_selected(app: &mut App) {
    let Some(item) = app.calls.selected() else { return };
    if app.transcript.call(item).is_some() {
        open(app, item);
    } else if app.transcript.fold(item, true) {
        app.calls.select(Some(item));
    } else {
        app.say("nothing is folded here");
    }
}

fn select(app: &mut App, place: Option<Item>) {
    if let Some(before) = app.calls.selected() {
        app.transcript.with_call(before, |iteration, _| iteration.select(None));
    }
    if let Some(place) = place {
        app.transcript.with_call(place, |iteration, call| iteration.select(Some(call)));
    }
    app.calls.select(place);
    app.quit_until = None;
}

fn open(app: &mut App, place: Item) {
    if let Some(call) = app.transcript.call(place) {
        let runs = call.is_running();
        app.calls.open(CallView::new(place, runs));
    }
}

/// Stops the open call, else the selected one.
fn stop(app: &mut App) -> Vec<Effect> {
    let open = app.calls.view().map(|view| view.place());
    let Some(place) = open.or(app.calls.selected()) else { return Vec::new() };
    let stopped = app.transcript.with_call(place, Iteration::stop);
    let Some(call_id) = stopped.flatten() else {
        app.say("this call does not run");
        return Vec::new();
    };
    vec![Effect::Send(Op::StopCall { call_id })]
}
