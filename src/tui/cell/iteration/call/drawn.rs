//! How a call looks: its line, and what stands below it.
//!
//! Owns these rows. Must not change the call, nor know when it does.

use std::time::Instant;

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{Call, Placed, State};
use crate::{
    protocol::{tally::short_time, tool::ToolStatus},
    text::cut,
    tui::{
        cell::{Look, rows},
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
/// Up to so many columns of the screen there is only room for the marks.
pub(super) const MARKS_ONLY: u16 = 40;
/// Columns of the result's summary in the call's line.
pub(super) const SUMMARY: usize = 36;
/// Bytes of live output that its rows are made from.
const LIVE_BYTES: usize = 2_048;
/// Rows below a running call, and below an unfolded one.
const LIVE_ROWS: usize = 3;
const UNFOLDED_ROWS: usize = 1_000;

impl Call {
    /// Adds the call's line and what stands below it.
    pub(in crate::tui::cell::iteration) fn rows(
        &self,
        rows: &mut Vec<Line<'static>>,
        place: Placed<'_>,
        look: Look<'_>,
    ) {
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
            State::CutOff | State::Discarded => ("×", theme.warning),
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

    pub(super) fn words(&self) -> String {
        match &self.state {
            State::Announced => "is being written".to_owned(),
            State::CutOff => "cut off, has no result".to_owned(),
            State::Discarded => "discarded with the answer".to_owned(),
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

    fn below(&self, rows: &mut Vec<Line<'static>>, width: u16, look: Look<'_>) {
        let theme = look.theme;
        let bar = if width >= 30 { "      │ " } else { " " };
        let inner = width.saturating_sub(u16::try_from(wrap::width(bar)).unwrap_or(0)).max(1);
        match &self.state {
            State::Runs(_) => {
                let mut live = rows::plain(&self.live.tail(LIVE_BYTES), width, bar, theme.dim);
                rows.extend(live.drain(live.len().saturating_sub(LIVE_ROWS)..));
            }
            State::Done(done) => {
                if done.hides_what_failed(look.width) {
                    rows.extend(rows::plain(&done.summary, width, bar, theme.warning));
                }
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
                    let is_whole = done.shown_text(false).len() == done.text.len();
                    rows.extend(rows::folded_tail(body, (keep, is_whole), bar, theme));
                } else if keep > 0 {
                    let way = if look.unfolded {
                        "opened, the call shows more"
                    } else {
                        "Ctrl-O shows more"
                    };
                    rows.extend(rows::folded(body, (keep, way), bar, theme));
                }
            }
            _ => {}
        }
    }
}

/// Lines moved behind a bar.
fn behind(bar: &str, lines: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
    let behind = |mut line: Line<'static>| {
        line.spans.insert(0, Span::styled(bar.to_owned(), wrap::mark::decoration(theme.dim)));
        line
    };
    lines.into_iter().map(behind).collect()
}
