//! [`Links`]: where the links of the answers lead, each under a number that a cell can carry. Owns
//! the numbers, and the form of a link in the terminal's stream (OSC 8). Must not know what is drawn.
//!
//! Invariant: only an address that [`address`] let pass has a number; a number means the same
//! address for ever; what is kept is bounded. A target without a number is drawn as text.

pub(super) mod address;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::theme::link::MOST;

/// Ends a link.
pub(super) const END: &str = "\x1b]8;;\x1b\\";
/// Bytes that are kept, each address with what it weighs besides its text.
const MOST_BYTES: usize = 1 << 20;
const WEIGHT: usize = 100;

/// The links that were drawn. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Links {
    /// `None` where links are not told to the terminal.
    known: Option<Arc<Mutex<Known>>>,
}

#[derive(Default)]
struct Known {
    numbers: HashMap<Arc<str>, u32>,
    addresses: Vec<Arc<str>>,
    bytes: usize,
}

impl Links {
    /// For a terminal that has links.
    pub(super) fn on() -> Self {
        Self { known: Some(Arc::default()) }
    }

    /// Whether the terminal is told of links.
    pub(super) fn are_on(&self) -> bool {
        self.known.is_some()
    }

    /// The number of the link that leads to this target; `None` if it is to be drawn as text.
    pub(super) fn number(&self, target: &str) -> Option<u32> {
        let known = self.known.as_ref()?;
        let address = address::of(target)?;
        known.lock().unwrap_or_else(PoisonError::into_inner).number(&address)
    }

    /// What begins the link with this number.
    pub(super) fn begin(&self, number: u32) -> Option<String> {
        let known = self.known.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let address = known.addresses.get(at)?;
        // The id joins the rows of one link, and what was drawn of it at different times.
        Some(format!("\x1b]8;id={number};{address}\x1b\\"))
    }
}

impl Known {
    fn number(&mut self, address: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(address) {
            return Some(*number);
        }
        let bytes = self.bytes + address.len() + WEIGHT;
        let number = u32::try_from(self.addresses.len() + 1).ok().filter(|it| *it <= MOST)?;
        if bytes > MOST_BYTES {
            return None;
        }
        let address: Arc<str> = address.into();
        self.addresses.push(Arc::clone(&address));
        self.numbers.insert(address, number);
        self.bytes = bytes;
        Some(number)
    }
}
