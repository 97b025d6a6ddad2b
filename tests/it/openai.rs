//! The provider against a server that behaves badly in one way at a time.

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
async fn a_whole_completion_is_taken_as_a_stream() {
    let whole = json!({ "object": "chat.completion",
        "choices": [{ "message": { "content": "hi" }, "finish_reason": "length" }] });
    let event = Reply::sse(format!("data: {whole}\n\n"));
    for reply in [Reply::new(200, "application/json", whole.to_string()), event] {
        let (text, finish, error) = ask(reply).await;
        assert_eq!((text.as_str(), finish, error), ("hi", Some(FinishReason::Length), None));
    }
}

#[tokio::test]
async fn an_answer_of_countless_values_or_endless_size_is_never_read_in() {
    let bulk = format!("[{}0]", "{\"\":0},".repeat(200_000));
    let bulky = format!("{{\"x\":{bulk},\"choices\":[{{\"message\":{{\"content\":\"a\"}}}}]}}");
    let large = json!({ "choices": [{ "message": { "content": "x".repeat(9 << 20) } }] });
    let large = large.to_string();
    for (reply, bound) in [
        (Reply::new(200, "application/json", bulky.clone()), "200000 values"),
        (Reply::new(200, "application/json", large.clone()), "8 MiB"),
        (Reply::sse(format!("data: {bulky}\n\n")), "200000 values in one event"),
        (Reply::sse(format!("data: {large}\n\n")), "2 MiB in one event"),
    ] {
        let error = refused(reply).await;
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert!(error.message.contains(bound), "{error}");
    }
    let error = refused(Reply::new(400, "application/json", bulk)).await;
    assert_eq!(error.kind, ErrorKind::BadRequest);
}

#[tokio::test]
async fn a_list_of_countless_values_is_no_list() {
    let bulk = format!("{{\"data\":[{}0]}}", "{\"\":0},".repeat(200_000));
    let server = Server::start(vec![Reply::new(200, "application/json", bulk)]).await;
    let error = provider(&server).models().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
}

#[tokio::test]
async fn a_compressed_answer_is_named_as_one() {
    let junk = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0];
    for (status, kind) in [(200, ErrorKind::Protocol), (500, ErrorKind::Server)] {
        let reply = Reply::new(status, "text/event-stream", junk);
        let error = refused(reply.header("content-encoding", "gzip")).await;
        assert_eq!(error.kind, kind);
        let want = "compressed (gzip), which mcc-tui did not ask for";
        assert!(error.message.contains(want), "{error}");
    }
    let plain = Reply::sse(chunk("hi") + &finish()).header("content-encoding", "identity");
    assert_eq!(ask(plain).await.0, "hi");
}

#[tokio::test]
async fn a_refusal_is_the_text_of_an_answer_that_is_no_success() {
    let delta = json!({ "choices": [{ "index": 0, "delta": { "refusal": "I can't." } }] });
    let streamed = Reply::sse(format!("data: {delta}\n\n") + &chunk("") + &finish());
    let whole = json!({ "choices": [{ "finish_reason": "stop",
        "message": { "content": null, "refusal": "I can't." } }] });
    for reply in [streamed, Reply::new(200, "application/json", whole.to_string())] {
        let (text, finish, error) = ask(reply).await;
        let refused = Some(FinishReason::ContentFilter);
        assert_eq!((text.as_str(), finish, error), ("I can't.", refused, None));
    }
}

