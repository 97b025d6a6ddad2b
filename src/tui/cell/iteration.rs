//! An iteration: its batches in words, and a line a call with mark, subject, result and time.
//!
//! Owns the state of each call as the screen knows it. Must not know why a call ended as it did.

pub(in crate::tui) mod call;
pub(in crate::tui) mod course;
mod live;

use std::time::{Duration, Instant};

use ratatui::text::{Line, Span};

use super::{Cached, Look};
use crate::{
    protocol::{
        id::CallId,
        tally::short_time,
        tool::{Batch, ToolCall, ToolResult},
    },
    tui::{frame::SPIN, wrap},
};
use call::{Call, Placed};
use course::Axis;

/// Columns of the screen from which there is room for bars.
const BARS_FROM: u16 = 96;

/// A request and the calls it led to.
pub(in crate::tui) struct Iteration {
    number: u32,
    calls: Vec<Call>,
    batches: Vec<Batch>,
    version: u64,
    /// The answer that these calls are of broke off; the next one has calls of its own.
    discarded: bool,
    began: Instant,
    /// The call that the user has selected, by its place.
    selected: Option<usize>,
    cached: Cached<Key>,
    /// In which row each call's line stands.
    lines: Vec<usize>,
}

/// Everything the rows depend on.
#[derive(PartialEq)]
struct Key {
    width: u16,
    version: u64,
    unfolded: bool,
    all: bool,
    /// Which state of the spinner, while something runs.
    beat: Option<u128>,
    /// Of the highlighter, where code is shown.
    colours: Option<u64>,
}

impl Iteration {
    pub(in crate::tui) fn new(number: u32, now: Instant) -> Self {
        Self {
            number,
            calls: Vec::new(),
            batches: Vec::new(),
            version: 0,
            discarded: false,
            began: now,
            selected: None,
            cached: Cached { key: None, rows: Vec::new() },
            lines: Vec::new(),
        }
    }

    /// A call's name became known; its arguments still stream.
    pub(in crate::tui) fn announce(&mut self, name: &str) {
        self.version += 1;
        self.calls.push(Call::announced(name));
    }

    /// A call runs though its response still streams; it is the one announced at this place.
    pub(in crate::tui) fn begin_early(&mut self, index: usize, call: ToolCall, now: Instant) {
        self.version += 1;
        let early = Call::early(call, now);
        match self.calls.get_mut(index) {
            Some(announced) => *announced = early,
            None => self.calls.push(early),
        }
    }

    /// The calls are complete. Those that began early go on.
    pub(in crate::tui) fn plan(&mut self, calls: Vec<ToolCall>, batches: Vec<Batch>, now: Instant) {
        self.version += 1;
        let is_own = self.is_of_user();
        let mut before = std::mem::take(&mut self.calls);
        let planned = calls.into_iter().map(|call| {
            match before.iter().position(|early| early.began(&call)) {
                Some(at) => before.swap_remove(at).kept(),
                None if is_own => Call::planned(call, now).of_user(),
                None => Call::planned(call, now),
            }
        });
        self.calls = planned.collect();
        self.batches = batches;
    }

    pub(in crate::tui) fn ask(&mut self, call_id: &CallId, now: Instant) {
        self.with(call_id, |call| call.ask(now));
    }

    pub(in crate::tui) fn answered(&mut self, call_id: &CallId, now: Instant) {
        self.with(call_id, |call| call.answered(now));
    }

    /// The user does not allow the call, for this reason.
    pub(in crate::tui) fn denied(&mut self, call_id: &CallId, said: &str) {
        self.with(call_id, |call| call.denied(said));
    }

    pub(in crate::tui) fn start(&mut self, call_id: &CallId, now: Instant) {
        self.with(call_id, |call| call.start(now));
    }

    pub(in crate::tui) fn output(&mut self, call_id: &CallId, text: &str) {
        self.with(call_id, |call| call.output(text));
    }

    pub(in crate::tui) fn finish(
        &mut self,
        result: ToolResult,
        (now, elapsed): (Instant, Duration),
    ) {
        let call_id = result.call_id.clone();
        self.with(&call_id, |call| call.finish(result, (now, elapsed)));
    }

    /// One call was asked to stop; gives its id if it runs.
    pub(in crate::tui) fn stop(&mut self, call: usize) -> Option<CallId> {
        self.version += 1;
        let call = self.calls.get_mut(call).filter(|call| call.is_running())?;
        call.stop();
        call.id().cloned()
    }

    /// All that runs was asked to stop.
    pub(in crate::tui) fn stop_all(&mut self) {
        self.version += 1;
        for call in &mut self.calls {
            call.stop();
        }
    }

    /// Marks the call that the user has selected.
    pub(in crate::tui) fn select(&mut self, call: Option<usize>) {
        self.version += 1;
        self.selected = call;
    }

    /// Folds or unfolds what came of one call, or lets it be as all are.
    pub(super) fn fold(&mut self, call: usize, unfold: Option<bool>) {
        if let Some(call) = self.calls.get_mut(call) {
            self.version += 1;
            call.fold(unfold);
        }
    }

    /// Lets every call be as all are.
    pub(super) fn fold_as_all(&mut self) {
        if self.calls.iter().any(|call| call.unfold().is_some()) {
            self.version += 1;
            self.calls.iter_mut().for_each(|call| call.fold(None));
        }
    }

