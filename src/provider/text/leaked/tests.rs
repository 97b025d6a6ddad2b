//! What each family writes, and what must never come out as a call.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Recovered, recover};
use crate::{protocol::tool::ToolSpec, provider::FinishReason};

pub(super) fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, properties: Value| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"properties": properties}),
    };
    let text = json!({"type": "string"});
    vec![
        tool("read_file", json!({"path": text, "limit": {"type": "integer"}})),
        tool("write_file", json!({"path": text, "content": text})),
        tool("list_files", json!({})),
    ]
}

fn found(content: &str) -> Recovered {
    recover(content, Some(&FinishReason::Stop), &tools())
}

/// Names and arguments.
fn calls(content: &str) -> Vec<(String, Value)> {
    let calls = found(content).calls.into_iter();
    calls.map(|call| (call.name, serde_json::from_str(&call.arguments).unwrap())).collect()
}

fn read_a() -> Vec<(String, Value)> {
    vec![("read_file".to_owned(), json!({"path": "a.rs"}))]
}

#[test]
fn every_family_is_read() {
    for content in [
        "<tool_call>\n<function=read_file>\n<parameter=path>\na.rs\n</parameter>\n</function>\n</tool_call>",
        "<function=read_file>\n<parameter=path>\na.rs\n</function>",
        "<function=read_file>{\"path\": \"a.rs\"}</function>",
        "<tool_call>{\"name\": \"read_file\", \"arguments\": \"{\\\"path\\\": \\\"a.rs\\\"}\"}</tool_call>",
        "<tool_call>{\"type\": \"function\", \"function\": {\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}}</tool_call>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{\"path\": \"a.rs\"}<|tool_call_end|><|tool_calls_section_end|>",
        "<|tool_call|>[{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}]",
        "[TOOL_CALLS]read_file{\"path\": \"a.rs\"}",
        "[TOOL_CALLS]read_file[CALL_ID]abc123[ARGS]{\"path\": \"a.rs\"}",
        "[TOOL_CALLS] {\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}</s>",
        "<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{\"path\": \"a.rs\"}<|call|>",
        "{\"name\": \"read_file\", \"parameters\": {\"path\": \"a.rs\"}}<|eot_id|>",
        "```tool_code\nread_file(path='a.rs')\n```",
        "```json\n<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}</tool_call>\n```",
        "<function_calls><invoke name=\"read_file\"><parameter name=\"path\">a.rs</parameter></invoke></function_calls>",
        "<think>x</think>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}",
        "x\n</think>\n\n<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}</tool_call>",
        "```json\n{\n  \"name\": \"read_file\",\n  \"arguments\": {\n    \"path\": \"a.rs\"\n  }\n}\n```\n\n\n",
    ] {
        assert_eq!(calls(content), read_a(), "{content}");
        assert_eq!(found(content).text, "", "{content}");
        assert!(!found(content).repaired, "{content}");
    }
}

#[test]
fn two_objects_in_one_block_are_two_calls() {
    let one = |path| json!({"name": "read_file", "arguments": {"path": path}});
    let content = format!("```json\n{}\n{}\n```\n\n", one("a"), one("b"));
    let paths: Vec<Value> =
        calls(&content).into_iter().map(|call| call.1["path"].clone()).collect();
    assert_eq!(paths, ["a", "b"]);
}

#[test]
fn the_id_of_a_call_that_has_one_is_kept() {
    let content = "<|tool_call_begin|>functions.list_files:3<|tool_call_argument_begin|>{}";
    assert_eq!(found(content).calls[0].id, "functions.list_files:3");
    assert_eq!(found(content).calls[0].name, "list_files");
}

#[test]
fn texts_of_parameters_keep_their_tags_and_numbers_are_numbers() {
    let content = "<function=write_file>\n<parameter=path>\np.md\n</parameter>\n<parameter=content>\na </parameter> b\n  c\n\n</parameter>\n</function>";
    assert_eq!(calls(content)[0].1, json!({"path": "p.md", "content": "a </parameter> b\n  c\n"}));
    let content = "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>7</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>7</arg_value>\n</tool_call>";
    assert_eq!(calls(content)[0].1, json!({"path": "7", "limit": 7}));
}

