//! Keys that come faster than anybody types: a paste from a terminal that does not mark pastes, or
//! the keys of a script.
//!
//! Owns which keys belong together, and whether they are text. Must not know what a key means, nor
//! who gets it. Pure: it is told the time, and when the terminal had nothing more to give.
//!
//! The rule. Letters, blanks, tabs and line breaks make a burst as long as the next one is there
//! already or comes within [`NEAR`]; any other key ends it. When it has ended:
//!
//! - A key by itself is a key, and so are fewer than [`FEW`] of them, or one that repeats.
//! - A line break with something behind it makes the whole burst a paste, to its last line break:
//!   nothing is sent by it.
//! - Of one line, the letters are text: they answer no question and move no mark. An Enter behind
//!   them is a key: whoever types by a script sends so. Tabs at the two ends are keys, too.
//!
//! Keys that did not come alone say so by their kind, which is that of a key that is held down: no
//! question is answered by them, and no prompt is sent by them beside one.
//!
//! A burst that is a paste goes on over pauses up to [`PAUSE`], as a line that is slow makes them;
//! what comes apart there, and is not overtaken by more, is keys: an Enter of its own sends. What
//! follows a paste within [`SETTLE`], at the speed of one, belongs to it.
//!
//! Invariant: all that is taken is given on, in its order, and none of it later than [`PAUSE`]
//! after the terminal fell silent.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// How long a key by itself waits for company. No eye sees it.
const LONE: Duration = Duration::from_millis(3);
/// Nobody presses two keys on purpose within this.
const NEAR: Duration = Duration::from_millis(10);
/// The longest pause within a paste.
const PAUSE: Duration = Duration::from_millis(100);
/// How long after a paste its rest may come, over a slow line.
const SETTLE: Duration = Duration::from_millis(300);
/// Fewer keys than this may be two hands.
const FEW: usize = 3;
/// No key that is held down repeats so often within one burst, and no script types so much by keys.
const MANY: usize = 64;

/// What comes of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Key(KeyEvent),
    /// What many keys at once have written.
    Text(String),
}

/// Puts keys together that belong together.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    held: Vec<KeyEvent>,
    /// How many of them belong together; those behind came apart.
    joined: usize,
    /// Whether a line break with something behind it is among those.
    has_lines: bool,
    /// The first of them was near to the key before.
    is_near: bool,
    /// Since when the terminal has had nothing.
    silent: Option<Instant>,
    /// When what is held has ended, if nothing more comes.
    until: Option<Instant>,
    /// When the last paste of lines ended.
    pasted: Option<Instant>,
    ready: VecDeque<Typed>,
}

impl Bursts {
    /// Takes a key.
    pub(super) fn take(&mut self, key: KeyEvent, now: Instant) {
        self.expire(now);
        let since = self.silent.take();
        let is_near = since.is_none_or(|since| now.saturating_duration_since(since) < NEAR);
        if !is_text(&key) {
            self.is_near |= is_near && !self.held.is_empty();
            self.end(now);
            self.ready.push_back(Typed::Key(key));
            if key.code == KeyCode::Esc {
                // It was held for a while, as the first byte of more, and came that much earlier.
                self.silent = now.checked_sub(NEAR);
            }
            return;
        }
        if self.held.is_empty() {
            self.is_near = is_near;
        }
        self.held.push(key);
        if self.held.len() == 1 || is_near {
            self.join();
        }
    }

    /// All that is held belongs together.
    fn join(&mut self) {
        let new = self.held.iter().skip(self.joined.saturating_sub(1));
        let before_last = self.held.len() - self.joined.max(1);
        self.has_lines |= new.take(before_last).map(written).any(is_break);
        self.joined = self.held.len();
        self.until = None;
    }

    /// The terminal has nothing more at the moment. Gives whether [`Self::until`] is another now.
    pub(super) fn quiet(&mut self, now: Instant) -> bool {
        self.silent.get_or_insert(now);
        let is_new = !self.held.is_empty() && self.until.is_none();
        if is_new {
            self.until = Some(now + self.wait());
        }
        is_new
    }

    fn wait(&self) -> Duration {
        match self.joined {
            some if self.has_lines && some >= FEW => PAUSE,
            1 if !self.is_near => LONE,
            few if few < MANY => NEAR,
            _ => PAUSE,
        }
    }

    /// Until when more is waited for.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Gives up waiting if it was long enough.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.until.is_some_and(|until| until <= now) {
            self.end(now);
        }
    }

    /// Something else came: what is held has ended.
    pub(super) fn end(&mut self, now: Instant) {
        self.until = None;
        let mut joined = std::mem::take(&mut self.held);
        let apart = joined.split_off(std::mem::take(&mut self.joined).min(joined.len()));
        let follows = self.pasted.is_some_and(|then| now.saturating_duration_since(then) < SETTLE);
        let has_lines = std::mem::take(&mut self.has_lines) && joined.len() >= FEW;
        let is_paste = has_lines && !is_repeated(&joined) || follows && joined.len() > 1;
        if is_paste {
            self.pasted = Some(now);
            self.ready.push_back(Typed::Text(joined.iter().map(written).collect()));
        } else {
            let in_company = joined.len() > 1 || self.is_near;
            if in_company {
                for key in &mut joined {
                    key.kind = KeyEventKind::Repeat;
                }
            }
            line(&joined, &mut self.ready);
        }
        self.is_near = false;
        self.ready.extend(apart.into_iter().map(Typed::Key));
    }

    /// The next that is ready.
    pub(super) fn ready(&mut self) -> Option<Typed> {
        self.ready.pop_front()
    }
}

/// A burst of one line: text between keys.
fn line(keys: &[KeyEvent], ready: &mut VecDeque<Typed>) {
    let is_edge = |key: &&KeyEvent| key.code == KeyCode::Tab;
    let (sent, rest) = match keys.split_last() {
        Some((last, rest)) if is_break(written(last)) => (Some(last), rest),
        _ => (None, keys),
    };
    let before = rest.iter().take_while(is_edge).count();
    let (before, rest) = rest.split_at_checked(before).unwrap_or((rest, &[]));
    let behind = rest.iter().rev().take_while(is_edge).count();
    let (text, behind) = rest.split_at_checked(rest.len() - behind).unwrap_or((rest, &[]));
    let key = |key: &KeyEvent| Typed::Key(*key);
    ready.extend(before.iter().map(key));
    if text.len() < FEW || is_repeated(text) {
        ready.extend(text.iter().map(key));
    } else {
        ready.push_back(Typed::Text(text.iter().map(written).collect()));
    }
    ready.extend(behind.iter().chain(sent).map(key));
}

/// Whether one key was held down, or pressed again and again.
fn is_repeated(keys: &[KeyEvent]) -> bool {
    let same = keys.iter().zip(keys.iter().skip(1)).all(|(one, next)| one == next);
    same && keys.len() < MANY
}

/// Whether this writes something, wherever one can write.
fn is_text(key: &KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => true,
        KeyCode::Char(_) => (key.modifiers - KeyModifiers::SHIFT).is_empty(),
        KeyCode::Enter | KeyCode::Tab => key.modifiers.is_empty(),
        _ => false,
    }
}

/// What a key that is text has written; a line feed comes as Ctrl-J.
fn written(key: &KeyEvent) -> char {
    match key.code {
        KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::CONTROL) => '\n',
        KeyCode::Char(c) => c,
        KeyCode::Tab => '\t',
        _ => '\r',
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n')
}

#[cfg(test)]
mod tests;
