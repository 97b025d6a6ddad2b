//! The terminal's answer to the question for its background (OSC 11), found among the keys.
//!
//! The reader of keys does not know this answer and gives it out as if it had been typed: Alt-],
//! the characters, and Alt-\ or Ctrl-G. Owns finding it again, whole or in pieces. Must not know
//! what the background is good for. Pure: it is told the time.
//!
//! Invariant: while an answer is outstanding no part of one that comes whole is given on as keys,
//! and all keys that are no such part are given on in their order, none later than [`HOLD`].

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::theme::Ground;

/// The question.
pub(super) const QUESTION: &str = "\x1b]11;?\x1b\\";
/// How long after the question an answer counts; one that comes later changes nothing any more.
const LIMIT: Duration = Duration::from_secs(2);
/// How long after the question the terminal is not given away without the answer.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long keys are held that may be the beginning of the answer. Nobody types a whole one.
const HOLD: Duration = Duration::from_secs(1);
/// How long Esc is held, which may be its first byte: it stops a turn and must not wait long.
const HOLD_ESC: Duration = Duration::from_millis(40);
/// No answer is longer.
const LONGEST: usize = 40;

/// What comes of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sorted {
    /// It may be part of the answer.
    Held,
    /// The answer is there. It says nothing if it came too late or cannot be read.
    Answer(Option<Ground>),
    /// These are keys.
    Keys,
}

/// Sorts keys while an answer is outstanding.
#[derive(Debug)]
pub(super) struct Background {
    asked: Option<Instant>,
    /// What may be the answer, and when its last part came.
    held: Vec<KeyEvent>,
    since: Option<Instant>,
    /// Whether the last key that was given on was Esc: the rest of an answer may follow it.
    after_esc: bool,
    /// What is to be given on.
    ready: VecDeque<KeyEvent>,
}

/// What the held keys are.
enum Part {
    /// The beginning of an answer.
    Beginning,
    /// A whole one.
    Whole,
    /// None.
    Keys,
}

impl Background {
    /// Nothing was asked.
    pub(super) fn new() -> Self {
        Self {
            asked: None,
            held: Vec::new(),
            since: None,
            after_esc: false,
            ready: VecDeque::new(),
        }
    }

    /// The question was put.
    pub(super) fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Until when the answer is to be waited for before somebody else gets the terminal, and would
    /// take it for typed. `None` if none is to come, or not any more.
    pub(super) fn awaited(&self, now: Instant) -> Option<Instant> {
        self.asked.map(|asked| asked + PATIENCE).filter(|until| now < *until)
    }

    /// Takes a key. Those that are none of the answer come out of [`Background::ready`].
    pub(super) fn sort(&mut self, key: KeyEvent, now: Instant) -> Sorted {
        let Some(asked) = self.asked else {
            self.ready.push_back(key);
            return Sorted::Keys;
        };
        self.held.push(key);
        self.since = Some(now);
        match self.part(now) {
            Part::Beginning => Sorted::Held,
            Part::Whole => {
                let text: String = self.held.iter().filter_map(character).collect();
                self.held.clear();
                self.asked = None;
                let in_time = now.saturating_duration_since(asked) <= LIMIT;
                Sorted::Answer(read(&text).filter(|_| in_time))
            }
            Part::Keys => {
                // The last of them may be the first of the answer.
                if self.held.len() > 1
                    && let Some(last) = self.held.pop()
                {
                    self.release();
                    return match self.sort(last, now) {
                        Sorted::Held => Sorted::Keys,
                        sorted => sorted,
                    };
                }
                self.release();
                Sorted::Keys
            }
        }
    }

    /// Until when what is held is held.
    pub(super) fn until(&self) -> Option<Instant> {
        let hold = match self.held.as_slice() {
            [] => return None,
            [one] if one.code == KeyCode::Esc => HOLD_ESC,
            _ => HOLD,
        };
        Some(self.since? + hold)
    }

