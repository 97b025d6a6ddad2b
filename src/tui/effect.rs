//! [`Effect`]: a wish for something outside of the screen's state. Owns the list; the loop
//! carries it out, `update` only wishes.

mod carry_out;
pub(super) mod read_output;

use super::record::Export;
use crate::protocol::{exit::AbortBy, id::CallId, op::Op, tool::WholeFile};

/// One wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Tell the engine.
    Send(Op),
    /// Stop what runs.
    Interrupt(AbortBy),
    /// List the files that can be named.
    ListFiles,
    /// Give this to the user's editor; `Msg::Edited` tells what came of it.
    Edit(Editing),
    /// Read the whole output of a call; `Msg::OutputRead` tells what came of it.
    ReadOutput { call_id: CallId, file: WholeFile },
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
    /// End the program.
    Quit,
}

/// A text for the user's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Editing {
    /// Whose text it is: who gets it back.
    pub(super) whose: Whose,
    /// The file that the editor is shown; what it ends in tells the editor what it is.
    pub(super) file_name: String,
    pub(super) text: String,
}

/// Whose text is in the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// That of the input box.
    Prompt,
    /// That which a call is to write to a file, by its path in the question.
    Write { call_id: CallId, path: String },
}
