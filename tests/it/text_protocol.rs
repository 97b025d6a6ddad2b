//! Replies of models that write their calls as text, read by the tables of cases. The folder
//! with `react_text` and `tool_call_leaks` is `$MCC_SHARED/cases`; without it, all is skipped.

use std::{fs, path::PathBuf};

use mcc_tui::{
    protocol::tool::ToolSpec,
    provider::{
        FinishReason,
        text::{
            leaked::{self, Screen, recover},
            react::{Outcome, Piece, Reader, Reply},
        },
    },
};
use serde_json::{Value, json};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("MCC_SHARED").map(|shared| PathBuf::from(shared).join("cases"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: MCC_SHARED names no folder with cases");
    }
    folder
}

fn cases(folder: &std::path::Path, name: &str) -> Vec<Value> {
    let table = fs::read_to_string(folder.join(name).join("cases.jsonl")).unwrap();
    let cases: Vec<Value> = table.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!cases.is_empty());
    cases
}

fn tools(folder: &std::path::Path) -> Vec<ToolSpec> {
    let table = fs::read_to_string(folder.join("react_text/tools.json")).unwrap();
    let table: Value = serde_json::from_str(&table).unwrap();
    let spec = |(name, tool): (&String, &Value)| {
        let of = |name: &Value| (name.as_str().unwrap().to_owned(), json!({"type": "string"}));
        let properties = tool["params"].as_array().unwrap().iter().map(of);
        ToolSpec {
            name: name.clone(),
            description: String::new(),
            parameters: json!({
                "type": "object",
                "properties": properties.collect::<serde_json::Map<_, _>>(),
                "required": tool["required"],
            }),
        }
    };
    table.as_object().unwrap().iter().map(spec).collect()
}

fn finish_of(case: &Value) -> FinishReason {
    FinishReason::from_word(case["finish_reason"].as_str().unwrap())
}

/// The reply in the words of the table.
fn told(reply: &Reply, expect: &Value) -> Value {
    let mut told = match &reply.outcome {
        Outcome::Action { call, repaired, unknown_tool } => {
            let args: Value = serde_json::from_str(&call.arguments).unwrap();
            json!({"kind": "action", "tool": call.name, "args": args, "repaired": repaired,
                   "unknown_tool": unknown_tool})
        }
        Outcome::Answer { text, implicit } => {
            json!({"kind": "answer", "answer": text, "implicit": implicit})
        }
        Outcome::BareThought => json!({"kind": "bare_thought"}),
        Outcome::Malformed { reason, tool } => {
            json!({"kind": "malformed", "reason": reason.word(), "tool": tool})
        }
    };
    told["ignored_actions"] = reply.ignored_actions.into();
    told["hallucinated_observation"] = reply.invented_observation.into();
    told["dropped_answer"] = reply.dropped_answer.into();
    told["thought"] = reply.thought.clone().into();
    // What the table leaves out is nothing, except the thought, which it seldom tells.
    told.as_object_mut().unwrap().retain(|key, value| {
        let is_nothing = value.is_null() || *value == json!(false) || *value == json!(0);
        expect.get(key).is_some() || (key != "thought" && !is_nothing)
    });
    told
}

fn read(text: &str, finish: &FinishReason, tools: &[ToolSpec]) -> Reply {
    let mut reader = Reader::new(tools);
    let mut shown = reader.push(text);
    let mut reply = reader.finish(Some(finish));
    shown.append(&mut reply.rest);
    Reply { rest: shown, ..reply }
}

