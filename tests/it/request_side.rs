//! That any server takes our requests: one that refuses in the words of real servers, a server on
//! a Unix socket, a proxy, and what the user adds to every request.

use std::{path::Path, sync::Arc};

use futures_util::StreamExt;
use mcc_tui::{
    protocol::{
        exit::ErrorKind,
        extra::Header,
        id::CallId,
        message::{AssistantMessage, Message},
        tool::{ToolCall, ToolResult, ToolSpec, ToolStatus},
    },
    provider::{
        Provider, ProviderError, Request,
        error::Outlook,
        openai::{OpenAi, Settings},
    },
};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixListener,
    sync::mpsc::Receiver,
};

use crate::support::{
    program::{outcome, program},
    server::{Listening, Reply, Server, give, read_request, serve},
};

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                      data: [DONE]\n\n";

fn settings(server: &Server) -> Settings {
    Settings::new(server.base_url(), "m")
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

/// A conversation in which the model called a tool and the user goes on right after its result.
fn history(id: &str) -> Vec<Message> {
    let call =
        ToolCall { id: CallId(id.into()), name: "read".into(), arguments: "{\"p\":1}".into() };
    let answer = AssistantMessage {
        reasoning: "I should read it.".into(),
        calls: vec![call],
        ..AssistantMessage::default()
    };
    vec![
        Message::System { text: "Be brief.".into() },
        user("one"),
        user("two"),
        Message::Assistant(answer),
        Message::Tool(ToolResult::new(CallId(id.into()), ToolStatus::Ok, "41 lines", "")),
        user("three"),
    ]
}

fn request(id: &str) -> Request {
    let tool = ToolSpec {
        name: "read".into(),
        description: "Reads.".into(),
        parameters: json!({ "type": "object", "additionalProperties": false }),
    };
    let mut request = Request::new(history(id), Arc::new([tool]));
    request.stop = Some("Observation:".into());
    request
}

fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn bodies(server: &Server) -> Vec<Value> {
    server.requests().iter().map(|request| body(request)).collect()
}

async fn drain(provider: &OpenAi, request: Request) -> Result<(), ProviderError> {
    let mut stream = provider.stream(request).await?;
    while let Some(item) = stream.next().await {
        item?;
    }
    Ok(())
}

/// Refuses once in these words, and then takes everything. Gives what was sent: refused, repaired,
/// and the next request.
async fn learn(change: impl FnOnce(&mut Settings), refusal: (u16, &str), name: &str) -> [Value; 3] {
    let no = Reply::new(refusal.0, "application/json", refusal.1);
    let server = Server::start(vec![no, Reply::sse(ANSWER)]).await;
    let mut settings = settings(&server);
    change(&mut settings);
    let provider = OpenAi::new(settings).unwrap();
    let known = provider.quirks().len();
    for _ in 0..2 {
        drain(&provider, request("call_0123456789abcdef")).await.unwrap();
    }
    let learnt = provider.quirks();
    assert!(learnt.contains(&name) && learnt.len() == known + 1, "{learnt:?}");
    let sent: [Value; 3] = bodies(&server).try_into().unwrap();
    assert_eq!(sent[1], sent[2], "the repaired request is the next one");
    assert_ne!(sent[0], sent[1]);
    sent
}

async fn learnt(refusal: (u16, &str), name: &str) -> [Value; 3] {
    learn(|_| {}, refusal, name).await
}

/// The bodies but for one field, which must be all that differs.
fn differ_in(sent: &[Value; 3], field: &str) -> (Option<Value>, Option<Value>) {
    let without = |at: usize| {
        let mut body = sent[at].as_object().unwrap().clone();
        (body.remove(field), body)
    };
    let (before, rest) = without(0);
    let (after, rest_after) = without(1);
    assert_eq!(rest, rest_after, "nothing but {field} is changed");
    (before, after)
}

#[tokio::test]
async fn stream_options_are_left_out() {
    let no = r#"{"error":{"requestid":"eea1c96d","code":400,"message":"Validation error at #/stream_options: Extra inputs are not permitted"}}"#;
    let sent = learnt((400, no), "no_stream_options").await;
    assert_eq!(differ_in(&sent, "stream_options"), (Some(json!({ "include_usage": true })), None));
}

#[tokio::test]
async fn a_word_to_stop_at_is_sent_and_left_out() {
    let no = r#"{"error":{"message":"Unsupported parameter: 'stop' is not supported with this model.","type":"invalid_request_error","param":"stop","code":"unsupported_parameter"}}"#;
    let sent = learnt((400, no), "no_stop").await;
    assert_eq!(differ_in(&sent, "stop"), (Some(json!(["Observation:"])), None));
}

fn field(name: &str, value: Value) -> impl FnOnce(&mut Settings) {
    let name = name.to_owned();
    move |settings| settings.body = Map::from_iter([(name, value)])
}

#[tokio::test]
async fn the_longest_answer_is_named_as_the_server_names_it() {
    let openai = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let mistral = r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":32000}]},"type":"invalid_request_error","param":null,"code":null}"#;
    for (status, no, from, to) in [
        (400, openai, "max_tokens", "max_completion_tokens"),
        (422, mistral, "max_completion_tokens", "max_tokens"),
    ] {
        let sent = learn(field(from, json!(32_000)), (status, no), to).await;
        assert_eq!((sent[0].get(from), sent[0].get(to)), (Some(&json!(32_000)), None));
        assert_eq!((sent[1].get(from), sent[1].get(to)), (None, Some(&json!(32_000))));
    }
}

#[tokio::test]
async fn a_name_that_is_refused_both_ways_is_given_up() {
    let no = |field: &str| {
        let no = json!({ "error": { "message": format!("{field}: Extra inputs are not permitted, unlike max_tokens") } });
        Reply::new(400, "application/json", no.to_string())
    };
    let server = Server::start(vec![no("max_completion_tokens")]).await;
    let mut settings = settings(&server);
    field("max_tokens", json!(5))(&mut settings);
    let error = drain(&OpenAi::new(settings).unwrap(), request("a")).await.unwrap_err();
    assert_eq!(server.requests().len(), 2, "each name once");
    assert!(error.hint.contains("`max_tokens` stands in [body]"), "{}", error.hint);
}

#[tokio::test]
async fn a_field_of_the_user_is_never_dropped_but_named_with_its_place() {
    let no = r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"provider_name":"OpenAI","raw":"{\n  \"error\": {\n    \"message\": \"Unsupported parameter: 'temperature' is not supported with this model.\",\n    \"type\": \"invalid_request_error\",\n    \"param\": \"temperature\",\n    \"code\": null\n  }\n}"}},"user_id":"user_REDACTED"}"#;
    let stop = r#"{"code":"Client specified an invalid argument","error":"Argument not supported on this model: stop"}"#;
    for (name, no) in [("temperature", no), ("stop", stop)] {
        let server = Server::start(vec![Reply::new(400, "application/json", no)]).await;
        let mut settings = settings(&server);
        field(name, json!("x"))(&mut settings);
        let provider = OpenAi::new(settings).unwrap();
        let error = drain(&provider, request("a")).await.unwrap_err();
        let last = bodies(&server).pop().unwrap();
        assert_eq!(last[name], "x");
        assert!(error.message.contains("supported"), "{error}");
        assert!(error.hint.contains(&format!("`{name}` stands in [body]")), "{}", error.hint);
    }
}

