//! The ways to a server: a socket of this machine, a proxy, a tunnel.

use super::*;

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
