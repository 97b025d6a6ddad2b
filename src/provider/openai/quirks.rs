//! What servers turn out not to take. Owns the table: which field, how a refusal is recognised,
//! how the request is repaired; and what this server refused before.
//!
//! Invariant: each quirk repeats a request at most once in the life of a provider.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// One thing that a server may refuse.
struct Quirk {
    /// The field that the refusal names and that is then left out.
    field: &'static str,
    /// Statuses of such a refusal.
    statuses: &'static [u16],
}

const QUIRKS: [Quirk; 1] = [Quirk { field: "stream_options", statuses: &[400, 422] }];

/// What a server is known to refuse.
#[derive(Debug, Default)]
pub(super) struct Quirks(AtomicU32);

impl Quirks {
    /// Leaves out of a request what the server refused before.
    pub(super) fn repair(&self, body: &mut Value) {
        let known = self.0.load(Ordering::Relaxed);
        let Some(body) = body.as_object_mut() else { return };
        for (place, quirk) in QUIRKS.iter().enumerate() {
            if known & (1 << place) != 0 {
                body.remove(quirk.field);
            }
        }
    }

    /// Learns from a refusal of `sent`. True if the request is worth repeating.
    pub(super) fn learn(&self, status: Option<u16>, answer: &str, sent: &Value) -> bool {
        let mut learned = false;
        for (place, quirk) in QUIRKS.iter().enumerate() {
            let named = status.is_some_and(|status| quirk.statuses.contains(&status))
                && answer.contains(quirk.field)
                && sent.get(quirk.field).is_some();
            if named {
                self.0.fetch_or(1 << place, Ordering::Relaxed);
                learned = true;
            }
        }
        learned
    }
}