#[tokio::test]
async fn reasoning_is_sent_back_once_it_is_asked_for_and_not_before() {
    let moonshot = r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 3","type":"invalid_request_error"}}"#;
    let deepseek = r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#;
    for no in [moonshot, deepseek] {
        let sent = learnt((400, no), "reasoning_content").await;
        assert!(!sent[0].to_string().contains("reasoning_content"));
        let message = &sent[1]["messages"][3];
        assert_eq!(message["reasoning_content"], "I should read it.");
        assert_eq!(message["tool_calls"], sent[0]["messages"][3]["tool_calls"]);
    }
}

#[tokio::test]
async fn content_beside_calls_is_null_and_then_not_there() {
    let empty = r#"{"error":{"message":"messages: text content blocks must be non-empty","type":"invalid_request_error"}}"#;
    let null = r#"{"error":{"message":"invalid message content type: <nil>","type":"invalid_request_error","param":null,"code":null}}"#;
    let replies = vec![
        Reply::new(400, "application/json", empty),
        Reply::new(400, "application/json", null),
        Reply::sse(ANSWER),
    ];
    let server = Server::start(replies).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    for _ in 0..2 {
        drain(&provider, request("a")).await.unwrap();
    }
    assert_eq!(provider.quirks(), ["null_content", "no_content"]);
    let contents: Vec<_> =
        bodies(&server).iter().map(|body| body["messages"][3].get("content").cloned()).collect();
    assert_eq!(contents, [Some(json!("")), Some(Value::Null), None, None]);
}

