//! The signals that ask a program to end. Owns which ones these are; must not know what is ended.
//!
//! Invariant: each that ends a program by default and can be caught is heard, so that the terminal
//! is given back and everything that was started ends too.

use std::{
    future::poll_fn,
    io,
    task::{Context, Poll},
};

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::protocol::exit::AbortBy;

/// Those that mean the same as SIGTERM to a program that has no use of its own for them.
const TERMINATE: [Number; 8] = [
    Number::TERM,
    Number::QUIT,
    Number::ABORT,
    Number::USR1,
    Number::USR2,
    Number::ALARM,
    Number::XCPU,
    Number::VTALARM,
];

/// Hears signals, which from then on no longer end the program by themselves.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    hangup: Signal,
    terminate: Vec<Signal>,
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
            terminate: TERMINATE
                .iter()
                .map(|number| signal(SignalKind::from_raw(number.as_raw())))
                .collect::<io::Result<_>>()?,
        })
    }

    /// Who asks to stop, as soon as somebody does. Cancel-safe.
    pub async fn next(&mut self) -> AbortBy {
        self.next_if(true).await
    }

    /// The same; without interrupts if those are for somebody else now. Cancel-safe.
    pub async fn next_if(&mut self, interrupts: bool) -> AbortBy {
        poll_fn(|context| self.poll(context, interrupts)).await
    }

    /// Forgets the interrupts that came.
    ///
    /// # Errors
    /// Signals cannot be heard.
    pub fn forget_interrupts(&mut self) -> io::Result<()> {
        self.interrupt = signal(SignalKind::interrupt())?;
        Ok(())
    }

    fn poll(&mut self, context: &mut Context<'_>, interrupts: bool) -> Poll<AbortBy> {
        let mut came = |signal: &mut Signal| signal.poll_recv(context).is_ready();
        if self.terminate.iter_mut().any(&mut came) {
            return Poll::Ready(AbortBy::Terminate);
        }
        if came(&mut self.hangup) {
            return Poll::Ready(AbortBy::Hangup);
        }
        if interrupts && came(&mut self.interrupt) {
            return Poll::Ready(AbortBy::Signal);
        }
        Poll::Pending
    }
}
