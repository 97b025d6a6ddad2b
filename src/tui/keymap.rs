//! Keys and what they mean: one table, from which the help screen is made too.
//! Must not know what an action does.

pub(super) mod calls;
mod custom;
mod keys;
pub(super) mod prompt;
pub(super) mod review;
mod table;

use std::borrow::Cow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
pub use keys::Keys;

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
    Input(prompt::Input),
    Review(review::OnReview),
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
    /// While a search is open whose words are complete; the keys of a selected call do so, too.
    Hits,
    /// While something is selected and no turn runs.
    Selected,
    /// While the list of commands stands above the prompt.
    List,
    /// While the list of files stands above the prompt.
    Files,
    /// While the search in the history is open; the keys that always count do so, too.
    Recall,
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
    /// It takes no more words: letters lead from hit to hit.
    pub(super) hits: bool,
    /// Something is selected.
    pub(super) selected: bool,
    /// The list of commands is open.
    pub(super) list: bool,
    /// A call is selected.
    pub(super) browse: bool,
    /// The list of files is open.
    pub(super) files: bool,
    /// The search in the history is open.
    pub(super) recall: bool,
    /// A call or the time line is open.
    pub(super) pager: bool,
    /// Up would leave the first row.
    pub(super) first_row: bool,
    /// Down would leave the last row.
    pub(super) last_row: bool,
}

/// One row of the table.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) code: KeyCode,
    pub(super) modifiers: KeyModifiers,
    pub(super) when: When,
    pub(super) action: Action,
    /// The key as people write it; empty if the row is a second spelling.
    pub(super) label: Cow<'static, str>,
    pub(super) help: &'static str,
}

const fn bind(
    (modifiers, code): (KeyModifiers, KeyCode),
    when: When,
    action: Action,
    label: &'static str,
    help: &'static str,
) -> Binding {
    Binding { code, modifiers, when, action, label: Cow::Borrowed(label), help }
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
    calls::BINDINGS.iter().chain(table::BINDINGS).chain(prompt::BINDINGS).chain(review::BINDINGS)
}

/// What this key means now, by the table alone.
#[cfg(test)]
fn lookup(key: &KeyEvent, moment: Moment) -> Option<Action> {
    Keys::default().lookup(key, moment)
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
    if moment.recall {
        return matches!(when, When::Recall | When::Always);
    }
    if moment.search {
        let is_of_hits = when == When::Hits || when == When::Browse && moment.browse;
        return matches!(when, When::Search | When::Always) || moment.hits && is_of_hits;
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
        When::Files => moment.files && !moment.question,
        When::Unasked => moment.empty && !moment.asked && !moment.browse,
        When::Browse => moment.browse,
        When::Selected => moment.selected && !moment.busy && !moment.question,
        When::Help | When::Picker | When::Pager | When::Search | When::Hits | When::Recall => false,
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
    fn nothing_needs_a_function_key_or_alt_alone() {
        // These have a command, or a motion that leads there in steps.
        let others = [
            Action::Copy,
            Action::Mouse,
            Action::Input(prompt::Input::TextStart),
            Action::Input(prompt::Input::TextEnd),
        ];
        let is_plain = |it: &&Binding| {
            !it.modifiers.contains(KeyModifiers::ALT) && !matches!(it.code, KeyCode::F(_))
        };
        for it in bindings().filter(|it| !others.contains(&it.action)) {
            let another = bindings().filter(is_plain).any(|other| other.action == it.action);
            assert!(another, "{:?} has no plain key", it.action);
        }
        for name in ["copy", "mouse"] {
            assert!(crate::tui::command::COMMANDS.iter().any(|it| it.name == name));
        }
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
