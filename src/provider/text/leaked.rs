//! Calls that a model wrote in its own markup and that the server let through as text.
//!
//! Owns what such a reply is, as a whole and while it comes. Must not know the protocol of
//! labels.
//!
//! | module | what it is |
//! |---|---|
//! | `scan` | where in a text a call may stand, and what is left of the text without it |
//! | `screen` | what of a reply may be shown while it comes |
//! | `kept` | what was found so far |
//! | `thought` | the tags around thought |
//! | `formats` | the forms of calls, as a table |
//! | `markup` | the forms that are tags |
//! | `python` | the form that is a call of Python |
//! | `item` | what a form holds |
//! | `bare` | replies that are calls and nothing else |
//!
//! Invariant: a call comes out only if it is whole and meant: not in a think block, not quoted,
//! not from a reply that was cut. Every other character of the text stays in the text or in the
//! reasoning.

use super::{FinishReason, cursor::Cursor, is_cut, shape::Tools};
use crate::protocol::tool::ToolSpec;
pub use kept::Recovered;
use scan::Scan;
pub use screen::{Ended, Piece, Screen};

mod bare;
mod formats;
mod item;
mod kept;
mod markup;
mod python;
mod scan;
mod screen;
mod thought;

/// Finds the calls in the content of a whole reply.
///
/// Without a reason to finish, and after one that cut the reply, no call comes out, and the text
/// is what it was but for think blocks.
#[must_use]
pub fn recover(content: &str, finish: Option<&FinishReason>, tools: &[ToolSpec]) -> Recovered {
    let tools = Tools::new(tools);
    let mut cursor = Cursor::new(content, 0);
    let mut scan = Scan::of_reply();
    if is_cut(finish) {
        scan.seal();
    }
    scan.thought_before(&mut cursor);
    scan.run(&mut cursor, &tools);
    scan.kept.finish()
}

#[cfg(test)]
mod tests;
