//! The provider against a server that behaves badly in one way at a time.

mod answers;

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use mcc_tui::{
    protocol::{exit::ErrorKind, message::Message},
    provider::{
        Delta, DeltaStream, FinishReason, Provider, ProviderError, Request,
        openai::{OpenAi, Settings},
    },
};
use serde_json::{Value, json};

use crate::support::server::{self, DeadPort, Reply, Server};

const KEY: &str = "sk-very-secret-0123456789";

fn settings(base_url: &str) -> Settings {
    let settings = server::settings(base_url, "qwen");
    Settings { api_key: Some(KEY.into()), context_window: Some(8192), ..settings }
}

fn provider(server: &Server) -> OpenAi {
    OpenAi::new(settings(&server.base_url())).unwrap()
}

fn hello() -> Request {
    Request::new(vec![Message::User { text: "hello".into() }], Arc::new([]))
}

fn chunk(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

fn finish() -> String {
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    format!("data: {last}\n\ndata: [DONE]\n\n")
}

async fn collect(mut deltas: DeltaStream) -> (String, Option<FinishReason>, Option<ProviderError>) {
    let (mut text, mut finish) = (String::new(), None);
    while let Some(item) = deltas.next().await {
        match item {
            Ok(Delta::Text(more)) => text += &more,
            Ok(Delta::Finish(reason)) => {
                finish =
                    Some(finish.map_or(reason.clone(), |was: FinishReason| was.and_then(reason)));
            }
            Ok(_) => {}
            Err(error) => return (text, finish, Some(error)),
        }
    }
    (text, finish, None)
}

async fn ask(reply: Reply) -> (String, Option<FinishReason>, Option<ProviderError>) {
    let server = Server::start(vec![reply]).await;
    match provider(&server).stream(hello()).await {
        Ok(deltas) => collect(deltas).await,
        Err(error) => (String::new(), None, Some(error)),
    }
}

async fn refused(reply: Reply) -> ProviderError {
    ask(reply).await.2.expect("an error")
}

fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_request_has_what_it_needs_and_nothing_else() {
    let server = Server::start(vec![Reply::sse(chunk("hi") + &finish())]).await;
    let (text, finish, error) = collect(provider(&server).stream(hello()).await.unwrap()).await;
    assert_eq!((text.as_str(), finish, error), ("hi", Some(FinishReason::Stop), None));
    let request = &server.requests()[0];
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    let lower = request.to_ascii_lowercase();
    assert!(lower.contains(&format!("authorization: bearer {KEY}\r\n")), "{request}");
    assert!(lower.contains("user-agent: mcc-tui/"), "{request}");
    let want = json!({
        "model": "qwen",
        "messages": [{ "role": "user", "content": "hello" }],
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    assert_eq!(body(request), want);
}

#[tokio::test]
async fn without_a_key_no_authorization_header_is_sent() {
    for key in [None, Some(String::new()), Some(" \n".to_owned())] {
        let server = Server::start(vec![Reply::sse(finish())]).await;
        let settings = Settings { api_key: key, ..settings(&server.base_url()) };
        collect(OpenAi::new(settings).unwrap().stream(hello()).await.unwrap()).await;
        assert!(!server.requests()[0].to_ascii_lowercase().contains("authorization"));
    }
}

#[tokio::test]
async fn the_key_is_in_no_error_and_in_no_debug_text() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}.") } });
    let error = refused(Reply::new(401, "application/json", echo.to_string())).await;
    assert_eq!(error.kind, ErrorKind::Auth);
    assert!(error.message.contains("Incorrect API key provided: [key]"), "{error}");
    assert!(error.hint.contains("OPENAI_API_KEY"), "{}", error.hint);
    let settings = settings("https://api.openai.com/v1");
    let provider = OpenAi::new(settings.clone()).unwrap();
    let texts = [format!("{error:?}"), format!("{settings:?}"), format!("{provider:?}")];
    assert!(texts.iter().all(|text| !text.contains("secret")), "{texts:?}");
}

#[test]
fn a_key_goes_unencrypted_to_this_machine_only() {
    let far = settings("http://192.0.2.7:8000/v1");
    let error = OpenAi::new(far.clone()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(error.message.contains("not encrypted"), "{error}");
    assert!(OpenAi::new(Settings { allow_insecure_key: true, ..far.clone() }).is_ok());
    assert!(OpenAi::new(Settings { api_key: None, ..far }).is_ok());
    assert!(OpenAi::new(settings("http://localhost:1/v1")).is_ok());
    let broken = Settings { api_key: Some("two\nlines-of-key".into()), ..settings("https://a/v1") };
    let error = OpenAi::new(broken).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(!error.message.contains("lines-of-key"), "{error}");
}

#[tokio::test]
async fn a_refused_stream_option_is_left_out_once_and_for_all() {
    let no =
        r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#;
    let ok = Reply::sse(finish());
    let server = Server::start(vec![Reply::new(422, "application/json", no), ok]).await;
    let provider = provider(&server);
    for _ in 0..2 {
        assert_eq!(collect(provider.stream(hello()).await.unwrap()).await.2, None);
    }
    let sent: Vec<_> = server
        .requests()
        .iter()
        .map(|request| body(request).get("stream_options").is_some())
        .collect();
    assert_eq!(sent, [true, false, false]);
}

#[tokio::test]
async fn an_unrepaired_refusal_is_sent_no_third_time() {
    let no = r#"{"error":{"message":"stream_options: no"}}"#;
    let server = Server::start(vec![Reply::new(400, "application/json", no)]).await;
    let error = provider(&server).stream(hello()).await.err().unwrap();
    assert_eq!((error.kind, server.requests().len()), (ErrorKind::BadRequest, 2));
}

#[tokio::test]
async fn nothing_is_retried_behind_the_back_of_the_turn() {
    for status in [429, 500, 503] {
        let reply = Reply::new(status, "application/json", r#"{"error":{"message":"busy"}}"#);
        let server = Server::start(vec![reply.header("retry-after", "7")]).await;
        let error = provider(&server).stream(hello()).await.err().unwrap();
        assert_eq!(server.requests().len(), 1);
        assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
        assert!(error.hint.contains("7 s"), "{}", error.hint);
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let mut server = Server::start(vec![Reply::sse(chunk("hi")).hold()]).await;
    let provider = provider(&server);
    let mut deltas = provider.stream(hello()).await.unwrap();
    assert_eq!(deltas.next().await, Some(Ok(Delta::Text("hi".into()))));
    drop(deltas);
    server.closed(1).await;
}

#[tokio::test]
async fn dropping_the_request_before_the_answer_closes_the_connection() {
    let mut server = Server::start(vec![Reply::silence()]).await;
    let provider = provider(&server);
    tokio::select! {
        _ = provider.stream(hello()) => panic!("an answer came"),
        () = server.arrived(1) => {}
    }
    server.closed(1).await;
}

#[tokio::test]
async fn dropping_a_stream_that_nobody_reads_closes_the_connection() {
    let many = chunk(&"x".repeat(1000)).repeat(20_000);
    let mut server = Server::start(vec![Reply::sse(many)]).await;
    let deltas = provider(&server).stream(hello()).await.unwrap();
    drop(deltas);
    server.broken(1).await;
}

#[tokio::test]
async fn a_server_is_not_read_ahead_of_the_turn() {
    // The text alone would be broken off long before the buffers are full.
    let padding = format!("data: {{\"padding\":\"{}\"", "x".repeat(1000));
    let padded = chunk("x").replacen("data: {", &format!("{padding},"), 1);
    let many = padded.repeat(60_000) + &finish();
    let size = many.len();
    let server = Server::start(vec![Reply::sse(many)]).await;
    let mut deltas = provider(&server).stream(hello()).await.unwrap();
    deltas.next().await.unwrap().unwrap();
    // The socket's own buffers fill up; then the server is stuck.
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let written = server.written();
        if written == before {
            break;
        }
        before = written;
    }
    assert!(before < size / 2, "{before} of {size} bytes were taken with nobody reading");
    let (text, finish, error) = collect(deltas).await;
    assert_eq!((text.len(), finish, error), (59_999, Some(FinishReason::Stop), None));
}

#[tokio::test]
async fn an_unknown_model_is_answered_with_the_models_there_are() {
    let no = r#"{"error":{"message":"model 'qwen' not found"}}"#;
    let list = json!({ "data": [{ "id": "llama3" }, { "id": "qwen3:8b" }] });
    let replies = vec![
        Reply::new(404, "application/json", no),
        Reply::new(200, "application/json", list.to_string()),
    ];
    let server = Server::start(replies).await;
    let error = provider(&server).stream(hello()).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::ModelNotFound);
    assert!(error.message.contains("model 'qwen' not found"), "{error}");
    assert!(error.hint.contains("--model"), "{}", error.hint);
    assert!(error.hint.ends_with("qwen3:8b, llama3."), "{}", error.hint);
    assert!(server.requests()[1].starts_with("GET /v1/models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn models_are_listed_and_used() {
    let list = Reply::new(200, "application/json", r#"{"data":[{"id":"a"},{"id":"b"}]}"#);
    let server = Server::start(vec![list, Reply::sse(finish())]).await;
    let provider = provider(&server);
    assert_eq!(provider.models().await.unwrap(), ["a", "b"]);
    provider.use_model("b".into());
    assert_eq!(provider.about().model, "b");
    collect(provider.stream(hello()).await.unwrap()).await;
    assert_eq!(body(&server.requests()[1])["model"], "b");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    let port = DeadPort::hold();
    let address = port.address();
    let provider = OpenAi::new(settings(&port.base_url())).unwrap();
    let error = provider.stream(hello()).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Network);
    let want = format!("connection refused: nothing listens on {address}");
    assert!(error.message.contains(&want), "{error}");
    assert!(error.hint.contains("--base-url"), "{}", error.hint);
}

#[tokio::test]
async fn a_name_that_nobody_knows_is_named() {
    let settings = Settings { api_key: None, ..settings("http://no-such-host.invalid/v1") };
    let error = OpenAi::new(settings).unwrap().stream(hello()).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("the name no-such-host.invalid is not known"), "{error}");
}

#[tokio::test]
async fn a_server_without_encryption_behind_https_is_told_apart() {
    let plain = server::without_tls().await;
    let base_url = format!("https://{}/v1", plain.place());
    let error = OpenAi::new(settings(&base_url)).unwrap().stream(hello()).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("does not speak TLS"), "{error}");
    assert!(error.hint.contains("http://"), "{}", error.hint);
}
