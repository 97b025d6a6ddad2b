//! Keys and what they mean: one table, from which the help screen is made too.
//! Must not know what an action does.

pub(super) mod calls;
mod review;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Send,
    NewLine,
    Abort,
    ClearOrQuit,
    Quit,
    DeleteToHead,
    HistoryBack,
    HistoryForward,
    PageUp,
    PageDown,
    Top,
    End,
    Fold,
    Mouse,
    Redraw,
    Suspend,
    Help,
    Close,
    Complete,
    CloseList,
    Previous,
    Next,
    Choose,
    ClearFilter,
    RetryNow,
    Find,
    NextHit,
    PreviousHit,
    CloseSearch,
    Copy,
    Unselect,
    Focus,
    AllowOnce,
    AllowSession,
    Deny,
    DenyWith,
    TakeOrLeave,
    PreviousPart,
    NextPart,
    EditWrite,
    Calls(calls::OnCalls),
}

/// When a binding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Whatever has the focus, but for the help screen.
    Always,
    /// While a turn runs.
    Busy,
    /// While none runs.
    Idle,
    /// While the prompt is empty.
    EmptyPrompt,
    /// While a failed request waits to be sent again, and the prompt is empty.
    Retry,
    /// While the prompt has the focus.
    Prompt,
    /// While a question has the focus.
    Question,
    /// While a question about a write has the focus.
    Review,
    /// While a question waits, whoever has the focus.
    Asked,
    /// While the prompt is empty, also beside a question.
    Empty,
    /// While the prompt is empty and no question waits.
    Unasked,
    /// While a call is selected.
    Browse,
    /// While a call or the time line is open.
    Pager,
    /// While the help screen is open.
    Help,
    /// While the picker of a model is open.
    Picker,
    /// While the search is open; the keys that always count do so, too.
    Search,
    /// While something is selected and no turn runs.
    Selected,
    /// While the list of commands stands above the prompt.
    List,
}

/// What holds at the moment, for looking a key up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the moment")]
pub(super) struct Moment {
    pub(super) busy: bool,
    pub(super) empty: bool,
    pub(super) question: bool,
    /// The question is about a write.
    pub(super) review: bool,
    /// A question waits.
    pub(super) asked: bool,
    /// A failed request waits to be sent again.
    pub(super) retry: bool,
    pub(super) help: bool,
    pub(super) picker: bool,
    /// The search is open.
    pub(super) search: bool,
    /// Something is selected.
    pub(super) selected: bool,
    /// The list of commands is open.
    pub(super) list: bool,
    /// A call is selected.
    pub(super) browse: bool,
    /// A call or the time line is open.
    pub(super) pager: bool,
    /// Up would leave the first row.
    pub(super) first_row: bool,
    /// Down would leave the last row.
    pub(super) last_row: bool,
}

/// One row of the table.
pub(super) struct Binding {
    pub(super) code: KeyCode,
    pub(super) modifiers: KeyModifiers,
    pub(super) when: When,
    pub(super) action: Action,
    /// The key as people write it; empty if the row is a second spelling.
    pub(super) label: &'static str,
    pub(super) help: &'static str,
}

const fn bind(
    (modifiers, code): (KeyModifiers, KeyCode),
    when: When,
    action: Action,
    label: &'static str,
    help: &'static str,
) -> Binding {
    Binding { code, modifiers, when, action, label, help }
}

const fn plain(code: KeyCode) -> (KeyModifiers, KeyCode) {
    (KeyModifiers::NONE, code)
}

const fn ctrl(c: char) -> (KeyModifiers, KeyCode) {
    (KeyModifiers::CONTROL, KeyCode::Char(c))
}

const fn alt(code: KeyCode) -> (KeyModifiers, KeyCode) {
    (KeyModifiers::ALT, code)
}

/// The whole table. The first row that fits wins.
pub(super) fn bindings() -> impl Iterator<Item = &'static Binding> {
    calls::BINDINGS.iter().chain(BINDINGS).chain(review::BINDINGS)
}

