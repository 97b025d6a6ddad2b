//! The keys of a question about a write: its parts, and the editor.
//! Must not know what an action does.

use crossterm::event::KeyCode;

use super::{Action, Binding, When, bind, plain};

/// What a key means for a write that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::tui) enum OnReview {
    Take,
    Previous,
    Next,
    Edit,
}

const fn on(code: KeyCode, does: OnReview, label: &'static str, help: &'static str) -> Binding {
    bind(plain(code), When::Review, Action::Review(does), label, help)
}

/// The rows of the table that are about it.
pub(super) const BINDINGS: &[Binding] = &[
    on(
        KeyCode::Char(' '),
        OnReview::Take,
        "Space",
        "in a question about a write: take this part of it, or leave it out",
    ),
    on(KeyCode::Left, OnReview::Previous, "Left", "to the part before"),
    on(KeyCode::Right, OnReview::Next, "Right", "to the next part"),
    on(KeyCode::Char('e'), OnReview::Edit, "e", "change in your editor what will be written"),
];
