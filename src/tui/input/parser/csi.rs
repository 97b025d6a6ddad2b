//! Control sequences of the keyboard, the mouse and the focus.
//!
//! Owns what each means: function keys after xterm and VT220, keys with codes after the keyboard
//! protocol of kitty and xterm's modifyOtherKeys, the mouse after xterm's SGR form. Must not know
//! where a sequence ends. Invariant: what makes no sense means nothing.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// What a sequence means.
pub(super) enum Read {
    Event(Event),
    /// A paste begins.
    Paste,
    /// What the terminal is.
    Answer(String),
    Nothing,
}

/// Reads a sequence by what stands between its introducer and its last byte.
pub(super) fn read(parameters: &[u8], last: u8) -> Read {
    let Ok(text) = std::str::from_utf8(parameters) else { return Read::Nothing };
    if let Some(mouse) = text.strip_prefix('<') {
        return mouse_report(mouse, last).map_or(Read::Nothing, Read::Event);
    }
    if text.starts_with('>') && last == b'c' {
        return Read::Answer(text.to_owned());
    }
    // Other answers, and what has a form of its own.
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')) {
        return Read::Nothing;
    }
    if (text, last) == ("200", b'~') {
        return Read::Paste;
    }
    let event = match last {
        b'I' if text.is_empty() => Some(Event::FocusGained),
        b'O' if text.is_empty() => Some(Event::FocusLost),
        _ => key(text, last).map(Event::Key),
    };
    event.map_or(Read::Nothing, Read::Event)
}

/// The key that ends in this letter, behind CSI or SS3.
pub(super) fn of_letter(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// The parameters of a sequence, each with its parts.
fn numbers(text: &str) -> Vec<Vec<Option<u32>>> {
    let part = |part: &str| part.parse().ok();
    text.split(';').map(|field| field.split(':').map(part).collect()).collect()
}

fn key(text: &str, last: u8) -> Option<KeyEvent> {
    let fields = numbers(text);
    let get = |field: usize, part: usize| *fields.get(field)?.get(part)?;
    let first = get(0, 0);
    let (code, held, kind) = match last {
        b'Z' => (KeyCode::BackTab, Some(2), None),
        b'u' => (of_code(first?)?, get(1, 0), get(1, 1)),
        b'~' if first == Some(27) => (of_code(get(2, 0)?)?, get(1, 0), None),
        b'~' => (of_number(first?)?, get(1, 0), get(1, 1)),
        // `1;2R` is F3, and what else ends so is the place of the caret.
        b'R' if first.is_some_and(|first| first != 1) => return None,
        _ if first.is_none_or(|first| first == 1) => (of_letter(last)?, get(1, 0), get(1, 1)),
        _ => return None,
    };
    let modifiers = modifiers(held.unwrap_or(1));
    let kind = match kind {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    let code = match code {
        KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        KeyCode::Char(c) if modifiers.contains(KeyModifiers::SHIFT) => {
            let shifted = get(0, 1).filter(|_| last == b'u').and_then(char::from_u32);
            KeyCode::Char(shifted.unwrap_or_else(|| upper(c)))
        }
        code => code,
    };
    Some(KeyEvent::new_with_kind(code, modifiers, kind))
}

/// The capital of a letter, where that is one letter too.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(c)
}

/// What is held down, as xterm counts it: one more than the sum of its bits.
fn modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let all = [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ];
    let held = all.into_iter().filter(|(bit, _)| bits & bit != 0);
    held.fold(KeyModifiers::NONE, |sum, (_, modifier)| sum | modifier)
}

/// The key with this number before `~`.
fn of_number(number: u32) -> Option<KeyCode> {
    let function =
        |first: u32, key: u32| Some(KeyCode::F(u8::try_from(number - first + key).ok()?));
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(11, 1),
        17..=21 => function(17, 6),
        23..=26 => function(23, 11),
        28..=29 => function(28, 15),
        31..=34 => function(31, 17),
        _ => None,
    }
}

/// The key with this code: a character's, or one of those that kitty gives to keys without one.
fn of_code(code: u32) -> Option<KeyCode> {
    Some(match code {
        8 | 127 => KeyCode::Backspace,
        9 => KeyCode::Tab,
        13 | 57_414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        57_399..=57_408 => KeyCode::Char(char::from_digit(code - 57_399, 10)?),
        57_409 => KeyCode::Char('.'),
        57_410 => KeyCode::Char('/'),
        57_411 => KeyCode::Char('*'),
        57_412 => KeyCode::Char('-'),
        57_413 => KeyCode::Char('+'),
        57_415 => KeyCode::Char('='),
        57_416 => KeyCode::Char(','),
        57_417 => KeyCode::Left,
        57_418 => KeyCode::Right,
        57_419 => KeyCode::Up,
        57_420 => KeyCode::Down,
        57_421 => KeyCode::PageUp,
        57_422 => KeyCode::PageDown,
        57_423 => KeyCode::Home,
        57_424 => KeyCode::End,
        57_425 => KeyCode::Insert,
        57_426 => KeyCode::Delete,
        57_376..=57_398 => KeyCode::F(u8::try_from(code - 57_376 + 13).ok()?),
        // Locks, media keys and modifiers by themselves.
        57_344..=63_743 => return None,
        _ => KeyCode::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    })
}

/// Rows and columns count from one.
fn mouse_report(text: &str, last: u8) -> Option<Event> {
    let mut numbers = text.split(';').map(|part| part.parse::<u16>().ok());
    let (button, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let (column, row) = (column.checked_sub(1)?, row.checked_sub(1)?);
    let which = match button & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let is_wheel = button & 64 != 0;
    let moves = button & 32 != 0;
    let kind = match (last, which) {
        _ if button & 128 != 0 => return None,
        (b'M', _) if is_wheel => match button & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            2 => MouseEventKind::ScrollLeft,
            _ => MouseEventKind::ScrollRight,
        },
        (b'M', Some(which)) if moves => MouseEventKind::Drag(which),
        (b'M', None) if moves => MouseEventKind::Moved,
        (b'M', Some(which)) => MouseEventKind::Down(which),
        (b'm', Some(which)) => MouseEventKind::Up(which),
        _ => return None,
    };
    let held = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let held = held.into_iter().filter(|(bit, _)| button & bit != 0);
    let modifiers = held.fold(KeyModifiers::NONE, |sum, (_, modifier)| sum | modifier);
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
}
