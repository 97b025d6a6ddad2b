//! Answers as the reader of keys gives them out, whole and in pieces, among what is typed.

use proptest::prelude::*;

use super::*;

/// What the reader of keys makes of bytes that come in these pieces.
fn keys(pieces: &[&str]) -> Vec<KeyEvent> {
    let mut keys = Vec::new();
    for piece in pieces {
        let mut chars = piece.chars().peekable();
        while let Some(c) = chars.next() {
            keys.push(match (c, chars.peek()) {
                ('\x1b', Some(_)) => {
                    KeyEvent::new(KeyCode::Char(chars.next().unwrap()), KeyModifiers::ALT)
                }
                ('\x1b', None) => KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE),
                ('\x07', _) => KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL),
                (c, _) if c.is_ascii_uppercase() => {
                    KeyEvent::new(KeyCode::Char(c), KeyModifiers::SHIFT)
                }
                (c, _) => KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
            });
        }
    }
    keys
}

/// The answers found, and the characters that are left as keys.
fn sorted(keys: Vec<KeyEvent>, late: Duration) -> (Vec<Option<Ground>>, Vec<KeyEvent>) {
    let start = Instant::now();
    let mut background = Background::new();
    background.asked(start);
    let (mut answers, mut left) = (Vec::new(), Vec::new());
    let now = start + late;
    for key in keys {
        if let Sorted::Answer(ground) = background.sort(key, now) {
            answers.push(ground);
        }
        left.extend(std::iter::from_fn(|| background.ready()));
    }
    background.expire(now + HOLD);
    left.extend(std::iter::from_fn(|| background.ready()));
    assert_eq!(background.until(), None);
    (answers, left)
}

const DARK: &str = "\x1b]11;rgb:1010/1010/1010\x1b\\";

#[test]
fn an_answer_is_awaited_until_it_came_but_not_for_long() {
    let start = Instant::now();
    let mut background = Background::new();
    assert_eq!(background.awaited(start), None, "nothing was asked");
    background.asked(start);
    let until = background.awaited(start).unwrap();
    assert!(until > start && background.awaited(until).is_none());
    let answer = keys(&[DARK]);
    let (last, beginning) = answer.split_last().unwrap();
    for key in beginning {
        assert_eq!(background.sort(*key, start), Sorted::Held);
    }
    assert_eq!(background.awaited(start), Some(until), "half an answer is none");
    assert_eq!(background.sort(*last, start), Sorted::Answer(Some(Ground::Dark)));
    assert_eq!(background.awaited(start), None);
}

#[test]
fn an_answer_is_read_in_every_form() {
    for (answer, ground) in [
        (DARK, Some(Ground::Dark)),
        ("\x1b]11;rgb:ffff/ffff/ffff\x07", Some(Ground::Light)),
        ("\x1b]11;rgb:FDFD/F6F6/E3E3\x1b\\", Some(Ground::Light)),
        ("\x1b]11;rgb:00/2b/36\x07", Some(Ground::Dark)),
        ("\x1b]11;rgba:0000/0000/0000/ffff\x1b\\", Some(Ground::Dark)),
        ("\x1b]11;#ffffff\x07", Some(Ground::Light)),
        ("\x1b]11;what\x07", None),
    ] {
        let found = sorted(keys(&[answer]), Duration::ZERO);
        assert_eq!(found, (vec![ground], Vec::new()), "{answer:?}");
    }
}

#[test]
fn an_answer_that_comes_late_is_swallowed_and_says_nothing() {
    let found = sorted(keys(&[DARK]), LIMIT * 60);
    assert_eq!(found, (vec![None], Vec::new()));
}

#[test]
fn an_answer_in_pieces_is_found_wherever_it_is_parted() {
    for at in 1..DARK.len() {
        let (head, tail) = DARK.split_at(at);
        let found = sorted(keys(&[head, tail]), Duration::ZERO);
        assert_eq!(found, (vec![Some(Ground::Dark)], Vec::new()), "parted at {at}");
    }
    let single: Vec<String> = DARK.chars().map(String::from).collect();
    let single: Vec<&str> = single.iter().map(String::as_str).collect();
    assert_eq!(sorted(keys(&single), Duration::ZERO), (vec![Some(Ground::Dark)], Vec::new()));
}

#[test]
fn after_the_limit_only_an_esc_that_comes_alone_passes() {
    let (head, tail) = DARK.split_at(1);
    let (answers, left) = sorted(keys(&[head, tail]), LIMIT * 2);
    assert_eq!((answers, left), (vec![None], keys(&["\x1b"])));
}

#[test]
fn what_is_typed_around_an_answer_stays_in_its_order() {
    let typed = keys(&["ab", "\x1b", DARK, "]11;x", "\x1b]", "\x1b", "c"]);
    let (answers, left) = sorted(typed, Duration::ZERO);
    assert_eq!(answers, [Some(Ground::Dark)]);
    assert_eq!(left, keys(&["ab", "\x1b", "]11;x", "\x1b]", "\x1b", "c"]));
}

#[test]
fn esc_waits_but_a_moment_and_only_while_an_answer_is_expected() {
    let start = Instant::now();
    let esc = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    let mut background = Background::new();
    assert_eq!(background.sort(esc, start), Sorted::Keys);
    background.asked(start);
    assert_eq!(background.sort(esc, start), Sorted::Held);
    assert_eq!(background.until(), Some(start + HOLD_ESC));
    background.expire(start + HOLD_ESC);
    assert_eq!(std::iter::from_fn(|| background.ready()).count(), 2);
    assert_eq!(background.sort(esc, start + LIMIT * 2), Sorted::Keys);
}

proptest! {
    #[test]
    fn keys_that_are_no_answer_all_come_out(text in "[\\]\\\\a-c1;:/\x1b\x07]{0,60}") {
        prop_assume!(!text.contains("]11;"));
        let typed = keys(&[text.as_str()]);
        prop_assert_eq!(sorted(typed.clone(), Duration::ZERO), (Vec::new(), typed));
    }
}
