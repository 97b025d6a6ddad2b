//! The search for a model server on this machine: what answers, what does not, and what the
//! program makes of it. The servers are real sockets; nothing listens at the usual ports.

mod window;

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use mcc_tui::{
    protocol::{about::About, event::StreamEvent},
    provider::{
        DeltaStream, Provider, ProviderError, Request,
        discover::{Candidate, Found, Offer, discover},
        openai::{OpenAi, Settings},
        scripted::{Script, Scripted},
    },
};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Barrier,
};

use crate::support::{
    program::{BOUND, outcome, program},
    rig::{Rig, Strict, check_grammar},
    server::{self, Listening, read_request},
};

/// Long enough for a server that answers, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a server has at a path.
#[derive(Clone)]
enum Page {
    Json(Value),
    Text(u16, &'static str, &'static str),
    /// Headers that never come.
    Silence,
    /// The list, but only when everybody who is to wait for it does.
    Together(Arc<Barrier>, Value),
}

/// A server with these pages, and 404 for all others.
struct Fake {
    base_url: String,
    requests: Arc<Mutex<Vec<String>>>,
    _listening: Listening,
}

impl Fake {
    async fn start(pages: impl IntoIterator<Item = (&'static str, Page)>) -> Self {
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let pages: Arc<HashMap<_, _>> = Arc::new(pages.into_iter().collect());
        let seen = Arc::clone(&requests);
        let answer = move |socket| answer(socket, Arc::clone(&pages), Arc::clone(&seen));
        let listening = server::serve(answer).await;
        Self { base_url: listening.base_url(), requests, _listening: listening }
    }

    fn candidate(&self, name: &str) -> Candidate {
        Candidate { name: name.to_owned(), base_url: self.base_url.clone() }
    }

    fn place(&self) -> &str {
        self.base_url.trim_start_matches("http://").trim_end_matches("/v1")
    }

    fn paths(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let path = |request: &String| request.split_whitespace().nth(1).unwrap().to_owned();
        requests.iter().map(path).collect()
    }
}

async fn answer(
    mut socket: TcpStream,
    pages: Arc<HashMap<&'static str, Page>>,
    seen: Arc<Mutex<Vec<String>>>,
) {
    let Some(request) = read_request(&mut socket).await else { return };
    let path = request.split_whitespace().nth(1).unwrap_or_default().to_owned();
    seen.lock().unwrap().push(request);
    let page = pages.get(path.as_str()).cloned();
    let (status, kind, body) = match page.unwrap_or(Page::Text(404, "text/plain", "not here")) {
        Page::Json(value) => (200, "application/json", value.to_string()),
        Page::Text(status, kind, body) => (status, kind, body.to_owned()),
        Page::Silence => return std::future::pending().await,
        Page::Together(all, value) => {
            all.wait().await;
            (200, "application/json", value.to_string())
        }
    };
    server::give(socket, (status, kind), &body).await;
}

fn list(names: &[&str]) -> Value {
    let model = |name: &&str| json!({ "id": name, "object": "model", "owned_by": "x" });
    json!({ "object": "list", "data": names.iter().map(model).collect::<Vec<_>>() })
}

/// As LM Studio answers.
fn studio() -> [(&'static str, Page); 2] {
    let names = ["text-embedding-nomic", "phi-4", "qwen2.5-coder-7b-instruct", "gemma-3-12b"];
    let model = |name: &str, kind: &str, state: &str| json!({ "id": name, "object": "model", "type": kind, "state": state });
    let details = json!({ "object": "list", "data": [
        model(names[0], "embeddings", "loaded"),
        model(names[1], "llm", "not-loaded"),
        model(names[2], "llm", "not-loaded"),
        model(names[3], "vlm", "loaded"),
    ] });
    [("/v1/models", Page::Json(list(&names))), ("/api/v0/models", Page::Json(details))]
}

/// As llama.cpp answered.
fn llama() -> [(&'static str, Page); 2] {
    let recorded = |text| Page::Json(serde_json::from_str(text).unwrap());
    [
        ("/v1/models", recorded(include_str!("../fixtures/servers/llamacpp-models.json"))),
        ("/props", recorded(include_str!("../fixtures/servers/llamacpp-props.json"))),
    ]
}

fn page(text: &'static str) -> [(&'static str, Page); 1] {
    [("/v1/models", Page::Text(200, "text/html", text))]
}

fn models(found: &Found) -> Vec<(String, Vec<String>)> {
    let names = |offer: &Offer| (offer.server.name.clone(), offer.models.clone());
    found.offers.iter().map(names).collect()
}

#[tokio::test]
async fn of_a_silent_server_two_real_ones_and_a_web_app_the_first_real_one_is_used() {
    let silent = Fake::start([("/v1/models", Page::Silence)]).await;
    let (studio, llama) = (Fake::start(studio()).await, Fake::start(llama()).await);
    let app = Fake::start(page("<!doctype html><title>My app</title>")).await;
    let candidates = [
        silent.candidate("Ollama"),
        studio.candidate("LM Studio"),
        llama.candidate("llama.cpp"),
        app.candidate("vLLM"),
    ];
    let search = discover(&candidates, PATIENCE);
    let found = tokio::time::timeout(BOUND, search).await.expect("it ends").unwrap();
    assert_eq!((&found.base_url, found.model.as_str()), (&studio.base_url, "gemma-3-12b"));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let right: [(String, Vec<String>); 2] = [
        ("LM Studio".into(), names(&["gemma-3-12b", "phi-4", "qwen2.5-coder-7b-instruct"])),
        ("llama.cpp".into(), names(&["qwen2.5-coder-1.5b-instruct-q4_k_m"])),
    ];
    assert_eq!(models(&found), right);
    let words = format!("Found gemma-3-12b at LM Studio ({}): it is used.", studio.place());
    assert!(found.notice().contains(&words), "{}", found.notice());
    assert!(found.notice().contains(&llama.base_url), "{}", found.notice());
    assert_eq!(app.paths(), ["/v1/models"], "a web app is left alone after its first answer");
    for fake in [&silent, &studio, &llama, &app] {
        let requests = fake.requests.lock().unwrap().join("\n").to_ascii_lowercase();
        assert!(!requests.contains("authorization"), "{requests}");
    }
}

#[tokio::test]
async fn all_are_asked_at_once_and_the_order_is_that_of_the_list() {
    let all = Arc::new(Barrier::new(4));
    let mut fakes = Vec::new();
    for name in ["a", "b", "c", "d"] {
        // Nobody answers before all are asked.
        fakes.push(
            Fake::start([("/v1/models", Page::Together(Arc::clone(&all), list(&[name])))]).await,
        );
    }
    let candidates: Vec<_> = fakes.iter().map(|fake| fake.candidate("")).collect();
    let found = discover(&candidates, BOUND).await.unwrap();
    let offered: Vec<_> = models(&found).into_iter().flat_map(|(_, models)| models).collect();
    assert_eq!(offered, ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn what_is_no_model_server_is_not_taken_for_one() {
    let embeddings = Fake::start([("/v1/models", Page::Json(list(&["nomic-embed-text"])))]).await;
    let empty = Fake::start([("/v1/models", Page::Json(list(&[])))]).await;
    let shop = json!({ "data": [{ "id": "shoe", "object": "product" }] });
    let shop = Fake::start([("/v1/models", Page::Json(shop))]).await;
    let locked = Fake::start([("/v1/models", Page::Text(401, "application/json", "{}"))]).await;
    let moved = Fake::start([("/v1/models", Page::Text(302, "text/html", "elsewhere"))]).await;
    let absent = Fake::start([]).await;
    let closed = Candidate {
        name: String::new(),
        base_url: {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            format!("http://{}/v1", listener.local_addr().unwrap())
        },
    };
    let nonsense = Candidate { name: String::new(), base_url: "nonsense".to_owned() };
    let mut candidates = vec![closed, nonsense];
    candidates.extend(
        [&embeddings, &empty, &shop, &locked, &moved, &absent].map(|fake| fake.candidate("")),
    );
    assert_eq!(discover(&candidates, PATIENCE).await, None);
}

#[tokio::test]
async fn a_server_that_does_not_tell_more_in_time_is_used_nevertheless() {
    let slow = Fake::start([
        ("/v1/models", Page::Json(list(&["gemma3", "qwen2.5-coder"]))),
        ("/api/ps", Page::Silence),
        ("/api/tags", Page::Silence),
    ])
    .await;
    let found = discover(&[slow.candidate("Ollama")], PATIENCE).await.unwrap();
    assert_eq!(found.model, "qwen2.5-coder");
}

/// The built binary in a folder and with a home of its own.
async fn run(fakes: &[&Fake], more: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let urls: Vec<_> = fakes.iter().map(|fake| fake.base_url.as_str()).collect();
    let mut command = program(dir.path(), dir.path());
    command
        .args(arguments)
        .env_remove("MCC_NO_DISCOVERY")
        .env("MCC_DISCOVER", urls.join(","))
        .envs(more.iter().copied());
    let run = outcome(command.spawn().unwrap()).await;
    (run.code, run.out, run.err)
}

const ANSWER: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: [DONE]\n\n";

fn answering() -> (&'static str, Page) {
    ("/v1/chat/completions", Page::Text(200, "text/event-stream", ANSWER))
}

#[tokio::test]
async fn with_nothing_set_a_turn_uses_what_is_found_and_says_so() {
    let app = Fake::start(page("<html>")).await;
    let llama = Fake::start(llama().into_iter().chain([answering()])).await;
    let (code, out, err) = run(&[&app, &llama], &[], &["-p", "hi"]).await;
    assert_eq!((code, out.as_str()), (0, "hello\n"), "{err}");
    let model = "qwen2.5-coder-1.5b-instruct-q4_k_m";
    assert!(err.contains(&format!("Found {model} at {}: it is used.", llama.place())), "{err}");
    assert!(!err.contains("demo"), "{err}");
    let sent = llama.requests.lock().unwrap().join("\n");
    assert!(sent.contains(&format!("\"model\":\"{model}\"")), "{sent}");

    let arguments = ["-p", "hi", "--output-format", "stream-json"];
    let (_, out, _) = run(&[&llama], &[], &arguments).await;
    let head: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!((&head["model"], &head["scripted"]), (&json!(model), &json!(false)));
    assert_eq!(head["place"], json!(llama.place()));
    let events = out.lines().skip(1).map(|line| serde_json::from_str(line).unwrap());
    let before = |event: &StreamEvent| matches!(event, StreamEvent::Notice { .. });
    check_grammar(&events.skip_while(before).collect::<Vec<StreamEvent>>());
}

#[tokio::test]
async fn without_a_screen_no_demo_stands_in_for_a_model_that_is_not_found() {
    let app = Fake::start(page("<html>")).await;
    let arguments = ["--yolo", "-p", "hi", "--output-format", "json"];
    let (code, out, err) = run(&[&app], &[], &arguments).await;
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["kind"]), (78, &json!("config")), "{err}");
    assert_eq!((&report["model"], &report["scripted"]), (&json!("no model"), &json!(false)));
    assert_eq!(report["tool_calls"], json!([]));
    let words = "No model is set, and no model server answers here.";
    assert_eq!(report["message"], json!(words));
    for way in ["--base-url", "--model", "OPENAI_API_KEY", "--demo"] {
        assert!(report["hint"].as_str().unwrap().contains(way), "{}", report["hint"]);
    }
    assert!(!err.contains("This is the built-in demo"), "{err}");
}

#[tokio::test]
async fn the_demo_plays_where_it_is_asked_for_whatever_there_is() {
    let llama = Fake::start(llama().into_iter().chain([answering()])).await;
    let arguments = ["--demo", "-p", "hi", "--output-format", "json"];
    for set in [&[][..], &[("MCC_MODEL", "m"), ("OPENAI_BASE_URL", &*llama.base_url)]] {
        let (_, out, err) = run(&[&llama], set, &arguments).await;
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&report["model"], &report["scripted"]), (&json!("demo"), &json!(true)));
        assert!(err.contains("This is the built-in demo"), "{err}");
    }
    assert_eq!(llama.paths(), Vec::<String>::new());
    let (code, _, err) = run(&[], &[], &["--demo", "--model", "m", "-p", "hi"]).await;
    assert_eq!(code, 2, "{err}");
}

