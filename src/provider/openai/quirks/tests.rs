//! What is recognised, and what a repaired body looks like.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::protocol::{
    message::{AssistantMessage, Message},
    tool::ToolSpec,
};

fn set(name: &str) -> Set {
    Quirks::named(&[name.to_owned()]).unwrap().of("m")
}

fn repaired(name: &str, messages: Value) -> Value {
    let request = Request::new(Vec::new(), Arc::new([]));
    let fields = Map::new();
    let mut body = Map::from_iter([("messages".to_owned(), messages)]);
    let asked = Asked { request: &request, fields: &fields };
    set(name).repair(&mut body, &asked);
    let once = body.clone();
    set(name).repair(&mut body, &asked);
    assert_eq!(body, once, "{name} twice is as good as once");
    body.remove("messages").unwrap()
}

fn of(status: u16, sentence: &str) -> Vec<&'static str> {
    recognised(Some(status), sentence).flat_map(Set::names).collect()
}

#[test]
fn names_are_distinct_and_all_of_them_are_taken() {
    let all: Vec<String> = names().into_iter().map(str::to_owned).collect();
    assert_eq!(Quirks::named(&all).unwrap().of("m").names(), all);
    let error = Quirks::named(&["ids9".to_owned()]).unwrap_err();
    assert!(error.contains("no quirk \"ids9\"") && error.contains("ids_9"), "{error}");
}

#[test]
fn what_was_learnt_of_one_model_says_nothing_of_another() {
    let quirks = Quirks::named(&["no_stop".to_owned()]).unwrap();
    quirks.learn("kimi", set("reasoning_content"));
    assert_eq!(quirks.of("kimi").names(), ["no_stop", "reasoning_content"]);
    assert_eq!(quirks.of("gpt-oss").names(), ["no_stop"]);
}

#[test]
fn sentences_of_servers_are_recognised() {
    for (status, sentence, want) in [
        (400, "Extra inputs are not permitted, field: 'stream_options'", vec!["no_stream_options"]),
        (400, "Argument not supported on this model: stop", vec!["no_stop"]),
        (
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead.",
            vec!["max_completion_tokens"],
        ),
        (422, "body.max_completion_tokens: Extra inputs are not permitted", vec!["max_tokens"]),
        (
            400,
            "messages[51]: assistant message with tool_calls must include reasoning_content",
            vec!["reasoning_content"],
        ),
        (400, "messages: text content blocks must be non-empty", vec!["null_content"]),
        (
            400,
            "bedrock error: The content field in the Message object at messages.[position] is \
             empty. Add a ContentBlock object to the content field and try again.",
            vec!["null_content"],
        ),
        (400, "messages.1.content.0.text.text: Field required", vec!["null_content"]),
        (400, "invalid message content type: <nil>", vec!["no_content"]),
        (
            400,
            "Invalid 'content': 'content' field must be a string or an array of objects.",
            vec!["no_content"],
        ),
        (500, "Expected 'content' to be a string or an array", vec!["no_content"]),
        (
            400,
            "A conversation must alternate between user and assistant roles. Make sure the \
             conversation alternates between user and assistant roles and try again.",
            vec!["alternate_roles", "system_in_user"],
        ),
        (
            400,
            "invalid params, chat content has invalid message role: system (2013)",
            vec!["system_in_user"],
        ),
        (
            400,
            "Developer instruction is not enabled for models/gemma-3-27b-it",
            vec!["system_in_user"],
        ),
        (
            500,
            "Tool call id was call_49c89af0 but must be a-z, A-Z, 0-9, with a length of 9",
            vec!["ids_9"],
        ),
        (
            400,
            "Anthropic: messages.5.content.0.tool_use.id: String should match pattern \
             '^[a-zA-Z0-9_-]+$'",
            vec!["ids_64"],
        ),
    ] {
        assert_eq!(of(status, sentence), want, "{sentence}");
    }
}

#[test]
fn what_is_no_refusal_of_ours_is_not_taken_for_one() {
    for (status, sentence) in [
        (429, "stream_options"),
        (400, "The response was stopped: unsupported."),
        (400, "messages.2.assistant.reasoning_content: property is unsupported"),
        (400, "max_tokens is too large: 100000. This model supports at most 16384"),
        (400, "Incorrect API key provided"),
    ] {
        assert_eq!(of(status, sentence), Vec::<&str>::new(), "{sentence}");
    }
}

