//! One call on the screen: its state, and all that is known of it.
//!
//! Owns that state; how a call looks is [`drawn`] and [`below`], and how all of it is read is an
//! overlay's work. Must not know why a call ended as it did.

mod below;
mod done;
mod drawn;

use std::time::{Duration, Instant};

use self::done::Done;
use crate::{
    protocol::{
        id::CallId,
        tool::{ToolCall, ToolResult, ToolStatus, WholeOutput},
    },
    text::{cut, sanitize::sanitize},
    tui::{
        cell::iteration::{
            course::{Axis, Course},
            live::Live,
        },
        visible::visible,
    },
};

/// Characters of what the user said.
const SAID: usize = 2_000;
/// And of what a call is about.
const SUBJECT: usize = 400;

/// One call.
pub(in crate::tui) struct Call {
    id: Option<CallId>,
    name: String,
    subject: String,
    /// As the model wrote them.
    arguments: String,
    state: State,
    course: Course,
    live: Live,
    /// It was asked to stop, and has no result yet.
    stopping: bool,
    reader: Reader,
    /// What the user said when denying it.
    said: Option<String>,
    /// It began before its response was complete, and whether that counts is not known yet.
    provisional: bool,
    /// It runs, or ran, as a call of a response that counts.
    started: bool,
    /// It was folded or unfolded by itself.
    unfold: Option<bool>,
}

/// Whom the result of a call tells something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// The model, and the user if it ran.
    Both,
    /// The model, how to go on: it runs in the background.
    Model,
    /// The user, whose own command it is.
    User,
}

impl Reader {
    fn of(arguments: &str) -> Self {
        let arguments = serde_json::from_str::<serde_json::Value>(arguments).unwrap_or_default();
        let asked = arguments.get("background");
        let is_asked = asked.is_some_and(|asked| asked == true || asked == "true");
        if is_asked { Self::Model } else { Self::Both }
    }
}

/// Where a call's line stands in its cell, and how it is drawn there.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    /// Columns of the cell.
    pub(super) width: u16,
    /// Columns of the longest name.
    pub(super) names: usize,
    /// The state of the spinner.
    pub(super) beat: u128,
    pub(super) axis: Option<&'a Axis>,
    /// The user has selected it.
    pub(super) selected: bool,
}

enum State {
    /// Its arguments still stream.
    Announced,
    /// Nobody will ever see its arguments' end.
    CutOff,
    /// It began early, and its response broke off.
    Discarded,
    Waits,
    Asks,
    Runs(Instant),
    Done(Box<Done>),
}

impl Call {
    pub(super) fn announced(name: &str) -> Self {
        Self {
            id: None,
            name: cut::one_line(&sanitize(name), 40),
            subject: String::new(),
            arguments: String::new(),
            state: State::Announced,
            course: Course::default(),
            live: Live::default(),
            stopping: false,
            reader: Reader::Both,
            said: None,
            provisional: false,
            started: false,
            unfold: None,
        }
    }

    /// It runs already, though its response still streams.
    pub(super) fn early(call: ToolCall, now: Instant) -> Self {
        let mut early = Self { provisional: true, ..Self::planned(call, now) };
        early.course = Course::default();
        early.course.start(now);
        early.state = State::Runs(now);
        early
    }

    /// The response is complete, and this call of it began early. It goes on as it is.
    pub(super) fn kept(self) -> Self {
        Self { provisional: false, ..self }
    }

    /// Whether it is the early beginning of this call.
    pub(super) fn began(&self, call: &ToolCall) -> bool {
        self.provisional && self.is(&call.id) && self.arguments == call.arguments
    }

    pub(super) fn planned(call: ToolCall, now: Instant) -> Self {
        Self {
            subject: in_a_line(&call.subject()),
            reader: Reader::of(&call.arguments),
            id: Some(call.id),
            arguments: call.arguments,
            state: State::Waits,
            course: Course::planned(now),
            ..Self::announced(&call.name)
        }
    }

