//! Events of the engine: folded into cells, progress and questions.

use std::time::Duration;

use super::{in_background, input, keys, own, picker, submit};
use crate::{
    protocol::{
        event::StreamEvent,
        exit::{ErrorKind, ExitReason},
        id::{CallId, TurnId},
        question::Question,
        tally::{Tally, ending},
        tool::{Batch, ToolCall, ToolResult},
    },
    text::sanitize::sanitize,
    tui::{
        app::{App, Caller, LastWords, Piece, Progress, Retry},
        cell::{Cell, Reasoning, iteration::Iteration},
        effect::Effect,
        overlay::approval::Approval,
    },
};

pub(super) fn event(app: &mut App, event: StreamEvent) -> Vec<Effect> {
    match event {
        StreamEvent::TurnStarted { turn, prompt } => turn_started(app, turn, &prompt),
        StreamEvent::Steered { text } => input::steered(app, &text),
        StreamEvent::ModelChosen { about } => {
            app.must_choose &= about.model.is_empty();
            app.about = about;
        }
        StreamEvent::ModelsListed { servers, choose } => {
            return picker::listed(app, servers, choose);
        }
        StreamEvent::IterationStarted { iteration, max } => iteration_started(app, iteration, max),
        StreamEvent::Retrying { attempt, of, wait_ms, kind, reason } => {
            retrying(app, (kind, &reason), Duration::from_millis(wait_ms), (attempt, of));
        }
        StreamEvent::TextDelta { text } => text_delta(app, &text),
        StreamEvent::ReasoningDelta { text } => reasoning_delta(app, &text),
        StreamEvent::CallAnnounced { name, .. } => {
            heard(app);
            in_iteration(app, |iteration| iteration.announce(&name));
        }
        StreamEvent::EarlyCallChanged { index, call, result, elapsed_ms } => match result {
            Some(result) => finished(app, *result, elapsed_ms),
            None => began_early(app, index, call),
        },
        StreamEvent::BatchesPlanned { calls, batches } => planned(app, calls, batches),
        StreamEvent::QuestionAsked { question } => asked(app, question),
        StreamEvent::QuestionResolved { call_id, .. } => {
            keys::keep_word(app);
            app.questions.retain(|approval| approval.question.call_id != call_id);
            let now = app.now;
            with_call(app, &call_id, |cell, id| cell.answered(id, now));
        }
        StreamEvent::ToolStarted { call_id } => {
            let now = app.now;
            with_call(app, &call_id, |cell, id| cell.start(id, now));
        }
        StreamEvent::ToolOutput { call_id, text } => {
            with_call(app, &call_id, |cell, id| cell.output(id, &text));
        }
        StreamEvent::ToolFinished { result, elapsed_ms } => finished(app, result, elapsed_ms),
        StreamEvent::UsageUpdated { turn, context, estimated, cost_usd, session } => {
            app.progress.cost = cost_usd;
            app.meter.tell(session, app.moment());
            app.progress.usage = turn;
            app.progress.context = context;
            app.progress.estimated = estimated;
        }
        StreamEvent::BackgroundChanged { background } => in_background::changed(app, background),
        StreamEvent::Notice { text } => app.notice(&text),
        StreamEvent::TurnEnded { reason, iterations, tools, elapsed_ms, .. } => {
            return turn_ended(app, &reason, (iterations, tools, elapsed_ms));
        }
    }
    Vec::new()
}

fn began_early(app: &mut App, index: usize, call: ToolCall) {
    let now = app.now;
    in_iteration(app, |iteration| iteration.begin_early(index, call, now));
    count_running(app);
}

fn planned(app: &mut App, calls: Vec<ToolCall>, batches: Vec<Batch>) {
    heard(app);
    let now = app.now;
    app.calls.times.complete(now);
    in_iteration(app, |iteration| iteration.plan(calls, batches, now));
    count_running(app);
}

fn finished(app: &mut App, result: ToolResult, elapsed_ms: u64) {
    let (id, now) = (result.call_id.clone(), app.now);
    let result = match app.progress.caller {
        Caller::Model => result,
        Caller::User => own::for_user(app, result),
    };
    let elapsed = Duration::from_millis(elapsed_ms);
    with_call(app, &id, |cell, _| cell.finish(result, (now, elapsed)));
}

