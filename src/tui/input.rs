//! Where messages from outside come from: the terminal's keys, and signals.
//!
//! Owns the reading of the terminal: nobody else may read it while this is open. Must not know
//! what a key means. What the terminal has is taken together, so that a paste without marks is one
//! message and not as many as it has letters.

mod burst;
mod parser;
mod reader;
mod sorter;

use std::{
    io,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, poll};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::Notify,
    task::AbortHandle,
};

use self::{parser::Parser, reader::Reader, sorter::Sorter};
use super::message::Msg;
use crate::{
    protocol::exit::{AbortBy, AbortDuring, ExitReason},
    signals::Signals,
};

/// How long the program has to end by itself once the terminal is gone.
const AFTER_LOSS: Duration = Duration::from_secs(4);
/// How long after a signal: more than a turn needs to end, with all that it started.
const AFTER_SIGNAL: Duration = Duration::from_secs(8);
/// So often the terminal is read before anything else is looked at.
const TOGETHER: usize = 4;
/// Exit code after a hang-up: 128 + SIGHUP.
pub(super) const HUNG_UP: u8 = 129;

/// Keys and signals.
pub(super) struct Input {
    keys: Option<Reader>,
    parser: Parser,
    sorter: Sorter,
    resized: Signal,
    signals: Signals,
    stop: Signal,
    lost: Arc<Notify>,
    /// Insists on an interrupt; nobody does while another program has the terminal, whose
    /// interrupts are for that one.
    insisting: Option<AbortHandle>,
    /// Exit code of the signal that asked to end, if one did.
    code: OnceLock<u8>,
}

impl Input {
    /// Begins to read the terminal and to hear signals.
    pub(super) fn open() -> io::Result<Self> {
        let lost = Arc::new(Notify::new());
        watch(Arc::clone(&lost))?;
        insist(AbortBy::Terminate)?;
        insist(AbortBy::Hangup)?;
        let insisting = Some(insist(AbortBy::Signal)?);
        Ok(Self {
            keys: Some(Reader::open()?),
            parser: Parser::default(),
            sorter: Sorter::new(),
            resized: signal(SignalKind::window_change())?,
            signals: Signals::listen()?,
            // SIGTSTP from outside; Ctrl-Z is a key here.
            stop: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
            lost,
            insisting,
            code: OnceLock::new(),
        })
    }

    /// The terminal was asked what it is: the answer will come among the keys.
    pub(super) fn asked_device(&mut self) {
        self.sorter.asked_device();
    }

    /// The terminal was asked for its background: the answer will come among the keys.
    pub(super) fn asked_background(&mut self) {
        self.sorter.asked_background(Instant::now());
    }

    /// A signal that asks to end, or nothing if none comes within this time. Reads no keys.
    /// Cancel-safe.
    pub(super) async fn ending(&mut self, within: Duration) -> Option<Msg> {
        let by = tokio::select! {
            biased;
            by = self.signals.next() => by,
            () = self.lost.notified() => AbortBy::Hangup,
            () = tokio::time::sleep(within) => return None,
        };
        Some(self.asked_to_end(by))
    }

    /// Stops reading the terminal: somebody else gets it. An answer of the terminal that is still
    /// to come is waited for and given, and what is typed meanwhile is dropped.
    pub(super) async fn close(&mut self) -> Option<Msg> {
        let mut keys = self.keys.take()?;
        self.sorter.end(Instant::now());
        let until = self.sorter.awaited(Instant::now())?;
        let (parser, sorter) = (&mut self.parser, &mut self.sorter);
        let answer = async {
            loop {
                let bytes = std::future::poll_fn(|cx| keys.poll_read(cx)).await;
                if bytes.is_empty() {
                    return None;
                }
                let now = Instant::now();
                parser.take(&bytes, (now, true));
                let answer = sorter.look_for_answer(parser, now);
                if sorter.awaited(now).is_none() {
                    return answer;
                }
            }
        };
        tokio::time::timeout_at(until.into(), answer).await.ok().flatten()
    }

    /// As [`Self::close`], and hears no interrupt any more: that is for the other program, too.
    pub(super) async fn lend(&mut self) -> Option<Msg> {
        let answer = self.close().await;
        if let Some(insisting) = self.insisting.take() {
            insisting.abort();
        }
        answer
    }