fn roles(body: &Value) -> Vec<&str> {
    body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_answer_stands_between_the_results_and_the_user() {
    let no = r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}"#;
    let sent = learnt((400, no), "answer_after_tools").await;
    assert_eq!(roles(&sent[0]), ["system", "user", "user", "assistant", "tool", "user"]);
    let want = ["system", "user", "user", "assistant", "tool", "assistant", "user"];
    assert_eq!(roles(&sent[1]), want);
}

#[tokio::test]
async fn roles_alternate_where_they_have_to() {
    let no = r#"{"error":{"code":500,"message":"\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n                                           ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.","type":"server_error"}}"#;
    let sent = learnt((500, no), "alternate_roles").await;
    assert_eq!(roles(&sent[1]), ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(sent[1]["messages"][1]["content"], "one\n\ntwo");
    assert_eq!(sent[1]["messages"][5]["content"], "three");
}

#[tokio::test]
async fn instructions_go_in_front_of_the_first_words_of_the_user() {
    let vllm = r#"{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}"#;
    let openai = r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}"#;
    for no in [vllm, openai] {
        let sent = learnt((400, no), "system_in_user").await;
        assert_eq!(roles(&sent[1]), ["user", "user", "assistant", "tool", "user"]);
        assert_eq!(sent[1]["messages"][0]["content"], "Be brief.\n\none");
    }
}

#[tokio::test]
async fn where_the_roles_alternate_already_the_instructions_are_what_is_refused() {
    let no = r#"{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/... at row 19, column 27:\n","type":"server_error"}}"#;
    let server =
        Server::start(vec![Reply::new(500, "application/json", no), Reply::sse(ANSWER)]).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    let messages = vec![Message::System { text: "Be brief.".into() }, user("hello")];
    drain(&provider, Request::new(messages, Arc::new([]))).await.unwrap();
    assert_eq!(provider.quirks(), ["system_in_user"]);
    let want = json!([{ "role": "user", "content": "Be brief.\n\nhello" }]);
    assert_eq!(bodies(&server)[1]["messages"], want);
}

#[tokio::test]
async fn ids_of_calls_take_the_form_of_the_server() {
    let mistral = r#"{"object":"error","message":"Tool call id was call_0123456789abcdef but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280","raw_status_code":400}"#;
    let sent = learnt((400, mistral), "ids_9").await;
    let id = sent[1]["messages"][3]["tool_calls"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 9);
    assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(sent[1]["messages"][4]["tool_call_id"], id.as_str());

    for (most, name) in [(40, "ids_40"), (64, "ids_64")] {
        let no = json!({ "error": {
            "message": format!("Invalid 'messages[3].tool_calls[0].id': string too long. Expected \
                                a string with maximum length {most}, but got a string with length \
                                86 instead."),
            "type": "invalid_request_error", "param": "messages[3].tool_calls[0].id",
            "code": "string_above_max_length" } });
        let no = Reply::new(400, "application/json", no.to_string());
        let server = Server::start(vec![no, Reply::sse(ANSWER)]).await;
        let provider = OpenAi::new(settings(&server)).unwrap();
        drain(&provider, request(&"x".repeat(86))).await.unwrap();
        drain(&provider, request("call_1")).await.unwrap();
        assert_eq!(provider.quirks(), [name]);
        let sent = bodies(&server);
        assert_eq!(sent.len(), 3);
        let id = sent[1]["messages"][3]["tool_calls"][0]["id"].as_str().unwrap();
        assert!(id.len() <= most, "{id}");
        assert_eq!(sent[1]["messages"][4]["tool_call_id"], id);
        assert_eq!(sent[2]["messages"][4]["tool_call_id"], "call_1", "one that fits stays");
    }
}

