//! The labels of the protocol at the beginning of a line, in the languages and ornaments in
//! which models write them.
//!
//! Owns the table of labels and what may stand around one. Must not know what follows a label.
//!
//! Invariant: the look at a line is bounded by [`LONGEST`] characters, and what it says of a
//! beginning is never taken back by more of the line.

use crate::provider::text::cursor::{Cursor, is_blank};

/// Characters of a line within which a label must have ended.
const LONGEST: usize = 40;

/// What a label begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Thought,
    Action,
    Input,
    Observation,
    Answer,
    Question,
}

/// How a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// With this label, and what follows begins at the byte `end`.
    Label { label: Label, end: usize, ornament: &'static str },
    /// It depends on what comes.
    Undecided,
    /// With text.
    Text,
}

const LABELS: &[(&str, Label)] = &[
    ("thought", Label::Thought),
    ("thoughts", Label::Thought),
    ("reasoning", Label::Thought),
    ("思考", Label::Thought),
    ("想法", Label::Thought),
    ("action", Label::Action),
    ("动作", Label::Action),
    ("行动", Label::Action),
    ("action input", Label::Input),
    ("action_input", Label::Input),
    ("action-input", Label::Input),
    ("actioninput", Label::Input),
    ("动作输入", Label::Input),
    ("行动输入", Label::Input),
    ("observation", Label::Observation),
    ("观察", Label::Observation),
    ("观察结果", Label::Observation),
    ("answer", Label::Answer),
    ("final answer", Label::Answer),
    ("final_answer", Label::Answer),
    ("答案", Label::Answer),
    ("最终答案", Label::Answer),
    ("回答", Label::Answer),
    ("question", Label::Question),
    ("问题", Label::Question),
];

/// Reads the beginning of a line. A text with an end of line in it, or a whole line, is decided.
pub(super) fn opening(line: &str) -> Opening {
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(at, _)| at);
    let mut cursor = Cursor::new(line.get(..end).unwrap_or(line), 0);
    let open = ornaments(&mut cursor);
    let is_undecided = |cursor: &Cursor<'_>| cursor.is_at_end() && end == line.len();
    if is_undecided(&cursor) {
        return Opening::Undecided;
    }
    let mut found = Opening::Text;
    for (word, label) in LABELS {
        let mut after = cursor;
        let opening = match eat_word(&mut after, word) {
            Some(true) => separator(after, *label, open, &is_undecided),
            Some(false) if is_undecided(&after) => Opening::Undecided,
            _ => Opening::Text,
        };
        match opening {
            Opening::Label { .. } => return opening,
            Opening::Undecided => found = Opening::Undecided,
            Opening::Text => {}
        }
    }
    found
}

/// The label of a whole line, the byte at which what follows it begins, and its ornament.
pub(super) fn read(line: &str) -> Option<(Label, usize, &'static str)> {
    let decided = match opening(line) {
        Opening::Undecided => opening(&format!("{line}\n")),
        decided => decided,
    };
    match decided {
        Opening::Label { label, end, ornament } => Some((label, end, ornament)),
        _ => None,
    }
}

/// The label of a whole line.
pub(super) fn of_line(line: &str) -> Option<Label> {
    read(line).map(|(label, ..)| label)
}

/// The place of the next line of `text` that begins with a label, from the byte `at` on. A line
/// of which only the end is seen does not count.
pub(super) fn next_label(text: &str, at: usize) -> Option<usize> {
    let mut cursor = Cursor::new(text, at);
    cursor.line();
    while !cursor.is_at_end() {
        let start = cursor.at();
        if of_line(cursor.line()).is_some() {
            return Some(start);
        }
    }
    None
}

/// Whether this is a piece of the word at which a server stops a reply, left at its end.
pub(super) fn is_half_a_stop_word(line: &str) -> bool {
    let line = line.trim();
    let is_half = |word: &str, least| line.len() >= least && word.starts_with(line);
    is_half("Observation:", 2) || is_half("观察结果：", 3) || is_half("观察：", 3)
}

