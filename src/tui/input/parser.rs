//! What the terminal sends, byte by byte, as events: keys, pastes, the mouse, the focus, answers.
//!
//! Owns which bytes belong together. Must not know what an event means, nor read anything. Pure:
//! it is told the time. Sequences after ECMA-48 §5.4 and §5.6; what they mean is [`csi`]'s.
//!
//! Invariant: nothing makes it deaf. A sequence that has no end is given up after a short silence,
//! at the first byte that cannot be part of it, or at its longest; what is unknown or makes no
//! sense is dropped; Esc and Ctrl-C are keys wherever they come.

mod csi;

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;
const CTRL_C: u8 = 0x03;
/// How long Esc is held, which may be the first byte of more: it stops a turn and must not wait.
const ESC_WAIT: Duration = Duration::from_millis(20);
/// The same while an answer of the terminal is awaited, which begins with it.
const ESC_WAIT_FOR_ANSWER: Duration = Duration::from_millis(40);
/// How long the rest of a sequence is waited for.
const REST: Duration = Duration::from_millis(100);
/// The same of an awaited answer: nobody types a whole one.
const REST_OF_ANSWER: Duration = Duration::from_secs(1);
/// How long the rest of a paste is waited for, over a slow line.
const REST_OF_PASTE: Duration = Duration::from_secs(1);
/// No control sequence is longer, and no string.
const LONGEST: usize = 128;
const LONGEST_STRING: usize = 64 << 10;
const PASTE_END: &[u8] = b"\x1b[201~";

/// What was sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sent {
    Event(Event),
    /// An answer to a question, without its frame: of an OSC its text, of a DA2 what stands before
    /// its last letter, which begins with `>`.
    Answer(String),
}

/// What the bytes so far begin with.
enum Step {
    /// More is needed to tell.
    More,
    /// So many bytes are of no use.
    Skip(usize),
    Sent(usize, Sent),
    /// A paste begins behind so many bytes.
    Paste(usize),
}

/// Makes events of bytes.
#[derive(Debug, Default)]
pub(super) struct Parser {
    held: Vec<u8>,
    /// What was pasted so far, while a paste is open, and how much of it was looked through for
    /// its end.
    paste: Option<(Vec<u8>, usize)>,
    /// When the last byte came.
    last: Option<Instant>,
    /// An answer is awaited.
    awaits: bool,
    ready: VecDeque<Sent>,
}

impl Parser {
    /// Takes what the terminal has sent. `awaits`: it was asked something.
    pub(super) fn take(&mut self, bytes: &[u8], (now, awaits): (Instant, bool)) {
        self.expire(now);
        let silent = self.last.map(|last| now.saturating_duration_since(last));
        if matches!(bytes, [ESC | CTRL_C]) && silent.is_some_and(|silent| silent >= REST) {
            // A key by itself: whoever presses it does not paste.
            self.end_paste();
        }
        self.awaits = awaits;
        self.last = Some(now);
        match &mut self.paste {
            Some((paste, _)) => paste.extend_from_slice(bytes),
            None => self.held.extend_from_slice(bytes),
        }
        self.parse();
    }

    /// Until when the rest of what is held is waited for.
    pub(super) fn until(&self) -> Option<Instant> {
        let wait = match (&self.paste, self.held.as_slice()) {
            (Some(_), _) => REST_OF_PASTE,
            (None, []) => return None,
            (None, [ESC] | [ESC, _]) if self.awaits => ESC_WAIT_FOR_ANSWER,
            (None, [ESC] | [ESC, _]) => ESC_WAIT,
            (None, [ESC, b']', ..]) if self.awaits => REST_OF_ANSWER,
            (None, _) => REST,
        };
        Some(self.last? + wait)
    }

