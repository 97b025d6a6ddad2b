//! `--output-format text`: the model's words on stdout as they arrive, everything else on stderr.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

use super::Printer;
use crate::{
    protocol::{
        background::{BackgroundCommand, BackgroundState},
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
    /// Commands that run in the background.
    in_background: HashSet<String>,
    /// Whether the answer so far ends in the middle of a line.
    mid_line: bool,
    /// Makes the answer harmless as it comes.
    stream: Stream,
    /// Whether anything has been said.
    begun: bool,
    /// Whether the next text begins a new paragraph.
    paragraph: bool,
    /// Whether this response has said anything.
    spoken: bool,
}

impl Printer for Text {
    fn event(
        &mut self,
        event: &StreamEvent,
        out: &mut dyn Write,
        progress: &mut dyn Write,
    ) -> io::Result<()> {
        match event {
            StreamEvent::TextDelta { text } => self.answer(text, out),
            StreamEvent::IterationStarted { iteration, max } => {
                self.spoken = false;
                self.stream.end();
                writeln!(progress, "· iteration {iteration}/{max}")
            }
            StreamEvent::Retrying { attempt, of, wait_ms, kind, reason } => {
                self.end_line(out)?;
                let spoken = std::mem::take(&mut self.spoken);
                self.paragraph |= spoken;
                let discarded =
                    if spoken { " · what came of this answer is discarded" } else { "" };
                writeln!(
                    progress,
                    "· {} · {} · retry {attempt} of {of} in {}{discarded}",
                    kind.word(),
                    sanitize(&one_line(reason, REASON)),
                    short_time(*wait_ms),
                )
            }
            StreamEvent::BatchesPlanned { calls, .. } => {
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
            StreamEvent::ModelChosen { about } => {
                writeln!(progress, "· {} @ {}", sanitize(&about.model), sanitize(&about.place))
            }
            StreamEvent::BackgroundChanged { background } => self.background(background, progress),
            StreamEvent::Notice { text } => writeln!(progress, "· {}", sanitize(text)),
            StreamEvent::TurnEnded { reason, iterations, tools, elapsed_ms, .. } => {
                self.end_line(out)?;
                let (iterations, tools) = (*iterations, *tools);
                let tally = Tally { iterations, tools, elapsed_ms: *elapsed_ms };
                writeln!(progress, "{}", sanitize(&ending(reason, tally)))
            }
            _ => Ok(()),
        }
    }
}

impl Text {
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
