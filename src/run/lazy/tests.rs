//! Who answers, against a server on this machine that knows a few paths.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::*;
use crate::cli::Cli;
use clap::Parser;

/// Fails a hang.
const BOUND: Duration = Duration::from_mins(1);

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                      data: [DONE]\n\n";

/// A server with two models and a window of 16,384 tokens.
async fn server() -> (String, JoinHandle<()>) {
    let (url, task, _) = slow_server(0).await;
    (url, task)
}

/// The same, but so many first questions for its window are answered only once the gate opens.
async fn slow_server(silent: usize) -> (String, JoinHandle<()>, Arc<Gate>) {
    let gate = Arc::new(Gate { open: Notify::new(), silent: AtomicUsize::new(silent) });
    let inside = Arc::clone(&gate);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(answer(socket, Arc::clone(&inside)));
        }
    });
    (url, task, gate)
}

struct Gate {
    open: Notify,
    silent: AtomicUsize,
}

impl Gate {
    async fn pass(&self) {
        let is_silent = |left: usize| left.checked_sub(1);
        if self.silent.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_silent).is_ok() {
            self.open.notified().await;
        }
    }
}

async fn answer(mut socket: TcpStream, gate: Arc<Gate>) {
    let mut request = [0; 4096];
    let read = socket.read(&mut request).await.unwrap_or(0);
    let request = String::from_utf8_lossy(&request[..read]).into_owned();
    if request.contains("/props") {
        gate.pass().await;
    }
    let (kind, body) = match request.split_whitespace().nth(1).unwrap_or_default() {
        "/props" => ("application/json", "{\"default_generation_settings\":{\"n_ctx\":16384}}"),
        "/v1/models" => ("application/json", "{\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}]}"),
        "/v1/chat/completions" => ("text/event-stream", ANSWER),
        _ => ("text/plain", "nothing"),
    };
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n");
    socket.write_all(head.as_bytes()).await.ok();
    socket.write_all(body.as_bytes()).await.ok();
}

fn lazy(arguments: &[&str], folder: &Path) -> Lazy {
    let cli = Cli::parse_from(["mcc-tui"].iter().chain(arguments));
    let loader = Loader { flags: super::super::flags(&cli), root: folder.to_owned() };
    let loaded = loader.load().unwrap();
    Lazy::new(loader, Some(&loaded), folder).unwrap()
}

fn request() -> Request {
    Request::new(Vec::new(), Arc::new([]))
}

#[tokio::test]
async fn the_window_is_learnt_at_the_end_of_the_first_answer_and_not_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (url, server) = server().await;
    let lazy = lazy(&["--base-url", &url, "--model", "m"], folder.path());
    assert_eq!(lazy.about().context_window, None);
    let mut stream = lazy.stream(request()).await.unwrap();
    assert_eq!(lazy.about().context_window, None, "nothing is asked before it answers");
    stream.next().await.unwrap().unwrap();
    assert_eq!(lazy.about().context_window, None, "nothing is asked while it answers");
    let rest = async { while stream.next().await.is_some() {} };
    tokio::time::timeout(BOUND, rest).await.expect("it ends");
    known(&lazy).await;
    assert_eq!(lazy.about().context_window, Some(16_384));
    lazy.use_model("other".to_owned());
    assert_eq!(lazy.about().context_window, None, "that was the size of another model");
    server.abort();
}

/// Waits until the window is known: at the end of a response, or a little later.
async fn known(lazy: &Lazy) {
    let known = async {
        while lazy.about().context_window.is_none() {
            lazy.news().await;
        }
    };
    tokio::time::timeout(BOUND, known).await.expect("it is asked for");
}

/// Hears the response to its end, and gives what it tells the user.
async fn hear(lazy: &Lazy) -> Vec<String> {
    let stream = lazy.stream(request()).await.unwrap();
    let notices = stream.filter_map(|delta| {
        ready(match delta.unwrap() {
            Delta::Remark(Remark::Notice(text)) => Some(text),
            _ => None,
        })
    });
    tokio::time::timeout(BOUND, notices.collect()).await.expect("it ends")
}

#[tokio::test]
async fn a_server_that_tells_its_window_late_holds_up_no_answer_and_is_heard_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (url, server, gate) = slow_server(1).await;
    let lazy = lazy(&["--base-url", &url, "--model", "m"], folder.path());
    assert_eq!(hear(&lazy).await, Vec::<String>::new(), "nothing is said of it yet");
    assert_eq!(lazy.about().context_window, None, "and nothing assumed");
    gate.open.notify_one();
    let news = tokio::time::timeout(BOUND, lazy.news()).await.expect("it is told");
    assert_eq!(news.texts, Vec::<String>::new());
    assert_eq!(lazy.about().context_window, Some(16_384));
    server.abort();
}

