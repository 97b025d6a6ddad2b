//! What may run without asking. Owns the rules; never asks, never runs anything, does no I/O.
//!
//! Must not know the session, the provider or how a question looks. The strictest rule wins.

pub mod policy;

pub use policy::{Mode, Policy, Verdict};
