//! The front end without a screen (`-p`): one turn, the answer on one writer, progress on the
//! other. It lives on the link alone, which proves that the screen has no back door.
//!
//! Owns the three output formats. Must not know the engine, a provider or a tool.

mod json;
mod text;

use std::{
    io::{self, Write},
    pin::pin,
};

use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::{
    link::FrontEnd,
    protocol::{
        about::About,
        event::StreamEvent,
        exit::{AbortBy, AbortDuring, ExitReason},
        op::Op,
    },
    signals::Signals,
    text::sanitize::sanitize,
};

/// What is printed on the first writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The answer: each response once it is whole, so that what was discarded is not among it.
    Text,
    /// The answer as it streams, for somebody who looks on.
    Live,
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
    /// What the user should know before.
    pub notices: Vec<String>,
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
/// one no longer waits, neither for processes nor for a reader that does not read. An `out` that
/// cannot be written aborts it too; `progress` is only a courtesy.
///
/// # Errors
/// If signals cannot be heard.
pub async fn run(
    mut front: FrontEnd,
    job: Job,
    out: impl AsyncWrite + Unpin,
    progress: impl AsyncWrite + Unpin,
) -> io::Result<ExitReason> {
    let mut printer: Box<dyn Printer> = match job.format {
        Format::Text => Box::new(text::Text::default()),
        Format::Live => Box::new(text::Text::live()),
        Format::Json => Box::new(json::Whole::new(job.about.clone())),
        Format::StreamJson => Box::new(json::Lines::new(job.about.clone())),
    };
    let mut signals = Signals::listen()?;
    let mut pages = Pages { out, progress, lost: false };
    for text in job.notices {
        // Whoever runs it reads stderr, whatever is done with stdout.
        let told = format!("· {}\n", sanitize(&text));
        let (page, _) = print(&mut *printer, &StreamEvent::Notice { text });
        pages.write(&page, told.as_bytes()).await;
    }
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
        let (page, told) = print(&mut *printer, &event);
        let was_lost = pages.lost;
        let given_up = deliver(&mut pages, (&page, &told), &mut signals, &front).await;
        if let Some(by) = given_up {
            return Ok(ExitReason::Abort { by, during: AbortDuring::Stream });
        }
        if pages.lost && !was_lost {
            front.interrupt(AbortBy::Consumer);
        }
        if let StreamEvent::TurnEnded { reason, .. } = event {
            return Ok(if pages.lost && reason.is_success() { unread() } else { reason });
        }
    }
}

/// Writes what was printed; hears signals also while a reader does not read. Gives who lost
/// patience with that reader, if somebody did.
async fn deliver<O: AsyncWrite + Unpin, P: AsyncWrite + Unpin>(
    pages: &mut Pages<O, P>,
    (page, told): (&[u8], &[u8]),
    signals: &mut Signals,
    front: &FrontEnd,
) -> Option<AbortBy> {
    let mut write = pin!(pages.write(page, told));
    let mut asked = false;
    loop {
        tokio::select! {
            () = &mut write => return None,
            by = signals.next() => {
                front.interrupt(by);
                if std::mem::replace(&mut asked, true) {
                    return Some(by);
                }
            }
        }
    }
}

/// What an event is in print: for `out` and for `progress`.
fn print(printer: &mut dyn Printer, event: &StreamEvent) -> (Vec<u8>, Vec<u8>) {
    let (mut page, mut told) = (Vec::new(), Vec::new());
    if let Err(error) = printer.event(event, &mut page, &mut told) {
        // Memory can always be written: only a value that is no JSON comes here.
        tracing::error!(%error, "an event could not be printed");
    }
    (page, told)
}

/// The two writers, and whether `out` could not be written.
struct Pages<O, P> {
    out: O,
    progress: P,
    lost: bool,
}

impl<O: AsyncWrite + Unpin, P: AsyncWrite + Unpin> Pages<O, P> {
    async fn write(&mut self, page: &[u8], told: &[u8]) {
        if !self.lost
            && let Err(error) = put(&mut self.out, page).await
        {
            self.lost = true;
            let words = format!("· the output cannot be written: {error}\n");
            let _told = put(&mut self.progress, words.as_bytes()).await.is_ok();
        }
        let _told = put(&mut self.progress, told).await.is_ok();
    }
}

async fn put(writer: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    writer.write_all(bytes).await?;
    writer.flush().await
}

/// The turn ended well, and the answer did not reach anybody.
fn unread() -> ExitReason {
    ExitReason::Abort { by: AbortBy::Consumer, during: AbortDuring::Stream }
}

/// The engine went away without a last word: only a fault can do that.
fn lost() -> ExitReason {
    ExitReason::Error {
        kind: crate::protocol::exit::ErrorKind::Internal,
        message: "The engine ended without a reason (a fault of mcc-tui).".to_owned(),
        hint: "Please report the log.".to_owned(),
    }
}
