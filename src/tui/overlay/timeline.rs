//! The time line of a turn: a row for the model in each iteration and a row a call, all on one
//! axis, and what the time went into.
//!
//! Owns how a turn looks as time. Must not know events: what happened when is told to [`times`].
//!
//! Invariant: narrow screens lose the bars, never a row or its time.

pub(in crate::tui) mod times;

use std::time::{Duration, Instant};

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use super::{
    in_words,
    pager::{Lines, Pager},
};
use crate::tui::{
    cell::iteration::{
        Iteration,
        call::Call,
        course::{Axis, Course, Drawn, is_worth_telling, together},
    },
    frame::SPIN,
    theme::Theme,
    wrap,
};
use times::{Request, TurnTimes};

/// Columns from which there is room for bars.
const BARS_FROM: u16 = 60;
/// Columns of a time, with a blank before it.
const TIME: u16 = 11;

/// The open time line.
pub(in crate::tui) struct TimeLine {
    pub(in crate::tui) pager: Pager,
}

/// What drawing it depends on.
pub(in crate::tui) struct Look<'a> {
    pub(in crate::tui) theme: &'a Theme,
    pub(in crate::tui) now: Instant,
    pub(in crate::tui) since: Duration,
}

impl TimeLine {
    /// Follows the end while the turn runs.
    pub(in crate::tui) fn new(runs: bool) -> Self {
        Self { pager: Pager::new(runs) }
    }

    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        (times, iterations): (&TurnTimes, &[&Iteration]),
        look: &Look<'_>,
    ) {
        let inner =
            Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
        let mut head = head(times, iterations, inner.width, look);
        // The rows come first where there are few.
        head.truncate(usize::from(area.height / 3).max(1));
        let body = usize::from(area.height).saturating_sub(head.len());
        let rows = Rows(rows(times, iterations, inner.width, look));
        let shown = self.pager.window(&rows, inner.width, body);
        for (y, row) in (inner.y..inner.bottom()).zip(head.iter().chain(&shown)) {
            frame.buffer_mut().set_line(inner.x, y, row, inner.width);
        }
    }
}

/// Rows that are laid out already: there are as many as calls.
struct Rows(Vec<Line<'static>>);

impl Lines for Rows {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn rows(&self, line: usize, _width: u16) -> Vec<Line<'static>> {
        self.0.get(line).cloned().into_iter().collect()
    }
}

/// What the time went into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    whole: Duration,
    model: Duration,
    /// How long at least one tool ran, and how long all of them ran one by one.
    tools: (Duration, Duration),
    asked: Duration,
    /// How much longer it would have taken, one request or call after the other: what was saved by
    /// calls that ran side by side, and by those that ran while the model still wrote.
    saved: Duration,
}

impl Sums {
    fn of(times: &TurnTimes, iterations: &[&Iteration], now: Instant) -> Self {
        let calls = || iterations.iter().flat_map(|it| it.calls()).map(Call::course);
        let requests = || times.requests().iter().map(Request::stretch);
        let ran = || calls().filter_map(Course::runs);
        let (busy, one_by_one) = together(requests().chain(ran()), now);
        Self {
            whole: times.whole(now),
            model: together(requests(), now).0,
            tools: together(ran(), now),
            saved: one_by_one.saturating_sub(busy),
            asked: together(calls().filter_map(Course::asks), now).0,
        }
    }

    /// What the turn would have taken one by one; empty if that is no difference.
    fn instead_of(&self) -> String {
        let one_by_one = self.whole.saturating_add(self.saved);
        if !is_worth_telling(self.saved, one_by_one) {
            return String::new();
        }
        format!("instead of {} one by one", in_words(one_by_one))
    }

    /// One line: `model 3.20 s · tools 1.40 s (2.10 s one by one) · waited for you 5.00 s, 52 %`.
    fn words(&self) -> Vec<String> {
        let mut words = vec![format!("model {}", in_words(self.model))];
        words.push(match self.tools {
            (busy, sum) if sum > busy => {
                format!("tools {} ({} one by one)", in_words(busy), in_words(sum))
            }
            (busy, _) => format!("tools {}", in_words(busy)),
        });
        if !self.asked.is_zero() {
            let share = self.asked.as_millis() * 100 / self.whole.as_millis().max(1);
            words.push(format!("waited for you {}, {} %", in_words(self.asked), share.min(100)));
        }
        words
    }
}

/// `Time line · the turn is over · 10.0 s instead of 12.0 s one by one`. Where that is too wide,
/// the last words come back.
fn title(sums: Sums, runs: bool, width: u16, theme: &Theme) -> (Line<'static>, Option<String>) {
    let state = if runs { "runs" } else { "is over" };
    let took = format!(" · the turn {state} · {}", in_words(sums.whole));
    let saved = sums.instead_of();
    let title = |took| {
        Line::from(vec![Span::styled("Time line", theme.strong), Span::styled(took, theme.dim)])
    };
    if saved.is_empty() {
        return (title(took), None);
    }
    let whole = title(format!("{took} {saved}"));
    if columns(&whole) <= usize::from(width) { (whole, None) } else { (title(took), Some(saved)) }
}

