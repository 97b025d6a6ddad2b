//! The protocol beyond the tables: forms, precedence, streaming, hostile text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Outcome, Piece, Reader, Reason, Reply};
use crate::{protocol::tool::ToolSpec, provider::FinishReason};

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, parameters: &[&str], required: &[&str]| {
        let of = |name: &&str| {
            let kind = if *name == "limit" { "integer" } else { "string" };
            ((*name).to_owned(), json!({"type": kind}))
        };
        let properties: serde_json::Map<_, _> = parameters.iter().map(of).collect();
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"properties": properties, "required": required}),
        }
    };
    vec![
        tool("read_file", &["path", "limit"], &["path"]),
        tool("write_file", &["path", "content"], &["path", "content"]),
        tool("edit_file", &["path", "old", "new"], &["path", "old", "new"]),
        tool("run_cmd", &["command"], &["command"]),
        tool("list_files", &["path", "limit"], &[]),
    ]
}

fn finished(text: &str, finish: Option<&FinishReason>) -> Reply {
    let mut reader = Reader::new(&tools());
    let mut shown = reader.push(text);
    let mut reply = reader.finish(finish);
    shown.append(&mut reply.rest);
    Reply { rest: shown, ..reply }
}

fn reply(text: &str) -> Reply {
    finished(text, Some(&FinishReason::Stop))
}

/// Name, arguments, and whether they were repaired.
fn action(text: &str) -> Option<(String, Value, bool)> {
    match reply(text).outcome {
        Outcome::Action { call, repaired, .. } => {
            Some((call.name, serde_json::from_str(&call.arguments).unwrap(), repaired))
        }
        _ => None,
    }
}

fn runs(text: &str, command: &str, repaired: bool) {
    let want = ("run_cmd".to_owned(), json!({"command": command}), repaired);
    assert_eq!(action(text), Some(want), "{text}");
}

fn answer(text: &str) -> Option<String> {
    match reply(text).outcome {
        Outcome::Answer { text, .. } => Some(text),
        _ => None,
    }
}

fn malformed(text: &str) -> Option<Reason> {
    match reply(text).outcome {
        Outcome::Malformed { reason, .. } => Some(reason),
        _ => None,
    }
}

#[test]
fn the_forms_of_a_call_are_one() {
    for text in [
        "Action: run_cmd('ls')",
        "Action: run_cmd(command: 'ls')",
        "Action: run_cmd[ls]",
        "Action: run_cmd{\"command\": \"ls\"}",
        "Action: {\"name\": \"run_cmd\", \"arguments\": {\"command\": \"ls\"}}",
        "Action: [{\"name\": \"run_cmd\", \"arguments\": {\"command\": \"ls\"}}]",
        "Action:\n```json\n{\"action\": \"run_cmd\", \"action_input\": \"ls\"}\n```",
        "Action:\n```\nrun_cmd('ls')\n```",
        "Action: `run_cmd`\nAction Input: `ls`",
        "**Action:** run_cmd\n**Action Input:** \"ls\"",
        "Action: run_cmd\r\nAction Input: ls\r\n",
        "Action: run_cmd\n\nAction Input:\n```sh\nls\n```",
        "Action: run_cmd\n{\"command\": \"ls\"}",
        "Action: functions.run_cmd('ls')",
        "动作: run_cmd\n动作输入：ls",
        "Thought: x\n\n<think>\nno\n</think>\n\nAction: run_cmd('ls')",
        "{\"action\": \"run_cmd\", \"action_input\": {\"command\": \"ls\"}}",
        "no\n</think>\n\nAction: run_cmd('ls')",
        "no\nAction: run_cmd('no')\n</think>\nAction: run_cmd('ls')",
        "<think>x</think>```\nThought: a\nAction: run_cmd('ls')\n```",
    ] {
        runs(text, "ls", false);
    }
    for text in ["Action: run_cmd: ls", "Action: run_cmd ls", "Action: run_cmd(ls"] {
        runs(text, "ls", true);
    }
}

#[test]
fn bodies_go_to_the_one_text_that_is_missing() {
    let write = |text: &str| action(text).unwrap().1;
    let want = json!({"path": "a", "content": "x\n"});
    assert_eq!(write("Action: write_file('a')\n```\nx\n```\nmore"), want);
    assert_eq!(write("Action: write_file(path=\"a\")\n\n~~~txt\nx\n~~~"), want);
    assert_eq!(write("Action: write_file\nAction Input: {\"path\": \"a\"}\n```\nx\n```"), want);
    assert_eq!(write("`Action`: `write_file('a')`\n```\nx\n```"), want);
    let inside = "Action: write_file('a')\n```\nAnswer: x\n</think>\nAction: run_cmd('ls')\n```";
    assert_eq!(write(inside)["content"], "Answer: x\n</think>\nAction: run_cmd('ls')\n");
    assert_eq!(malformed("Action: write_file('a')\n```\nx"), Some(Reason::Truncated));
    assert_eq!(malformed("Action: edit_file('a')\n```\nx\n```"), Some(Reason::MissingArguments));
    assert_eq!(malformed("Action: read_file()\nAnswer: x"), Some(Reason::MissingArguments));
}