const BINDINGS: &[Binding] = &[
    bind(plain(KeyCode::Esc), When::Help, Action::Close, "", ""),
    bind(plain(KeyCode::Char('q')), When::Help, Action::Close, "", ""),
    bind(plain(KeyCode::Char('?')), When::Help, Action::Close, "", ""),
    bind(plain(KeyCode::Enter), When::Help, Action::Close, "", ""),
    bind(plain(KeyCode::Esc), When::Picker, Action::Close, "", ""),
    bind(plain(KeyCode::Enter), When::Picker, Action::Choose, "", ""),
    bind(plain(KeyCode::Up), When::Picker, Action::Previous, "", ""),
    bind(plain(KeyCode::Down), When::Picker, Action::Next, "", ""),
    bind(ctrl('p'), When::Picker, Action::Previous, "", ""),
    bind(ctrl('n'), When::Picker, Action::Next, "", ""),
    bind(plain(KeyCode::PageUp), When::Picker, Action::PageUp, "", ""),
    bind(plain(KeyCode::PageDown), When::Picker, Action::PageDown, "", ""),
    bind(plain(KeyCode::Home), When::Picker, Action::Top, "", ""),
    bind(plain(KeyCode::End), When::Picker, Action::End, "", ""),
    bind(ctrl('u'), When::Picker, Action::ClearFilter, "", ""),
    bind(ctrl('l'), When::Picker, Action::Redraw, "", ""),
    bind(ctrl('z'), When::Picker, Action::Suspend, "", ""),
    bind(ctrl('c'), When::Picker, Action::Abort, "", ""),
    bind(plain(KeyCode::Esc), When::Search, Action::CloseSearch, "", ""),
    bind(plain(KeyCode::Enter), When::Search, Action::NextHit, "", ""),
    bind(plain(KeyCode::Down), When::Search, Action::NextHit, "", ""),
    bind(ctrl('n'), When::Search, Action::NextHit, "", ""),
    bind((KeyModifiers::SHIFT, KeyCode::Enter), When::Search, Action::PreviousHit, "", ""),
    bind(plain(KeyCode::Up), When::Search, Action::PreviousHit, "", ""),
    bind(ctrl('p'), When::Search, Action::PreviousHit, "", ""),
    bind(ctrl('u'), When::Search, Action::ClearFilter, "", ""),
    bind(ctrl('c'), When::Search, Action::Abort, "", ""),
    bind(plain(KeyCode::Esc), When::Selected, Action::Unselect, "", ""),
    bind(
        plain(KeyCode::Tab),
        When::List,
        Action::Complete,
        "/ Tab",
        "on a command: write it out; Up and Down mark another, Esc closes the list",
    ),
    bind(plain(KeyCode::Up), When::List, Action::Previous, "", ""),
    bind(plain(KeyCode::Down), When::List, Action::Next, "", ""),
    bind(ctrl('p'), When::List, Action::Previous, "", ""),
    bind(ctrl('n'), When::List, Action::Next, "", ""),
    bind(plain(KeyCode::Esc), When::List, Action::CloseList, "", ""),
    bind(
        plain(KeyCode::Char('y')),
        When::Question,
        Action::AllowOnce,
        "y",
        "allow this call, once",
    ),
    bind(
        plain(KeyCode::Char('a')),
        When::Question,
        Action::AllowSession,
        "a a",
        "allow it for this session (the question says what)",
    ),
    bind(plain(KeyCode::Char('n')), When::Question, Action::Deny, "n", "deny it; the turn goes on"),
    bind(
        plain(KeyCode::Char('t')),
        When::Question,
        Action::DenyWith,
        "t",
        "deny it and tell the model what to do instead",
    ),
    bind(
        plain(KeyCode::Esc),
        When::Busy,
        Action::Abort,
        "Esc",
        "stop the running turn; again: kill its processes at once",
    ),
    bind(ctrl('c'), When::Busy, Action::Abort, "Ctrl-C", "the same"),
    bind(
        ctrl('c'),
        When::Idle,
        Action::ClearOrQuit,
        "Ctrl-C",
        "clear the prompt; twice on an empty one: quit",
    ),
    bind(ctrl('c'), When::Help, Action::Abort, "", ""),
    bind(
        plain(KeyCode::Tab),
        When::Asked,
        Action::Focus,
        "Tab",
        "give the keys to the question, or to the prompt",
    ),
    bind(ctrl('d'), When::Empty, Action::Quit, "Ctrl-D", "quit, on an empty prompt"),
    bind(
        plain(KeyCode::Enter),
        When::Retry,
        Action::RetryNow,
        "Enter",
        "on an empty prompt: send a failed request again now",
    ),
    bind(
        plain(KeyCode::Enter),
        When::Prompt,
        Action::Send,
        "Enter",
        "send; while a turn runs: queue",
    ),
    bind(alt(KeyCode::Enter), When::Prompt, Action::NewLine, "Alt-Enter", "break the line"),
    bind(ctrl('j'), When::Prompt, Action::NewLine, "Ctrl-J", "break the line"),
    bind(
        (KeyModifiers::SHIFT, KeyCode::Enter),
        When::Prompt,
        Action::NewLine,
        "Shift-Enter",
        "break the line, where the terminal reports it",
    ),
    bind(
        plain(KeyCode::Up),
        When::Prompt,
        Action::HistoryBack,
        "Up",
        "earlier prompts, from the first row; queued ones first",
    ),
    bind(
        plain(KeyCode::Down),
        When::Prompt,
        Action::HistoryForward,
        "Down",
        "later prompts, from the last row",
    ),
    bind(
        ctrl('u'),
        When::Prompt,
        Action::DeleteToHead,
        "Ctrl-U",
        "delete to the start of the line",
    ),
    bind(
        plain(KeyCode::Char('?')),
        When::EmptyPrompt,
        Action::Help,
        "?",
        "this help, on an empty prompt",
    ),
    bind(
        plain(KeyCode::PageUp),
        When::Always,
        Action::PageUp,
        "PageUp",
        "scroll up; the mouse wheel does too",
    ),
    bind(plain(KeyCode::PageDown), When::Always, Action::PageDown, "PageDown", "scroll down"),
    bind(
        (KeyModifiers::CONTROL, KeyCode::Home),
        When::Always,
        Action::Top,
        "Ctrl-Home",
        "to the first line",
    ),
    bind(
        (KeyModifiers::CONTROL, KeyCode::End),
        When::Always,
        Action::End,
        "Ctrl-End",
        "to the end, and follow it",
    ),
    bind(
        plain(KeyCode::End),
        When::EmptyPrompt,
        Action::End,
        "End",
        "the same, on an empty prompt",
    ),
    bind(
        plain(KeyCode::Home),
        When::EmptyPrompt,
        Action::Top,
        "Home",
        "to the first line, on an empty prompt",
    ),
    bind(
        ctrl('f'),
        When::Always,
        Action::Find,
        "Ctrl-F",
        "search the transcript; Enter or Down: the next hit, Up: the one before",
    ),
    bind(
        alt(KeyCode::Char('c')),
        When::Always,
        Action::Copy,
        "Alt-C",
        "copy the last answer, or what is selected; dragging the mouse selects text",
    ),
    bind(ctrl('o'), When::Always, Action::Fold, "Ctrl-O", "unfold or fold diffs and outputs"),
    bind(ctrl('l'), When::Always, Action::Redraw, "Ctrl-L", "draw everything anew"),
    bind(ctrl('z'), When::Always, Action::Suspend, "Ctrl-Z", "back to the shell; `fg` comes back"),
    bind(
        plain(KeyCode::F(2)),
        When::Always,
        Action::Mouse,
        "F2",
        "give the mouse to the terminal, or take it again",
    ),
];

