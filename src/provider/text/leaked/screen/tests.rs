//! What is shown while a reply comes, against what the reply is in the end.

use proptest::prelude::*;

use super::{Ended, Piece, Screen};
use crate::provider::{
    FinishReason,
    text::leaked::{
        recover,
        tests::{TOKENS, tools},
    },
};

/// What was shown before the end, and what the reply is.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    text: String,
    reasoning: String,
    calls: Vec<(String, String)>,
    repaired: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    text: String,
    reasoning: String,
}

impl Shown {
    fn add(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.text.push_str(&text),
                Piece::Reasoning(text) => self.reasoning.push_str(&text),
            }
        }
    }
}

/// What was shown after each piece, and what the reply is.
fn read<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
    finish: Option<&FinishReason>,
) -> (Vec<Shown>, Told) {
    let mut screen = Screen::new(&tools());
    let mut shown = Shown::default();
    let mut states = Vec::new();
    for piece in pieces {
        shown.add(screen.push(piece));
        states.push(Shown { text: shown.text.clone(), reasoning: shown.reasoning.clone() });
    }
    let Ended { rest, calls, repaired, .. } = screen.finish(finish);
    shown.add(rest);
    let calls = calls.into_iter().map(|call| (call.name, call.arguments)).collect();
    (states, Told { text: shown.text, reasoning: shown.reasoning, calls, repaired })
}

fn stopped(content: &str) -> Told {
    read([content], Some(&FinishReason::Stop)).1
}

/// What is shown after all of the content came, one character after the other.
fn shown(content: &str) -> String {
    let pieces = content.split_inclusive(|_| true);
    read(pieces, None).0.pop().unwrap_or_default().text
}

/// Pieces that end at these places, if they are places between characters.
fn cut<'a>(content: &'a str, ends: &[usize]) -> Vec<&'a str> {
    let mut ends: Vec<usize> = ends.iter().map(|end| end % (content.len() + 1)).collect();
    ends.push(content.len());
    ends.sort_unstable();
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in ends {
        if content.is_char_boundary(end) {
            pieces.push(content.get(start..end).unwrap());
            start = end;
        }
    }
    pieces
}

