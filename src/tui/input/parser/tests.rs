//! Bytes as terminals send them, whole and in pieces; and that nothing makes it deaf.

use crossterm::event::{KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;

use super::*;

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

fn key(code: KeyCode, modifiers: KeyModifiers) -> Sent {
    Sent::Event(Event::Key(KeyEvent::new(code, modifiers)))
}

fn letter(c: char) -> Sent {
    key(KeyCode::Char(c), NONE)
}

fn all(parser: &mut Parser) -> Vec<Sent> {
    std::iter::from_fn(|| parser.ready()).collect()
}

/// What comes of pieces, each so long after the one before; and after a long silence.
fn sent(pieces: &[&[u8]], apart: Duration) -> Vec<Sent> {
    let mut now = Instant::now();
    let mut parser = Parser::default();
    let mut sent = Vec::new();
    for piece in pieces {
        parser.take(piece, (now, false));
        sent.extend(all(&mut parser));
        now += apart;
    }
    parser.expire(now + Duration::from_secs(5));
    assert_eq!(parser.until(), None);
    sent.extend(all(&mut parser));
    sent
}

fn at_once(bytes: &str) -> Vec<Sent> {
    sent(&[bytes.as_bytes()], Duration::ZERO)
}

#[test]
fn keys_are_known_in_every_form() {
    let char = KeyCode::Char;
    for (bytes, code, modifiers) in [
        ("a", char('a'), NONE),
        ("A", char('A'), SHIFT),
        ("é", char('é'), NONE),
        ("漢", char('漢'), NONE),
        ("\r", KeyCode::Enter, NONE),
        ("\n", char('j'), CONTROL),
        ("\t", KeyCode::Tab, NONE),
        ("\x7f", KeyCode::Backspace, NONE),
        ("\x08", char('h'), CONTROL),
        ("\x00", char(' '), CONTROL),
        ("\x03", char('c'), CONTROL),
        ("\x1d", char('5'), CONTROL),
        ("\x1f", char('7'), CONTROL),
        ("\x1b", KeyCode::Esc, NONE),
        ("\x1bx", char('x'), ALT),
        ("\x1bX", char('X'), ALT | SHIFT),
        ("\x1b\r", KeyCode::Enter, ALT),
        ("\x1b\x7f", KeyCode::Backspace, ALT),
        ("\x1bé", char('é'), ALT),
        ("\x1b[", char('['), ALT),
        ("\x1bO", char('O'), ALT | SHIFT),
        ("\x1b]", char(']'), ALT),
        ("\x1bP", char('P'), ALT | SHIFT),
        ("\x1b_", char('_'), ALT),
        ("\x1b[A", KeyCode::Up, NONE),
        ("\x1bOA", KeyCode::Up, NONE),
        ("\x1b[1;5D", KeyCode::Left, CONTROL),
        ("\x1b[1;2H", KeyCode::Home, SHIFT),
        ("\x1b[H", KeyCode::Home, NONE),
        ("\x1b[4~", KeyCode::End, NONE),
        ("\x1b[3;3~", KeyCode::Delete, ALT),
        ("\x1b[5~", KeyCode::PageUp, NONE),
        ("\x1b[Z", KeyCode::BackTab, SHIFT),
        ("\x1bOP", KeyCode::F(1), NONE),
        ("\x1b[[B", KeyCode::F(2), NONE),
        ("\x1b[12~", KeyCode::F(2), NONE),
        ("\x1b[1;2R", KeyCode::F(3), SHIFT),
        ("\x1b[24~", KeyCode::F(12), NONE),
        ("\x1b[13;2u", KeyCode::Enter, SHIFT),
        ("\x1b[27u", KeyCode::Esc, NONE),
        ("\x1b[9;2u", KeyCode::BackTab, SHIFT),
        ("\x1b[99;5u", char('c'), CONTROL),
        ("\x1b[97:65;2u", char('A'), SHIFT),
        ("\x1b[127;5u", KeyCode::Backspace, CONTROL),
        ("\x1b[57417;5u", KeyCode::Left, CONTROL),
        ("\x1b[27;2;13~", KeyCode::Enter, SHIFT),
        ("\x1b[27;5;59~", char(';'), CONTROL),
    ] {
        assert_eq!(at_once(bytes), [key(code, modifiers)], "{bytes:?}");
    }
    let released = KeyEvent::new_with_kind(char('a'), CONTROL, KeyEventKind::Release);
    assert_eq!(at_once("\x1b[97;5:3u"), [Sent::Event(Event::Key(released))]);
}

#[test]
fn the_mouse_and_the_focus_are_told() {
    let mouse = |kind, (column, row), modifiers| {
        Sent::Event(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
    };
    let left = MouseButton::Left;
    for (bytes, event) in [
        ("\x1b[<0;10;5M", mouse(MouseEventKind::Down(left), (9, 4), NONE)),
        ("\x1b[<32;300;5M", mouse(MouseEventKind::Drag(left), (299, 4), NONE)),
        ("\x1b[<0;10;5m", mouse(MouseEventKind::Up(left), (9, 4), NONE)),
        ("\x1b[<6;1;1M", mouse(MouseEventKind::Down(MouseButton::Right), (0, 0), SHIFT)),
        ("\x1b[<64;1;1M", mouse(MouseEventKind::ScrollUp, (0, 0), NONE)),
        ("\x1b[<65;1;1M", mouse(MouseEventKind::ScrollDown, (0, 0), NONE)),
        ("\x1b[I", Sent::Event(Event::FocusGained)),
        ("\x1b[O", Sent::Event(Event::FocusLost)),
    ] {
        assert_eq!(at_once(bytes), [event], "{bytes:?}");
    }
}

#[test]
fn what_is_unknown_or_makes_no_sense_is_dropped_and_the_next_key_is_one() {
    for bytes in [
        "\x1b[?2026;2$y",
        "\x1b[?1;2c",
        "\x1b[>0;276;0c",
        "\x1b[?1u",
        "\x1b[5;7R",
        "\x1b[<0;0;5M",
        "\x1b[<0;5;0M",
        "\x1b[<0;99999;5M",
        "\x1b[<0;1M",
        "\x1b[M\0\0\0",
        "\x1b[4;600;800t",
        "\x1b[99999999999u",
        "\x1b[57441u",
        "\x1b]10;rgb:ffff/ffff/ffff\x07",
        "\x1bP>|XTerm(380)\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
        "\x1b[201~",
    ] {
        let found = at_once(&format!("{bytes}x"));
        let keys: Vec<_> = found.into_iter().filter(|it| !matches!(it, Sent::Answer(_))).collect();
        assert_eq!(keys, [letter('x')], "{bytes:?}");
    }
}

#[test]
fn esc_and_ctrl_c_come_through_whatever_was_left_open() {
    let open =
        ["\x1b[?", "\x1b[<", "\x1b[<0;1", "\x1b[1;", "\x1b]11;rgb:", "\x1bP>|", "\x1bO", "\x1b"];
    let long = Duration::from_secs(2);
    let esc = key(KeyCode::Esc, NONE);
    let ctrl_c = key(KeyCode::Char('c'), CONTROL);
    for open in open {
        for apart in [Duration::ZERO, Duration::from_millis(5), long] {
            for (byte, expected) in [("\x1b", &esc), ("\x03", &ctrl_c)] {
                let found = sent(&[open.as_bytes(), byte.as_bytes()], apart);
                let alt = match expected {
                    // Behind Esc alone it may be the same key with Alt.
                    Sent::Event(Event::Key(key)) => {
                        Sent::Event(Event::Key(KeyEvent { modifiers: key.modifiers | ALT, ..*key }))
                    }
                    Sent::Event(_) | Sent::Answer(_) => letter('?'),
                };
                let last = found.last();
                let is_there = last == Some(expected) || open == "\x1b" && last == Some(&alt);
                assert!(is_there, "{open:?} {byte:?} {apart:?}: {found:?}");
            }
        }
    }
}

#[test]
fn a_paste_is_one_event_however_it_comes_and_whatever_it_holds() {
    let paste = |text: &str| Sent::Event(Event::Paste(text.into()));
    let text = "a\x1b[Ab\r\x03\x1b[200~漢";
    let bytes = format!("\x1b[200~{text}\x1b[201~x");
    for at in 0..bytes.len() {
        let (head, tail) = bytes.as_bytes().split_at(at);
        let found = sent(&[head, tail], Duration::from_millis(5));
        assert_eq!(found, [paste(text), letter('x')], "parted at {at}");
    }
    assert_eq!(at_once("\x1b[200~abc"), [paste("abc")], "its end never comes");
    let found = sent(&[b"\x1b[200~abc", b"\x03"], Duration::from_millis(500));
    assert_eq!(found, [paste("abc"), key(KeyCode::Char('c'), CONTROL)]);
}

#[test]
fn answers_come_without_their_frame() {
    let answer = || Sent::Answer("11;rgb:1010/1010/1010".into());
    for end in ["\x07", "\x1b\\"] {
        let bytes = format!("\x1b]11;rgb:1010/1010/1010{end}");
        assert_eq!(at_once(&bytes), [answer()]);
        for at in 1..bytes.len() {
            let (head, tail) = bytes.as_bytes().split_at(at);
            assert_eq!(sent(&[head, tail], Duration::from_millis(10)), [answer()], "at {at}");
        }
    }
}

#[test]
fn ctrl_c_behind_an_esc_that_was_held_back_is_heard() {
    let both = [key(KeyCode::Esc, NONE), key(KeyCode::Char('c'), CONTROL)];
    assert_eq!(at_once("\x1b\x03"), both);
}

#[test]
fn what_the_terminal_is_comes_without_its_frame() {
    // GNU screen 4.9 and tmux, as they answer.
    for text in [">83;40900;0", ">84;0;0"] {
        assert_eq!(at_once(&format!("\x1b[{text}c")), [Sent::Answer(text.into())]);
    }
    assert_eq!(at_once("\x1b[?1;2c"), [], "the primary attributes are no key either");
}

#[test]
fn an_awaited_answer_may_take_its_time_and_esc_waits_but_a_moment() {
    let start = Instant::now();
    let mut parser = Parser::default();
    parser.take(b"\x1b]11;rgb:10", (start, true));
    assert_eq!(parser.until(), Some(start + REST_OF_ANSWER));
    let mut parser = Parser::default();
    parser.take(b"\x1b", (start, true));
    assert_eq!(parser.until(), Some(start + ESC_WAIT_FOR_ANSWER));
    parser.take(b"", (start, false));
    assert_eq!(parser.until(), Some(start + ESC_WAIT));
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_leave_it_with_open_ears(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..12),
                "[\x1b\\[\\]<>?;:0-9M~uPOX^_\\\\\x07a]{0,12}".prop_map(String::into_bytes),
            ],
            0..12,
        ),
        apart in 0_u64..50,
    ) {
        let mut now = Instant::now();
        let mut parser = Parser::default();
        for piece in &pieces {
            parser.take(piece, (now, false));
            now += Duration::from_millis(apart);
        }
        // After the longest silence that anything is held over, the next key is one.
        now += Duration::from_secs(2);
        parser.expire(now);
        all(&mut parser);
        parser.take(b"\x03", (now, false));
        prop_assert_eq!(all(&mut parser), [key(KeyCode::Char('c'), CONTROL)]);
    }

    #[test]
    fn what_is_typed_is_the_same_in_any_pieces(text in "[a-zé漢👍 ]{0,30}", at in 0_usize..60) {
        let at = at.min(text.len());
        let (head, tail) = text.as_bytes().split_at(at);
        let expected: Vec<_> = text.chars().map(letter).collect();
        prop_assert_eq!(sent(&[head, tail], Duration::from_millis(1)), expected);
    }
}
