//! One call on the screen: its state, its line, and what stands below the line.
//!
//! Owns all that is known of the call; how all of it is read at once is an overlay's work. Must
//! not know why a call ended as it did.

mod below;
mod done;

use std::time::{Duration, Instant};

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use self::done::Done;
use crate::{
    protocol::{
        id::CallId,
        tally::short_time,
        tool::{ToolCall, ToolResult, ToolStatus, WholeOutput},
    },
    text::{cut, sanitize::sanitize},
    tui::{
        cell::{
            Look,
            iteration::{
                course::{Axis, Course},
                live::Live,
            },
            rows,
        },
        theme::Theme,
        wrap,
    },
};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// A line is not drawn wider: eyes lose the line on the way to the right end.
const LINE_WIDTH: u16 = 110;
/// Columns of a bar.
const BAR: u16 = 24;
/// Up to so many columns of the screen there is only room for the marks.
const MARKS_ONLY: u16 = 40;
/// Columns of the result's summary in the call's line.
const SUMMARY: usize = 36;
/// Characters of what the user said.
const SAID: usize = 2_000;

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
        }
    }

    pub(super) fn planned(call: ToolCall, now: Instant) -> Self {
        Self {
            subject: cut::one_line(&sanitize(&call.subject()), 400),
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
        matches!(self.state, State::Done(_) | State::CutOff)
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
            State::Done(done) if done.summary.is_empty() => done.status.word().to_owned(),
            State::Done(done) => format!("{} · {}", done.status.word(), done.summary),
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
        self.course.start(now);
        self.state = State::Runs(now);
    }

    pub(super) fn output(&mut self, text: &str) {
        self.live.push(text);
    }

    pub(super) fn finish(&mut self, result: ToolResult, (now, elapsed): (Instant, Duration)) {
        self.course.finish(now, elapsed);
        let elapsed = self.is_running().then_some(elapsed);
        self.live = Live::default();
        self.stopping = false;
        self.state = State::Done(Box::new(Done::new(result, elapsed)));
    }

    pub(super) fn close(&mut self) {
        if matches!(self.state, State::Announced) {
            self.state = State::CutOff;
        }
    }

    /// Adds the call's line and what stands below it.
    pub(super) fn rows(&self, rows: &mut Vec<Line<'static>>, place: Placed<'_>, look: Look<'_>) {
        let theme = look.theme;
        let (mark, style) = self.mark(place.beat, theme);
        let pad = " ".repeat(place.names.saturating_sub(wrap::width(&self.name)));
        let (sign, name_style) =
            if place.selected { ("▸", theme.selection) } else { (" ", theme.strong) };
        let left = vec![
            Span::styled(sign, wrap::mark::decoration(theme.running)),
            Span::styled(format!(" {mark} "), wrap::mark::decoration(style)),
            Span::styled(self.name.as_str(), name_style),
            Span::raw(pad),
            Span::raw("  "),
            Span::styled(self.subject.as_str(), theme.text),
        ];
        let mut right = Vec::new();
        if look.width > MARKS_ONLY {
            right.push(Span::styled(cut::one_line(&self.words(), SUMMARY), theme.dim));
            if let Some(axis) = place.axis {
                right.push(Span::raw("  "));
                right.extend(wrap::mark::all(axis.bar(&self.course, BAR, look.now, theme)));
            }
            right.push(Span::styled(self.time(look.now, place.axis.is_some()), theme.dim));
        }
        let most = if place.axis.is_some() { LINE_WIDTH + BAR + 2 } else { LINE_WIDTH };
        rows.push(rows::two_ends(left, right, place.width.min(most)));
        self.below(rows, place.width, look);
    }

    /// The sign of its state.
    pub(in crate::tui) fn mark(&self, beat: u128, theme: &Theme) -> (&'static str, Style) {
        match &self.state {
            State::Announced | State::Runs(_) => {
                let frame = usize::try_from(beat % 10).unwrap_or(0);
                (SPINNER.get(frame).copied().unwrap_or("*"), theme.running)
            }
            State::CutOff => ("×", theme.warning),
            State::Waits => ("·", theme.dim),
            State::Asks => ("?", theme.warning),
            State::Done(done) => match done.status {
                ToolStatus::Ok => ("✓", theme.success),
                ToolStatus::Error | ToolStatus::TimedOut => ("✗", theme.failure),
                ToolStatus::Denied | ToolStatus::Refused => ("⊘", theme.warning),
                ToolStatus::Cancelled => ("×", theme.warning),
            },
        }
    }

    fn words(&self) -> String {
        match &self.state {
            State::Announced => "is being written".to_owned(),
            State::CutOff => "cut off, has no result".to_owned(),
            State::Waits => "waits".to_owned(),
            State::Asks => "waits for you".to_owned(),
            State::Runs(_) if self.stopping => "stopping".to_owned(),
            State::Runs(_) => String::new(),
            State::Done(done) => done.summary.clone(),
        }
    }

    /// `aligned`: the times of all calls stand below one another.
    fn time(&self, now: Instant, aligned: bool) -> String {
        let elapsed = match &self.state {
            State::Runs(since) => Some(now.saturating_duration_since(*since)),
            State::Done(done) => done.elapsed,
            _ => None,
        };
        let Some(elapsed) = elapsed else {
            return if aligned { " ".repeat(9) } else { String::new() };
        };
        format!("  {:>7}", short_time(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl Call {
    /// Whether it shows code, whose colours may come later.
    pub(super) fn has_diff(&self) -> bool {
        matches!(&self.state, State::Done(done) if done.diff.is_some())
    }
}
