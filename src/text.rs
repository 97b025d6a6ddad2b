//! Text from outside, made harmless and cut to size: pure functions on strings.
//!
//! Owns neutralising (what a terminal must never get) and cutting on character boundaries, the
//! counting of lines, and of brackets and values in JSON text that nobody has read in yet, numbers
//! for people, and the differences of two texts.
//! Knows no terminal, no tool and no protocol; every layer may use it.

pub(crate) mod balance;
pub mod cut;
pub mod hunks;
pub(crate) mod line;
pub mod number;
pub mod sanitize;