#[tokio::test]
async fn schemas_are_made_plain_for_servers_that_know_few_keywords() {
    let no = r#"{"error":{"message":"Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.","code":400}}"#;
    let sent = learnt((400, no), "plain_schemas").await;
    let schema = |at: usize| sent[at]["tools"][0]["function"]["parameters"].clone();
    assert_eq!(schema(0), json!({ "type": "object", "additionalProperties": false }));
    assert_eq!(schema(1), json!({ "type": "object" }));
}

#[tokio::test]
async fn several_lessons_are_learnt_in_one_request() {
    let no = |message: &str| {
        let no = json!({ "object": "error", "message": message }).to_string();
        Reply::new(400, "application/json", no)
    };
    let replies = vec![
        no("System role not supported"),
        no("Extra inputs are not permitted, field: 'stream_options'"),
        no("Unexpected role 'user' after role 'tool'"),
        Reply::sse(ANSWER),
    ];
    let server = Server::start(replies).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(provider.quirks(), ["no_stream_options", "answer_after_tools", "system_in_user"]);
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn a_quirk_that_is_set_needs_no_refusal() {
    let server = Server::start(vec![Reply::sse(ANSWER)]).await;
    let quirks = vec!["no_stream_options".to_owned()];
    let provider = OpenAi::new(Settings { quirks, ..settings(&server) }).unwrap();
    assert_eq!(provider.quirks(), ["no_stream_options"]);
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(bodies(&server)[0].get("stream_options"), None);
    let quirks = vec!["no_stream_option".to_owned()];
    let error = OpenAi::new(Settings { quirks, ..settings(&server) }).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(error.message.contains("There is no quirk \"no_stream_option\""), "{error}");
}

#[tokio::test]
async fn an_error_in_an_open_stream_is_a_lesson_for_the_next_try() {
    let no = r#"{"error":{"message":"Error rendering prompt with jinja template: \"Conversation roles must alternate user/assistant/user/assistant/...\"."}}"#;
    let no = Reply::sse(format!("event: error\ndata: {no}\n\n"));
    let server = Server::start(vec![no, Reply::sse(ANSWER)]).await;
    let provider = OpenAi::new(settings(&server)).unwrap();
    let error = drain(&provider, request("a")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Server, "which the turn tries again");
    drain(&provider, request("a")).await.unwrap();
    assert_eq!(provider.quirks(), ["alternate_roles"]);
    assert_eq!(bodies(&server)[1]["messages"][1]["content"], "one\n\ntwo");
}

fn header(name: &str, value: &str, secrets: &[&str]) -> Header {
    let secrets = secrets.iter().map(|secret| (*secret).to_owned()).collect();
    Header { name: name.into(), value: value.into(), secrets }
}

#[tokio::test]
async fn headers_of_the_user_go_with_every_request() {
    let list = Reply::new(200, "application/json", r#"{"data":[{"id":"m"}]}"#);
    let server = Server::start(vec![list, Reply::sse(ANSWER)]).await;
    let headers = vec![
        header("X-Api-Key", "k3y-0123456789", &[]),
        header("User-Agent", "other/1", &[]),
        header("Authorization", "Token t0ken-0123456789", &["t0ken-0123456789"]),
    ];
    let api_key = Some("sk-not-this-one".to_owned());
    let provider = OpenAi::new(Settings { headers, api_key, ..settings(&server) }).unwrap();
    assert_eq!(provider.models().await.unwrap(), ["m"]);
    drain(&provider, request("a")).await.unwrap();
    for request in server.requests() {
        let lower = request.to_ascii_lowercase();
        assert!(lower.contains("\r\nx-api-key: k3y-0123456789\r\n"), "{request}");
        assert!(lower.contains("\r\nauthorization: token t0ken-0123456789\r\n"), "{request}");
        assert!(lower.contains("\r\nuser-agent: other/1\r\n"), "{request}");
        assert!(!lower.contains("sk-not-this-one") && !lower.contains("mcc-tui/"), "{request}");
        assert_eq!(lower.matches("\r\nauthorization:").count(), 1);
    }
}

#[tokio::test]
async fn headers_of_the_user_are_in_no_error_and_in_no_debug_text() {
    let echo = json!({ "error": { "message":
        "Bad key k3y-0123456789 or token t0ken-0123456789." } });
    for reply in [
        Reply::new(401, "application/json", echo.to_string()),
        Reply::sse(format!("data: {echo}\n\n")),
    ] {
        let server = Server::start(vec![reply]).await;
        let headers = vec![
            header("x-api-key", "k3y-0123456789", &[]),
            header("x-token", "Token t0ken-0123456789", &["t0ken-0123456789"]),
        ];
        let settings = Settings { headers, ..settings(&server) };
        let provider = OpenAi::new(settings.clone()).unwrap();
        let error = drain(&provider, request("a")).await.unwrap_err();
        assert!(error.message.contains("Bad key [secret] or token [secret]"), "{error}");
        let texts = [format!("{error:?}"), format!("{settings:?}"), format!("{provider:?}")];
        assert!(texts.iter().all(|text| !text.contains("0123456789")), "{texts:?}");
    }
}

#[test]
fn a_secret_header_goes_unencrypted_to_this_machine_only() {
    let far = |headers| Settings { headers, ..Settings::new("http://192.0.2.7:8000/v1", "m") };
    for secret in [header("x-key", "s3cret", &["s3cret"]), header("authorization", "s3cret", &[])] {
        let error = OpenAi::new(far(vec![secret.clone()])).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Config);
        assert!(error.message.contains("not encrypted"), "{error}");
        assert!(!error.message.contains("s3cret"), "{error}");
        let near = Settings { base_url: "http://localhost:1/v1".into(), ..far(vec![secret]) };
        assert!(OpenAi::new(near).is_ok());
    }
    assert!(OpenAi::new(far(vec![header("x-title", "mcc", &[])])).is_ok());
}

#[test]
fn a_field_that_would_replace_the_request_is_refused() {
    for name in ["messages", "stream", "tools", "model"] {
        let mut settings = Settings::new("http://localhost:1/v1", "m");
        field(name, json!(1))(&mut settings);
        let error = OpenAi::new(settings).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Config);
        assert!(error.message.contains(&format!("`{name}` in [body]")), "{error}");
    }
}