#[test]
fn what_is_quoted_unknown_or_only_mentioned_stays_text() {
    let call =
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}</tool_call>";
    let json = "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}";
    for content in [
        format!("Write `{call}` to call."),
        format!("Write ``{call}`` to call."),
        format!("So:\n```\n{call}\n```\nThat is it."),
        format!("So:\n~~~\n{call}\n"),
        format!("> {call}\nis how it looks."),
        format!("He wrote \"{call}\"."),
        format!("The config is {json}"),
        format!("So:\n```json\n{json}\n```"),
        json.replace("read_file", "left-pad"),
        "{\"name\": \"read_file\", \"version\": 1}".to_owned(),
        "[1, 2]".to_owned(),
        "[see(the notes)]".to_owned(),
        "The tag <function=name> begins it.".to_owned(),
        "The <tool_call>x</tool_call> tag".to_owned(),
        format!("A tag <think> never closed. {call}"),
        "[TOOL_CALLS] comes first.".to_owned(),
        "<|channel|> and <|message|>".to_owned(),
        "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.rs\", \"content\": \"half".to_owned(),
    ] {
        let found = found(&content);
        assert_eq!((found.calls.len(), found.text.as_str()), (0, content.as_str()), "{content}");
    }
}

#[test]
fn a_cut_reply_calls_nothing() {
    let call = "<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>";
    for finish in [None, Some(FinishReason::Length), Some(FinishReason::ContentFilter)] {
        let found = recover(call, finish.as_ref(), &tools());
        assert_eq!((found.calls.len(), found.text.as_str()), (0, call), "{finish:?}");
    }
}

#[test]
fn thought_is_told_apart_from_text_and_from_data() {
    let got = found(
        "<think>a <tool_call>{\"name\":\"list_files\",\"arguments\":{}}</tool_call></think>b <think>c</think> d",
    );
    assert_eq!((got.text.as_str(), got.calls.len()), ("b  d", 0));
    assert!(got.reasoning.starts_with("a <tool_call>") && got.reasoning.ends_with("\nc"));
    let got = found(
        "<think>never closed <tool_call>{\"name\":\"list_files\",\"arguments\":{}}</tool_call>",
    );
    assert_eq!((got.text.as_str(), got.calls.len()), ("", 0));
    let content = "<tool_call>{\"name\": \"write_file\", \"arguments\": {\"path\": \"p\", \"content\": \"<think>x</think>\"}}</tool_call>";
    assert_eq!(calls(content)[0].1["content"], "<think>x</think>");
}

#[test]
fn harmony_channels_are_reasoning_and_text() {
    let got = found(
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Done.<|return|>",
    );
    assert_eq!((got.reasoning.as_str(), got.text.as_str()), ("hm", "Done."));
}

#[test]
fn a_call_behind_an_invented_result_is_text() {
    let call = "<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>";
    let got = found(&format!("{call}\n<tool_response>a.rs</tool_response>\n{call}"));
    assert_eq!(got.calls.len(), 1);
    assert_eq!(got.text, format!("a.rs\n{call}"), "the tags around the result are gone");
}

#[test]
fn the_tags_around_an_invented_result_go_and_its_text_stays() {
    for (content, text) in [
        ("It is:\n<tool_response>\n42\n</tool_response>\nDone.", "It is:\n42\n\nDone."),
        ("<tool_response>42</tool_response>", "42"),
        ("Nothing.</tool_response>", "Nothing."),
        ("the tag `<tool_response>` is quoted", "the tag `<tool_response>` is quoted"),
    ] {
        assert_eq!(found(content).text, text);
    }
}

