//! The bytes that the terminal sends.
//!
//! Owns the thread that reads standard input as soon as there is something, without making it
//! non-blocking: that would be so for whoever shares the terminal. Must not know what the bytes
//! mean. Invariant: once this is dropped nothing is read any more, so that another program gets
//! every byte from then on.

use std::{
    io::{self, PipeReader, PipeWriter, Stdin},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    thread::JoinHandle,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
};

/// Bytes that are read at once, and that wait to be taken before no more are read.
const AT_ONCE: usize = 64 << 10;
const MOST: usize = 4 << 20;

/// Reads standard input.
pub(super) struct Reader {
    shared: Arc<Shared>,
    /// Closed to end the thread.
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Something was taken, or the end is wanted.
    room: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The terminal sends nothing any more.
    gone: bool,
    /// Nobody wants more.
    over: bool,
    waker: Option<Waker>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts bytes down, or tells that there will be no more; gives whether to go on.
    fn put(&self, bytes: Option<&[u8]>) -> bool {
        let mut state = self.state();
        state.bytes.extend_from_slice(bytes.unwrap_or_default());
        state.gone |= bytes.is_none();
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
        while state.bytes.len() >= MOST && !state.over {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.gone && !state.over
    }
}

impl Reader {
    /// Begins to read.
    pub(super) fn open() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (end, stop) = io::pipe()?;
        let thread = std::thread::Builder::new().name("terminal reader".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || read(&shared, &io::stdin(), &end)
        })?;
        Ok(Self { shared, stop: Some(stop), thread: Some(thread) })
    }

    /// What there is; nothing at all if the terminal is gone. Pending as long as there is nothing.
    /// Cancel-safe.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Vec<u8>> {
        let mut state = self.shared.state();
        if state.bytes.is_empty() && !state.gone {
            state.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        self.shared.room.notify_one();
        Poll::Ready(std::mem::take(&mut state.bytes))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.state().over = true;
        self.shared.room.notify_one();
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join().is_ok();
        }
    }
}

fn read(shared: &Shared, stdin: &Stdin, end: &PipeReader) {
    let mut bytes = vec![0; AT_ONCE];
    loop {
        let mut fds = [PollFd::new(stdin, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
        let polled = poll(&mut fds, None);
        let [from_terminal, from_end] = fds.map(|fd| !fd.revents().is_empty());
        match polled {
            Err(Errno::INTR) => continue,
            Ok(_) if from_end => return,
            Ok(_) if !from_terminal => continue,
            Ok(_) => {}
            Err(_) => {
                shared.put(None);
                return;
            }
        }
        let read = match rustix::io::read(stdin, &mut bytes) {
            Err(Errno::INTR | Errno::AGAIN) => continue,
            // Zero bytes, or an error: the other end of the terminal is closed.
            Ok(0) | Err(_) => None,
            Ok(count) => bytes.get(..count),
        };
        if !shared.put(read) {
            return;
        }
    }
}
