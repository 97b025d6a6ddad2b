//! One call on the screen: its state, its line, and what stands below the line.

use std::time::{Duration, Instant};

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::{
    protocol::{
        id::CallId,
        tally::short_time,
        tool::{ToolCall, ToolResult, ToolStatus},
    },
    text::{cut, sanitize::sanitize},
    tui::{
        cell::{
            Look,
            iteration::course::{Axis, Course},
            rows,
        },
        diff,
        theme::Theme,
        wrap,
    },
};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// A line is not drawn wider: eyes lose the line on the way to the right end.
const LINE_WIDTH: u16 = 110;
/// Columns of a bar.
const BAR: u16 = 24;
/// Up to so many columns there is only room for the marks.
const MARKS_ONLY: u16 = 40;
/// Columns of the result's summary.
const SUMMARY: usize = 36;
/// Bytes of live output that are kept for the screen.
const LIVE_BYTES: usize = 16 * 1024;
/// Rows below a running call, below a finished one, below one with a diff, and unfolded.
const LIVE_ROWS: usize = 3;
const OUTPUT_ROWS: usize = 5;
const DIFF_ROWS: usize = 14;
const UNFOLDED_ROWS: usize = 1_000;

/// One call.
pub(super) struct Call {
    id: Option<CallId>,
    name: String,
    subject: String,
    state: State,
    course: Course,
    live: String,
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

struct Done {
    status: ToolStatus,
    summary: String,
    text: String,
    diff: Option<String>,
    /// How long it ran; absent if it never did.
    elapsed: Option<Duration>,
}

impl Call {
    pub(super) fn announced(name: &str) -> Self {
        Self {
            id: None,
            name: cut::one_line(&sanitize(name), 40),
            subject: String::new(),
            state: State::Announced,
            course: Course::default(),
            live: String::new(),
        }
    }

    pub(super) fn planned(call: ToolCall, now: Instant) -> Self {
        Self {
            subject: cut::one_line(&sanitize(&call.subject()), 400),
            id: Some(call.id),
            state: State::Waits,
            course: Course::planned(now),
            ..Self::announced(&call.name)
        }
    }

    pub(super) fn course(&self) -> &Course {
        &self.course
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::CutOff)
    }

    pub(super) fn is(&self, id: &CallId) -> bool {
        self.id.as_ref() == Some(id)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.state, State::Runs(_))
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

    pub(super) fn start(&mut self, now: Instant) {
        self.course.start(now);
        self.state = State::Runs(now);
    }

    pub(super) fn output(&mut self, text: &str) {
        self.live.push_str(&sanitize(text));
        if self.live.len() > LIVE_BYTES * 2 {
            self.live = cut::tail(&self.live, LIVE_BYTES).to_owned();
        }
    }

    pub(super) fn finish(&mut self, result: ToolResult, (now, elapsed): (Instant, Duration)) {
        self.course.finish(now, elapsed);
        let elapsed = self.is_running().then_some(elapsed);
        self.live = String::new();
        self.state = State::Done(Box::new(Done {
            status: result.status,
            summary: cut::one_line(&sanitize(&result.summary), SUMMARY),
            text: sanitize(&result.text).into_owned(),
            diff: result.diff.map(|diff| sanitize(&diff).into_owned()),
            elapsed,
        }));
    }

    pub(super) fn close(&mut self) {
        if matches!(self.state, State::Announced) {
            self.state = State::CutOff;
        }
    }

    /// Adds the call's line and what stands below it. `names`: columns of the longest name.
    pub(super) fn rows(
        &self,
        rows: &mut Vec<Line<'static>>,
        (width, names): (u16, usize),
        (beat, axis): (u128, Option<&Axis>),
        look: Look<'_>,
    ) {
        let theme = look.theme;
        let (mark, style) = self.mark(beat, theme);
        let pad = names.saturating_sub(wrap::width(&self.name));
        let left = vec![
            Span::styled(format!("  {mark} "), style),
            Span::styled(format!("{}{}", self.name, " ".repeat(pad)), theme.strong),
            Span::raw("  "),
            Span::styled(self.subject.as_str(), theme.text),
        ];
        let mut right = vec![Span::styled(self.words(), theme.dim)];
        if let Some(axis) = axis {
            right.push(Span::raw("  "));
            right.extend(axis.bar(&self.course, BAR, look.now, theme));
        }
        if width > MARKS_ONLY {
            right.push(Span::styled(self.time(look.now, axis.is_some()), theme.dim));
        } else {
            right.clear();
        }
        let most = if axis.is_some() { LINE_WIDTH + BAR + 2 } else { LINE_WIDTH };
        rows.push(rows::two_ends(left, right, width.min(most)));
        self.below(rows, width, look);
    }

    fn mark(&self, beat: u128, theme: &Theme) -> (&'static str, Style) {
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
            State::CutOff => "cut off, never ran".to_owned(),
            State::Waits => "waits".to_owned(),
            State::Asks => "waits for you".to_owned(),
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

    fn below(&self, rows: &mut Vec<Line<'static>>, width: u16, look: Look<'_>) {
        let theme = look.theme;
        let bar = if width >= 30 { "      │ " } else { " " };
        let inner = width.saturating_sub(u16::try_from(wrap::width(bar)).unwrap_or(0)).max(1);
        match &self.state {
            State::Runs(_) => {
                let mut live = rows::plain(cut::tail(&self.live, 2_048), width, bar, theme.dim);
                rows.extend(live.drain(live.len().saturating_sub(LIVE_ROWS)..));
            }
            State::Done(done) => {
                let keep = if look.unfolded { UNFOLDED_ROWS } else { done.rows_shown(&self.name) };
                let body = match &done.diff {
                    Some(diff) => {
                        let diff = diff::coloured_lines(
                            diff::hunks(diff),
                            &self.subject,
                            inner,
                            theme,
                            look.highlighter,
                        );
                        behind(bar, diff, theme)
                    }
                    None => rows::plain(done.shown_text(look.unfolded), width, bar, theme.dim),
                };
                let command = self.name == "run_command" && !look.unfolded;
                if keep > 0 && command {
                    rows.extend(rows::folded_tail(body, keep, bar, theme));
                } else if keep > 0 {
                    rows.extend(rows::folded(body, keep, bar, theme));
                }
            }
            _ => {}
        }
    }
}

impl Call {
    /// Whether it shows code, whose colours may come later.
    pub(super) fn has_diff(&self) -> bool {
        matches!(&self.state, State::Done(done) if done.diff.is_some())
    }
}

impl Done {
    /// How much is shown below the line without being asked for.
    fn rows_shown(&self, name: &str) -> usize {
        match (&self.diff, self.status) {
            (Some(_), _) => DIFF_ROWS,
            (None, ToolStatus::Ok) if name == "run_command" => OUTPUT_ROWS,
            (None, ToolStatus::Ok) => 0,
            (None, _) => OUTPUT_ROWS,
        }
    }

    /// The result's text; folded only so much of it as the rows can need.
    fn shown_text(&self, unfolded: bool) -> &str {
        if unfolded { &self.text } else { cut::tail(&self.text, 8 * 1024) }
    }
}

/// Lines moved behind a bar.
fn behind(bar: &str, lines: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
    let behind = |mut line: Line<'static>| {
        line.spans.insert(0, Span::styled(bar.to_owned(), theme.dim));
        line
    };
    lines.into_iter().map(behind).collect()
}
