//! The terminal's answer to the question for its background (OSC 11).
//!
//! Owns the question, until when an answer counts, and what it says. Must not know what the
//! background is good for. Pure: it is told the time.

use std::time::{Duration, Instant};

use super::theme::Ground;

/// The question.
pub(super) const QUESTION: &str = "\x1b]11;?\x1b\\";
/// How long after the question an answer counts; one that comes later changes nothing any more.
const LIMIT: Duration = Duration::from_secs(2);
/// How long after the question the terminal is not given away without the answer, which whoever
/// gets it would take for typed.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether an answer is to come.
#[derive(Debug, Default)]
pub(super) struct Background {
    asked: Option<Instant>,
}

impl Background {
    /// The question was put.
    pub(super) fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Until when the answer is to be waited for before somebody else gets the terminal. `None` if
    /// none is to come, or not any more.
    pub(super) fn awaited(&self, now: Instant) -> Option<Instant> {
        self.asked.map(|asked| asked + PATIENCE).filter(|until| now < *until)
    }

    /// Takes an answer to any question. Gives what it says of the background, if it was asked for
    /// that, and not too long ago.
    pub(super) fn answered(&mut self, text: &str, now: Instant) -> Option<Ground> {
        let color = text.strip_prefix("11;")?;
        let asked = self.asked.take()?;
        read(color).filter(|_| now.saturating_duration_since(asked) <= LIMIT)
    }
}

/// Reads `rgb:1e1e/1e1e/1e1e` and its kin.
fn read(color: &str) -> Option<Ground> {
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
