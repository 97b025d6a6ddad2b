//! Calls of tools that a model wrote as text, for models and servers without real tool calls.
//!
//! Owns the reading of such text, and what a model is told so that it writes it. Must not know
//! sessions, tools that run, or a screen: all here is pure.
//!
//! | module | what it is |
//! |---|---|
//! | [`leaked`] | calls in a model family's own markup that the server let through |
//! | [`react`] | the protocol of `Thought:`, `Action:`, `Observation:`, `Answer:` |
//! | [`prompt`] | what the model is told about that protocol |
//! | [`written`] | a call in that protocol, for the history |
//!
//! Invariant: any text may come in. Nothing panics, the time is linear in the text, and a call
//! that was cut off, quoted or only thought about never comes out as a call.

pub mod leaked;
pub mod prompt;
pub mod react;
pub mod written;

mod arguments;
mod call;
mod cursor;
mod fence;
mod quoted;
mod shape;
mod value;

use super::FinishReason;

/// Whether what a response says last may be only the first part of what was meant.
fn is_cut(finish: Option<&FinishReason>) -> bool {
    !matches!(finish, Some(FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_)))
}

/// Why a text could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It ends before it is complete.
    Open,
    /// It is not of the form.
    Bad,
}
