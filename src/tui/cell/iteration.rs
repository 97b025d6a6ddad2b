//! An iteration: its batches in words, and a line a call with mark, subject, result and time.
//!
//! Owns the state of each call as the screen knows it. Must not know why a call ended as it did.

mod call;

use std::time::{Duration, Instant};

use ratatui::text::{Line, Span};

use super::{Cached, Look};
use crate::{
    protocol::{
        id::CallId,
        tool::{Batch, ToolCall, ToolResult},
    },
    tui::{frame::SPIN, wrap},
};
use call::Call;

/// A request and the calls it led to.
pub(in crate::tui) struct Iteration {
    number: u32,
    calls: Vec<Call>,
    batches: Vec<Batch>,
    version: u64,
    began: Instant,
    cached: Cached<Key>,
}

/// Everything the rows depend on.
#[derive(PartialEq)]
struct Key {
    width: u16,
    version: u64,
    unfolded: bool,
    /// Which state of the spinner, while something runs.
    beat: Option<u128>,
}

impl Iteration {
    pub(in crate::tui) fn new(number: u32, now: Instant) -> Self {
        Self {
            number,
            calls: Vec::new(),
            batches: Vec::new(),
            version: 0,
            began: now,
            cached: Cached { key: None, rows: Vec::new() },
        }
    }

    /// A call's name became known; its arguments still stream.
    pub(in crate::tui) fn announce(&mut self, name: &str) {
        self.version += 1;
        self.calls.push(Call::announced(name));
    }

    /// The calls are complete.
    pub(in crate::tui) fn plan(&mut self, calls: Vec<ToolCall>, batches: Vec<Batch>) {
        self.version += 1;
        self.calls = calls.into_iter().map(Call::planned).collect();
        self.batches = batches;
    }

    pub(in crate::tui) fn ask(&mut self, call_id: &CallId) {
        self.with(call_id, Call::ask);
    }

    pub(in crate::tui) fn answered(&mut self, call_id: &CallId) {
        self.with(call_id, Call::answered);
    }

    pub(in crate::tui) fn start(&mut self, call_id: &CallId, now: Instant) {
        self.with(call_id, |call| call.start(now));
    }

    pub(in crate::tui) fn output(&mut self, call_id: &CallId, text: &str) {
        self.with(call_id, |call| call.output(text));
    }

    pub(in crate::tui) fn finish(&mut self, result: ToolResult, elapsed: Duration) {
        let call_id = result.call_id.clone();
        self.with(&call_id, |call| call.finish(result, elapsed));
    }

    /// The turn is over: what was only announced was cut off.
    pub(in crate::tui) fn close(&mut self) {
        self.version += 1;
        for call in &mut self.calls {
            call.close();
        }
    }

    /// Whether this is the iteration with that number.
    pub(in crate::tui) fn is(&self, number: u32) -> bool {
        self.number == number
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
            beat: moves.then_some(beats),
        };
        let (number, calls, batches) = (self.number, &self.calls, &self.batches);
        self.cached.get(key, || {
            let mut rows = vec![head(number, batches, calls, width, look)];
            let names = calls.iter().map(|call| wrap::width(call.name())).max().unwrap_or(0);
            for call in calls {
                call.rows(&mut rows, (width, names.min(14)), beats, look);
            }
            rows
        })
    }
}

fn head(
    number: u32,
    batches: &[Batch],
    calls: &[Call],
    width: u16,
    look: Look<'_>,
) -> Line<'static> {
    let theme = look.theme;
    let line = Line::from(vec![
        Span::styled("▾ ", theme.dim),
        Span::styled(format!("iteration {number}"), theme.strong),
        Span::styled(format!("   {}", in_words(batches, calls)), theme.dim),
    ]);
    wrap::cut_line(&line, width)
}

/// `2 reads side by side, then write_file`.
fn in_words(batches: &[Batch], calls: &[Call]) -> String {
    let name_of = |id: &CallId| calls.iter().find(|call| call.is(id)).map(Call::name);
    let words = batches.iter().map(|batch| match (batch.concurrent, batch.calls.as_slice()) {
        (true, [one]) => name_of(one).unwrap_or("1 read").to_owned(),
        (true, calls) => format!("{} reads side by side", calls.len()),
        (false, calls) => calls.first().and_then(name_of).unwrap_or("1 call").to_owned(),
    });
    words.collect::<Vec<_>>().join(", then ")
}