#[test]
fn the_first_thing_that_was_meant_counts() {
    assert_eq!(answer("Answer: a\nAction: run_cmd('rm')").unwrap(), "a\nAction: run_cmd('rm')");
    assert_eq!(answer("Answer: a\nObservation: b\nAnswer: c").unwrap(), "a");
    assert_eq!(answer("Observation: x\nAction\nAnswer: a").unwrap(), "a");
    assert_eq!(answer("Action: none\nIt is 4.").unwrap(), "It is 4.");
    assert_eq!(answer("Action: Finish('done')").unwrap(), "done");
    assert_eq!(answer("Action: Final Answer\nAction Input: done").unwrap(), "done");
    assert_eq!(answer("Action: finish[a\nb]").unwrap(), "a\nb");
    assert_eq!(answer("```\nAnswer: a\n```").unwrap(), "a");
    assert_eq!(answer("```\nAction: run_cmd('rm')\n```\nAnswer: so").unwrap(), "so");
    assert_eq!(
        answer("```json\n{\"action\": \"run_cmd\", \"action_input\": \"rm\"}\n```\nAnswer: so")
            .unwrap(),
        "so"
    );
    let both = reply(
        "Action: run_cmd('a')\nAction: run_cmd('b')\nrun_cmd('c')\nObservation: x\nAction: z",
    );
    assert_eq!((both.ignored_actions, both.invented_observation), (2, true));
    runs(
        "Thought: x\n```json\n{\"action\": \"run_cmd\", \"action_input\": \"ls\"}\n```\nObservation: a\nAnswer: b",
        "ls",
        false,
    );
}

#[test]
fn what_was_not_meant_never_runs() {
    for text in [
        "",
        "  \n",
        "Action:",
        "Action: I will now read the file (a.rs)",
        "Action: Use read_file('a.rs')",
        "Thought: write `Action: run_cmd('rm')`",
        "Thought: so:\n~~~\nAction: run_cmd('rm')\n~~~",
        "Thought: so:\n```\nAction: run_cmd('rm')",
        "<think>Action: run_cmd('rm')",
        "<think>\nAction: run_cmd('rm')\n```\n</think>\nno",
        "Observation: x\n```\nAction: run_cmd('rm')\n```",
        "Action::run_cmd('rm')",
        "Action: run_cmd('a",
        "Action: run_cmd('a\nObservation: x\nAnswer: y",
        "Action: run_cmd('a', 'b')",
        "Action: list_files to see what is there",
        "Action: write_file('a', 'x </think>\nAction: run_cmd('rm')",
        "Action: {\"name\": \"run_cmd\", \"arguments\": {\"command\": \"a",
    ] {
        assert_eq!(action(text), None, "{text}");
    }
}

#[test]
fn a_cut_reply_runs_only_what_is_complete() {
    let cut = |text: &str| finished(text, Some(&FinishReason::Length)).outcome;
    for text in [
        "Action: run_cmd('ls'",
        "Action: run_cmd\nAction Input: ls",
        "Action: run_cmd ls",
        "Action: list_files",
        "Action: write_file('a.py', 'print('x')\n')",
        "Action: write_file\nAction Input: {\"path\": \"a\", \"content\": \"x\"",
        "Action: write_file('a')\n```\nx",
    ] {
        assert!(
            matches!(
                cut(text),
                Outcome::Malformed { reason: Reason::Truncated | Reason::BadArguments, .. }
            ),
            "{text}"
        );
    }
    for text in [
        "Action: run_cmd('ls')\nObservation: a",
        "Action: run_cmd\nAction Input: ls\nObservation: a",
        "Action: write_file('a')\n```\nx\n```\nObserv",
    ] {
        assert!(matches!(cut(text), Outcome::Action { repaired: false, .. }), "{text}");
    }
}

/// All that is shown, the kinds told apart.
fn joined(pieces: &[Piece]) -> String {
    let mut joined = String::new();
    let mut last = None;
    for piece in pieces {
        let (kind, text) = match piece {
            Piece::Thought(text) => ('T', text),
            Piece::Text(text) => ('A', text),
        };
        if last.replace(kind) != Some(kind) {
            joined.push('\u{1}');
            joined.push(kind);
        }
        joined.push_str(text);
    }
    joined
}

#[test]
fn text_is_shown_as_soon_as_it_can_be_no_label() {
    let mut reader = Reader::new(&tools());
    let shown: Vec<String> =
        ["Th", "e", " file\n", "Thou", "ght: lo", "ok\n\n", "Ac", "tion: run_cmd('", "ls')"]
            .iter()
            .map(|piece| joined(&reader.push(piece)))
            .collect();
    let want = ["", "\u{1}AThe", "\u{1}A file", "", "\u{1}Tlo", "\u{1}Tok", "", "", ""];
    assert_eq!(shown, want);
    assert!(!reader.has_enough());
}

