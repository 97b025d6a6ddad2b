//! The arithmetic: did a request fit, and was it read whole? Pure. Owns the bounds; knows no words.
//!
//! A server's count is compared with what must be in the request, and never with an estimate
//! alone: estimates are off by a factor of two. Some servers count only what they had not cached;
//! such a count is as small as that of a cut request. So a small count proves something only
//! - where the request is larger than the window that the server itself told;
//! - where the server was seen to count all, and counts less than before although the request has
//!   only grown;
//! - where it counts less than what is new in the request, which no cache can hold.
//!
//! Invariant: a server that read everything is never found to have cut.

use super::load::Load;

/// A smaller count says nothing where the window is not known: it may be what was not cached.
const LEAST_COUNT: u64 = 512;
/// Tokens that templates and counts may differ by.
const SLACK: u64 = 64;
/// What wording and tools may add to the messages.
const WORDING: u64 = 256;

/// The room that there is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// The window in tokens, if known.
    pub(super) window: Option<u64>,
    /// Whether the server told that so much is loaded.
    pub(super) is_told: bool,
}

/// A request, as it is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) load: Load,
    /// The request before it, if this one goes on where that one ended.
    pub(super) before: Option<Before>,
    pub(super) counting: Counting,
}

/// What a server counts, as far as it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Counting {
    #[default]
    Unknown,
    /// All that it reads, cached or not.
    All,
    /// At times only what it had not cached.
    Rest,
}

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) load: Load,
    /// What the server counted.
    pub(super) prompt: u64,
    pub(super) is_cut: bool,
}

impl Before {
    /// The count, if it can be that of the whole request.
    fn whole(&self) -> Option<u64> {
        let is_whole =
            !self.is_cut && self.prompt.saturating_add(self.prompt / 8) >= self.load.floor;
        is_whole.then_some(self.prompt)
    }
}

impl Sent {
    /// Whether the request is surely larger than the window.
    pub(super) fn is_too_much(&self, room: Room) -> bool {
        let Some(window) = room.window else { return false };
        let margin = if self.whole_before().is_some() { window / 8 } else { window / 2 };
        self.least() > window || self.likely() > window.saturating_add(margin)
    }

    /// Whether a server that counts `prompt` tokens left out a part of the request.
    pub(super) fn is_cut(&self, prompt: u64, room: Room) -> bool {
        let told = room.window.filter(|_| room.is_told);
        if told.is_some_and(|window| self.least() > window && prompt <= window) {
            return true;
        }
        let Some(new) = self.grown() else { return false };
        if told.is_some_and(|window| self.most() <= window) {
            return false;
        }
        let is_below_new = prompt >= LEAST_COUNT && prompt < seven_eighths(new.floor);
        let is_rest = prompt <= new.guess.saturating_mul(2).saturating_add(WORDING);
        is_below_new || (self.counting == Counting::All && self.is_below_before(prompt) && !is_rest)
    }

    /// What the server is seen to count, now that it counts `prompt` tokens, of them `cached`.
    pub(super) fn counting_after(&self, prompt: u64, cached: u64, is_cut: bool) -> Counting {
        let has_grown = match (self.whole_before(), self.grown()) {
            (Some(before), Some(new)) => {
                new.floor >= 16 && prompt >= before.saturating_add(seven_eighths(new.floor))
            }
            _ => false,
        };
        match self.counting {
            Counting::Unknown if is_cut => Counting::Unknown,
            Counting::Unknown if self.is_below_before(prompt) => Counting::Rest,
            Counting::Unknown if has_grown || (cached > 0 && cached < prompt) => Counting::All,
            known => known,
        }
    }

    /// The size that is shown: by what the server counted before, where it did.
    pub(super) fn likely(&self) -> u64 {
        let guess = match (self.before, self.whole_before(), self.grown()) {
            (Some(before), Some(prompt), Some(new)) => {
                let (low, high) = (before.load.guess / 2, before.load.guess.saturating_mul(2));
                let scaled = new.guess.saturating_mul(prompt.clamp(low, high));
                prompt.saturating_add(scaled / before.load.guess.max(1))
            }
            _ => self.load.guess,
        };
        guess.max(self.least())
    }

    /// So many tokens it has at least.
    fn least(&self) -> u64 {
        match (self.whole_before(), self.grown()) {
            // A template may word what is old more briefly.
            (Some(prompt), Some(new)) => {
                (prompt - prompt / 16).saturating_add(new.floor).max(self.load.floor)
            }
            _ => self.load.floor,
        }
    }

    /// So many tokens it has at most.
    fn most(&self) -> u64 {
        let most = match (self.whole_before(), self.grown()) {
            (Some(prompt), Some(new)) => prompt.saturating_add(new.guess.saturating_mul(2)),
            _ => self.load.guess.saturating_mul(2),
        };
        most.saturating_add(WORDING)
    }

    /// Whether it is less than was counted before, although the request has only grown.
    fn is_below_before(&self, prompt: u64) -> bool {
        self.whole_before().is_some() && prompt.saturating_add(SLACK) < seven_eighths(self.least())
    }

    fn whole_before(&self) -> Option<u64> {
        self.before.and_then(|before| before.whole())
    }

    fn grown(&self) -> Option<Load> {
        self.before.map(|before| self.load.beyond(before.load))
    }
}

fn seven_eighths(number: u64) -> u64 {
    number - number / 8
}

#[cfg(test)]
mod tests;
