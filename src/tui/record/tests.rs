//! What is kept, and how it is written.

use super::*;
use crate::protocol::{
    exit::{ErrorKind, ExitReason},
    id::{CallId, TurnId},
    tool::{Batch, ToolCall, ToolResult, ToolStatus},
};

fn about() -> About {
    About { model: "qwen".into(), place: "localhost".into(), scripted: false, context_window: None }
}

fn delta(text: &str) -> StreamEvent {
    StreamEvent::TextDelta { text: text.into() }
}

fn turn(number: u64, prompt: &str, inner: Vec<StreamEvent>) -> Vec<StreamEvent> {
    let turn = TurnId(number);
    let mut events = vec![
        StreamEvent::TurnStarted { turn, prompt: prompt.into() },
        StreamEvent::IterationStarted { iteration: 1, max: 20 },
    ];
    events.extend(inner);
    events.push(StreamEvent::TurnEnded {
        turn,
        reason: ExitReason::EndTurn,
        iterations: 1,
        tools: 1,
        elapsed_ms: 4_100,
    });
    events
}

fn call(id: &str, result: &str) -> Vec<StreamEvent> {
    let id = CallId(id.into());
    let arguments = "{\"path\":\"a.rs\"}".to_owned();
    let call = ToolCall { id: id.clone(), name: "read_file".into(), arguments };
    let batches = vec![Batch { calls: vec![id.clone()], concurrent: true }];
    vec![
        StreamEvent::BatchesPlanned { calls: vec![call], batches },
        StreamEvent::ToolStarted { call_id: id.clone() },
        StreamEvent::ToolOutput { call_id: id.clone(), text: "live".into() },
        StreamEvent::ToolFinished {
            result: ToolResult::new(id, ToolStatus::Ok, result, "1 line"),
            elapsed_ms: 200,
        },
    ]
}

fn record(events: impl IntoIterator<Item = StreamEvent>) -> Record {
    let mut record = Record::default();
    events.into_iter().for_each(|event| record.push(&event));
    record
}

#[test]
fn markdown_says_what_was_said_called_and_why_it_ended() {
    let mut inner = vec![delta("I'll "), delta("look.")];
    inner.extend(call("1", "fn a() {}"));
    inner.extend([delta("It is "), delta("**empty**.")]);
    let text = record(turn(1, "what is in a.rs?", inner)).markdown(&about(), "~/src");
    let want = "# mcc-tui\n\nqwen @ localhost · ~/src\n\n\
        ## Prompt\n\nwhat is in a.rs?\n\n\
        ## Answer\n\nI'll look.\n\n\
        ### read_file a.rs\n\n```json\n{\"path\":\"a.rs\"}\n```\n\n\
        ok · 1 line · 0.20 s\n\n```\nfn a() {}\n```\n\n\
        It is **empty**.\n\n\
        ■ end_turn · answered after 1 iteration, 1 tool, 4.10 s\n\n";
    assert_eq!(text, want);
}

#[test]
fn what_a_turn_was_told_while_it_ran_stands_where_it_was_heard() {
    let mut inner = call("1", "fn a() {}");
    inner.extend([StreamEvent::Steered { text: "be short".into() }, delta("Empty.")]);
    let text = record(turn(1, "go", inner)).markdown(&about(), "");
    assert!(text.contains("```\n\n## Prompt\n\nbe short\n\n## Answer\n\nEmpty.\n"), "{text}");
}

#[test]
fn a_result_cannot_end_its_block_and_holds_no_escapes() {
    let text =
        record(turn(1, "go", call("1", "```\nout\x1b]52;c;eA==\x07\n````"))).markdown(&about(), "");
    assert!(text.contains("`````\n```\nout\n````\n`````\n"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn an_id_that_is_used_again_gets_the_result_of_its_own_call() {
    let mut events = turn(1, "one", call("call_0", "first"));
    events.extend(turn(2, "two", call("call_0", "second")));
    let record = record(events);
    let text = record.markdown(&about(), "");
    assert!(text.find("first").unwrap() < text.find("## Prompt\n\ntwo").unwrap());
    let last = markdown::turn(record.turn(0));
    assert!(last.starts_with("## Prompt\n\ntwo\n") && !last.contains("first"), "{last}");
    assert_eq!(last.matches("second").count(), 1);
}

#[test]
fn what_was_discarded_is_said_to_be() {
    let retry = StreamEvent::Retrying {
        attempt: 1,
        of: 5,
        wait_ms: 10,
        kind: ErrorKind::Network,
        reason: "The line broke.".into(),
    };
    let text =
        record(turn(1, "go", vec![delta("half"), retry, delta("whole")])).markdown(&about(), "");
    let want = "half\n\n*The line broke. What came of this answer is discarded.*\n\nwhole\n";
    assert!(text.contains(want), "{text}");
}

#[test]
fn json_holds_the_public_events_with_deltas_joined() {
    let mut inner = vec![delta("a"), delta("b")];
    inner.extend(call("1", "x"));
    let json = record(turn(1, "go", inner)).json(&about());
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&value["format"], &value["model"]), (&"mcc-tui".into(), &"qwen".into()));
    let names: Vec<_> = value["events"].as_array().unwrap().iter().map(|it| &it["event"]).collect();
    let want = ["turn_started", "iteration_started", "text_delta", "batches_planned"];
    assert_eq!(names[..4], want);
    assert_eq!(names[4..], ["tool_started", "tool_finished", "turn_ended"]);
    assert_eq!(value["events"][2]["text"], "ab");
    let events: Vec<StreamEvent> = serde_json::from_value(value["events"].clone()).unwrap();
    assert_eq!(events.len(), 7);
}

#[test]
fn the_oldest_turns_go_first_and_that_is_told() {
    let mut record = Record { most: 5_000, ..Record::default() };
    for n in 0..20 {
        let text = format!("answer {n} {}", "x".repeat(400));
        for event in turn(n, "go", vec![delta(&text)]) {
            record.push(&event);
        }
        assert!(record.bytes <= 5_000);
    }
    assert!(matches!(record.events[0], StreamEvent::TurnStarted { .. }), "whole turns go");
    let text = record.markdown(&about(), "");
    assert!(text.contains("answer 19 ") && !text.contains("answer 3 "), "{text}");
    let told = format!("The beginning is missing: {} events", record.gone);
    assert!(record.gone > 0 && text.contains(&told), "{text}");
    let huge = "y".repeat(20_000);
    for event in turn(99, "last", vec![delta(&huge)]) {
        record.push(&event);
    }
    assert!(record.bytes <= 5_000, "even one turn may be too large");
}
