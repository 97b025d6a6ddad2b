//! Tells whether a growing text is one closed JSON object or array. Owns a bracket count; knows
//! no grammar: what it calls closed may still be invalid. Owns how many values one text may hold.
//!
//! Invariant: constant work for each byte, however the text arrives, so that a hostile peer
//! cannot make it look at the same text twice.

/// The most values of one JSON text that is read into memory. A value costs some hundred bytes
/// there and three in the text, so a bound on the text alone bounds little.
pub(crate) const MAX_VALUES: usize = 200_000;

/// Whether a JSON text holds more values than any honest one, found without reading it in.
pub(crate) fn is_bulky(text: &str) -> bool {
    let mut balance = Balance::default();
    balance.push(text);
    balance.is_bulky()
}

/// The state of the brackets so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    depth: usize,
    marks: usize,
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

    /// Whether the text so far holds more values than any honest one. Never less than there are:
    /// each value but the first follows a bracket or a comma, or ends a key that does.
    pub(crate) fn is_bulky(&self) -> bool {
        self.marks > MAX_VALUES
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
                self.marks += 1;
            }
            b',' => self.marks += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b'"' => self.in_string = self.depth > 0,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn values_are_counted_and_strings_are_not_looked_into() {
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 1));
        assert!(!is_bulky(&list(MAX_VALUES)));
        assert!(is_bulky(&list(MAX_VALUES + 1)));
        assert!(is_bulky(&format!("[{}0]", "{\"\":0},".repeat(MAX_VALUES / 2))));
        assert!(!is_bulky(&format!("{{\"a\":\"{}\"}}", "[{,\\\"".repeat(MAX_VALUES))));
    }
}
