//! Chunks as servers really send them.

use serde_json::json;

use super::*;

fn in_choice(delta: &Value) -> Vec<Delta> {
    deltas(&json!({ "choices": [{ "index": 0, "delta": delta }] }))
}

fn said(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

fn thought(text: &str) -> Delta {
    Delta::Reasoning(text.to_owned())
}

#[test]
fn junk_of_any_shape_gives_nothing() {
    for junk in [
        json!(null),
        json!([]),
        json!(7),
        json!({ "choices": null }),
        json!({ "choices": [7, {}] }),
    ] {
        assert_eq!(deltas(&junk), [], "{junk}");
    }
    let nulls = json!({ "role": null, "content": null, "tool_calls": null, "function_call": null });
    assert_eq!(in_choice(&nulls), []);
}

#[test]
fn only_the_first_choice_counts() {
    let chunk = json!({ "choices": [
        { "index": 1, "delta": { "content": "no" } },
        { "index": 0, "delta": { "content": "yes" } },
        { "delta": { "content": " indeed" } },
    ] });
    assert_eq!(deltas(&chunk), [said("yes"), said(" indeed")]);
}

#[test]
fn content_is_a_string_or_parts() {
    assert_eq!(in_choice(&json!({ "content": "a" })), [said("a")]);
    let parts = json!([
        { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
        { "type": "thinking", "thinking": "so" },
        { "type": "text", "text": "a" },
    ]);
    assert_eq!(in_choice(&json!({ "content": parts })), [thought("hm"), thought("so"), said("a")]);
}

#[test]
fn reasoning_stands_in_one_of_four_fields_and_counts_once() {
    for field in ["reasoning_content", "reasoning", "reasoning_text"] {
        assert_eq!(in_choice(&json!({ field: "hm" })), [thought("hm")], "{field}");
    }
    let twice = json!({ "reasoning": "hm", "reasoning_details": [{ "text": "hm" }] });
    assert_eq!(in_choice(&twice), [thought("hm")]);
    let details = json!({ "reasoning": null, "reasoning_details": [{ "summary": "hm" }] });
    assert_eq!(in_choice(&details), [thought("hm")]);
}

#[test]
fn a_call_sent_in_both_forms_is_one_call() {
    let both = json!({
        "function_call": { "name": "read", "arguments": "{}" },
        "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{}" } }],
    });
    let found = in_choice(&both);
    let [Delta::Call(call)] = found.as_slice() else { panic!("no call") };
    assert_eq!((call.index, call.id.as_deref()), (Some(0), Some("a")));
    let old = json!({ "function_call": { "name": "read", "arguments": { "n": 1 } } });
    let found = in_choice(&old);
    let [Delta::Call(call)] = found.as_slice() else { panic!("no call") };
    assert_eq!((call.name.as_deref(), call.arguments.as_str()), (Some("read"), "{\"n\":1}"));
}

#[test]
fn usage_stands_in_the_chunk_the_choice_or_beside_groqs_name() {
    let counts = json!({ "prompt_tokens": 5.0, "completion_tokens": null,
        "prompt_tokens_details": { "cached_tokens": 4 },
        "completion_tokens_details": { "reasoning_tokens": -3 } });
    let want = [Delta::Usage(TokenUsage { prompt: 5, cached: 4, ..TokenUsage::default() })];
    assert_eq!(deltas(&json!({ "usage": counts, "choices": [] })), want);
    assert_eq!(deltas(&json!({ "usage": {}, "x_groq": { "usage": counts } })), want);
    assert_eq!(deltas(&json!({ "choices": [{ "index": 0, "usage": counts }] })), want);
}

#[test]
fn reasoning_that_a_server_counts_beside_the_answer_is_a_part_of_it() {
    let count = |total: u64, reasoning: u64| {
        let counts = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": total,
            "completion_tokens_details": { "reasoning_tokens": reasoning } });
        match deltas(&json!({ "usage": counts })).as_slice() {
            [Delta::Usage(usage)] => (usage.answer(), usage.reasoning),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(count(15, 3), (5, 3), "within");
    assert_eq!(count(18, 3), (8, 3), "beside");
    assert_eq!(count(18, 0), (8, 3), "beside, and told in the sum alone");
    assert_eq!(count(0, 3), (5, 3), "no sum");
    assert_eq!(count(u64::MAX, 0).0, u64::MAX - 10, "hostile");
}

#[test]
fn errors_are_found_in_the_chunk_in_the_choice_and_in_base_resp() {
    let no = json!({ "message": "no" });
    assert_eq!(error(&json!({ "error": no })), Some(&no));
    assert_eq!(error(&json!({ "choices": [{ "error": no }] })), Some(&no));
    assert!(error(&json!({ "choices": null, "base_resp": { "status_code": 2061 } })).is_some());
    assert_eq!(error(&json!({ "error": null, "base_resp": { "status_code": 0 } })), None);
}

#[test]
fn a_whole_completion_becomes_a_chunk() {
    let call = |name| json!({ "id": "", "function": { "name": name, "arguments": "{}" } });
    let whole = json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls",
        "message": { "content": "hi", "tool_calls": [call("a"), call("b")] } }] });
    let found = deltas(&from_completion(whole).unwrap());
    assert_eq!(found.first(), Some(&said("hi")));
    assert_eq!(found.last(), Some(&Delta::Finish(FinishReason::ToolCalls)));
    let indices: Vec<_> = found
        .iter()
        .filter_map(|delta| if let Delta::Call(call) = delta { call.index } else { None })
        .collect();
    assert_eq!(indices, [0, 1]);
    assert_eq!(from_completion(json!({ "choices": null })), None);
}

#[test]
fn a_refusal_is_shown_and_is_no_success() {
    let refused = in_choice(&json!({ "refusal": "I can't help with that." }));
    let filtered = Delta::Finish(FinishReason::ContentFilter);
    assert_eq!(refused, [said("I can't help with that."), filtered]);
    assert_eq!(in_choice(&json!({ "content": "a", "refusal": null })), [said("a")]);
    assert!(!is_last(&json!({ "choices": [{ "delta": { "refusal": "I" } }] })));
    assert!(is_last(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] })));
}

#[test]
fn a_word_that_says_nothing_is_no_finish() {
    for word in [json!(null), json!(""), json!(" "), json!("null")] {
        let chunk = json!({ "choices": [{ "delta": {}, "finish_reason": word }] });
        assert_eq!((deltas(&chunk), is_last(&chunk)), (vec![], false), "{word}");
    }
}