fn check(content: &str, pieces: &[&str]) {
    for finish in [Some(FinishReason::Stop), Some(FinishReason::Length), None] {
        let (_, whole) = read([content], finish.as_ref());
        let (states, told) = read(pieces.iter().copied(), finish.as_ref());
        assert_eq!(told, whole, "{content:?} as {pieces:?}, {finish:?}");
        for shown in states {
            assert!(told.text.starts_with(&shown.text), "{content:?}: {shown:?} of {told:?}");
            assert!(told.reasoning.starts_with(&shown.reasoning), "{shown:?} of {told:?}");
        }
        let plain = recover(content, finish.as_ref(), &tools());
        if !content.contains("</think>") {
            let calls: Vec<_> =
                plain.calls.into_iter().map(|call| (call.name, call.arguments)).collect();
            assert_eq!((&calls, told.repaired), (&told.calls, plain.repaired), "{content:?}");
            assert_eq!(told.text.trim_start(), plain.text.trim_start(), "{content:?}");
            assert_eq!(told.reasoning, plain.reasoning, "{content:?}");
        }
        if !content.contains(['<', '{', '[']) {
            assert_eq!(told.text, content);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn neither_text_nor_calls_depend_on_the_pieces(
        tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..24),
        ends in proptest::collection::vec(any::<usize>(), 0..12),
    ) {
        let content = tokens.concat();
        check(&content, &cut(&content, &ends));
        let chars: Vec<&str> = content.split_inclusive(|_| true).collect();
        check(&content, &chars);
    }

    #[test]
    fn neither_do_they_for_any_text(
        content in "[<>/\\[\\]{}`~a-f \n\"'|:=(),é]{0,60}",
        ends in proptest::collection::vec(any::<usize>(), 0..6),
    ) {
        check(&content, &cut(&content, &ends));
    }
}

#[test]
fn prose_is_shown_as_it_comes_and_to_the_last_byte() {
    for content in [
        "Hello, world.",
        "  indented\n\n\n",
        "\u{feff}marked",
        "a < b && c[0] > 1\n",
        "Some `code` and ``more ` of it``, an ` open one\nand a line",
        "[a link](b) and {braces}",
        "```rust\nfn main() { let x: Vec<T> = y[0]; }\n```\nThat is it.\n",
        "> quoted <tool_call>{\"name\": \"read_file\", \"arguments\": {}}</tool_call>\nyes",
        " \n\t ",
        "",
    ] {
        assert_eq!(stopped(content).text, content);
        assert_eq!(shown(content), content.trim_end(), "{content:?}");
        let chars: Vec<&str> = content.split_inclusive(|_| true).collect();
        check(content, &chars);
    }
}

#[test]
fn what_may_begin_a_call_is_held_back_until_it_is_known_that_it_does_not() {
    for (content, want) in [
        ("Look: <tool_c", "Look:"),
        ("Look: <tool_call>{\"name\": \"read_file\"", "Look:"),
        ("Look: <tool_call> is a tag, it says", "Look: <tool_call> is a tag, it says"),
        ("Look: <tool_cat", "Look: <tool_cat"),
        ("[TOOL_", ""),
        ("{\"name\": \"read_file\", \"argum", ""),
        ("{\"name\": \"Ada\"} is", "{\"name\": \"Ada\"} is"),
        ("{ let x", "{ let x"),
        ("[1] says", "[1] says"),
        ("```json\n{\"name\": \"read_file\"", ""),
        ("```rust\nfn main", "```rust\nfn main"),
        ("```html\n<div", "```html\n<div"),
        ("```\n{\"a\": 1}\n", "```\n{\"a\": 1}"),
        ("  <think", ""),
        ("a <think>b", "a"),
        ("Say `<tool_call>", "Say `"),
        ("Say `<tool_call>` and", "Say `<tool_call>` and"),
    ] {
        assert_eq!(shown(content), want, "{content:?}");
    }
}

#[test]
fn thought_is_shown_as_thought_while_it_comes() {
    let (states, told) = read(["<think>one ", "two</th", "ink>\n\nDone."], None);
    let thoughts: Vec<&str> = states.iter().map(|shown| shown.reasoning.as_str()).collect();
    assert_eq!(thoughts, ["one", "one two", "one two"]);
    assert_eq!((told.text.as_str(), told.reasoning.as_str()), ("Done.", "one two"));
}

#[test]
fn text_before_an_end_of_thought_that_nothing_began_stays_text_and_calls_nothing() {
    let call = "<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>";
    let list_files = [("list_files".to_owned(), "{}".to_owned())];
    let told = stopped("I think.\n</think>\n\nDone.");
    assert_eq!(told.text, "I think.\n\n\nDone.");
    let told = stopped(&format!("I think.\n</think>\n\n{call}"));
    assert_eq!((told.text.as_str(), told.calls.as_slice()), ("I think.", &list_files[..]));
    let told = stopped(&format!("I could {call}\n</think>\nI will not."));
    assert_eq!(told.text, format!("I could {call}\n\nI will not."));
    assert_eq!(told.calls, []);
    let json = "{\"name\": \"list_files\", \"arguments\": {}}";
    let told = stopped(&format!("x\n</think>\n{json}"));
    assert_eq!((told.text.as_str(), told.calls.as_slice()), ("x", &list_files[..]));
    assert_eq!(shown("I think.</think> So"), "I think. So");
    assert_eq!(shown("The `</think>` tag"), "The `</think>` tag");
}

/// What takes the square of its length to read would take hours here.
#[test]
fn long_and_hostile_texts_come_in_small_pieces_in_linear_time() {
    for (before, token) in [
        ("", "<"),
        ("", "{"),
        ("", "{\"a\": "),
        ("", "["),
        ("", "`"),
        ("", "` a"),
        ("", "x "),
        ("x", "  "),
        ("`", "  "),
        ("`", "<tool_call>"),
        ("```\n", "<"),
        ("```\n{", "<think>"),
        ("<think>", "<"),
        ("<think>", "  "),
        ("a <think>", "<|channel|>"),
        ("x ", "<tool_response>"),
        ("x <tool_call>{\"a\": \"", "\\u00"),
        ("<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>", "<tool_call>"),
        ("x ", "<function=a>\n<parameter=b>x\n"),
        ("x\n</think>\n", "{"),
    ] {
        let content = format!("{before}{}", token.repeat(100_000 / token.len()));
        let chars: Vec<char> = content.chars().collect();
        let mut screen = Screen::new(&tools());
        let mut bytes = 0;
        for piece in chars.chunks(4) {
            for piece in screen.push(&piece.iter().collect::<String>()) {
                let (Piece::Text(text) | Piece::Reasoning(text)) = piece;
                bytes += text.len();
            }
        }
        let ended = screen.finish(Some(&FinishReason::Stop));
        assert!(bytes <= content.len() && ended.calls.len() <= 1, "{before}{token}");
    }
}