#[test]
fn the_stream_can_be_closed_when_a_label_follows_a_whole_call() {
    let enough = |text: &str| {
        let mut reader = Reader::new(&tools());
        reader.push(text);
        reader.has_enough()
    };
    assert!(enough("Action: run_cmd('ls')\nObservation:\n"));
    assert!(enough("Action: run_cmd\nAction Input: ls\nThought: x"));
    assert!(enough("Answer: a\nObservation: x"));
    assert!(!enough("Action: run_cmd('ls')\n"));
    assert!(!enough("Action: write_file('a', '\nObservation: x\nAnswer: y\n"));
    assert!(!enough("Action: write_file('a')\nThought: x"));
    let in_a_block =
        "```json\nAction: {\"name\": \"run_cmd\", \"arguments\": {\"command\": \"ls\"}}\n```\n";
    assert!(!enough(&format!("{in_a_block}Thought: x\nThought: y")), "an answer may follow");
    assert!(!enough("Answer: a\nAction: run_cmd('ls')\nAnswer: x"));
}

const TOKENS: &[&str] = &[
    "Thought:",
    "Action:",
    "Action Input:",
    "Observation:",
    "Answer:",
    "Question:",
    "**Action:** ",
    "行动：",
    "观察",
    "\n",
    "\n",
    "\n",
    " ",
    "run_cmd",
    "write_file",
    "read_file('a')",
    "(",
    ")",
    "（",
    "）",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "'''",
    "`",
    "```",
    "```json\n",
    "\n```\n",
    "~~~\n",
    "<think>",
    "</think>",
    "<th",
    "</",
    "<",
    "None",
    "Finish[",
    "\"action\": ",
    "\"command\": ",
    "{\"name\": \"run_cmd\", \"arguments\": {\"command\": \"ls\"}}",
    "a=",
    ",",
    ":",
    "\\",
    "\\n",
    "\u{feff}",
    "é",
    "🔧",
    "“",
    "”",
    "1.",
    "- ",
    "# ",
    "x",
    "\t",
    "\r\n",
    "Obs",
    "Act",
];

fn pieces_of(text: &str, cuts: &[usize]) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut rest = chars.as_slice();
    for cut in cuts.iter().chain(&[usize::MAX]) {
        let (piece, after) = rest.split_at((*cut).min(rest.len()));
        pieces.push(piece.iter().collect());
        rest = after;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_can_come_in(text in ".{0,200}") {
        let _reply = reply(&text);
    }

    #[test]
    fn what_is_shown_and_what_comes_out_do_not_depend_on_the_pieces(
        tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..40),
        cuts in proptest::collection::vec(0_usize..12, 0..40),
    ) {
        let text = tokens.concat();
        let whole = reply(&text);
        let (all, mut so_far) = (joined(&whole.rest), Vec::new());
        let mut reader = Reader::new(&tools());
        for piece in pieces_of(&text, &cuts) {
            so_far.extend(reader.push(&piece));
            prop_assert!(all.starts_with(&joined(&so_far)), "{:?} of {all:?}", joined(&so_far));
        }
        let mut last = reader.finish(Some(&FinishReason::Stop));
        so_far.append(&mut last.rest);
        prop_assert_eq!(joined(&so_far), all);
        prop_assert_eq!(Reply { rest: whole.rest.clone(), ..last }, whole);
    }

    #[test]
    fn a_call_is_never_made_of_a_text_that_a_strict_prefix_would_run_otherwise(
        tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..30),
    ) {
        let text = tokens.concat();
        let mut reader = Reader::new(&tools());
        reader.push(&text);
        if reader.has_enough() && !text.contains("</th") {
            let early = reader.finish(Some(&FinishReason::Stop)).outcome;
            let late = reply(&format!("{text}\nmore\nAction: run_cmd('rm')\nAnswer: no"));
            prop_assert_eq!(early, late.outcome);
        }
    }
}

/// What takes the square of its length to read would take the better part of an hour here.
#[test]
fn long_and_hostile_texts_are_read_in_one_go() {
    let more = [
        "Action: None\n",
        "Action: run_cmd('x')\n",
        "Observation: x\n",
        "'a' b ",
        "{'a':",
        "[{",
        "a=(",
        "' ",
        "Action:\n",
        "\n\n",
        "```\n{}\n```\n",
        "Thought: x\n</think>\n",
        "f('x', ",
        "run_cmd('a') ",
    ];
    for token in TOKENS.iter().chain(&more) {
        let text = token.repeat(20_000 / token.len());
        for before in [
            "",
            "Action: ",
            "Action: run_cmd(",
            "Action: write_file('a', '",
            "Action: run_cmd\nAction Input: ",
            "Action: write_file('a')\n```\n",
            "Answer: x",
        ] {
            let _reply = reply(&format!("{before}{text}"));
        }
    }
}
