//! Tests of the scripted provider: choice, templates, errors, pace, and the demo.

mod demo;

use std::{path::Path, time::Duration};

use futures_util::StreamExt;
use tokio::time::Instant;

use super::{Script, Scripted};
use crate::{
    protocol::{
        exit::ErrorKind,
        id::CallId,
        message::{AssistantMessage, Message},
        tool::{ToolCall, ToolResult, ToolStatus},
        usage::TokenUsage,
    },
    provider::{CallFragment, Delta, FinishReason, Provider, ProviderError, Request},
};

fn provider(script: &str) -> Scripted {
    Scripted::new(Script::parse(script, "test.toml").unwrap(), Path::new("/home/me/parser"))
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn assistant(text: &str) -> Message {
    Message::Assistant(AssistantMessage { text: text.to_owned(), ..AssistantMessage::default() })
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: CallId(id.to_owned()), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn calling(calls: Vec<ToolCall>) -> Message {
    Message::Assistant(AssistantMessage { calls, ..AssistantMessage::default() })
}

fn result(id: &str, status: ToolStatus, text: &str) -> Message {
    Message::Tool(ToolResult {
        call_id: CallId(id.to_owned()),
        status,
        text: text.to_owned(),
        summary: format!("about {id}"),
        diff: None,
        whole: None,
    })
}

async fn deltas(provider: &Scripted, messages: &[Message]) -> Result<Vec<Delta>, ProviderError> {
    let request = Request::new(messages.to_vec(), [].into());
    Ok(provider.stream(request).await?.map(Result::unwrap).collect().await)
}

/// Text, calls put together, and whether the response was finished.
async fn answer(provider: &Scripted, messages: &[Message]) -> (String, Vec<ToolCall>, bool) {
    let mut text = String::new();
    let mut calls: Vec<ToolCall> = Vec::new();
    let mut finished = false;
    for delta in deltas(provider, messages).await.unwrap() {
        match delta {
            Delta::Text(piece) => text.push_str(&piece),
            Delta::Call(CallFragment { id: Some(id), name: Some(name), .. }) => {
                calls.push(call(&id, &name, ""));
            }
            Delta::Call(piece) => calls.last_mut().unwrap().arguments.push_str(&piece.arguments),
            Delta::Finish(_) => finished = true,
            Delta::Remark(remark) => panic!("{remark:?}"),
            Delta::Reasoning(_) | Delta::Usage(_) => {}
        }
    }
    (text, calls, finished)
}

async fn text(script: &str, messages: &[Message]) -> String {
    answer(&provider(script), messages).await.0
}

async fn failure(script: &str, messages: &[Message]) -> ProviderError {
    deltas(&provider(script), messages).await.unwrap_err()
}

fn refusal(script: &str) -> String {
    let error = Script::parse(script, "test.toml").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(!error.hint.is_empty());
    error.message
}

const THREE: &str = "model = 'm'
[[reply]]
text = 'one'
[[reply]]
text = 'two'
repeat = 2
[[reply]]
text = 'three'
";

#[tokio::test]
async fn the_reply_is_chosen_by_the_answers_of_this_turn() {
    let mut history = vec![user("hi")];
    for right in ["one", "two", "two", "three", "done", "done"] {
        assert_eq!(text(THREE, &history).await, right);
        assert_eq!(text(THREE, &history).await, right, "a retry gets the same reply");
        history.push(assistant("x"));
    }
    history.push(user("again"));
    assert_eq!(text(THREE, &history).await, "one");
}

#[tokio::test]
async fn the_reply_past_the_end_can_be_written() {
    let script = format!("{THREE}[past_end]\ntext = 'no more'\n");
    let history: Vec<_> =
        std::iter::once(user("a")).chain((0..9).map(|_| assistant("x"))).collect();
    assert_eq!(text(&script, &history).await, "no more");
    assert_eq!(text("model = 'm'", &[user("a")]).await, "done");
}

#[tokio::test]
async fn templates_know_prompt_workspace_and_results() {
    let script = "model = 'm'
[[reply]]
[[reply]]
text = \"\"\"{{ prompt }} in {{ workspace }}: {% for r in results[0] %}[{{ r.name }} {{ r.status }} {{ r.text }} {{ r.summary }} {{ r.arguments.path }}]{% endfor %}\"\"\"
";
    let history = [
        user("before"),
        assistant("x"),
        user("look"),
        calling(vec![call("a", "read", "{\"path\":\"p\"}"), call("b", "list", "{}")]),
        result("b", ToolStatus::Denied, "no"),
        result("a", ToolStatus::Ok, "yes"),
    ];
    let right = "look in parser: [read ok yes about a p][list denied no about b ]";
    let script = script.replace("r.arguments.path", "r.arguments.path | default('')");
    assert_eq!(text(&script, &history).await, right);
}

#[tokio::test]
async fn text_from_outside_is_never_a_template() {
    let script = "model = 'm'
[[reply]]
[[reply]]
text = '{{ prompt }}|{{ results[0][0].text }}'
[[reply.call]]
name = 'write'
for = 'results[0][0].text | lines'
arguments = { content = '{{ item }}' }
";
    let hostile = "{{ 7 * 7 }}{% for x in y %}";
    let history = [
        user(hostile),
        calling(vec![call("a", "read", "{}")]),
        result("a", ToolStatus::Ok, hostile),
    ];
    let (text, calls, _) = answer(&provider(script), &history).await;
    assert_eq!(text, format!("{hostile}|{hostile}"));
    assert_eq!(calls[0].arguments, serde_json::json!({ "content": hostile }).to_string());
}

#[tokio::test]
async fn calls_can_be_many_or_none_and_get_unique_ids() {
    let script = "model = 'm'
[[reply]]
[[reply.call]]
name = 'read'
for = '[1, 2, 3]'
if = 'item != 2'
arguments = { path = 'f{{ item }}', deep = { list = ['{{ item }}', 5, true, 1.5] } }
[[reply.call]]
name = 'never'
if = 'false'
[[reply.call]]
name = 'broken'
raw_arguments = '{\"path\": {{'
id = 'mine'
";
    let provider = provider(script);
    let (_, calls, _) = answer(&provider, &[user("a")]).await;
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["read", "read", "broken"]);
    let right = serde_json::json!({ "path": "f3", "deep": { "list": ["3", 5, true, 1.5] } });
    let given: serde_json::Value = serde_json::from_str(&calls[1].arguments).unwrap();
    assert_eq!(given, right);
    assert_eq!((calls[2].id.as_str(), calls[2].arguments.as_str()), ("mine", "{\"path\": {{"));
    let (_, later, _) = answer(&provider, &[user("a"), assistant("x"), user("b")]).await;
    let mut ids: Vec<_> = calls.iter().chain(&later).map(|call| call.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5, "two ids of each turn, and the one that the script gives twice");
}

#[tokio::test]
async fn a_response_ends_with_finish_and_usage() {
    let script = "model = 'm'
[[reply]]
text = 'abcdefgh'
reasoning = 'hm'
[[reply]]
finish = 'length'
usage = { prompt = 7, completion = 3 }
[[reply]]
[[reply.call]]
name = 'read'
";
    let provider = provider(script);
    let usage = |prompt, completion| {
        Delta::Usage(TokenUsage { prompt, completion, ..TokenUsage::default() })
    };
    let first = deltas(&provider, &[user("12345678")]).await.unwrap();
    let right = [
        Delta::Reasoning("hm".to_owned()),
        Delta::Text("abcd".to_owned()),
        Delta::Text("efgh".to_owned()),
        Delta::Finish(FinishReason::Stop),
        usage(2, 3),
    ];
    assert_eq!(first, right);
    let second = deltas(&provider, &[user("a"), assistant("x")]).await.unwrap();
    assert_eq!(second, [Delta::Finish(FinishReason::Length), usage(7, 3)]);
    let third = deltas(&provider, &[user("a"), assistant("x"), assistant("x")]).await.unwrap();
    assert!(third.contains(&Delta::Finish(FinishReason::ToolCalls)));
}

#[tokio::test]
async fn pieces_are_cut_between_characters() {
    let script = "model = 'm'\n[[reply]]\ntext = 'äöü€😀'\npiece = 2\n";
    let pieces = deltas(&provider(script), &[user("a")]).await.unwrap();
    let right = ["äö", "ü€", "😀"].map(|piece| Delta::Text(piece.to_owned()));
    assert_eq!(pieces[..3], right);
}

#[tokio::test]
async fn a_response_can_break_off() {
    let script = "model = 'm'\n[[reply]]\ntext = 'abcdefgh'\nbreak_after = 1\n";
    let pieces = deltas(&provider(script), &[user("a")]).await.unwrap();
    assert_eq!(pieces, [Delta::Text("abcd".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_request_can_fail_after_its_delay() {
    let script = "model = 'm'
[[reply]]
delay_ms = 500
error = { kind = 'rate_limit', message = 'slow down', hint = 'wait', status = 429 }
[[reply]]
error = { kind = 'bad_request', message = 'too long', context_overflow = true }
";
    let start = Instant::now();
    let error = failure(script, &[user("a")]).await;
    assert_eq!(start.elapsed(), Duration::from_millis(500));
    assert_eq!((error.kind, error.status), (ErrorKind::RateLimit, Some(429)));
    assert_eq!((error.message.as_str(), error.hint.as_str()), ("slow down", "wait"));
    assert!(failure(script, &[user("a"), assistant("x")]).await.context_overflow);
}

#[tokio::test(start_paused = true)]
async fn pieces_come_in_their_own_time() {
    let script = "model = 'm'\npace_ms = 10\n[[reply]]\ntext = 'abcdefghijkl'\ndelay_ms = 300\n";
    let start = Instant::now();
    let request = Request::new(vec![user("a")], [].into());
    let provider = provider(script);
    let mut stream = provider.stream(request).await.unwrap();
    let mut times = Vec::new();
    while let Some(delta) = stream.next().await {
        if matches!(delta, Ok(Delta::Text(_))) {
            times.push(start.elapsed().as_millis());
        }
    }
    assert_eq!(times, [300, 310, 320]);
    assert_eq!(start.elapsed().as_millis(), 320, "the end waits for nothing");
}

#[tokio::test(start_paused = true)]
async fn a_response_can_hang_for_ever() {
    let script = "model = 'm'\n[[reply]]\ntext = 'abcd'\nhang = true\n";
    let request = Request::new(vec![user("a")], [].into());
    let provider = provider(script);
    let mut stream = provider.stream(request).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(Delta::Text("abcd".to_owned()))));
    let day = Duration::from_hours(24);
    assert!(tokio::time::timeout(day, stream.next()).await.is_err());
}

#[test]
fn a_mistake_in_the_form_is_told_with_its_line() {
    let unknown = refusal("model = 'm'\n[[reply]]\ntexts = 'x'\n");
    assert!(unknown.starts_with("test.toml, line 3: unknown field `texts`"), "{unknown}");
    assert!(unknown.contains("`text`"), "{unknown}");
    let missing = refusal("pace_ms = 3\n");
    assert!(missing.contains("missing field `model`"), "{missing}");
    let broken = refusal("model = 'm'\n\n[[reply]\n");
    assert!(broken.starts_with("test.toml, line 3: "), "{broken}");
    let kind = refusal("model = 'm'\n[[reply]]\nerror = { kind = 'bad', message = 'x' }\n");
    assert!(kind.contains("line 3") && kind.contains("`rate_limit`"), "{kind}");
    let zero = refusal("model = 'm'\n[[reply]]\npiece = 0\n");
    assert!(zero.starts_with("test.toml, line 3: "), "{zero}");
}

#[test]
fn a_mistake_in_a_template_is_told_with_its_place() {
    let text = refusal("model = 'm'\n[[reply]]\n[[reply]]\ntext = \"a\\n{{ x\"\n");
    assert!(text.starts_with("test.toml, reply 2, text, line 2 of it: syntax error"), "{text}");
    let call = "model = 'm'\n[[reply]]\n[[reply.call]]\nname = 'read'\n";
    let argument = refusal(&format!("{call}arguments = {{ a = [1, '{{% if %}}'] }}\n"));
    assert!(argument.starts_with("test.toml, reply 1, call 1 (read), arguments.a[1], line 1"));
    assert!(refusal(&format!("{call}if = '1 +'\n")).contains("call 1 (read), if"));
    assert!(refusal(&format!("{call}for = ']'\n")).contains("call 1 (read), for"));
    let both = refusal(&format!("{call}arguments = {{ a = 1 }}\nraw_arguments = 'x'\n"));
    assert!(both.contains("exclude each other"), "{both}");
}

#[tokio::test]
async fn a_template_that_fails_while_it_plays_is_an_error_with_its_place() {
    let script = "model = 'm'\n[[reply]]\ntext = \"a\\n{{ results[3][0].text }}\"\n";
    let error = failure(script, &[user("a")]).await;
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(error.message.starts_with("test.toml, reply 1, text, line 2 of it: undefined"));
    let call = "model = 'm'\n[[reply]]\n[[reply.call]]\nname = 'read'\nfor = '7'\n";
    let error = failure(call, &[user("a")]).await;
    assert!(
        error.message.starts_with("test.toml, reply 1, call 1 (read), for"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn it_says_what_it_is() {
    let provider = provider("model = 'm'\ncontext_window = 8192\n");
    let info = provider.about();
    assert_eq!((info.model.as_str(), info.place.as_str()), ("m", "built in"));
    assert!(info.scripted);
    assert_eq!(info.context_window, Some(8192));
    assert_eq!(provider.offers().next().await.unwrap()[0].models, ["m"]);
    provider.use_model("other".to_owned());
    assert_eq!(provider.about().model, "other");
}
