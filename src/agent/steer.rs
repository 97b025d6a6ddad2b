//! What the user tells a running turn. Owns it until the turn's next request.
//!
//! Must not know when that is. Invariant: everything said comes out once, in order.

use std::sync::{Mutex, PoisonError};

/// What was said and not heard yet.
#[derive(Default)]
pub(super) struct Steering {
    said: Mutex<Vec<String>>,
}

impl Steering {
    /// Says something.
    pub(super) fn say(&self, text: String) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// What was said since the last time.
    pub(super) fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
