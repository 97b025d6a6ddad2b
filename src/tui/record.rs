//! What was said in this session, as the engine told it: for copies, exports and the end.
//!
//! Owns the events, since the cells hold only what is shown: cut, folded and without arguments.
//! Must not know the screen. Invariant: bounded; the oldest turns go first, and how many events
//! went is known.

mod file;
pub(super) mod markdown;

pub(super) use file::{Export, ExportError, Format, write};

use std::collections::{BTreeSet, VecDeque};

use serde::Serialize;

use crate::protocol::{FORMAT_VERSION, about::About, event::StreamEvent};

/// Bytes that are kept.
const MOST: usize = 64 << 20;
/// What an event weighs besides its text.
const WEIGHT: usize = 200;

/// The events, without those that only move the screen.
pub(super) struct Record {
    events: VecDeque<StreamEvent>,
    bytes: usize,
    most: usize,
    /// How many are no longer here.
    gone: usize,
    /// Commands in the background whose start stands here and whose end does not.
    in_background: BTreeSet<String>,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            events: VecDeque::new(),
            bytes: 0,
            most: MOST,
            gone: 0,
            in_background: BTreeSet::new(),
        }
    }
}

/// The session as JSON: the head and the events of the public format, in one object.
#[derive(Serialize)]
struct Whole<'a> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    about: &'a About,
    /// Events from the beginning that are missing.
    events_missing: usize,
    events: &'a VecDeque<StreamEvent>,
}

impl Record {
    /// Takes one event.
    pub(super) fn push(&mut self, event: &StreamEvent) {
        match (event, self.events.back_mut()) {
            (
                StreamEvent::ToolOutput { .. }
                | StreamEvent::EarlyCallChanged { .. }
                | StreamEvent::CallAnnounced { .. }
                | StreamEvent::ModelsListed { .. },
                _,
            ) => return,
            // Another last line is a live view; the start and the end are kept.
            (StreamEvent::BackgroundChanged { background }, _)
                if background.is_running() && !self.in_background.insert(background.id.clone()) =>
            {
                return;
            }
            (StreamEvent::TextDelta { text }, Some(StreamEvent::TextDelta { text: last }))
            | (
                StreamEvent::ReasoningDelta { text },
                Some(StreamEvent::ReasoningDelta { text: last }),
            ) => {
                last.push_str(text);
                self.bytes += text.len();
            }
            _ => {
                self.bytes += weight(event);
                self.events.push_back(event.clone());
            }
        }
        self.shrink();
    }

    /// The events of a turn after which so many more began; none if they are not kept any more.
    pub(super) fn turn(&self, after: usize) -> impl Iterator<Item = &StreamEvent> + Clone {
        let is_start = |event: &StreamEvent| matches!(event, StreamEvent::TurnStarted { .. });
        let mut starts = self.events.iter().enumerate().rev();
        let mut starts = starts.by_ref().filter(|(_, event)| is_start(event)).map(|(at, _)| at);
        let end = after.checked_sub(1).and_then(|before| starts.nth(before));
        let from = if after > 0 && end.is_none() { None } else { starts.next() };
        // What stands before any turn counts as one, as long as no other does.
        let from = from.or((after == 0).then_some(0));
        let end = end.unwrap_or(self.events.len());
        let from = from.unwrap_or(end);
        self.events.iter().skip(from).take(end.saturating_sub(from))
    }

    /// All of it as Markdown.
    pub(super) fn markdown(&self, about: &About, folder: &str) -> String {
        markdown::session(self.events.iter(), self.gone, (about, folder))
    }

    /// All of it as JSON.
    pub(super) fn json(&self, about: &About) -> String {
        let whole = Whole {
            format: "mcc-tui",
            version: FORMAT_VERSION,
            about,
            events_missing: self.gone,
            events: &self.events,
        };
        // Strings and numbers always can be written.
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }

    /// Lets whole turns go, and only of one that is too large by itself its beginning.
    fn shrink(&mut self) {
        while self.bytes > self.most {
            let end = |event: &StreamEvent| matches!(event, StreamEvent::TurnEnded { .. });
            let turn = self.events.iter().position(end).filter(|at| at + 1 < self.events.len());
            let drained = self.events.drain(..turn.map_or(1, |at| at + 1).min(self.events.len()));
            let mut count = 0;
            for event in drained {
                self.bytes = self.bytes.saturating_sub(weight(&event));
                count += 1;
            }
            self.gone += count;
            if count == 0 {
                return;
            }
        }
    }
}

/// About how many bytes an event takes.
fn weight(event: &StreamEvent) -> usize {
    WEIGHT
        + match event {
            StreamEvent::TurnStarted { prompt: text, .. }
            | StreamEvent::TextDelta { text }
            | StreamEvent::ReasoningDelta { text }
            | StreamEvent::Steered { text }
            | StreamEvent::Notice { text } => text.len(),
            StreamEvent::BackgroundChanged { background } => background.command.len(),
            StreamEvent::BatchesPlanned { calls, .. } => {
                calls.iter().map(|call| call.name.len() + call.arguments.len() + WEIGHT).sum()
            }
            StreamEvent::ToolFinished { result, .. } => {
                result.text.len() + result.diff.as_ref().map_or(0, String::len)
            }
            // A preview holds what would be written.
            StreamEvent::QuestionAsked { question } => {
                serde_json::to_vec(question).map_or(0, |json| json.len())
            }
            _ => 0,
        }
}

#[cfg(test)]
mod tests;
