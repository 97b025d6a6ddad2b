//! The keys of the input box. A part of the one table.

use crossterm::event::{KeyCode, KeyModifiers};

use super::{Action, Binding, When, alt, bind, ctrl, plain};

/// What a key means for the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::tui) enum Input {
    TakeFile,
    PreviousFile,
    NextFile,
    CloseFiles,
    /// Opens the search in the history; in it, to an older prompt.
    Recall,
    RecallNewer,
    TakeRecalled,
    CloseRecall,
    Undo,
    Redo,
    Unfold,
    Edit,
    Steer,
    DropQueued,
}

const fn row(
    key: (KeyModifiers, KeyCode),
    when: When,
    input: Input,
    label: &'static str,
    help: &'static str,
) -> Binding {
    bind(key, when, Action::Input(input), label, help)
}

/// A second spelling of a key.
const fn also(key: (KeyModifiers, KeyCode), when: When, input: Input) -> Binding {
    row(key, when, input, "", "")
}

/// The rows of the box.
pub(super) const BINDINGS: &[Binding] = &[
    row(
        plain(KeyCode::Tab),
        When::Files,
        Input::TakeFile,
        "@ Tab",
        "on a file's name: take the marked file; so does Enter, and Esc closes the list",
    ),
    also(plain(KeyCode::Enter), When::Files, Input::TakeFile),
    also(plain(KeyCode::Up), When::Files, Input::PreviousFile),
    also(plain(KeyCode::Down), When::Files, Input::NextFile),
    also(ctrl('p'), When::Files, Input::PreviousFile),
    also(ctrl('n'), When::Files, Input::NextFile),
    also(plain(KeyCode::Esc), When::Files, Input::CloseFiles),
    also(ctrl('r'), When::Recall, Input::Recall),
    also(plain(KeyCode::Up), When::Recall, Input::Recall),
    also(ctrl('p'), When::Recall, Input::Recall),
    also(ctrl('s'), When::Recall, Input::RecallNewer),
    also(plain(KeyCode::Down), When::Recall, Input::RecallNewer),
    also(ctrl('n'), When::Recall, Input::RecallNewer),
    also(plain(KeyCode::Enter), When::Recall, Input::TakeRecalled),
    also(plain(KeyCode::Tab), When::Recall, Input::TakeRecalled),
    also(plain(KeyCode::Esc), When::Recall, Input::CloseRecall),
    also(ctrl('g'), When::Recall, Input::CloseRecall),
    bind(ctrl('c'), When::Recall, Action::Abort, "", ""),
    row(
        ctrl('s'),
        When::Prompt,
        Input::Steer,
        "Ctrl-S",
        "tell the running turn: it goes with the next request",
    ),
    row(ctrl('x'), When::Prompt, Input::DropQueued, "Ctrl-X", "remove what was queued last"),
    row(
        ctrl('r'),
        When::Prompt,
        Input::Recall,
        "Ctrl-R",
        "search earlier prompts; again or Up: older, Enter takes it, Esc goes back",
    ),
    row(ctrl('g'), When::Prompt, Input::Edit, "Ctrl-G", "edit the prompt in $VISUAL or $EDITOR"),
    row(
        alt(KeyCode::Char('p')),
        When::Prompt,
        Input::Unfold,
        "Alt-P",
        "show a folded paste in full",
    ),
    // Ctrl-_ comes as Ctrl-7 from most terminals, and as the key it is on from others.
    row(ctrl('7'), When::Prompt, Input::Undo, "Ctrl-_", "undo; Alt-_ does it again"),
    also(ctrl('_'), When::Prompt, Input::Undo),
    also(ctrl('-'), When::Prompt, Input::Undo),
    also(ctrl('/'), When::Prompt, Input::Undo),
    also(alt(KeyCode::Char('_')), When::Prompt, Input::Redo),
];
