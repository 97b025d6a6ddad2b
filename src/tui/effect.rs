//! [`Effect`]: a wish for something outside of the screen's state. Owns the list; the loop
//! carries it out, `update` only wishes.

use crate::protocol::{exit::AbortBy, op::Op};

/// One wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Tell the engine.
    Send(Op),
    /// Stop what runs.
    Interrupt(AbortBy),
    /// List the files that can be named.
    ListFiles,
    /// Give this to the user's editor.
    Edit(String),
    /// Draw everything anew.
    Redraw,
    /// Take or leave the mouse.
    Mouse(bool),
    /// Give the terminal back and stop this process until it is continued.
    Suspend,
    /// End the program.
    Quit,
}