#[test]
fn a_call_that_never_ends_is_seen_and_one_that_is_only_spoken_of_is_not() {
    for (content, is_open) in [
        ("I look.\n<tool_call>\n{\"name\": \"list_files\", \"arguments\": {\"path\": \"a", true),
        ("<tool_call>{\"name\": \"list_files\"", true),
        ("<tool_call>{", true),
        ("I look. <tool_call>", true),
        ("<function_call>[{\"name\": \"list_files\", ", true),
        ("<tool_call>{\"name\": \"list_files\", \"arguments\": {}}</tool_call>", false),
        ("a model writes <tool_call> and then the name", false),
        ("a model writes `<tool_call>{\"name\": `", false),
        ("```\n<tool_call>{\"name\": \n```", false),
    ] {
        let stop = Some(FinishReason::Stop);
        let mut screen = super::Screen::new(&tools());
        let _shown = screen.push(content);
        assert_eq!(screen.finish(stop.as_ref()).is_open, is_open, "{content}");
        let mut screen = super::Screen::new(&tools());
        let _shown = screen.push(content);
        let cut = Some(FinishReason::Length);
        assert!(!screen.finish(cut.as_ref()).is_open, "a cut reply goes on: {content}");
    }
}

#[test]
fn what_is_not_quite_json_says_that_it_was_repaired() {
    let got = found(
        "<tool_call>{'name': 'write_file', 'arguments': {'path': 'a', 'content': 'x\ny'}}</tool_call>",
    );
    assert!(got.repaired);
    let arguments: Value = serde_json::from_str(&got.calls[0].arguments).unwrap();
    assert_eq!(arguments["content"], "x\ny");
}

pub(super) const TOKENS: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<function=read_file>",
    "<parameter=path>",
    "</parameter>",
    "</function>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "read_file",
    "{\"name\": \"read_file\", ",
    "\"arguments\": {",
    "}",
    "}}",
    "\"",
    "<think>",
    "</think>",
    "```json\n",
    "```",
    "`",
    "\n",
    " ",
    "<|python_tag|>",
    "[",
    "]",
    "(path='a')",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<start_function_call>call:",
    "<escape>",
    "<|tool_call>call:x{a:",
    "<|\"|>",
    "<invoke name=\"x\">",
    "<minimax:tool_call>",
    "<|channel|>",
    "<|message|>",
    "to=functions.x ",
    "<arg_key>",
    "<arg_value>",
    "</arg_value>",
    "</arg_key>",
    ",",
    ":",
    "é",
    "\\",
    "> ",
    "~~~\n",
    "<tool_response>",
];

proptest! {
    #[test]
    fn any_text_can_come_in(content in ".{0,200}") {
        let _found = found(&content);
    }

    #[test]
    fn any_mixture_of_marks_can_come_in_and_no_text_is_invented(
        tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..40),
    ) {
        let content = tokens.concat();
        let got = found(&content);
        prop_assert!(got.text.len() + got.reasoning.len() <= content.len());
        let cut = recover(&content, None, &tools());
        prop_assert!(cut.calls.is_empty());
        if got.calls.is_empty() && got.reasoning.is_empty() && !content.contains("<t") && !content.contains("</t")
            && !content.contains("<|")
        {
            prop_assert_eq!(got.text, content);
        }
    }
}

/// What takes the square of its length to read would take the better part of an hour here.
#[test]
fn long_and_hostile_texts_are_read_in_one_go() {
    // All ends of calls and of blocks are missing in some of these.
    for token in TOKENS.iter().chain(&[
        "<tool_call>{",
        "<function=a><parameter=b>",
        "<|channel|>a<|message|>b",
        "` a",
        "<function=a>\n<parameter=b>x\n",
        "[a(",
        "> ~",
    ]) {
        let content = token.repeat(20_000 / token.len());
        let _found = found(&content);
        let _found = found(&format!("<function=read_file>{content}"));
        let _found = found(&format!("x <tool_call>{content}"));
    }
}