    /// Reads the terminal again; hears no interrupt from before.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        if self.insisting.is_none() {
            self.signals.forget_interrupts()?;
            self.insisting = Some(insist(AbortBy::Signal)?);
        }
        self.keys = Some(Reader::open()?);
        self.parser = Parser::default();
        Ok(())
    }

    /// The program's exit code: that of the signal that asked to end, else 0.
    pub(super) fn exit_code(&self) -> u8 {
        self.code.get().copied().unwrap_or(0)
    }

    /// The next message. Cancel-safe.
    pub(super) async fn next(&mut self) -> io::Result<Msg> {
        loop {
            if let Some(msg) = self.sorter.ready() {
                return Ok(msg);
            }
            let until = self.sorter.until().into_iter().chain(self.parser.until()).min();
            let held = async {
                match until {
                    Some(until) => tokio::time::sleep_until(until.into()).await,
                    None => std::future::pending().await,
                }
            };
            let (keys, parser, sorter) = (&mut self.keys, &mut self.parser, &mut self.sorter);
            let keys = std::future::poll_fn(|cx| poll_keys(keys, (parser, sorter), cx));
            let hears_interrupts = self.insisting.is_some();
            let by = tokio::select! {
                biased;
                by = self.signals.next_if(hears_interrupts) => by,
                () = self.lost.notified() => AbortBy::Hangup,
                _signal = self.stop.recv() => return Ok(Msg::Suspend),
                _signal = self.resized.recv() => return Ok(Msg::Resize),
                taken = keys => match taken {
                    Taken::All => continue,
                    Taken::Some => {
                        // A frame must not wait for the end of a paste.
                        tokio::task::yield_now().await;
                        continue;
                    }
                    Taken::Gone => AbortBy::Hangup,
                },
                // After the keys: what has come already may be the rest of what is held.
                () = held => {
                    let now = Instant::now();
                    self.parser.expire(now);
                    self.sorter.take_all(&mut self.parser, now);
                    self.sorter.expire(now);
                    continue;
                }
            };
            return Ok(self.asked_to_end(by));
        }
    }

    /// The first who asks decides about the exit code.
    fn asked_to_end(&self, by: AbortBy) -> Msg {
        self.code.get_or_init(|| exit_code(by));
        Msg::Signal(by)
    }
}

/// What became of taking what the terminal has.
enum Taken {
    /// There is nothing more at the moment.
    All,
    /// There may be more.
    Some,
    /// The terminal is gone.
    Gone,
}

/// Takes what the terminal has. Pending if that is nothing, and nothing has changed by it.
fn poll_keys(
    keys: &mut Option<Reader>,
    (parser, sorter): (&mut Parser, &mut Sorter),
    cx: &mut Context<'_>,
) -> Poll<Taken> {
    let Some(keys) = keys else { return Poll::Pending };
    let mut is_news = false;
    for _ in 0..TOGETHER {
        match keys.poll_read(cx) {
            Poll::Ready(bytes) if bytes.is_empty() => return Poll::Ready(Taken::Gone),
            Poll::Ready(bytes) => {
                let now = Instant::now();
                parser.take(&bytes, (now, sorter.awaited(now).is_some()));
                sorter.take_all(parser, now);
                is_news = true;
            }
            Poll::Pending => {
                is_news |= sorter.quiet(Instant::now());
                return if is_news { Poll::Ready(Taken::All) } else { Poll::Pending };
            }
        }
    }
    Poll::Ready(Taken::Some)
}

/// Hears that this process was let go on. To be asked for before it stops: the request to stop may
/// return before it is obeyed, and only this tells when the stop is over.
pub(super) fn let_go_on() -> io::Result<Signal> {
    signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))
}

/// The exit code of a program that was asked to end in this way.
fn exit_code(by: AbortBy) -> u8 {
    ExitReason::Abort { by, during: AbortDuring::Request }.exit_code()
}

/// Ends the program after a signal if the loop does not: it cannot while a write to a terminal
/// that nobody reads blocks it. The keepers of commands see our end and clean up.
fn insist(by: AbortBy) -> io::Result<AbortHandle> {
    let mut asked = Signals::listen()?;
    let task = tokio::spawn(async move {
        while asked.next().await != by {}
        tokio::time::sleep(AFTER_SIGNAL).await;
        let _cooked = crossterm::terminal::disable_raw_mode().is_ok();
        std::process::exit(i32::from(exit_code(by)));
    });
    Ok(task.abort_handle())
}

/// Watches for the terminal going away without a signal. A write to it may hold the loop up, so the
/// watch ends the program itself if the loop does not; the keepers of commands see our end and
/// clean up.
fn watch(lost: Arc<Notify>) -> io::Result<()> {
    std::thread::Builder::new().name("terminal watch".to_owned()).spawn(move || {
        let stdin = io::stdin();
        loop {
            let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
            let polled = poll(&mut fds, None);
            let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
            match polled {
                Ok(_) if fds.iter().any(|fd| fd.revents().intersects(gone)) => break,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
        lost.notify_one();
        std::thread::park_timeout(AFTER_LOSS);
        std::process::exit(i32::from(HUNG_UP));
    })?;
    Ok(())
}