fn head(
    times: &TurnTimes,
    iterations: &[&Iteration],
    width: u16,
    look: &Look<'_>,
) -> Vec<Line<'static>> {
    let theme = look.theme;
    let sums = Sums::of(times, iterations, look.now);
    let (title, saved) = title(sums, times.runs(), width, theme);
    let mut head = vec![wrap::cut_line(&title, width)];
    let words: Vec<String> = saved.into_iter().chain(sums.words()).collect();
    let together = words.join(" · ");
    let lines = if wrap::width(&together) <= usize::from(width) { vec![together] } else { words };
    head.extend(
        lines
            .into_iter()
            .map(|words| wrap::cut_line(&Line::from(Span::styled(words, theme.text)), width)),
    );
    if width >= BARS_FROM {
        let signs = "· waits   ? asks you   ═ the model answers   ━ a tool runs";
        head.push(wrap::cut_line(&Line::from(Span::styled(signs, theme.dim)), width));
    }
    head
}

fn rows(
    times: &TurnTimes,
    iterations: &[&Iteration],
    width: u16,
    look: &Look<'_>,
) -> Vec<Line<'static>> {
    let calls_of = |number: u32| {
        let iterations = iterations.iter().filter(move |it| it.number() == number);
        iterations.flat_map(|it| it.calls()).map(|call| Row::of_call(call, look))
    };
    // A command of the user's own belongs to no request.
    let mut rows: Vec<_> = calls_of(0).collect();
    for request in times.requests() {
        rows.push(Row::of_request(request, look));
        rows.extend(calls_of(request.number()));
    }
    if rows.is_empty() {
        let words = "No turn has run yet: what the next one does will stand here.";
        let words = Line::from(Span::styled(words, look.theme.dim));
        return wrap::wrap_line(&words, width, &[], &[]);
    }
    let layout = Layout::new(&rows, times, width, look);
    rows.into_iter().map(|row| layout.draw(row, look)).collect()
}

/// What stands in one row.
struct Row {
    label: Line<'static>,
    bar: Vec<Drawn>,
    took: Option<Duration>,
}

impl Row {
    /// `iteration 2 · model`, from the request to the plan or the end.
    fn of_request(request: &Request, look: &Look<'_>) -> Self {
        let theme = look.theme;
        let label = Line::from(vec![
            Span::styled(format!("iteration {}", request.number()), theme.strong),
            Span::styled(" · model", theme.text),
            Span::styled(request.retries_in_words(), theme.warning),
        ]);
        let (start, end) = request.stretch();
        let heard = request.heard();
        let style = if end.is_some() { theme.text } else { theme.running };
        let mut bar = vec![((start, heard.or(end)), '·', theme.dim)];
        bar.extend(heard.map(|heard| ((heard, end), '═', style)));
        let took = end.unwrap_or(look.now).saturating_duration_since(start);
        Self { label, bar, took: Some(took) }
    }

    fn of_call(call: &Call, look: &Look<'_>) -> Self {
        let theme = look.theme;
        let (mark, style) = call.mark(look.since.as_millis() / SPIN.as_millis(), theme);
        let label = Line::from(vec![
            Span::styled(format!("  {mark} "), style),
            Span::styled(call.name().to_owned(), theme.text),
            Span::styled(format!("  {}", call.subject()), theme.dim),
        ]);
        let took = call.course().times(look.now).ran;
        Self { label, bar: call.course().drawn(look.now, theme).collect(), took }
    }
}

/// Where the parts of all rows stand.
struct Layout {
    label: u16,
    bar: u16,
    axis: Option<Axis>,
}

impl Layout {
    /// The bars get what the labels leave, and with them at least half.
    fn new(rows: &[Row], times: &TurnTimes, width: u16, look: &Look<'_>) -> Self {
        let axis = times.stretch(look.now).and_then(|(start, end)| Axis::between(start, end));
        let axis = axis.filter(|_| width >= BARS_FROM);
        let rest = width.saturating_sub(TIME);
        let longest = rows.iter().map(|row| columns(&row.label) + 2).max().unwrap_or(0);
        let longest = u16::try_from(longest).unwrap_or(u16::MAX);
        let label = if axis.is_some() { longest.min(rest / 2) } else { rest };
        Self { label, bar: rest - label, axis }
    }

    fn draw(&self, row: Row, look: &Look<'_>) -> Line<'static> {
        let label_width =
            if self.axis.is_some() { self.label.saturating_sub(1) } else { self.label };
        let mut line = wrap::cut_line(&row.label, label_width);
        let blanks = usize::from(self.label).saturating_sub(columns(&line));
        line.push_span(Span::raw(" ".repeat(blanks)));
        if let Some(axis) = &self.axis {
            line.spans.extend(axis.draw(row.bar.into_iter(), self.bar, look.now));
        }
        let took = row.took.map(in_words).unwrap_or_default();
        let width = usize::from(TIME);
        line.push_span(Span::styled(format!("{took:>width$}"), look.theme.dim));
        line
    }
}

fn columns(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| wrap::width(&span.content)).sum()
}

#[cfg(test)]
mod tests;