    pub(in crate::tui) fn number(&self) -> u32 {
        self.number
    }

    pub(in crate::tui) fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// In which row of the last [`super::Cell::rows`] each call's line stands.
    pub(in crate::tui) fn lines(&self) -> &[usize] {
        &self.lines
    }

    /// The answer is over: what was only announced was cut off, and what began early without being
    /// planned counts for nothing.
    pub(in crate::tui) fn close(&mut self, now: Instant) {
        for call in self.calls.iter_mut().filter(|call| call.is_unplanned()) {
            self.version += 1;
            call.close(now);
        }
    }

    /// The answer broke off, and its calls are closed: what comes of the next one is another block.
    pub(super) fn discard(&mut self) {
        self.version += 1;
        self.discarded = true;
    }

    /// Changes whenever a call does.
    pub(super) fn revision(&self) -> u64 {
        self.version
    }

    /// Without a request it is the user's own command.
    fn is_of_user(&self) -> bool {
        self.number == 0
    }

    /// Whether calls of the request with that number belong here.
    pub(in crate::tui) fn is(&self, number: u32) -> bool {
        self.number == number && !self.discarded
    }

    /// Whether the call is one of this iteration.
    pub(in crate::tui) fn has(&self, call_id: &CallId) -> bool {
        self.calls.iter().any(|call| call.is(call_id))
    }

    /// Calls that run at the moment.
    pub(in crate::tui) fn running(&self) -> usize {
        self.calls.iter().filter(|call| call.is_running()).count()
    }

    fn with(&mut self, call_id: &CallId, change: impl FnOnce(&mut Call)) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.is(call_id)) {
            self.version += 1;
            change(call);
        }
    }

    pub(super) fn rows(&mut self, width: u16, look: Look<'_>) -> &[Line<'static>] {
        let moves = self.calls.iter().any(Call::moves);
        let beats = look.now.saturating_duration_since(self.began).as_millis() / SPIN.as_millis();
        let key = Key {
            width,
            version: self.version,
            unfolded: look.unfolded,
            all: look.all,
            beat: moves.then_some(beats),
            colours: self.calls.iter().any(Call::has_diff).then(|| look.highlighter.generation()),
        };
        let (number, calls, batches) = (self.number, &self.calls, &self.batches);
        let (selected, lines) = (self.selected, &mut self.lines);
        self.cached.get(key, || {
            let mut rows = vec![head(number, batches, calls, width, look)];
            let names = calls.iter().map(|call| wrap::width(call.name())).max().unwrap_or(0);
            let axis = axis(calls, look);
            lines.clear();
            for (n, call) in calls.iter().enumerate() {
                lines.push(rows.len());
                let place = Placed {
                    width,
                    names: names.min(14),
                    beat: beats,
                    axis: axis.as_ref(),
                    selected: selected == Some(n),
                };
                let unfolded = look.unfolds(call.unfold());
                call.rows(&mut rows, place, Look { unfolded, ..look });
            }
            rows
        })
    }
}

/// The axis that the bars stand on, where there is room for bars and something to compare.
fn axis(calls: &[Call], look: Look<'_>) -> Option<Axis> {
    let is_worth_it = look.width >= BARS_FROM && calls.len() > 1;
    is_worth_it.then(|| Axis::of(calls.iter().map(Call::course), look.now)).flatten()
}

fn head(
    number: u32,
    batches: &[Batch],
    calls: &[Call],
    width: u16,
    look: Look<'_>,
) -> Line<'static> {
    let theme = look.theme;
    // Without a request it is the user's own command.
    let title = if number == 0 { "your command".to_owned() } else { format!("iteration {number}") };
    let line = Line::from(vec![
        Span::styled("▾ ", wrap::mark::decoration(theme.dim)),
        Span::styled(title, theme.strong),
        Span::styled(format!("   {}", in_words(batches, calls)), theme.dim),
        Span::styled(saved_in_words(calls, look.now), theme.dim),
    ]);
    wrap::cut_line(&line, width)
}

/// `2 side by side, then write_file`.
fn in_words(batches: &[Batch], calls: &[Call]) -> String {
    let name_of = |id: &CallId| calls.iter().find(|call| call.is(id)).map(Call::name);
    let words = batches.iter().map(|batch| match batch.calls.as_slice() {
        [one] => name_of(one).unwrap_or("1 call").to_owned(),
        calls => format!("{} side by side", calls.len()),
    });
    words.collect::<Vec<_>>().join(", then ")
}

/// What running side by side has saved, once all is done.
fn saved_in_words(calls: &[Call], now: Instant) -> String {
    if calls.iter().any(|call| !call.is_done()) {
        return String::new();
    }
    // How long a call would have run that somebody stopped nobody knows.
    let calls = calls.iter().filter(|call| !call.is_cancelled());
    let (busy, sum) = course::saved(calls.map(Call::course), now);
    if !course::is_worth_telling(sum.saturating_sub(busy), sum) {
        return String::new();
    }
    let words = |time: Duration| short_time(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    format!("   {} instead of {} one by one", words(busy), words(sum))
}

#[cfg(test)]
mod tests;