    /// Gives up waiting if it was long enough.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.until().is_none_or(|until| now < until) {
            return;
        }
        self.end_paste();
        match std::mem::take(&mut self.held).as_slice() {
            [ESC, byte @ (b'[' | b'O' | b']' | b'P' | b'X' | b'^' | b'_')] => {
                self.key(with_alt(key_of(char::from(*byte))));
            }
            // It was the key, whatever came before it.
            [.., ESC] => self.key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)),
            _ => {}
        }
    }

    /// The next that is complete.
    pub(super) fn ready(&mut self) -> Option<Sent> {
        self.ready.pop_front()
    }

    fn key(&mut self, key: KeyEvent) {
        self.ready.push_back(Sent::Event(Event::Key(key)));
    }

    fn end_paste(&mut self) {
        if let Some((paste, _)) = self.paste.take() {
            let text = String::from_utf8_lossy(&paste).into_owned();
            self.ready.push_back(Sent::Event(Event::Paste(text)));
        }
    }

    fn parse(&mut self) {
        loop {
            if !self.close_paste() {
                return;
            }
            let held = std::mem::take(&mut self.held);
            let mut rest = held.as_slice();
            while !rest.is_empty() && self.paste.is_none() {
                let used = match step(rest) {
                    Step::More => break,
                    Step::Skip(used) => used,
                    Step::Sent(used, sent) => {
                        self.ready.push_back(sent);
                        used
                    }
                    Step::Paste(used) => {
                        self.paste = Some((Vec::new(), 0));
                        used
                    }
                };
                rest = rest.get(used.max(1)..).unwrap_or_default();
            }
            let Some((paste, _)) = &mut self.paste else {
                self.held = rest.to_vec();
                return;
            };
            paste.extend_from_slice(rest);
        }
    }

    /// Ends an open paste if its end is there. False if it goes on.
    fn close_paste(&mut self) -> bool {
        let Some((paste, known)) = &mut self.paste else { return true };
        let Some(end) = find(paste, PASTE_END, *known) else {
            *known = paste.len().saturating_sub(PASTE_END.len());
            return false;
        };
        self.held = paste.split_off(end).split_off(PASTE_END.len());
        self.end_paste();
        true
    }
}

/// Where a part stands first, from here on.
fn find(bytes: &[u8], part: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let rest = bytes.get(from..)?;
        let at = from + rest.iter().position(|byte| part.first() == Some(byte))?;
        if bytes.get(at..)?.starts_with(part) {
            return Some(at);
        }
        from = at + 1;
    }
}

fn step(bytes: &[u8]) -> Step {
    match bytes {
        [] | [ESC] => Step::More,
        // No Alt: whoever is not heard by Esc, because something holds it back, presses the other.
        [ESC, ESC | CTRL_C, ..] => sent(1, KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)),
        [ESC, b'[', ..] => control_sequence(bytes),
        [ESC, b'O', ..] => single_shift(bytes),
        [ESC, b']' | b'P' | b'X' | b'^' | b'_', ..] => string(bytes),
        [ESC, rest @ ..] => match character(rest) {
            Step::Sent(used, Sent::Event(Event::Key(key))) => sent(used + 1, with_alt(key)),
            Step::Skip(used) => Step::Skip(used + 1),
            other => other,
        },
        _ => character(bytes),
    }
}

fn sent(used: usize, key: KeyEvent) -> Step {
    Step::Sent(used, Sent::Event(Event::Key(key)))
}

fn with_alt(key: KeyEvent) -> KeyEvent {
    KeyEvent { modifiers: key.modifiers | KeyModifiers::ALT, ..key }
}

/// One character in UTF-8.
fn character(bytes: &[u8]) -> Step {
    let length = match bytes.first() {
        None => return Step::More,
        Some(0x00..=0x7f) => 1,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        Some(_) => return Step::Skip(1),
    };
    let whole = bytes.get(..length.min(bytes.len())).unwrap_or_default();
    match std::str::from_utf8(whole) {
        Ok(text) => text.chars().next().map_or(Step::Skip(1), |c| sent(length, key_of(c))),
        Err(error) if error.error_len().is_none() => Step::More,
        Err(_) => Step::Skip(1),
    }
}