/// What this key means now; `None` if it is for whatever has the focus.
pub(super) fn lookup(key: &KeyEvent, moment: Moment) -> Option<Action> {
    let modifiers = significant(key);
    let fits = |binding: &&Binding| {
        binding.code == key.code
            && binding.modifiers == modifiers
            && counts(binding.when, moment)
            && edge(binding.action, moment)
    };
    bindings().find(fits).map(|binding| binding.action)
}

/// Shift is already in the character itself.
fn significant(key: &KeyEvent) -> KeyModifiers {
    match key.code {
        KeyCode::Char(_) => key.modifiers - KeyModifiers::SHIFT,
        _ => key.modifiers,
    }
}

fn counts(when: When, moment: Moment) -> bool {
    if moment.help {
        return when == When::Help;
    }
    if moment.picker {
        return when == When::Picker;
    }
    if moment.pager {
        return when == When::Pager;
    }
    if moment.search {
        return matches!(when, When::Search | When::Always);
    }
    match when {
        When::Always => true,
        When::Busy => moment.busy,
        When::Idle => !moment.busy,
        When::EmptyPrompt => moment.empty && !moment.question,
        When::Retry => moment.retry && moment.empty && !moment.question,
        When::Prompt => !moment.question,
        When::Question => moment.question,
        When::Review => moment.question && moment.review,
        When::Asked => moment.asked,
        When::Empty => moment.empty,
        When::List => moment.list && !moment.question,
        When::Unasked => moment.empty && !moment.asked && !moment.browse,
        When::Browse => moment.browse,
        When::Selected => moment.selected && !moment.busy && !moment.question,
        When::Help | When::Picker | When::Pager | When::Search => false,
    }
}