#[test]
fn the_user_never_meets_the_results_of_tools() {
    let call = json!({ "role": "assistant", "content": "", "tool_calls": [{ "id": "a" }] });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "1" });
    let user = |text: &str| json!({ "role": "user", "content": text });
    let bridge = json!({ "role": "assistant", "content": "Noted." });
    let given = json!([user("one"), user("two"), call, result, user("three")]);
    let want = json!([user("one"), user("two"), call, result, bridge, user("three")]);
    assert_eq!(repaired("answer_after_tools", given.clone()), want);
    let want = json!([user("one\n\ntwo"), call, result, bridge, user("three")]);
    assert_eq!(repaired("alternate_roles", given), want);
}

#[test]
fn instructions_without_a_user_become_a_user() {
    let answer = json!({ "role": "assistant", "content": "a" });
    let given = json!([{ "role": "system", "content": "be brief" }, answer]);
    let want = json!([{ "role": "user", "content": "be brief" }, answer]);
    assert_eq!(repaired("system_in_user", given), want);
}

#[test]
fn ids_fit_stay_with_their_results_and_are_never_shared() {
    let long = "x".repeat(60);
    let ids = ["abcDEF123", "call_1", "functions.read:0", &long, ""];
    let calls: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
    let results = ids.iter().map(|id| json!({ "role": "tool", "tool_call_id": id }));
    let history = |results: Vec<Value>| -> Value {
        std::iter::once(json!({ "role": "assistant", "tool_calls": calls }))
            .chain(results)
            .collect()
    };
    for (name, kept) in [("ids_9", vec![0]), ("ids_40", vec![0, 1]), ("ids_64", vec![0, 1, 3])] {
        let new = repaired(name, history(results.clone().collect()));
        let in_calls: Vec<_> =
            new[0]["tool_calls"].as_array().unwrap().iter().map(|call| &call["id"]).collect();
        let in_results: Vec<_> = (1..=ids.len()).map(|at| &new[at]["tool_call_id"]).collect();
        assert_eq!(in_calls, in_results, "{name}");
        let distinct: std::collections::HashSet<_> =
            in_calls.iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(distinct.len(), ids.len(), "{name}");
        for (at, id) in in_calls.iter().enumerate() {
            let id = id.as_str().unwrap();
            if kept.contains(&at) {
                assert_eq!(id, ids[at], "{name}");
            } else {
                let fits = id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
                assert!(fits, "{name}: {id}");
            }
        }
        // The same id in a longer history is the same id.
        let more = results.clone().chain([json!({ "role": "user", "content": "go on" })]);
        assert_eq!(repaired(name, history(more.collect()))[0], new[0]);
    }
}

#[test]
fn reasoning_that_nobody_has_is_a_blank() {
    let message = |reasoning: &str| {
        Message::Assistant(AssistantMessage {
            text: "t".into(),
            reasoning: reasoning.into(),
            ..AssistantMessage::default()
        })
    };
    let request = Request::new(vec![message("hm"), message("")], Arc::new([]));
    let fields = Map::new();
    let asked = Asked { request: &request, fields: &fields };
    let mut body = super::super::request::body("m", &asked);
    set("reasoning_content").repair(&mut body, &asked);
    let answer =
        |reasoning| json!({ "role": "assistant", "content": "t", "reasoning_content": reasoning });
    assert_eq!(body["messages"], json!([answer("hm"), answer(" ")]));
}

#[test]
fn a_plain_schema_keeps_its_properties_whatever_they_are_called() {
    let tool = ToolSpec {
        name: "t".into(),
        description: "d".into(),
        parameters: json!({
            "$schema": "x", "type": "object", "additionalProperties": false, "required": ["format"],
            "properties": { "format": { "type": "string", "default": "a" },
                "list": { "type": "array", "items": { "type": "string", "format": "uri" } } },
        }),
    };
    let request = Request::new(Vec::new(), Arc::new([tool]));
    let fields = Map::new();
    let asked = Asked { request: &request, fields: &fields };
    let mut body = super::super::request::body("m", &asked);
    set("plain_schemas").repair(&mut body, &asked);
    let want = json!({ "type": "object", "required": ["format"],
        "properties": { "format": { "type": "string" },
            "list": { "type": "array", "items": { "type": "string" } } } });
    assert_eq!(body["tools"][0]["function"]["parameters"], want);
}
