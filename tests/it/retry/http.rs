//! Failures of real connections: what servers say, cuts, and places where nothing listens.

use super::*;

fn chunk(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

fn whole(text: &str) -> Reply {
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    Reply::sse(format!("{}data: {last}\n\ndata: [DONE]\n\n", chunk(text)))
}

fn refusal(status: u16, message: &str) -> Reply {
    let body = json!({ "error": { "message": message } });
    Reply::new(status, "application/json", body.to_string())
}

fn openai(base_url: String) -> Arc<Strict> {
    let provider = OpenAi::new(server::settings(base_url, "m"));
    Strict::over(provider.unwrap())
}

/// One turn over HTTP; waits are told and not made.
async fn over_http(replies: Vec<Reply>) -> (Vec<StreamEvent>, Vec<Message>, Vec<Value>) {
    let server = Server::start(replies).await;
    let mut rig = Rig::new(openai(server.base_url()));
    rig.submit("go");
    let mut events = Vec::new();
    while !matches!(events.last(), Some(StreamEvent::TurnEnded { .. })) {
        let event = rig.front.next().await.unwrap();
        if matches!(event, StreamEvent::Retrying { .. }) {
            rig.front.send(Op::RetryNow).unwrap();
        }
        events.push(event);
    }
    check_grammar(&events);
    let body =
        |request: &String| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let bodies = server.requests().iter().map(body).collect();
    (events, rig.history().await, bodies)
}

#[tokio::test]
async fn a_server_that_says_when_to_come_back_is_asked_again_then() {
    let slow = || refusal(429, "Rate limit reached");
    let (events, history, requests) = over_http(vec![
        slow().header("retry-after", "2"),
        slow().header("retry-after-ms", "1700").header("retry-after", "2"),
        slow().header("retry-after", "1.25"),
        whole("hello"),
    ])
    .await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    let kind = ErrorKind::RateLimit;
    assert_eq!(retries(&events), [(1, 2_000, kind), (2, 1_700, kind), (3, 1_250, kind)]);
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|request| *request == requests[0]));
    assert_eq!(answers(&history), ["hello"]);
}

#[tokio::test]
async fn a_server_that_fails_once_is_asked_twice() {
    let (events, history, requests) =
        over_http(vec![refusal(500, "out of luck"), whole("hello")]).await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(retries(&events), [(1, 250, ErrorKind::Server)]);
    let told = events.iter().find_map(|event| match event {
        StreamEvent::Retrying { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    assert_eq!(told, Some("The server answered 500: out of luck"));
    assert_eq!((requests.len(), answers(&history)), (2, vec!["hello"]));
}

#[tokio::test]
async fn a_connection_that_is_cut_in_the_middle_gives_the_answer_once() {
    let cut = Reply::sse(chunk("hel"));
    let (events, history, requests) = over_http(vec![cut, whole("hello")]).await;
    assert_eq!(reason(&events), ExitReason::EndTurn);
    assert_eq!(retries(&events), [(1, 250, ErrorKind::Network)]);
    let shown: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::TextDelta { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, ["hel", "hello"]);
    assert_eq!((requests.len(), answers(&history)), (2, vec!["hello"]));
}

#[tokio::test]
async fn a_server_that_wants_an_hour_is_not_waited_for_and_the_end_says_so() {
    let later = refusal(429, "Come back later").header("retry-after", "3600");
    let (events, _, requests) = over_http(vec![later, whole("hello")]).await;
    assert_eq!((retries(&events).len(), requests.len()), (0, 1));
    let ExitReason::Error { kind: ErrorKind::RateLimit, hint, .. } = reason(&events) else {
        panic!("{events:?}")
    };
    assert!(hint.starts_with("The server asks to wait 60:00 min: try again then, "), "{hint}");
}

#[tokio::test]
async fn where_nothing_listens_or_no_tls_is_spoken_the_end_comes_at_once() {
    let port = crate::support::server::DeadPort::hold();
    let dead = port.base_url();
    let no_tls = server::without_tls().await;
    let plain = format!("https://{}/v1", no_tls.place());
    for (address, words) in [(dead, "nothing listens"), (plain, "does not speak TLS")] {
        let mut rig = Rig::new(openai(address));
        let events = rig.turn("go").await;
        assert_eq!((retries(&events).len(), rig.provider.count()), (0, 1), "{words}");
        let ExitReason::Error { message, .. } = reason(&events) else { panic!("{events:?}") };
        assert!(message.contains(words), "{message}");
    }
}
