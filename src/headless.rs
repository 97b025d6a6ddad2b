//! The front end without a screen (`-p`): one turn, the answer on one writer, progress on the
//! other. It lives on the link alone, which proves that the screen has no back door.
//!
//! Owns the three output formats. Must not know the engine, a provider or a tool.

mod json;
mod text;

use std::io::{self, Write};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{
    link::FrontEnd,
    protocol::{about::About, event::StreamEvent, exit::AbortBy, exit::ExitReason, op::Op},
};

/// What is printed on the first writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The answer, as it streams.
    Text,
    /// One object at the end.
    Json,
    /// One event a line, as it happens.
    StreamJson,
}

/// One run.
pub struct Job {
    /// What to do.
    pub prompt: String,
    /// How to print it.
    pub format: Format,
    /// Who answers.
    pub about: About,
}

/// Takes events and prints them.
trait Printer {
    /// Prints one event.
    fn event(
        &mut self,
        event: &StreamEvent,
        out: &mut dyn Write,
        progress: &mut dyn Write,
    ) -> io::Result<()>;
}

/// Runs one turn to its end and says why it ended. SIGINT, SIGHUP and SIGTERM abort it; a second
/// one no longer waits for processes. A reader of `out` that goes away aborts it too.
///
/// # Errors
/// If signals cannot be heard.
pub async fn run(
    mut front: FrontEnd,
    job: Job,
    out: &mut dyn Write,
    progress: &mut dyn Write,
) -> io::Result<ExitReason> {
    let mut printer: Box<dyn Printer> = match job.format {
        Format::Text => Box::new(text::Text::default()),
        Format::Json => Box::new(json::Whole::new(job.about.clone())),
        Format::StreamJson => Box::new(json::Lines::new(job.about.clone())),
    };
    let mut signals = Signals::listen()?;
    if front.send(Op::Submit { text: job.prompt }).is_err() {
        return Ok(lost());
    }
    loop {
        let event = tokio::select! {
            by = signals.next() => {
                front.interrupt(by);
                continue;
            }
            event = front.next() => event,
        };
        let Some(event) = event else { return Ok(lost()) };
        let printed = printer.event(&event, out, progress);
        if let StreamEvent::TurnEnded { reason, .. } = event {
            return Ok(reason);
        }
        if printed.is_err() {
            front.interrupt(AbortBy::Consumer);
        }
    }
}

/// The engine went away without a last word: only a fault can do that.
fn lost() -> ExitReason {
    ExitReason::Error {
        kind: crate::protocol::exit::ErrorKind::Internal,
        message: "The engine ended without a reason (a fault of mcc-tui).".to_owned(),
        hint: "Please report the log.".to_owned(),
    }
}

struct Signals {
    interrupt: Signal,
    hangup: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> AbortBy {
        tokio::select! {
            _signal = self.interrupt.recv() => AbortBy::Signal,
            _signal = self.hangup.recv() => AbortBy::Signal,
            _signal = self.terminate.recv() => AbortBy::Terminate,
        }
    }
}
