//! [`Effect`]: a wish for something outside of the screen's state. Owns the list; the loop
//! carries it out, `update` only wishes.

use super::{overlay::approval::review::Draft, record::Export};
use crate::protocol::{exit::AbortBy, id::CallId, op::Op};

/// One wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Tell the engine.
    Send(Op),
    /// Stop what runs.
    Interrupt(AbortBy),
    /// Draw everything anew.
    Redraw,
    /// Take or leave the mouse.
    Mouse(bool),
    /// Put this into the clipboard.
    Copy(String),
    /// Write the session to a file.
    Export(Export),
    /// Give the terminal back and stop this process until it is continued.
    Suspend,
    /// Let the user edit a file that this call is to write; the answer is `Msg::Edited`.
    Edit { call_id: CallId, draft: Draft },
    /// End the program.
    Quit,
}