/// Environment, arguments, and the answer.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);

#[tokio::test]
async fn whatever_is_set_switches_the_search_off() {
    let llama = Fake::start(llama().into_iter().chain([answering()])).await;
    let set = Fake::start([answering()]).await;
    let script = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(script.path(), "model = 'm'\n[[reply]]\ntext = 'played'\n").unwrap();
    let url = set.base_url.clone();
    let cases: [Case<'_>; 4] = [
        (&[], &["--base-url", &url, "--model", "m"], "hello\n"),
        (&[("OPENAI_BASE_URL", &url), ("MCC_MODEL", "m")], &[], "hello\n"),
        (&[], &["--script", script.path().to_str().unwrap()], "played\n"),
        (&[("MCC_NO_DISCOVERY", "1"), ("MCC_MODEL", "m")], &["--base-url", &url], "hello\n"),
    ];
    for (env, arguments, answer) in cases {
        let (_, out, err) = run(&[&llama], env, &[&["-p", "hi"], arguments].concat()).await;
        assert_eq!(out, answer, "{err}");
    }
    let (code, _, err) = run(&[&llama], &[("MCC_NO_DISCOVERY", "1")], &["-p", "hi"]).await;
    assert_eq!(code, 78);
    assert!(err.contains("No model is set, and none is looked for."), "{err}");
    assert_eq!(llama.paths(), Vec::<String>::new());
}
