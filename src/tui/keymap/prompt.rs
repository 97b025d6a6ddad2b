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
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    WordBack,
    WordOn,
    DeleteWord,
    DeleteNextWord,
    DeleteToEnd,
    PutBack,
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

const fn in_prompt(
    key: (KeyModifiers, KeyCode),
    input: Input,
    label: &'static str,
    help: &'static str,
) -> Binding {
    row(key, When::Prompt, input, label, help)
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
        "show a folded paste in full; Ctrl-] does it too",
    ),
    // Ctrl-] and Ctrl-^ come as Ctrl-5 and Ctrl-6 from most terminals.
    also(ctrl('5'), When::Prompt, Input::Unfold),
    also(ctrl(']'), When::Prompt, Input::Unfold),
    // Ctrl-_ comes as Ctrl-7 from most terminals, and as the key it is on from others.
    row(ctrl('7'), When::Prompt, Input::Undo, "Ctrl-_", "undo, also that the prompt was cleared"),
    also(ctrl('_'), When::Prompt, Input::Undo),
    also(ctrl('-'), When::Prompt, Input::Undo),
    also(ctrl('/'), When::Prompt, Input::Undo),
    in_prompt(ctrl('6'), Input::Redo, "Ctrl-^", "redo what was undone; Alt-_ does it too"),
    also(ctrl('^'), When::Prompt, Input::Redo),
    also(alt(KeyCode::Char('_')), When::Prompt, Input::Redo),
    in_prompt(ctrl('a'), Input::LineStart, "Ctrl-A", "to the start of the line; Home does it too"),
    in_prompt(ctrl('e'), Input::LineEnd, "Ctrl-E", "to the end of the line; End does it too"),
    in_prompt(
        alt(KeyCode::Char('b')),
        Input::WordBack,
        "Alt-B",
        "a word back; Alt-Left and Ctrl-Left do it too",
    ),
    also(alt(KeyCode::Left), When::Prompt, Input::WordBack),
    also((KeyModifiers::CONTROL, KeyCode::Left), When::Prompt, Input::WordBack),
    in_prompt(
        alt(KeyCode::Char('f')),
        Input::WordOn,
        "Alt-F",
        "a word on; Alt-Right and Ctrl-Right do it too",
    ),
    also(alt(KeyCode::Right), When::Prompt, Input::WordOn),
    also((KeyModifiers::CONTROL, KeyCode::Right), When::Prompt, Input::WordOn),
    in_prompt(
        ctrl('w'),
        Input::DeleteWord,
        "Ctrl-W",
        "delete the word before the caret; Alt-Backspace, Ctrl-Backspace and Alt-H do it too",
    ),
    also(alt(KeyCode::Backspace), When::Prompt, Input::DeleteWord),
    also((KeyModifiers::CONTROL, KeyCode::Backspace), When::Prompt, Input::DeleteWord),
    also(alt(KeyCode::Char('h')), When::Prompt, Input::DeleteWord),
    in_prompt(
        alt(KeyCode::Char('d')),
        Input::DeleteNextWord,
        "Alt-D",
        "delete the word behind the caret; Alt-Delete and Ctrl-Delete do it too",
    ),
    also(alt(KeyCode::Delete), When::Prompt, Input::DeleteNextWord),
    also((KeyModifiers::CONTROL, KeyCode::Delete), When::Prompt, Input::DeleteNextWord),
    in_prompt(ctrl('k'), Input::DeleteToEnd, "Ctrl-K", "delete to the end of the line"),
    in_prompt(ctrl('y'), Input::PutBack, "Ctrl-Y", "put back what was deleted last"),
    in_prompt(
        alt(KeyCode::Char('<')),
        Input::TextStart,
        "Alt-<",
        "to the start of the prompt; Ctrl-Up goes there by paragraphs",
    ),
    in_prompt(alt(KeyCode::Char('>')), Input::TextEnd, "Alt->", "to its end"),
];

/// What else a key does in the box, as everywhere.
pub(in crate::tui) const AS_EVERYWHERE: &str = "In the prompt arrows, Backspace and Delete do what \
     they do elsewhere, and arrows, Home and End with Shift select. Ctrl-B is Left, Ctrl-P is Up, \
     Ctrl-N is Down, Ctrl-H is Backspace, and Ctrl-D is Delete where something stands in it. \
     Ctrl-Up and Ctrl-Down go by paragraphs.";
