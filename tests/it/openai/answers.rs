//! Answers that are odd, broken, endless or silent.

use super::*;

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