/// The history is reached only from the edge of the prompt.
fn edge(action: Action, moment: Moment) -> bool {
    match action {
        Action::HistoryBack => moment.first_row,
        Action::HistoryForward => moment.last_row,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn esc_stops_a_turn_whatever_has_the_focus() {
        let esc = key(KeyCode::Esc, KeyModifiers::NONE);
        for question in [false, true] {
            let moment = Moment { busy: true, question, ..Moment::default() };
            assert_eq!(lookup(&esc, moment), Some(Action::Abort));
        }
        assert_eq!(lookup(&esc, Moment::default()), None);
    }

    #[test]
    fn letters_are_text_unless_a_question_has_the_focus() {
        let y = key(KeyCode::Char('y'), KeyModifiers::NONE);
        assert_eq!(lookup(&y, Moment::default()), None);
        let moment = Moment { question: true, ..Moment::default() };
        assert_eq!(lookup(&y, moment), Some(Action::AllowOnce));
    }

    #[test]
    fn a_question_mark_is_help_only_on_an_empty_prompt() {
        let question = key(KeyCode::Char('?'), KeyModifiers::SHIFT);
        let empty = Moment { empty: true, ..Moment::default() };
        assert_eq!(lookup(&question, empty), Some(Action::Help));
        assert_eq!(lookup(&question, Moment::default()), None);
    }

    #[test]
    fn enter_retries_only_on_an_empty_prompt_while_a_retry_is_waited_for() {
        let enter = key(KeyCode::Enter, KeyModifiers::NONE);
        let waiting = Moment { busy: true, retry: true, ..Moment::default() };
        assert_eq!(lookup(&enter, waiting), Some(Action::Send));
        assert_eq!(lookup(&enter, Moment { empty: true, ..waiting }), Some(Action::RetryNow));
        let calm = Moment { empty: true, retry: false, ..waiting };
        assert_eq!(lookup(&enter, calm), Some(Action::Send));
        let help = Moment { empty: true, help: true, ..waiting };
        assert_eq!(lookup(&enter, help), Some(Action::Close));
    }

    #[test]
    fn arrows_reach_the_history_only_from_the_edge() {
        let up = key(KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(lookup(&up, Moment::default()), None);
        let moment = Moment { first_row: true, ..Moment::default() };
        assert_eq!(lookup(&up, moment), Some(Action::HistoryBack));
    }
}