/// A server on a socket of this machine, for one request.
fn on_socket(path: &Path) -> tokio::task::JoinHandle<String> {
    let listener = UnixListener::bind(path).unwrap();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let request = read_request(&mut socket).await.unwrap();
        let head =
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        socket.write_all(ANSWER.as_bytes()).await.unwrap();
        request
    })
}

#[tokio::test]
async fn a_server_on_a_socket_is_reached_with_the_key() {
    let dir = tempfile::tempdir().unwrap();
    for (name, after, path) in [("a.sock", "", "/v1"), ("b.sock", ":/api/v3", "/api/v3")] {
        let socket = dir.path().join(name);
        let server = on_socket(&socket);
        let address = format!("unix:{}{after}", socket.display());
        let settings =
            Settings { api_key: Some("sk-0123456789".into()), ..Settings::new(address, "m") };
        let provider = OpenAi::new(settings).unwrap();
        assert_eq!(provider.about().place, socket.display().to_string());
        drain(&provider, request("a")).await.unwrap();
        let request = server.await.unwrap();
        let first = format!("POST {path}/chat/completions HTTP/1.1\r\n");
        assert!(request.starts_with(&first), "{request}");
        let lower = request.to_ascii_lowercase();
        assert!(lower.contains("authorization: bearer sk-0123456789\r\n"), "{request}");
    }
}

#[tokio::test]
async fn a_socket_that_cannot_be_used_is_told_plainly() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing.sock");
    let dead = dir.path().join("dead.sock");
    drop(UnixListener::bind(&dead).unwrap());
    for (path, why) in [(&missing, "there is no such socket"), (&dead, "nothing listens on it")] {
        let provider = OpenAi::new(Settings::new(format!("unix:{}", path.display()), "m")).unwrap();
        let error = drain(&provider, request("a")).await.unwrap_err();
        assert_eq!((error.kind, error.outlook), (ErrorKind::Network, Outlook::NothingListens));
        let want = format!("No connection to the socket {}: {why}.", path.display());
        assert_eq!(error.message, want);
        assert!(error.hint.contains("--base-url unix:"), "{}", error.hint);
    }
}