/// The key that sends this character. The control characters are told by the key that most
/// keyboards have for them.
fn key_of(c: char) -> KeyEvent {
    let control = |c: u8| (KeyCode::Char(char::from(c)), KeyModifiers::CONTROL);
    let (code, modifiers) = match c {
        '\r' => (KeyCode::Enter, KeyModifiers::NONE),
        '\t' => (KeyCode::Tab, KeyModifiers::NONE),
        '\u{7f}' => (KeyCode::Backspace, KeyModifiers::NONE),
        '\u{1b}' => (KeyCode::Esc, KeyModifiers::NONE),
        '\0' => control(b' '),
        '\u{1}'..='\u{1a}' => control(c as u8 - 1 + b'a'),
        '\u{1c}'..='\u{1f}' => control(c as u8 - 0x1c + b'4'),
        c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
        c => (KeyCode::Char(c), KeyModifiers::NONE),
    };
    KeyEvent::new(code, modifiers)
}

fn control_sequence(bytes: &[u8]) -> Step {
    match bytes.get(2..) {
        // F1 to F5 of the Linux console.
        Some([b'[', letter @ b'A'..=b'E', ..]) => {
            return sent(4, KeyEvent::new(KeyCode::F(letter - b'A' + 1), KeyModifiers::NONE));
        }
        Some([b'[']) => return Step::More,
        // The old form of the mouse, which nobody asked for: three bytes follow.
        Some([b'M', rest @ ..]) => {
            return if rest.len() < 3 { Step::More } else { Step::Skip(6) };
        }
        _ => {}
    }
    let body = bytes.get(2..).unwrap_or_default();
    let end = body.iter().position(|byte| !matches!(byte, 0x20..=0x3f));
    let Some(end) = end else {
        return if bytes.len() > LONGEST { Step::Skip(bytes.len()) } else { Step::More };
    };
    let (parameters, last) = body.split_at_checked(end).unwrap_or((body, &[]));
    let used = 2 + end + 1;
    match last.first() {
        Some(last @ 0x40..=0x7e) => match csi::read(parameters, *last) {
            csi::Read::Event(event) => Step::Sent(used, Sent::Event(event)),
            csi::Read::Paste => Step::Paste(used),
            csi::Read::Answer(text) => Step::Sent(used, Sent::Answer(text)),
            csi::Read::Nothing => Step::Skip(used),
        },
        // Another sequence, or a key, begins here.
        _ => Step::Skip(2 + end),
    }
}

fn single_shift(bytes: &[u8]) -> Step {
    let Some(last) = bytes.get(2) else { return Step::More };
    match csi::of_letter(*last).or((*last == b'M').then_some(KeyCode::Enter)) {
        Some(code) => sent(3, KeyEvent::new(code, KeyModifiers::NONE)),
        None if *last < 0x20 => Step::Skip(2),
        None => Step::Skip(3),
    }
}

/// OSC, DCS, SOS, PM, APC: up to ST, or BEL.
fn string(bytes: &[u8]) -> Step {
    let body = bytes.get(2..).unwrap_or_default();
    let ends = |byte: &u8| matches!(byte, 0x00..=0x08 | 0x0a..=0x1f);
    let Some(end) = body.iter().position(ends) else {
        return if bytes.len() > LONGEST_STRING { Step::Skip(bytes.len()) } else { Step::More };
    };
    let used = match body.get(end..) {
        Some([BELL, ..]) => 2 + end + 1,
        Some([ESC, b'\\', ..]) => 2 + end + 2,
        Some([ESC]) => return Step::More,
        // No string: what begins here is something else.
        _ => return Step::Skip(2 + end),
    };
    if bytes.get(1) != Some(&b']') {
        return Step::Skip(used);
    }
    let text = String::from_utf8_lossy(body.get(..end).unwrap_or_default()).into_owned();
    Step::Sent(used, Sent::Answer(text))
}

#[cfg(test)]
mod tests;
