//! Text of which nothing is hidden: nobody can decide on what cannot be seen. Pure.
//!
//! Invariant: whatever the sanitiser would drop stands there as its code point.

use std::{borrow::Cow, fmt::Write as _};

use crate::text::sanitize::sanitize;

/// Makes what [`sanitize`] would drop visible. Tabs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        let one: &str = c.encode_utf8(&mut buffer);
        if c == '\t' || sanitize(one) == one {
            shown.push(c);
        } else {
            // Writing to a string cannot fail.
            let _written = write!(shown, "<U+{:04X}>", u32::from(c)).is_ok();
        }
    }
    Cow::Owned(shown)
}