/// The built program with this environment, once; gives what it printed.
async fn run(home: &Path, arguments: &[&str], env: &[(&str, String)]) -> String {
    let project = home.join("project");
    std::fs::create_dir_all(&project).unwrap();
    let mut command = program(&project, home);
    command.args(["-p", "hello"]).args(arguments);
    command.envs(env.iter().map(|(name, value)| (name, value)));
    let run = outcome(command.spawn().unwrap()).await;
    run.out + &run.err
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[tokio::test]
async fn what_the_config_file_adds_arrives_at_the_users_server_and_at_no_other() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(vec![Reply::sse(ANSWER)]).await;
    let token = [("MY_TOKEN", "t0ken-0123456789".to_owned())];
    let adds = "[headers]\nx-token = '${MY_TOKEN}'\n[body]\ntemperature = 0.5\n";
    let users = home.path().join(".config/mcc-tui/config.toml");
    write(&users, &format!("base_url = '{}'\nmodel = 'm'\n{adds}", server.base_url()));
    let said = run(home.path(), &[], &token).await;
    let requests = server.requests();
    assert_eq!(body(requests.first().expect(&said))["temperature"], 0.5);
    let all = requests.iter().all(|request| request.contains("x-token: t0ken-0123456789\r\n"));
    assert!(all, "{requests:?}");

    write(&users, adds);
    let strange = Server::start(vec![Reply::sse(ANSWER)]).await;
    let project = format!("base_url = '{}'\nmodel = 'm'\n", strange.base_url());
    write(&home.path().join("project/.mcc-tui/config.toml"), &project);
    let said = run(home.path(), &[], &token).await;
    let requests = strange.requests();
    assert_eq!(body(requests.first().expect(&said))["temperature"], 0.5);
    let told = |request: &String| request.contains("t0ken") || request.contains("x-token");
    assert!(!requests.iter().any(told), "{requests:?}");
}

/// A proxy that refuses everything for good, so that nothing is tried again; and what it is asked.
async fn proxy() -> (Listening, Receiver<String>) {
    let (tell, asked) = tokio::sync::mpsc::channel(16);
    let listening = serve(move |mut socket| {
        let tell = tell.clone();
        async move {
            let mut head = [0; 4096];
            let read = socket.read(&mut head).await.unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..read]).into_owned();
            tell.try_send(head.lines().next().unwrap_or_default().to_owned()).unwrap();
            give(socket, (400, "text/plain"), "").await;
        }
    });
    (listening.await, asked)
}

#[tokio::test]
async fn a_proxy_is_used_for_other_machines_and_not_for_this_one() {
    let home = tempfile::tempdir().unwrap();
    let (listening, mut asked) = proxy().await;
    let proxy = format!("http://{}", listening.place());
    let env = [
        ("HTTP_PROXY", proxy.clone()),
        ("http_proxy", proxy.clone()),
        ("HTTPS_PROXY", proxy.clone()),
        ("https_proxy", proxy),
    ];
    let plain = ["--model", "m", "--base-url", "http://model.invalid:8000/v1"];
    let said = run(home.path(), &plain, &env).await;
    let first = asked.try_recv().expect(&said);
    assert_eq!(first, "POST http://model.invalid:8000/v1/chat/completions HTTP/1.1");

    let server = Server::start(vec![Reply::sse(ANSWER)]).await;
    let said = run(home.path(), &["--model", "m", "--base-url", &server.base_url()], &env).await;
    assert!(server.requests().first().expect(&said).starts_with("POST /v1/chat/completions "));
    assert!(asked.try_recv().is_err(), "the proxy was asked for this machine");
}

#[tokio::test]
async fn an_encrypted_connection_goes_through_a_tunnel_of_the_proxy() {
    let home = tempfile::tempdir().unwrap();
    let (listening, mut asked) = proxy().await;
    let proxy = format!("http://{}", listening.place());
    let arguments = ["--model", "m", "--base-url", "https://model.invalid/v1"];
    let env = [("HTTPS_PROXY", proxy.clone()), ("https_proxy", proxy)];
    let run = run(home.path(), &arguments, &env);
    tokio::select! {
        first = asked.recv() => assert_eq!(first.unwrap(), "CONNECT model.invalid:443 HTTP/1.1"),
        said = run => panic!("the proxy was not asked: {said}"),
    }
}
