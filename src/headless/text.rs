//! `--output-format text`: the model's words on stdout, everything else on stderr.
//!
//! Invariant: unless somebody looks on, no word of a response that was discarded is on stdout.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

use super::Printer;
use crate::{
    protocol::{
        about::About,
        background::{BackgroundCommand, BackgroundState},
        cost::Usd,
        event::StreamEvent,
        id::CallId,
        tally::{Tally, ending, short_time},
        tool::{ToolCall, ToolStatus},
    },
    text::{
        cut::one_line,
        sanitize::{Stream, sanitize},
    },
};

/// Columns of a call's subject in a progress line.
const SUBJECT: usize = 60;
/// Characters of the reason for a retry.
const REASON: usize = 300;

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about what was printed")]
pub(super) struct Text {
    calls: HashMap<CallId, ToolCall>,
    /// The line that told who answers.
    model: String,
    /// Commands that run in the background.
    in_background: HashSet<String>,
    /// Whether the answer so far ends in the middle of a line.
    mid_line: bool,
    /// Whether it is printed as it comes.
    is_live: bool,
    /// What this response said so far, where it is not.
    held: String,
    /// Makes the answer harmless as it comes.
    stream: Stream,
    /// Whether anything has been said.
    begun: bool,
    /// Whether the next text begins a new paragraph.
    paragraph: bool,
    /// Whether this response has said anything.
    spoken: bool,
    /// What the turn costs so far, if that is known, and whether it is an estimate.
    cost: Option<(Usd, bool)>,
}

impl Printer for Text {
    fn event(
        &mut self,
        event: &StreamEvent,
        out: &mut dyn Write,
        progress: &mut dyn Write,
    ) -> io::Result<()> {
        match event {
            StreamEvent::TextDelta { text } if self.is_live => self.answer(text, out),
            StreamEvent::TextDelta { text } => {
                self.held.push_str(text);
                Ok(())
            }
            StreamEvent::IterationStarted { iteration, max } => {
                self.release(out)?;
                self.spoken = false;
                self.stream.end();
                writeln!(progress, "· iteration {iteration}/{max}")
            }
            StreamEvent::Retrying { .. } => self.again(event, out, progress),
            StreamEvent::BatchesPlanned { calls, .. } => {
                self.release(out)?;
                self.end_line(out)?;
                self.paragraph = true;
                self.calls = calls.iter().map(|call| (call.id.clone(), call.clone())).collect();
                Ok(())
            }
            StreamEvent::ToolFinished { result, elapsed_ms } => {
                let mark = if result.status == ToolStatus::Ok { '✓' } else { '✗' };
                let call = self.calls.get(&result.call_id);
                let name = call.map_or("call", |call| call.name.as_str());
                let subject = call.map(ToolCall::subject).unwrap_or_default();
                let line = format!("{name} {}", one_line(&subject, SUBJECT));
                writeln!(
                    progress,
                    "  {mark} {} · {} · {}",
                    sanitize(line.trim_end()),
                    sanitize(&one_line(&result.summary, SUBJECT)),
                    short_time(*elapsed_ms),
                )
            }
            StreamEvent::ModelChosen { about } => self.who(about, progress),
            StreamEvent::BackgroundChanged { background } => self.background(background, progress),
            StreamEvent::UsageUpdated { cost_usd, estimated, .. } => {
                self.cost = cost_usd.map(|cost| (cost, *estimated));
                Ok(())
            }
            StreamEvent::Notice { text } => writeln!(progress, "· {}", sanitize(text)),
            StreamEvent::TurnEnded { reason, iterations, tools, elapsed_ms, .. } => {
                self.release(out)?;
                self.end_line(out)?;
                let (iterations, tools) = (*iterations, *tools);
                let (elapsed_ms, cost) = (*elapsed_ms, self.cost);
                let tally = Tally { iterations, tools, elapsed_ms, asked_ms: 0, cost };
                writeln!(progress, "{}", sanitize(&ending(reason, tally)))
            }
            _ => Ok(()),
        }
    }
}

impl Text {
    /// One that prints the answer as it comes.
    pub(super) fn live() -> Self {
        Self { is_live: true, ..Self::default() }
    }

    /// Tells who answers; once, as perhaps only the size of its window became known.
    fn who(&mut self, about: &About, progress: &mut dyn Write) -> io::Result<()> {
        let line = format!("· {} @ {}", sanitize(&about.model), sanitize(&about.place));
        if self.model == line {
            return Ok(());
        }
        self.model = line;
        writeln!(progress, "{}", self.model)
    }

    /// Tells of a retry, and drops what is held of the response before it.
    fn again(
        &mut self,
        event: &StreamEvent,
        out: &mut dyn Write,
        progress: &mut dyn Write,
    ) -> io::Result<()> {
        let StreamEvent::Retrying { attempt, of, wait_ms, kind, reason } = event else {
            return Ok(());
        };
        self.end_line(out)?;
        let was_shown = std::mem::take(&mut self.spoken);
        self.paragraph |= was_shown;
        let spoken = was_shown || !std::mem::take(&mut self.held).is_empty();
        let discarded = if spoken { " · what came of this answer is discarded" } else { "" };
        writeln!(
            progress,
            "· {} · {} · retry {attempt} of {of} in {}{discarded}",
            kind.word(),
            sanitize(&one_line(reason, REASON)),
            short_time(*wait_ms),
        )
    }

    /// The response counts: nothing that comes discards it.
    fn release(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() { Ok(()) } else { self.answer(&held, out) }
    }

    /// The start of a command and its end; what it prints is the model's to look at.
    fn background(
        &mut self,
        command: &BackgroundCommand,
        progress: &mut dyn Write,
    ) -> io::Result<()> {
        let BackgroundCommand { id, command: what, state, elapsed_ms, .. } = command;
        match state {
            BackgroundState::Running => {
                if !self.in_background.insert(id.clone()) {
                    return Ok(());
                }
                let what = sanitize(&one_line(what, SUBJECT)).into_owned();
                writeln!(progress, "  ○ {} runs in the background · {what}", sanitize(id))
            }
            BackgroundState::Ended { how, .. } => {
                self.in_background.remove(id);
                let (id, how, time) = (sanitize(id), sanitize(how), short_time(*elapsed_ms));
                writeln!(progress, "  ● {id} ended · {how} · {time}")
            }
        }
    }

    fn answer(&mut self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let text = self.stream.push(text);
        if text.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.paragraph) && self.begun {
            writeln!(out)?;
        }
        self.begun = true;
        self.spoken = true;
        self.mid_line = !text.ends_with('\n');
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    fn end_line(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.mid_line) {
            writeln!(out)?;
            out.flush()?;
        }
        Ok(())
    }
}