/// Steps over what may stand before a label. Gives the mark of emphasis that is open then.
fn ornaments(cursor: &mut Cursor<'_>) -> &'static str {
    let mut open = "";
    loop {
        let before = cursor.at();
        cursor.take_while(is_blank);
        for mark in ["**", "__"] {
            if cursor.eat(mark) {
                open = mark;
            }
        }
        cursor.take_while(|char| matches!(char, '-' | '*' | '+' | '#' | '>' | '`' | '•' | '_'));
        cursor.take_while(is_emoji);
        let mut number = *cursor;
        let digits = number.take_while(|char| char.is_ascii_digit());
        if !digits.is_empty() && (number.is_at_end() || number.eat_one(&['.', ')', '、'])) {
            *cursor = number;
        }
        if cursor.at() == before {
            return open;
        }
    }
}

fn is_emoji(char: char) -> bool {
    matches!(
        u32::from(char),
        0x200d | 0x20e3 | 0x2190..=0x23ff | 0x25a0..=0x2bff | 0xfe0f | 0x1f000..=0x1faff
    )
}

/// Steps over the word in any case: all of it, or (`false`) as much as there is.
fn eat_word(cursor: &mut Cursor<'_>, word: &str) -> Option<bool> {
    for wanted in word.chars() {
        match cursor.peek() {
            None => return Some(false),
            Some(char) if char.to_ascii_lowercase() == wanted => cursor.bump(),
            Some(_) => return None,
        };
    }
    Some(true)
}

/// What follows the word of a label: a number, the end of its emphasis, and a colon.
fn separator(
    mut cursor: Cursor<'_>,
    label: Label,
    open: &'static str,
    is_undecided: &impl Fn(&Cursor<'_>) -> bool,
) -> Opening {
    cursor.take_while(|char| is_blank(char) || char == '#');
    cursor.take_while(|char| char.is_ascii_digit());
    let marks = cursor.take_while(|char| is_blank(char) || matches!(char, '*' | '_' | '`'));
    if is_undecided(&cursor) {
        return Opening::Undecided;
    }
    if !cursor.eat_one(&[':', '：']) {
        return Opening::Text;
    }
    // A second colon makes it a path in code, `Action::Quit`; so the next character decides.
    if is_undecided(&cursor) {
        return Opening::Undecided;
    }
    if cursor.is_at(&[':']) {
        return Opening::Text;
    }
    let ornament = if marks.trim().is_empty() { open } else { "" };
    Opening::Label { label, end: cursor.at(), ornament }
}

#[cfg(test)]
mod tests {
    use super::{Label, Opening, is_half_a_stop_word, of_line, opening};

    #[test]
    fn ornaments_numbers_and_languages_do_not_hide_a_label() {
        for line in [
            "Action: x",
            "action 12: x",
            "**Action:** x",
            "**Action**: x",
            "### Action:",
            "- Action: x",
            "> 1. __Action__ ： x",
            "🔧 Action: x",
            "行动：x",
            "\u{feff}ACTION:x",
            "`Action`: x",
        ] {
            assert_eq!(of_line(line), Some(Label::Action), "{line}");
        }
        assert_eq!(of_line("Action Input: x"), Some(Label::Input));
        assert_eq!(of_line("观察结果：x"), Some(Label::Observation));
        assert_eq!(of_line("最终答案："), Some(Label::Answer));
    }

    #[test]
    fn what_only_looks_like_a_label_is_text() {
        for line in ["Action::Quit => {}", "Actions: x", "the Action: x", "Action", "Action x:", ""]
        {
            assert_eq!(of_line(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_is_undecided_only_while_it_can_become_a_label() {
        for line in ["", "  ", "**", "T", "1", "Action", "Action In", "Action 1", "Action:", "> "] {
            assert_eq!(opening(line), Opening::Undecided, "{line}");
        }
        for line in ["The", "12a", "Action b", "\n", "  \n", "Action\n", &" ".repeat(41)] {
            assert_eq!(opening(line), Opening::Text, "{line}");
        }
    }

    #[test]
    fn a_piece_of_the_stop_word_is_known() {
        assert!(is_half_a_stop_word("Observ"));
        assert!(is_half_a_stop_word("观察"));
        assert!(!is_half_a_stop_word("O"));
        assert!(!is_half_a_stop_word("Observed"));
        assert!(!is_half_a_stop_word(""));
    }
}
