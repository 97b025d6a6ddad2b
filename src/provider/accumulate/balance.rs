//! Tells whether a growing text is one closed JSON object or array. Owns a bracket count; knows
//! no grammar: what it calls closed may still be invalid.
//!
//! Invariant: constant work for each byte, however the text arrives, so that a hostile peer
//! cannot make it look at the same text twice.

/// The state of the brackets so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    depth: usize,
    opened: bool,
    in_string: bool,
    escaped: bool,
}

impl Balance {
    /// Takes in more of the text.
    pub(crate) fn push(&mut self, text: &str) {
        for byte in text.bytes() {
            self.step(byte);
        }
    }

    /// Whether the text so far began with a bracket and every bracket is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.opened && self.depth == 0
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.opened = true;
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b'"' => self.in_string = self.depth > 0,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Balance;

    fn closed(text: &str) -> bool {
        let mut balance = Balance::default();
        balance.push(text);
        balance.is_closed()
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert!(closed(r#"{"a":"}{[\"","b":[1,{}]}"#));
        assert!(!closed(r#"{"a":"}"#));
        assert!(!closed(r#"{"a":"\"}"#));
    }

    #[test]
    fn nothing_and_plain_words_are_not_closed() {
        assert!(!closed(""));
        assert!(!closed("quota exceeded"));
        assert!(closed("[DONE]"));
    }
}
