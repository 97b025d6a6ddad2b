//! The emulator of the terminal: what the program wrote, what it shows of that, what it answers.

use std::{
    io::{Read, Write},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender},
    },
    time::Duration,
};

pub(super) struct Display {
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
}

pub(super) struct State {
    pub(super) parser: vt100::Parser<Answers>,
    pub(super) bytes: Vec<u8>,
    pub(super) closed: bool,
}

impl Display {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        most: Duration,
    ) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }
}

pub(super) fn write_all(mut terminal: Box<dyn Write + Send>, queue: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = queue.recv() {
        if terminal.write_all(&bytes).and_then(|()| terminal.flush()).is_err() {
            return;
        }
    }
}

pub(super) fn read_all(
    mut terminal: Box<dyn Read + Send>,
    display: &Display,
    answers: &Sender<Vec<u8>>,
) {
    let mut buffer = [0; 8192];
    let mut held = Vec::new();
    loop {
        let count = terminal.read(&mut buffer).unwrap_or(0);
        let mut state = display.lock();
        let read = buffer.get(..count).unwrap_or_default();
        state.bytes.extend_from_slice(read);
        held.extend_from_slice(read);
        state.closed = count == 0;
        let whole = if state.closed { held.len() } else { whole_frames(&held) };
        state.parser.process(&held.drain(..whole).collect::<Vec<u8>>());
        for answer in state.parser.callbacks_mut().pending.drain(..) {
            // nobody is left to read an answer once the test has dropped its terminal
            drop(answers.send(answer));
        }
        display.changed.notify_all();
        if state.closed {
            return;
        }
    }
}

/// How many of these bytes can be shown: all but a frame that has begun and not ended, and a
/// beginning that is not there whole yet. A terminal that knows synchronised output shows no
/// half frames either, so no test must see one.
fn whole_frames(bytes: &[u8]) -> usize {
    const BEGIN: &[u8] = b"\x1b[?2026h";
    const END: &[u8] = b"\x1b[?2026l";
    let last = |part: &[u8]| bytes.windows(part.len()).rposition(|window| window == part);
    match last(BEGIN) {
        Some(begin) if last(END) < Some(begin) => begin,
        _ => {
            let tail = (1..BEGIN.len()).rev().find(|length| bytes.ends_with(&BEGIN[..*length]));
            bytes.len() - tail.unwrap_or(0)
        }
    }
}

/// What a terminal answers to a program's questions; each answer is one write.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) tells_background: bool,
    pub(super) pending: Vec<Vec<u8>>,
}

impl Answers {
    fn answer(&mut self, text: impl Into<String>) {
        self.pending.push(text.into().into_bytes());
    }
}

impl vt100::Callbacks for Answers {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        end: char,
    ) {
        let param = params.first().and_then(|param| param.first()).copied();
        match (first, second, param, end) {
            (None, None, Some(6), 'n') => {
                let (row, col) = screen.cursor_position();
                self.answer(format!("\x1b[{};{}R", row + 1, col + 1));
            }
            (None, None, Some(5), 'n') => self.answer("\x1b[0n"),
            (None, None, None | Some(0), 'c') => self.answer("\x1b[?62;22c"),
            (Some(b'?'), None, _, 'u') => self.answer("\x1b[?0u"),
            (Some(b'?'), Some(b'$'), Some(2026), 'p') => self.answer("\x1b[?2026;2$y"),
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        match params {
            [b"10", b"?"] => self.answer("\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
            [b"11", b"?"] if self.tells_background => {
                self.answer("\x1b]11;rgb:1010/1010/1010\x1b\\");
            }
            _ => {}
        }
    }
}