#[test]
fn every_reply_of_the_table_is_read_as_it_says() {
    let Some(folder) = folder() else { return };
    let tools = tools(&folder);
    let cases = cases(&folder, "react_text");
    let mut wrong = Vec::new();
    for case in &cases {
        let reply = read(case["input"].as_str().unwrap(), &finish_of(case), &tools);
        let (told, expect) = (told(&reply, &case["expect"]), &case["expect"]);
        if told != *expect {
            wrong.push(format!("{} {}\n  want {expect}\n  got  {told}", case["id"], case["why"]));
        }
    }
    println!("{} of {} replies", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Kind and text of all pieces, one after the other.
fn joined(pieces: &[Piece]) -> Vec<(bool, String)> {
    let mut joined: Vec<(bool, String)> = Vec::new();
    for piece in pieces {
        let (is_text, text) = match piece {
            Piece::Text(text) => (true, text),
            Piece::Thought(text) => (false, text),
        };
        match joined.last_mut() {
            Some((kind, whole)) if *kind == is_text => whole.push_str(text),
            _ => joined.push((is_text, text.clone())),
        }
    }
    joined
}

#[test]
fn what_is_shown_of_a_reply_does_not_depend_on_its_pieces() {
    let Some(folder) = folder() else { return };
    let tools = tools(&folder);
    for case in cases(&folder, "react_text") {
        let (text, finish) = (case["input"].as_str().unwrap(), finish_of(&case));
        let whole = read(text, &finish, &tools);
        let chars: Vec<char> = text.chars().collect();
        for size in 1..=chars.len().min(40) {
            let mut reader = Reader::new(&tools);
            let pieces = chars.chunks(size).map(|piece| piece.iter().collect::<String>());
            let mut shown: Vec<Piece> = pieces.flat_map(|piece| reader.push(&piece)).collect();
            let mut reply = reader.finish(Some(&finish));
            shown.append(&mut reply.rest);
            assert_eq!(joined(&shown), joined(&whole.rest), "{} by {size}", case["id"]);
            assert_eq!(reply.outcome, whole.outcome, "{} by {size}", case["id"]);
        }
    }
}

#[test]
fn every_leaked_call_of_the_table_is_found_and_nothing_else_is() {
    let Some(folder) = folder() else { return };
    let tools = tools(&folder);
    let cases = cases(&folder, "tool_call_leaks");
    let mut wrong = Vec::new();
    for case in &cases {
        let content = case["content_in"].as_str().unwrap();
        let found = recover(content, Some(&finish_of(case)), &tools);
        let calls = found.calls.iter().map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            json!({"name": call.name, "arguments": arguments})
        });
        let told = json!({"tool_calls": calls.collect::<Vec<_>>(), "content": found.text});
        if told != case["expect"] || found.repaired {
            wrong.push(format!(
                "{} {}\n  want {}\n  got  {told}",
                case["id"], case["family"], case["expect"]
            ));
        }
    }
    println!("{} of {} contents", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What was shown after each piece, and what was said in the end.
fn shown(pieces: &[String], finish: &FinishReason, tools: &[ToolSpec]) -> (Vec<String>, Value) {
    let mut screen = Screen::new(tools);
    let mut text = String::new();
    let mut add = |pieces: Vec<leaked::Piece>| {
        for piece in pieces {
            if let leaked::Piece::Text(more) = piece {
                text.push_str(&more);
            }
        }
        text.clone()
    };
    let states = pieces.iter().map(|piece| add(screen.push(piece))).collect();
    let ended = screen.finish(Some(finish));
    let text = add(ended.rest);
    assert!(!ended.repaired, "{text}");
    let calls = ended.calls.iter().map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        json!({"name": call.name, "arguments": arguments})
    });
    (states, json!({"tool_calls": calls.collect::<Vec<_>>(), "content": text}))
}

#[test]
fn what_is_shown_of_a_leaked_call_while_it_comes_stays() {
    let Some(folder) = folder() else { return };
    let tools = tools(&folder);
    let cases = cases(&folder, "tool_call_leaks");
    for case in &cases {
        let content = case["content_in"].as_str().unwrap();
        // No case of the table ends thought that it does not begin: there the text would stay.
        assert!(!content.contains("</think>") || content.starts_with("<think>"), "{case}");
        let chars: Vec<char> = content.chars().collect();
        for size in 1..=chars.len() {
            let pieces: Vec<String> =
                chars.chunks(size).map(|piece| piece.iter().collect()).collect();
            let (states, told) = shown(&pieces, &finish_of(case), &tools);
            assert_eq!(told, case["expect"], "{} by {size}", case["id"]);
            let text = told["content"].as_str().unwrap();
            assert!(
                states.iter().all(|shown| text.starts_with(shown)),
                "{}: {states:?}",
                case["id"]
            );
        }
    }
    println!("{} contents, in pieces of every size", cases.len());
}
