//! [`Loan`]: whether the terminal is this program's, or on its way to the user's editor.
//!
//! Owns that there is one editor at a time. Must not know how it is started. Invariant: from the
//! first wish for an editor to that editor's end there is no second one, and nothing that was read
//! from the terminal before it was given away changes the state.

use super::{effect::Editing, message::Msg};

/// Who has the terminal.
#[derive(Debug, Default)]
pub(super) enum Loan {
    /// This program.
    #[default]
    Own,
    /// This program, until the editor gets it with this text.
    Wished(Editing),
    /// The editor. Whether something was dropped on the way to it.
    Lent { dropped: bool },
}

impl Loan {
    /// An editor is wished for. Whoever asks for a second one gets nothing.
    pub(super) fn wish(&mut self, editing: Editing) {
        if matches!(self, Self::Own) {
            *self = Self::Wished(editing);
        }
    }

    /// What the editor is to get now; from here on it has the terminal.
    pub(super) fn begin(&mut self) -> Option<Editing> {
        match std::mem::replace(self, Self::Lent { dropped: false }) {
            Self::Wished(editing) => Some(editing),
            before => {
                *self = before;
                None
            }
        }
    }

    /// The editor ended. Gives whether something was dropped.
    pub(super) fn end(&mut self) -> bool {
        matches!(std::mem::take(self), Self::Lent { dropped: true })
    }

    /// Whether the editor has the terminal.
    pub(super) fn is_lent(&self) -> bool {
        matches!(self, Self::Lent { .. })
    }

    /// Whether this message counts: what the user did at a screen that is not there any more was
    /// meant for the editor, or for nobody.
    pub(super) fn lets(&mut self, msg: &Msg) -> bool {
        let is_of_the_user = match msg {
            Msg::Key(_)
            | Msg::Paste(_)
            | Msg::Burst(_)
            | Msg::Wheel(..)
            | Msg::Click(..)
            | Msg::Drag(..)
            | Msg::Release => true,
            Msg::Copied(_)
            | Msg::Exported(_)
            | Msg::Resize
            | Msg::Stream(_)
            | Msg::EngineGone
            | Msg::NotSent(_)
            | Msg::NotHeard
            | Msg::Files(_)
            | Msg::History(_)
            | Msg::Edited(..)
            | Msg::OutputRead(..)
            | Msg::Signal(_)
            | Msg::Suspend
            | Msg::Focus(_)
            | Msg::Ground(_)
            | Msg::Device(_) => false,
        };
        match self {
            Self::Own => true,
            Self::Wished(_) => !is_of_the_user,
            Self::Lent { dropped } => {
                *dropped |= is_of_the_user;
                !is_of_the_user
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::{protocol::exit::AbortBy, tui::effect::Whose};

    fn editing(text: &str) -> Editing {
        Editing { whose: Whose::Prompt, file_name: "prompt.md".to_owned(), text: text.to_owned() }
    }

    fn key() -> Msg {
        Msg::Key(KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL))
    }

    #[test]
    fn whoever_asks_for_a_second_editor_gets_nothing() {
        let mut loan = Loan::default();
        loan.wish(editing("first"));
        loan.wish(editing("while it is wished for"));
        assert_eq!(loan.begin(), Some(editing("first")));
        loan.wish(editing("while it is open"));
        assert!(loan.is_lent());
        assert_eq!(loan.begin(), None);
        assert!(loan.is_lent());
        loan.end();
        assert_eq!(loan.begin(), None);
        loan.wish(editing("next"));
        assert_eq!(loan.begin(), Some(editing("next")));
    }

    #[test]
    fn what_was_typed_behind_the_wish_does_not_count_and_signals_do() {
        let mut loan = Loan::default();
        assert!(loan.lets(&key()));
        loan.wish(editing(""));
        assert!(!loan.lets(&key()));
        assert!(loan.lets(&Msg::Signal(AbortBy::Terminate)));
        loan.begin();
        for msg in [key(), Msg::Paste("x".to_owned()), Msg::Burst("x".to_owned()), Msg::Release] {
            assert!(!loan.lets(&msg), "{msg:?}");
        }
        for msg in [Msg::Signal(AbortBy::Terminate), Msg::Resize, Msg::Suspend, Msg::EngineGone] {
            assert!(loan.lets(&msg), "{msg:?}");
        }
        assert!(loan.end(), "something was dropped");
        assert!(loan.lets(&key()));
    }

    #[test]
    fn nothing_is_said_to_be_dropped_when_nothing_was() {
        let mut loan = Loan::default();
        loan.wish(editing(""));
        loan.begin();
        loan.lets(&Msg::Resize);
        assert!(!loan.end());
    }
}
