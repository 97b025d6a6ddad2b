//! The signals that ask a program without a screen to stop. Owns which ones these are; must not
//! know what is stopped.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::protocol::exit::AbortBy;

/// Hears SIGINT, SIGHUP and SIGTERM, which from then on no longer end the program by themselves.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    hangup: Signal,
    terminate: Signal,
}

impl Signals {
    /// Begins to listen.
    ///
    /// # Errors
    /// Signals cannot be heard.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Who asks to stop, as soon as somebody does. Cancel-safe.
    pub async fn next(&mut self) -> AbortBy {
        tokio::select! {
            _signal = self.interrupt.recv() => AbortBy::Signal,
            _signal = self.hangup.recv() => AbortBy::Hangup,
            _signal = self.terminate.recv() => AbortBy::Terminate,
        }
    }
}