#[tokio::test]
async fn a_question_for_the_window_ends_with_the_next_request_and_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (url, server, _gate) = slow_server(1).await;
    let lazy = lazy(&["--base-url", &url, "--model", "m"], folder.path());
    assert_eq!(hear(&lazy).await, Vec::<String>::new());
    assert_eq!(hear(&lazy).await, Vec::<String>::new());
    known(&lazy).await;
    assert_eq!(lazy.about().context_window, Some(16_384));
    server.abort();
}

#[tokio::test]
async fn while_a_response_comes_no_list_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".mcc-tui")).unwrap();
    std::fs::write(folder.path().join(".mcc-tui/config.toml"), "discover = false\n").unwrap();
    let (url, server) = server().await;
    let lazy = lazy(&["--base-url", &url, "--model", "m"], folder.path());
    let stream = lazy.stream(request()).await.unwrap();
    let mut offers = lazy.offers();
    let first = offers.next().await.unwrap();
    assert_eq!((first[0].present, &first[0].listing), (true, &Listing::Waiting));
    assert!(offers.next().now_or_never().is_none(), "it waits");
    drop(stream);
    let asking = tokio::time::timeout(BOUND, offers.next()).await.expect("it goes on").unwrap();
    assert_eq!(asking[0].listing, Listing::Asking);
    let rest: Vec<_> = tokio::time::timeout(BOUND, offers.collect()).await.expect("it ends");
    let last: &Vec<ServerModels> = rest.last().unwrap();
    assert_eq!(
        (&last[0].models[..], &last[0].listing),
        (&["a".into(), "b".into()][..], &Listing::Known)
    );
    server.abort();
}

#[tokio::test]
async fn of_several_models_one_must_be_named_where_nobody_can_choose() {
    let folder = tempfile::tempdir().unwrap();
    let (url, server) = server().await;
    let lazy = lazy(&["--base-url", &url], folder.path());
    let error = lazy.stream(request()).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Config);
    assert_eq!(error.message, "No model is set, and the server offers 2: a, b.");
    server.abort();
}

#[tokio::test]
async fn where_somebody_can_choose_the_request_waits_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let (url, server) = server().await;
    let lazy = lazy(&["--base-url", &url], folder.path());
    lazy.attend();
    let choose = async {
        assert!(lazy.news().await.choose);
        let lists = lazy.lists();
        assert_eq!((&lists[0].base_url, lists[0].present), (&url, true));
        lazy.use_offer(&url, "b".to_owned()).unwrap();
    };
    let both = async { tokio::join!(lazy.stream(request()), choose).0 };
    let stream = tokio::time::timeout(BOUND, both).await.expect("it goes on").unwrap();
    assert_eq!(lazy.about().model, "b");
    drop(stream);
    server.abort();
}

#[tokio::test]
async fn a_server_that_was_not_offered_cannot_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let lazy = lazy(&["--base-url", "http://127.0.0.1:9/v1", "--model", "m"], folder.path());
    let error = lazy.use_offer("http://127.0.0.1:8/v1", "x".to_owned()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Config);
    assert_eq!(lazy.about().model, "m");
}

#[tokio::test]
async fn the_window_of_the_model_that_is_set_is_not_that_of_another() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".mcc-tui")).unwrap();
    std::fs::write(folder.path().join(".mcc-tui/config.toml"), "context_window = 1000\n").unwrap();
    let (url, server) = server().await;
    let lazy = lazy(&["--base-url", &url, "--model", "m"], folder.path());
    lazy.use_model("other".to_owned());
    let stream = lazy.stream(request()).await.unwrap();
    assert_eq!((lazy.about().model.as_str(), lazy.about().context_window), ("other", None));
    drop(stream);
    server.abort();
}

#[tokio::test]
async fn a_window_that_is_set_counts_where_the_server_gives_more() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".mcc-tui")).unwrap();
    let settings = "context_window = 1000\n";
    std::fs::write(folder.path().join(".mcc-tui/config.toml"), settings).unwrap();
    let (url, server) = server().await;
    let lazy = lazy(&["--base-url", &url, "--model", "m"], folder.path());
    assert_eq!(lazy.about().context_window, Some(1_000));
    let mut stream = lazy.stream(request()).await.unwrap();
    stream.next().await.unwrap().unwrap();
    match lazy.made().await.unwrap() {
        Made::Server(server, _) => assert_eq!(server.learn_window().await, None),
        Made::Demo(_) => panic!("the demo"),
    }
    assert_eq!(lazy.about().context_window, Some(1_000));
    server.abort();
}