fn asked(app: &mut App, question: Question) {
    let now = app.now;
    with_call(app, &question.call_id.clone(), |cell, id| cell.ask(id, now));
    app.questions.push_back(Approval::new(question, now));
}

fn turn_started(app: &mut App, turn: TurnId, prompt: &str) {
    let context = app.progress.context;
    app.turn = Some(turn);
    app.failed = false;
    app.sent = None;
    app.quit_until = None;
    app.calls.times.turn_began(app.now);
    let caller = if input::is_command(prompt) { Caller::User } else { Caller::Model };
    app.progress = Progress { context, caller, ..Progress::default() };
    app.last_words = LastWords::default();
    app.transcript.push(Cell::user(prompt));
}

/// What was said until now is said to be worthless; it stays for whoever was reading it.
fn retrying(
    app: &mut App,
    (kind, reason): (ErrorKind, &str),
    wait: Duration,
    (attempt, of): (u32, u32),
) {
    end_reasoning(app);
    end_text(app);
    close_iteration(app);
    let ends = if reason.trim_end().ends_with(['.', '!', '?']) { "" } else { "." };
    if app.progress.heard {
        app.last_words.answer.clear();
        app.transcript.discard_from(app.progress.asked_at);
        app.transcript.push(Cell::notice(&format!(
            "{reason}{ends} What came of this answer is discarded, and the request is sent again."
        )));
    } else if attempt == 1 {
        app.transcript.push(Cell::notice(&format!("{reason}{ends} The request is sent again.")));
    }
    app.progress.heard = false;
    app.progress.asked_at = app.transcript.len();
    app.calls.times.retried();
    // An event may carry any number; a wait beyond all clocks is none that can be shown.
    let at = app.now.checked_add(wait).unwrap_or(app.now);
    app.progress.retry = Some(Retry { kind, attempt, of, at });
}

fn iteration_started(app: &mut App, iteration: u32, max: u32) {
    end_reasoning(app);
    close_iteration(app);
    app.calls.times.requested(iteration, app.now);
    app.meter.start(app.moment());
    app.progress.iteration = iteration;
    app.progress.max = max;
    app.progress.since = Some(app.now);
    app.progress.asked_at = app.transcript.len();
    app.progress.text.end();
    app.progress.heard = false;
}

fn text_delta(app: &mut App, text: &str) {
    end_reasoning(app);
    heard(app);
    let text = app.progress.text.push(text);
    if text.is_empty() {
        return;
    }
    if !matches!(app.transcript.last_mut(), Some(Cell::Assistant(_))) {
        app.last_words.answer.clear();
        app.transcript.push(Cell::assistant(&app.links));
    }
    app.last_words.answer.push_str(&text);
    if let Some(Cell::Assistant(markdown)) = app.transcript.last_mut() {
        markdown.push(&text);
    }
}

fn reasoning_delta(app: &mut App, text: &str) {
    heard(app);
    app.progress.piece = Piece::Thought;
    if !matches!(app.transcript.last_mut(), Some(Cell::Reasoning(_))) {
        app.transcript.push(Cell::Reasoning(Reasoning::new()));
    }
    if let Some(Cell::Reasoning(reasoning)) = app.transcript.last_mut() {
        reasoning.push(text);
    }
}

fn heard(app: &mut App) {
    app.calls.times.heard(app.now);
    app.progress.heard = true;
    app.progress.heard_at = Some(app.now);
    app.progress.piece = Piece::Answer;
    app.progress.retry = None;
    app.progress.anything = true;
}

/// What streamed is complete: its last line, too, may be drawn as what it is.
pub(super) fn end_reasoning(app: &mut App) {
    if let Some(Cell::Reasoning(reasoning)) = app.transcript.last_mut() {
        reasoning.end();
    }
}

pub(super) fn end_text(app: &mut App) {
    app.progress.text.end();
    if let Some(Cell::Assistant(markdown)) = app.transcript.last_mut() {
        markdown.finish();
    }
}

/// Changes the block of the current iteration; made when its first call shows.
fn in_iteration(app: &mut App, change: impl FnOnce(&mut Iteration)) {
    end_reasoning(app);
    end_text(app);
    let (number, now) = (app.progress.iteration, app.now);
    // Some servers go on with text after a call: the block is not the last one then.
    if let Some(open) = this_turn(app).next().filter(|open| open.is(number)) {
        return change(open);
    }
    let mut iteration = Iteration::new(number, now);
    change(&mut iteration);
    app.transcript.push(Cell::Iteration(iteration));
}