#[tokio::test]
async fn half_a_character_does_not_cost_the_answer() {
    let halves = chunk("a").replace("\"a\"", r#""a\ud83d""#) + &chunk("b") + &finish();
    let (text, _, error) = ask(Reply::sse(halves)).await;
    assert_eq!((text.as_str(), error), ("a\u{fffd}b", None));
}

#[tokio::test]
async fn a_stream_with_a_wrong_content_type_is_still_a_stream() {
    for kind in ["", "text/plain", "application/octet-stream"] {
        for size in [1, usize::MAX] {
            let reply = Reply::new(200, kind, chunk("hi") + &finish()).cut(size);
            let (text, _, error) = ask(reply).await;
            assert_eq!((text.as_str(), error), ("hi", None), "{kind} {size}");
        }
    }
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    let body = r#"{"error":{"message":"Insufficient Balance"}}"#;
    let error = refused(Reply::new(200, "application/json", body)).await;
    assert_eq!((error.kind, error.status), (ErrorKind::Quota, Some(200)));
    let error = refused(Reply::sse(body)).await;
    assert_eq!(error.kind, ErrorKind::Quota);
    assert!(error.message.contains("Insufficient Balance"), "{error}");
}

#[tokio::test]
async fn a_web_page_is_named_as_one() {
    let page = "<!DOCTYPE html><html><title>Welcome to nginx!</title></html>";
    let error = refused(Reply::new(200, "text/html", page)).await;
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(error.message.contains("Welcome to nginx!"), "{error}");
    assert!(error.hint.contains("web page") && error.hint.contains("--base-url"), "{}", error.hint);
}

#[tokio::test]
async fn an_empty_body_is_named_as_one() {
    for kind in ["text/event-stream", "application/json", ""] {
        let error = refused(Reply::new(200, kind, "")).await;
        assert_eq!(error.kind, ErrorKind::EmptyResponse, "{kind}");
        assert!(error.message.contains("empty body"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let other = Server::start(vec![Reply::sse(finish())]).await;
    let reply = Reply::new(307, "", "").header("location", &other.base_url());
    let error = refused(reply).await;
    assert_eq!(error.kind, ErrorKind::Config);
    assert!(error.message.contains(&other.base_url()), "{error}");
    assert_eq!(other.requests().len(), 0);
}

#[tokio::test]
async fn a_stream_that_ends_without_a_finish_broke_off() {
    for body in [chunk("half"), chunk("half") + "data: [DONE]\n\n", chunk("half") + "data: {\"cho"]
    {
        let (text, finish, error) = ask(Reply::sse(body)).await;
        let error = error.unwrap();
        assert_eq!((text.as_str(), finish, error.kind), ("half", None, ErrorKind::Network));
        assert!(error.message.contains("broke off before the answer was complete"), "{error}");
    }
}

#[tokio::test]
async fn a_body_shorter_than_its_length_broke_off_too() {
    let (text, _, error) = ask(Reply::sse(chunk("half")).header("content-length", "5000")).await;
    assert_eq!((text.as_str(), error.unwrap().kind), ("half", ErrorKind::Network));
    let whole = chunk("all") + &finish();
    let (text, finish, error) = ask(Reply::sse(whole).header("content-length", "5000")).await;
    assert_eq!((text.as_str(), finish, error), ("all", Some(FinishReason::Stop), None));
}

#[tokio::test]
async fn a_broken_piece_is_an_error_and_not_a_hole() {
    let body = chunk("a") + "data: {\"choices\": [}\n\n" + &chunk("b") + &finish();
    let (text, _, error) = ask(Reply::sse(body)).await;
    assert_eq!((text.as_str(), error.unwrap().kind), ("a", ErrorKind::Protocol));
}

#[tokio::test]
async fn silence_before_and_in_an_answer_is_a_timeout() {
    for reply in [Reply::silence(), Reply::sse("").hold(), Reply::sse(chunk("half")).hold()] {
        let server = Server::start(vec![reply]).await;
        let short = Duration::from_millis(50);
        let settings = Settings { idle_timeout: short, ..settings(&server.base_url()) };
        let error = match OpenAi::new(settings).unwrap().stream(hello()).await {
            Ok(deltas) => collect(deltas).await.2.unwrap(),
            Err(error) => error,
        };
        assert_eq!(error.kind, ErrorKind::Timeout);
        assert!(error.message.contains("sent nothing for 0.05 s"), "{error}");
    }
}

#[tokio::test]
async fn comments_are_life() {
    let body = ": ping\n\n".repeat(15) + &chunk("hi") + &finish();
    let reply = Reply::sse(body).cut(": ping\n\n".len() * 5).pause(Duration::from_millis(500));
    let server = Server::start(vec![reply]).await;
    // Shorter than the whole answer takes, longer than any silence in it.
    let idle = Duration::from_millis(1200);
    let settings = Settings { idle_timeout: idle, ..settings(&server.base_url()) };
    let deltas = OpenAi::new(settings).unwrap().stream(hello()).await.unwrap();
    let (text, _, error) = collect(deltas).await;
    assert_eq!((text.as_str(), error), ("hi", None));
}

#[tokio::test]
async fn a_finished_answer_does_not_wait_for_a_server_that_never_closes() {
    let body = (chunk("hi") + &finish()).replace("data: [DONE]\n\n", "");
    let mut server = Server::start(vec![Reply::sse(body).hold()]).await;
    let (text, finish, error) = collect(provider(&server).stream(hello()).await.unwrap()).await;
    assert_eq!((text.as_str(), finish, error), ("hi", Some(FinishReason::Stop), None));
    server.closed(1).await;
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
