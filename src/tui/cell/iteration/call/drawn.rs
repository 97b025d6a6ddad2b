//! How a call's line looks.
//!
//! Owns this row. Must not change the call, nor know when it does.

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
}