/// Changes the call in the newest iteration that has it, and counts what runs.
fn with_call(app: &mut App, call_id: &CallId, change: impl FnOnce(&mut Iteration, &CallId)) {
    let cell = app.transcript.newest_first().find_map(|cell| match cell {
        Cell::Iteration(iteration) if iteration.has(call_id) => Some(iteration),
        _ => None,
    });
    if let Some(iteration) = cell {
        change(iteration, call_id);
        app.progress.running = iteration.running();
    }
}

/// Calls that were only announced were cut off.
fn close_iteration(app: &mut App) {
    let now = app.now;
    for iteration in this_turn(app) {
        iteration.close(now);
    }
    count_running(app);
}

fn count_running(app: &mut App) {
    let running = this_turn(app).next().map(|newest| newest.running());
    app.progress.running = running.unwrap_or_default();
}

/// The iterations of the running turn, the newest first.
pub(super) fn this_turn(app: &mut App) -> impl Iterator<Item = &mut Iteration> {
    app.transcript.newest_first().take_while(|cell| !cell.is_prompt()).filter_map(|cell| match cell
    {
        Cell::Iteration(iteration) => Some(iteration),
        _ => None,
    })
}

/// How long questions have waited for the user in this turn.
fn asked_ms(app: &App) -> u64 {
    u64::try_from(app.progress.asked(app.now).as_millis()).unwrap_or(u64::MAX)
}

/// Counts the time in which a question waits: after each message.
pub(super) fn count_asked(app: &mut App) {
    let progress = &mut app.progress;
    match (app.questions.is_empty(), progress.asked_since) {
        (false, None) => progress.asked_since = Some(app.now),
        (true, Some(since)) => {
            progress.asked_for += app.now.saturating_duration_since(since);
            progress.asked_since = None;
        }
        _ => {}
    }
}

fn turn_ended(
    app: &mut App,
    reason: &ExitReason,
    (iterations, tools, elapsed_ms): (u32, u32, u64),
) -> Vec<Effect> {
    let cost = app.progress.cost.map(|cost| (cost, app.progress.estimated));
    let tally = Tally { iterations, tools, elapsed_ms, asked_ms: asked_ms(app), cost };
    app.meter.stop(app.moment());
    end_reasoning(app);
    end_text(app);
    close_iteration(app);
    app.calls.times.turn_ended(app.now);
    let words = ending(reason, tally);
    app.transcript.push(Cell::ending(reason.is_success(), &words));
    app.last_words.ending = sanitize(&words).into_owned();
    app.turn = None;
    app.ended += 1;
    app.failed = !reason.is_success() && !matches!(reason, ExitReason::Abort { .. });
    app.stopping = false;
    keys::keep_word(app);
    app.questions.clear();
    app.progress.running = 0;
    app.progress.retry = None;
    input::unheard(app);
    next(app, reason)
}

/// What waited: sent if the turn ended well, else given back, since what it was meant to
/// follow did not happen.
fn next(app: &mut App, reason: &ExitReason) -> Vec<Effect> {
    if reason.is_success() {
        return match app.queued.pop_front() {
            Some(text) => submit(app, text),
            None => Vec::new(),
        };
    }
    let waiting: Vec<String> = app.queued.drain(..).collect();
    if !waiting.is_empty() {
        input::bring_back(app, waiting);
    } else if reason.gives_prompt_back() && !app.progress.anything && app.composer.is_empty() {
        // Nothing came of the prompt: it stands ready to be sent again.
        app.composer.back();
        if !app.composer.is_empty() {
            app.say("the prompt is back in the input box");
        }
    }
    Vec::new()
}

/// The engine ended without being asked to: only a fault does that.
pub(super) fn engine_gone(app: &mut App) {
    app.calls.times.turn_ended(app.now);
    app.meter.stop(app.moment());
    app.turn = None;
    app.ended += 1;
    app.failed = true;
    app.stopping = false;
    app.questions.clear();
    app.in_background.clear();
    app.picker = None;
    app.must_choose = false;
    input::unheard(app);
    if let Some(text) = app.sent.take() {
        app.composer.give_back(&text);
    }
    app.transcript.push(Cell::notice(
        "The engine has ended (a fault of mcc-tui; the log has the place). \
         Nothing can be sent any more: copy what you need and start anew.",
    ));
}
