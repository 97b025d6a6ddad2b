//! Text from outside, made harmless and cut to size: pure functions on strings.
//!
//! Owns neutralising (what a terminal must never get) and cutting on character boundaries.
//! Knows no terminal, no tool and no protocol; every layer may use it.

pub mod cut;
pub mod sanitize;