    pub(in crate::tui) fn course(&self) -> &Course {
        &self.course
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::CutOff | State::Discarded)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.done().is_some_and(|done| done.status == ToolStatus::Cancelled)
    }

    pub(super) fn is(&self, id: &CallId) -> bool {
        self.id.as_ref() == Some(id)
    }

    pub(in crate::tui) fn name(&self) -> &str {
        &self.name
    }

    pub(in crate::tui) fn is_running(&self) -> bool {
        matches!(self.state, State::Runs(_))
    }

    pub(in crate::tui) fn id(&self) -> Option<&CallId> {
        self.id.as_ref()
    }

    pub(in crate::tui) fn subject(&self) -> &str {
        &self.subject
    }

    /// As the model wrote them: not harmless yet.
    pub(in crate::tui) fn arguments(&self) -> &str {
        &self.arguments
    }

    /// What it prints, while it has no result.
    pub(in crate::tui) fn live(&self) -> &Live {
        &self.live
    }

    /// The result's text, if it has one.
    pub(in crate::tui) fn text(&self) -> Option<&str> {
        self.done().map(|done| done.text.as_str())
    }

    /// What is known of the whole output, if the text has only a part of it.
    pub(in crate::tui) fn whole(&self) -> Option<&WholeOutput> {
        Some(&self.done()?.whole.as_ref()?.output)
    }

    /// What such a text says of the command itself.
    pub(in crate::tui) fn about(&self) -> Option<&str> {
        Some(&self.done()?.whole.as_ref()?.about)
    }

    /// The diff of what it changed.
    pub(in crate::tui) fn diff(&self) -> Option<&str> {
        self.done()?.diff.as_deref()
    }

    /// How it stands with it, in words: `running`, `ok · 41 lines`.
    pub(in crate::tui) fn status(&self) -> String {
        match &self.state {
            State::Runs(_) if !self.stopping => "running".to_owned(),
            State::Done(done) => done.status.with(&done.summary),
            _ => self.words(),
        }
    }

    fn done(&self) -> Option<&Done> {
        match &self.state {
            State::Done(done) => Some(done),
            _ => None,
        }
    }

    /// It was asked to stop, which means something only while it runs.
    pub(super) fn stop(&mut self) {
        self.stopping |= self.is_running();
    }

    /// Folds or unfolds what came of it, or lets it be as all are.
    pub(super) fn fold(&mut self, unfold: Option<bool>) {
        self.unfold = unfold;
    }

    /// Whether it was folded or unfolded by itself, and which.
    pub(super) fn unfold(&self) -> Option<bool> {
        self.unfold
    }

    /// Whether its line changes by itself.
    pub(super) fn moves(&self) -> bool {
        matches!(self.state, State::Runs(_) | State::Announced)
    }

    pub(super) fn ask(&mut self, now: Instant) {
        self.course.ask(now);
        self.state = State::Asks;
    }

    pub(super) fn answered(&mut self, now: Instant) {
        self.course.answered(now);
        if matches!(self.state, State::Asks) {
            self.state = State::Waits;
        }
    }

    /// It is a command of the user's own.
    pub(super) fn of_user(mut self) -> Self {
        self.reader = Reader::User;
        self
    }

    /// The user does not allow it, for this reason.
    pub(super) fn denied(&mut self, said: &str) {
        let said = cut::one_line(&sanitize(said), SAID);
        self.said = Some(said).filter(|said| !said.is_empty());
    }

    pub(super) fn start(&mut self, now: Instant) {
        self.started = true;
        self.course.start(now);
        // What began early runs, or has ended, already.
        if matches!(self.state, State::Announced | State::Waits | State::Asks) {
            self.state = State::Runs(now);
        }
    }

    /// What is printed after the end comes too late.
    pub(super) fn output(&mut self, text: &str) {
        if self.is_running() {
            self.live.push(text);
        }
    }

    pub(super) fn finish(&mut self, result: ToolResult, (now, elapsed): (Instant, Duration)) {
        self.course.finish(now, elapsed);
        let elapsed = (self.provisional || self.started).then_some(elapsed);
        self.live = Live::default();
        self.stopping = false;
        self.state = State::Done(Box::new(Done::new(result, elapsed)));
    }

    /// Whether the end of its response would end it too.
    pub(super) fn is_unplanned(&self) -> bool {
        self.provisional || matches!(self.state, State::Announced)
    }

    pub(super) fn close(&mut self, now: Instant) {
        if matches!(self.state, State::Announced) {
            self.state = State::CutOff;
        }
        if std::mem::take(&mut self.provisional) {
            self.course.close(now);
            self.stopping = false;
            self.state = State::Discarded;
        }
    }

    /// Whether it shows code, whose colours may come later.
    pub(super) fn has_diff(&self) -> bool {
        matches!(&self.state, State::Done(done) if done.diff.is_some())
    }
}

/// What a call is about, as a question would show it: with what is invisible, on one line.
fn in_a_line(subject: &str) -> String {
    cut::one_line(&visible(&subject.trim().replace('\n', " ⏎ ")), SUBJECT)
}
