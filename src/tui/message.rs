//! [`Msg`]: everything that can happen to the screen. Closed; owns nothing else.

use std::sync::Arc;

use crossterm::event::KeyEvent;

use super::{
    clipboard::Copied, effect::Whose, overlay::call::whole::WholeText, record::ExportError,
    theme::Ground,
};
use crate::protocol::{event::StreamEvent, exit::AbortBy, id::CallId};

/// One thing that happened.
#[derive(Clone, Debug)]
pub(super) enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// Text was written by keys that came faster than anybody types.
    Burst(String),
    /// The wheel was turned by so many steps, up is negative, over this column and row.
    Wheel(i64, (u16, u16)),
    /// The left button was pressed in this column and row of the screen.
    Click(u16, u16),
    /// The pointer moved here with the left button down.
    Drag(u16, u16),
    /// The left button was released.
    Release,
    /// A text was given to the clipboard, or could not be.
    Copied(Copied),
    /// The session was exported to the file of this name, or was not.
    Exported(Result<String, ExportError>),
    /// The terminal has another size now.
    Resize,
    /// The engine tells something.
    Stream(StreamEvent),
    /// The engine is gone.
    EngineGone,
    /// An instruction could not be given: this is what was to be sent.
    NotSent(String),
    /// Another instruction could not be given.
    NotHeard,
    /// The files that can be named.
    Files(Vec<String>),
    /// What earlier runs were told, the newest last.
    History(Vec<String>),
    /// The user's editor ended and the terminal is ours again: the text, or a sentence about why
    /// there is none.
    Edited(Whose, Result<String, String>),
    /// The whole output of a call was read, or a sentence about why it could not be.
    OutputRead(CallId, Result<Arc<WholeText>, String>),
    /// A signal asks to end.
    Signal(AbortBy),
    /// The process was asked to stop, or came back.
    Suspend,
    /// The window got the focus, or lost it.
    Focus(bool),
    /// The terminal has told its background.
    Ground(Ground),
    /// The terminal has told what it is, by the first number of its answer.
    Device(u32),
}