    /// Gives up what was held long enough.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.until().is_some_and(|until| until <= now) {
            self.release();
        }
    }

    /// The next key that is one.
    pub(super) fn ready(&mut self) -> Option<KeyEvent> {
        self.ready.pop_front()
    }

    fn release(&mut self) {
        self.after_esc = self.held.last().is_some_and(|key| key.code == KeyCode::Esc);
        self.ready.extend(self.held.drain(..));
        self.since = None;
    }

    fn part(&self, now: Instant) -> Part {
        let (first, rest) = match self.held.split_first() {
            Some((first, rest)) if is(first, ']', KeyModifiers::ALT) => (first, rest),
            Some((first, rest)) if self.after_esc && is(first, ']', KeyModifiers::NONE) => {
                (first, rest)
            }
            Some((esc, [])) if esc.code == KeyCode::Esc => return self.esc(now),
            Some((esc, [first, rest @ ..]))
                if esc.code == KeyCode::Esc && is(first, ']', KeyModifiers::NONE) =>
            {
                (first, rest)
            }
            _ => return Part::Keys,
        };
        debug_assert!(first.code == KeyCode::Char(']'), "an answer begins with a bracket");
        body(rest)
    }

    /// Esc alone is only held while the answer is still to be expected.
    fn esc(&self, now: Instant) -> Part {
        let expected = self.asked.is_some_and(|at| now.saturating_duration_since(at) <= LIMIT);
        if expected { Part::Beginning } else { Part::Keys }
    }
}

/// What follows the bracket: `11;rgb:` and numbers, and then one of the ends.
fn body(keys: &[KeyEvent]) -> Part {
    const START: &str = "11;";
    if keys.len() > LONGEST {
        return Part::Keys;
    }
    let mut open = keys.iter().enumerate();
    for (n, key) in open.by_ref() {
        let fits = match (START.chars().nth(n), character(key)) {
            (Some(want), Some(found)) => want == found,
            (None, Some(found)) => found.is_ascii_alphanumeric() || ":/#,.?".contains(found),
            (_, None) => false,
        };
        if fits {
            continue;
        }
        let ends = n >= START.len();
        let is_last = n + 1 == keys.len();
        let bell = is(key, 'g', KeyModifiers::CONTROL);
        let terminator = is(key, '\\', KeyModifiers::ALT);
        let parted = key.code == KeyCode::Esc
            && keys.get(n + 1).is_none_or(|key| is(key, '\\', KeyModifiers::NONE));
        return match () {
            () if ends && is_last && (bell || terminator) => Part::Whole,
            () if ends && parted && is_last => Part::Beginning,
            () if ends && parted && n + 2 == keys.len() => Part::Whole,
            () => Part::Keys,
        };
    }
    Part::Beginning
}

fn is(key: &KeyEvent, character: char, modifiers: KeyModifiers) -> bool {
    key.code == KeyCode::Char(character) && key.modifiers == modifiers
}

/// The character that was sent, if it was one by itself.
fn character(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
        _ => None,
    }
}

/// Reads `11;rgb:1e1e/1e1e/1e1e` and its kin.
fn read(text: &str) -> Option<Ground> {
    let (_, color) = text.trim_end_matches('\\').split_once("11;")?;
    let numbers: Vec<f64> = if let Some(hex) = color.strip_prefix('#') {
        let each = hex.len() / 3;
        let part = |n: usize| number(hex.get(n * each..(n + 1) * each)?);
        (0..3).filter_map(part).collect()
    } else {
        let (_, numbers) = color.split_once(':')?;
        numbers.split('/').filter_map(number).collect()
    };
    let [r, g, b] = numbers.get(..3)? else { return None };
    // How light the eye finds it; in the middle both would do.
    let light = 0.299 * r + 0.587 * g + 0.114 * b;
    Some(if light > 0.5 { Ground::Light } else { Ground::Dark })
}

/// A number of one to four digits, of what it could be at most.
fn number(hex: &str) -> Option<f64> {
    let most = match hex.len() {
        1 => 0xf,
        2 => 0xff,
        3 => 0xfff,
        4 => 0xffff,
        _ => return None,
    };
    Some(f64::from(u32::from_str_radix(hex, 16).ok()?) / f64::from(most))
}

#[cfg(test)]
mod tests;
