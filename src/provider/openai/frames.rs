//! Cuts the body of an event stream into JSON documents. Owns the framing, as the WHATWG rules
//! have it and as servers break it; knows no JSON beyond brackets, no network and no deltas.
//!
//! Invariant: pure; every byte is looked at once, however the body is cut; at most
//! [`MAX_FRAME`] bytes are held. What is no event is kept as stray text and never dropped.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::text::{
    balance::{self, Balance, MAX_VALUES},
    cut,
};

/// The most bytes of one event.
pub(super) const MAX_FRAME: usize = 2 * 1024 * 1024;
/// The most bytes of an event's name that are kept.
const MAX_EVENT: usize = 256;
/// The most bytes of stray text that are kept.
const MAX_STRAY: usize = 64 * 1024;

/// One thing that the server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A text that should be JSON, on one line.
    Document(String),
    /// The marker `[DONE]`.
    Done,
}

/// An event that is larger than any honest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlong {
    /// More than [`MAX_FRAME`] bytes.
    Bytes,
    /// More than [`MAX_VALUES`] values.
    Values,
}

impl Overlong {
    /// What it is larger than.
    pub(super) fn bound(self) -> String {
        match self {
            Self::Bytes => format!("{} MiB in one event", MAX_FRAME >> 20),
            Self::Values => format!("{MAX_VALUES} values in one event"),
        }
    }
}

/// The state between two reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Framer {
    line: Vec<u8>,
    after_cr: bool,
    past_first_line: bool,
    event: String,
    data: String,
    balance: Balance,
    stray: String,
    bulky: bool,
}

impl Framer {
    /// Takes what was read.
    ///
    /// # Errors
    /// An event grew over [`MAX_FRAME`], or holds too many values.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<Piece>) -> Result<(), Overlong> {
        for &byte in bytes {
            let ends = byte == b'\r' || byte == b'\n' && !self.after_cr;
            let second_half = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            if ends {
                self.end_line(out);
            } else if !second_half {
                self.line.push(byte);
            }
        }
        if self.line.len().saturating_add(self.data.len()) > MAX_FRAME {
            return Err(Overlong::Bytes);
        }
        self.check()
    }

    /// Takes the end of the body: an event that nobody closed is closed, one that is cut inside
    /// is dropped.
    ///
    /// # Errors
    /// The last event holds too many values.
    pub(super) fn finish(&mut self, out: &mut Vec<Piece>) -> Result<(), Overlong> {
        if !self.line.is_empty() {
            self.end_line(out);
        }
        if self.balance.is_closed() || !self.data.trim_start().starts_with(['{', '[']) {
            self.dispatch(out);
        }
        self.data.clear();
        let stray = std::mem::take(&mut self.stray);
        match serde_json::from_str::<Value>(stray.trim()) {
            Ok(value) if value.is_object() => out.push(Piece::Document(value.to_string())),
            _ => self.stray = stray,
        }
        self.check()
    }

    /// Text that belongs to no event.
    pub(super) fn stray(&self) -> &str {
        self.stray.trim()
    }

    fn check(&self) -> Result<(), Overlong> {
        if self.bulky { Err(Overlong::Values) } else { Ok(()) }
    }

    /// Whether nobody should read this text in.
    fn refuses(&mut self, text: &str) -> bool {
        self.bulky |= balance::is_bulky(text);
        self.bulky
    }

    fn end_line(&mut self, out: &mut Vec<Piece>) {
        let raw = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&raw);
        let mut line = text.as_ref();
        if !std::mem::replace(&mut self.past_first_line, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(out);
        } else if line.starts_with('{') {
            self.bare(line, out);
        } else if !line.starts_with(':') {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "data" => self.add_data(value, out),
                "event" => cut::head(value.trim(), MAX_EVENT).clone_into(&mut self.event),
                // No field of an event stream, but what some servers send as their last word.
                "error" if self.refuses(value) => {}
                "error" => out.push(error_document(value)),
                "id" | "retry" => {}
                _ => self.keep(line),
            }
        }
    }

    fn add_data(&mut self, value: &str, out: &mut Vec<Piece>) {
        // A server that leaves out the blank lines would otherwise never have an event's end.
        if self.balance.is_closed() {
            let event = self.event.clone();
            self.dispatch(out);
            self.event = event;
        }
        if !self.data.is_empty() {
            self.data.push(' ');
        }
        self.data.push_str(value);
        self.balance.push(value);
    }

    fn dispatch(&mut self, out: &mut Vec<Piece>) {
        let data = std::mem::take(&mut self.data);
        let event = std::mem::take(&mut self.event);
        self.bulky |= std::mem::take(&mut self.balance).is_bulky();
        let data = data.trim();
        if data.is_empty() || self.bulky {
        } else if data == "[DONE]" {
            out.push(Piece::Done);
        } else if event == "error" {
            out.push(error_document(data));
        } else if data.starts_with(['{', '[']) {
            out.push(Piece::Document(data.to_owned()));
        } else {
            self.keep(data);
        }
    }

    /// A line that looks like JSON and stands outside of any event.
    fn bare(&mut self, line: &str, out: &mut Vec<Piece>) {
        if self.refuses(line) {
            return;
        }
        match serde_json::from_str::<IgnoredAny>(line) {
            Ok(_) => out.push(Piece::Document(line.trim().to_owned())),
            Err(_) => self.keep(line),
        }
    }

    fn keep(&mut self, line: &str) {
        if self.stray.len().saturating_add(line.len()) < MAX_STRAY {
            self.stray.push_str(line);
            self.stray.push('\n');
        }
    }
}

/// An error event as a document with an `error` key.
fn error_document(text: &str) -> Piece {
    let document = match serde_json::from_str::<Value>(text.trim()) {
        Ok(value) if value.get("error").is_some_and(|error| !error.is_null()) => value,
        Ok(value) => json!({ "error": value }),
        Err(_) => json!({ "error": { "message": text.trim() } }),
    };
    Piece::Document(document.to_string())
}

#[cfg(test)]
mod tests;
