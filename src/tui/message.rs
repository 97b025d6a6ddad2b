//! [`Msg`]: everything that can happen to the screen. Closed; owns nothing else.

use crossterm::event::KeyEvent;

use crate::protocol::{event::StreamEvent, exit::AbortBy};

/// One thing that happened.
#[derive(Clone, Debug)]
pub(super) enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The wheel was turned by so many steps; up is negative.
    Wheel(i64),
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
    /// The editor is done with the text, or a sentence about why not.
    Edited(Result<String, String>),
    /// A signal asks to end.
    Signal(AbortBy),
    /// The process was asked to stop, or came back.
    Suspend,
}
