//! The keys of a question about a write: its parts, and the editor.
//! Must not know what an action does.

use crossterm::event::KeyCode;

use super::{Action, Binding, When, bind, plain};

/// The rows of the table that are about it.
pub(super) const BINDINGS: &[Binding] = &[
    bind(
        plain(KeyCode::Char(' ')),
        When::Review,
        Action::TakeOrLeave,
        "Space",
        "in a question about a write: take this part of it, or leave it out",
    ),
    bind(plain(KeyCode::Left), When::Review, Action::PreviousPart, "Left", "to the part before"),
    bind(plain(KeyCode::Right), When::Review, Action::NextPart, "Right", "to the next part"),
    bind(
        plain(KeyCode::Char('e')),
        When::Review,
        Action::EditWrite,
        "e",
        "change in your editor what will be written",
    ),
];
