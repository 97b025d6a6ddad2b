//! Keys for what is selected in the transcript, for the open call, and for the time line.

use crossterm::event::{
    KeyCode::{Char, Down, End, Enter, Esc, Home, PageDown, PageUp, Tab, Up},
    KeyModifiers,
};

use super::{Action, Binding, When, bind, ctrl, plain};

/// What a key means for these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::tui) enum OnCalls {
    Older,
    Newer,
    CallBefore,
    CallAfter,
    Open,
    Stop,
    Leave,
    First,
    Newest,
    TimeLine,
    Close,
    Find,
    NextHit,
    HitBefore,
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    End,
    TurnBefore,
    TurnAfter,
    Fold,
    Unfold,
    Copy,
    CopyCode,
    CopyTurn,
}

const fn on(key: (KeyModifiers, crossterm::event::KeyCode), when: When, does: OnCalls) -> Binding {
    bind(key, when, Action::Calls(does), "", "")
}

const fn told(
    key: (KeyModifiers, crossterm::event::KeyCode),
    when: When,
    does: OnCalls,
    (label, help): (&'static str, &'static str),
) -> Binding {
    bind(key, when, Action::Calls(does), label, help)
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// The rows of the table that come first.
pub(super) const BINDINGS: &[Binding] = &[
    bind(plain(Esc), When::Hits, Action::CloseSearch, "", ""),
    bind(plain(Enter), When::Hits, Action::NextHit, "", ""),
    on(plain(Char('/')), When::Hits, OnCalls::Find),
    on(plain(Char('n')), When::Hits, OnCalls::NextHit),
    on(plain(Char('N')), When::Hits, OnCalls::HitBefore),
    told(
        plain(Tab),
        When::Unasked,
        OnCalls::Older,
        (
            "Tab",
            "on an empty prompt: select a call, and from there whatever was said; Shift-Up and \
             Ctrl-Up do too, beside a question",
        ),
    ),
    on(plain(Tab), When::Browse, OnCalls::Leave),
    on((SHIFT, Up), When::Empty, OnCalls::Older),
    on((SHIFT, Down), When::Empty, OnCalls::Newer),
    on((CTRL, Up), When::Empty, OnCalls::Older),
    on((CTRL, Down), When::Empty, OnCalls::Newer),
    told(
        plain(Enter),
        When::Browse,
        OnCalls::Open,
        (
            "Enter",
            "on what is selected: open the call, or unfold it; Up and Down (k and j) select what \
             stands above and below, Esc or i leaves",
        ),
    ),
    on(plain(Up), When::Browse, OnCalls::Older),
    on(plain(Down), When::Browse, OnCalls::Newer),
    on(plain(Char('k')), When::Browse, OnCalls::Older),
    on(plain(Char('j')), When::Browse, OnCalls::Newer),
    on(plain(Home), When::Browse, OnCalls::First),
    on(plain(End), When::Browse, OnCalls::Newest),
    // A letter of these that was the first of a word is given to the prompt with the next one.
    told(
        plain(Char('g')),
        When::Browse,
        OnCalls::First,
        ("g G", "on what is selected: to the first of all, to the last"),
    ),
    on(plain(Char('G')), When::Browse, OnCalls::Newest),
    told(
        plain(Char('{')),
        When::Browse,
        OnCalls::TurnBefore,
        ("{ }", "on what is selected: to the prompt of this turn or the one before, of the next"),
    ),
    on(plain(Char('}')), When::Browse, OnCalls::TurnAfter),
    told(
        plain(Char('(')),
        When::Browse,
        OnCalls::CallBefore,
        ("( )", "on what is selected: to the call before, to the next"),
    ),
    on(plain(Char(')')), When::Browse, OnCalls::CallAfter),
    on(ctrl('u'), When::Browse, OnCalls::HalfUp),
    on(ctrl('d'), When::Browse, OnCalls::HalfDown),
    told(
        plain(Char('h')),
        When::Browse,
        OnCalls::Fold,
        ("h l", "on what is selected: fold it, unfold it"),
    ),
    on(plain(Char('l')), When::Browse, OnCalls::Unfold),
    told(
        plain(Char('y')),
        When::Browse,
        OnCalls::Copy,
        (
            "y Y c",
            "on what is selected or open: copy it as it was written (of a call its result), the whole \
             turn, the code in it; c once more: the next piece of code",
        ),
    ),
    on(plain(Char('Y')), When::Browse, OnCalls::CopyTurn),
    on(plain(Char('c')), When::Browse, OnCalls::CopyCode),
    on(plain(Char('i')), When::Browse, OnCalls::Leave),
    on(plain(Char('/')), When::Browse, OnCalls::Find),
    on(plain(Char('n')), When::Browse, OnCalls::NextHit),
    on(plain(Char('N')), When::Browse, OnCalls::HitBefore),
    told(
        plain(Char('x')),
        When::Browse,
        OnCalls::Stop,
        ("x", "on a selected or open call: stop this one; the others and the turn go on"),
    ),
    on(plain(Esc), When::Browse, OnCalls::Leave),
    on(plain(Esc), When::Pager, OnCalls::Close),
    on(plain(Char('q')), When::Pager, OnCalls::Close),
    on(ctrl('t'), When::Pager, OnCalls::TimeLine),
    on(plain(Up), When::Pager, OnCalls::Up),
    on(plain(Down), When::Pager, OnCalls::Down),
    on(plain(Char('k')), When::Pager, OnCalls::Up),
    on(plain(Char('j')), When::Pager, OnCalls::Down),
    on(plain(PageUp), When::Pager, OnCalls::PageUp),
    on(plain(PageDown), When::Pager, OnCalls::PageDown),
    on(plain(Char(' ')), When::Pager, OnCalls::PageDown),
    on(ctrl('u'), When::Pager, OnCalls::HalfUp),
    told(
        ctrl('d'),
        When::Pager,
        OnCalls::HalfDown,
        (
            "Ctrl-D",
            "beside a selected call and in an open one: half a page down, Ctrl-U up; in an open \
             one g to the top, G to the end",
        ),
    ),
    on(plain(Char('g')), When::Pager, OnCalls::Top),
    on(plain(Char('G')), When::Pager, OnCalls::End),
    on(plain(Home), When::Pager, OnCalls::Top),
    on(plain(End), When::Pager, OnCalls::End),
    on((CTRL, Home), When::Pager, OnCalls::Top),
    on((CTRL, End), When::Pager, OnCalls::End),
    told(
        plain(Char('/')),
        When::Pager,
        OnCalls::Find,
        ("/ n N", "on a selected or open call: search, to the next hit, to the one before"),
    ),
    on(ctrl('f'), When::Pager, OnCalls::Find),
    on(plain(Char('n')), When::Pager, OnCalls::NextHit),
    on(plain(Char('N')), When::Pager, OnCalls::HitBefore),
    on(plain(Char('x')), When::Pager, OnCalls::Stop),
    on(plain(Char('y')), When::Pager, OnCalls::Copy),
    on(plain(Char('Y')), When::Pager, OnCalls::CopyTurn),
    bind((KeyModifiers::ALT, Char('c')), When::Pager, Action::Copy, "", ""),
    bind(plain(Char('?')), When::Pager, Action::Help, "", ""),
    bind(ctrl('c'), When::Pager, Action::Abort, "", ""),
    bind(ctrl('l'), When::Pager, Action::Redraw, "", ""),
    bind(ctrl('z'), When::Pager, Action::Suspend, "", ""),
    told(
        ctrl('t'),
        When::Always,
        OnCalls::TimeLine,
        ("Ctrl-T", "the time line of the turn: model and tools on one axis"),
    ),
];

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::{super::*, *};

    fn means(
        code: crossterm::event::KeyCode,
        modifiers: KeyModifiers,
        moment: Moment,
    ) -> Option<Action> {
        lookup(&KeyEvent::new(code, modifiers), moment)
    }

    const NONE: KeyModifiers = KeyModifiers::NONE;
    const EMPTY: Moment = Moment {
        empty: true,
        busy: false,
        question: false,
        review: false,
        asked: false,
        retry: false,
        help: false,
        picker: false,
        search: false,
        hits: false,
        selected: false,
        list: false,
        files: false,
        recall: false,
        browse: false,
        pager: false,
        first_row: true,
        last_row: true,
    };

    #[test]
    fn tab_selects_a_call_only_on_an_empty_prompt_without_a_question() {
        assert_eq!(means(Tab, NONE, EMPTY), Some(Action::Calls(OnCalls::Older)));
        assert_eq!(means(Tab, NONE, Moment { empty: false, ..EMPTY }), None);
        let asked = Moment { asked: true, ..EMPTY };
        assert_eq!(means(Tab, NONE, asked), Some(Action::Focus));
        assert_eq!(means(Up, SHIFT, asked), Some(Action::Calls(OnCalls::Older)));
    }

    #[test]
    fn esc_leaves_the_calls_before_it_stops_the_turn() {
        let moment = Moment { busy: true, browse: true, ..EMPTY };
        assert_eq!(means(Esc, NONE, moment), Some(Action::Calls(OnCalls::Leave)));
        let moment = Moment { busy: true, pager: true, ..EMPTY };
        assert_eq!(means(Esc, NONE, moment), Some(Action::Calls(OnCalls::Close)));
        assert_eq!(means(Char('c'), CTRL, moment), Some(Action::Abort));
    }

    #[test]
    fn letters_are_text_unless_a_call_is_selected() {
        for letter in ['x', 'j', 'k'] {
            assert_eq!(means(Char(letter), NONE, EMPTY), None);
        }
        let moment = Moment { browse: true, ..EMPTY };
        assert_eq!(means(Char('x'), NONE, moment), Some(Action::Calls(OnCalls::Stop)));
        assert_eq!(means(Enter, NONE, moment), Some(Action::Calls(OnCalls::Open)));
    }

    #[test]
    fn what_is_open_hides_the_keys_of_what_is_below_it() {
        let moment = Moment { pager: true, ..EMPTY };
        for (code, modifiers) in [(Enter, NONE), (Char('o'), CTRL)] {
            assert_eq!(means(code, modifiers, moment), None, "{code:?}");
        }
    }
}
