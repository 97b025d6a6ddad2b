//! The context window against a server that cuts as Ollama does: real sockets, the built binary.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use mcc_tui::provider::{
    Provider,
    openai::{OpenAi, Settings},
};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::support::{
    program::{BOUND, outcome, program},
    server::{Listening, give, read_request, serve},
};

const MODEL: &str = "qwen2.5-coder:7b";

/// What this Ollama tells of its model, and what it really gives.
struct Ollama {
    /// Tokens that it reads; a token is a word or four bytes of a longer one.
    window: AtomicU64,
    /// Whether `/api/ps` tells the window of a loaded model.
    tells: bool,
    /// The line of its Modelfile.
    parameters: &'static str,
    /// Whether it counts only what it had not read before.
    counts_rest: bool,
    /// Whether it is none, but a server that has nothing beside the API.
    is_bare: bool,
    read: Mutex<Vec<u64>>,
}

impl Default for Ollama {
    fn default() -> Self {
        Self {
            window: AtomicU64::new(4_096),
            tells: true,
            parameters: "stop \"<|im_end|>\"",
            counts_rest: false,
            is_bare: false,
            read: Mutex::default(),
        }
    }
}

struct Running {
    base_url: String,
    server: Arc<Ollama>,
    _listening: Listening,
}

impl Ollama {
    async fn start(self) -> Running {
        let server = Arc::new(self);
        let shared = Arc::clone(&server);
        let listening = serve(move |socket| answer(socket, Arc::clone(&shared))).await;
        Running { base_url: listening.base_url(), server, _listening: listening }
    }

    fn page(&self, path: &str, body: &str) -> Option<(&'static str, String)> {
        let json = |value: Value| Some(("application/json", value.to_string()));
        match path {
            "/v1/chat/completions" => Some(("text/event-stream", self.complete(body))),
            _ if self.is_bare => None,
            // Nothing is loaded before the first answer.
            "/api/ps" if self.read.lock().unwrap().is_empty() => json(json!({ "models": [] })),
            "/api/ps" => {
                let mut model = json!({ "name": MODEL, "model": MODEL, "size_vram": 0 });
                if self.tells {
                    model["context_length"] = json!(self.window.load(Ordering::SeqCst));
                }
                json(json!({ "models": [model] }))
            }
            "/api/show" => json(json!({
                "parameters": self.parameters,
                "details": { "family": "qwen2" },
                "model_info": { "general.architecture": "qwen2", "qwen2.context_length": 32_768 },
            })),
            _ => None,
        }
    }

    /// Asks for a file first, and answers once it was asked for.
    fn complete(&self, body: &str) -> String {
        let request: Value = serde_json::from_str(body).unwrap();
        let messages = request["messages"].as_array().unwrap();
        let sent: u64 = messages.iter().map(size).sum::<u64>() + size(&request["tools"]);
        let prompt = self.read(messages, size(&request["tools"]));
        let mut all = self.read.lock().unwrap();
        let cached = if self.counts_rest { all.iter().max().copied().unwrap_or(0) } else { 0 };
        all.push(sent);
        let was_asked = messages.iter().any(|message| message["role"] == "tool");
        let mut chunks = if was_asked {
            vec![json!({ "choices": [{ "delta": { "content": "done" } }] })]
        } else {
            let call = json!({ "index": 0, "id": "a", "type": "function", "function": {
                "name": "read_file", "arguments": "{\"path\":\"large.txt\"}" } });
            vec![json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })]
        };
        chunks.push(json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }));
        chunks.push(json!({ "choices": [], "usage": {
            "prompt_tokens": prompt.saturating_sub(cached).max(1), "completion_tokens": 5 } }));
        let lines: Vec<_> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
        lines.concat() + "data: [DONE]\n\n"
    }

    /// What it reads: without the oldest messages that do not fit beside the instructions and the
    /// newest; of a newest one that is too long by itself, half a window.
    fn read(&self, messages: &[Value], tools: u64) -> u64 {
        let window = self.window.load(Ordering::SeqCst);
        let (system, rest) = messages.split_first().unwrap();
        let fixed = size(system) + tools;
        for first in 0..rest.len() {
            let total = fixed + rest[first..].iter().map(size).sum::<u64>();
            if total <= window {
                return total;
            }
        }
        window / 2 + 2
    }
}

/// Tokens of a part of a request.
fn size(part: &Value) -> u64 {
    let text = part["content"].as_str().map_or_else(|| part.to_string(), str::to_owned);
    text.split_whitespace().map(|word| word.len().div_ceil(4) as u64).sum()
}

async fn answer(mut socket: TcpStream, server: Arc<Ollama>) {
    let Some(request) = read_request(&mut socket).await else { return };
    let path = request.split_whitespace().nth(1).unwrap_or_default();
    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let (status, (kind, body)) = match server.page(path, body) {
        Some(page) => (200, page),
        None => (404, ("text/plain", "404 page not found".to_owned())),
    };
    give(socket, (status, kind), &body).await;
}

/// One turn of the built binary beside a file of so many words, as its JSON.
async fn turn(server: &Running, words: usize, settings: &str) -> Turn {
    let dir = tempfile::tempdir().unwrap();
    let lines: Vec<_> = (0..words).map(|word| format!("item {word}")).collect();
    std::fs::write(dir.path().join("large.txt"), lines.join("\n")).unwrap();
    write_settings(dir.path(), settings);
    let mut command = program(dir.path(), dir.path());
    command.args(["-p", "read large.txt", "--output-format", "json"]).args([
        "--base-url",
        &server.base_url,
        "--model",
        MODEL,
    ]);
    let run = outcome(command.spawn().unwrap()).await;
    let report: Value = serde_json::from_str(&run.out).expect(&run.err);
    assert_eq!(report["answer"], json!("done"), "{report}");
    let notices = report["notices"].as_array().unwrap();
    let notices = notices.iter().map(|notice| notice.as_str().unwrap().to_owned()).collect();
    Turn { window: report["context_window"].as_u64(), notices }
}

struct Turn {
    window: Option<u64>,
    notices: Vec<String>,
}

fn write_settings(folder: &Path, settings: &str) {
    std::fs::create_dir(folder.join(".mcc-tui")).unwrap();
    std::fs::write(folder.join(".mcc-tui/config.toml"), settings).unwrap();
}

fn provider(server: &Running) -> OpenAi {
    OpenAi::new(Settings {
        connect_timeout: BOUND,
        idle_timeout: BOUND,
        ..Settings::new(&server.base_url, MODEL)
    })
    .unwrap()
}

/// Words of `large.txt` that do not fit into 4,096 tokens: 5,000 lines of two words and a number
/// before each, as the tool shows them, are 15,000 tokens or more.
const LARGE: usize = 5_000;

#[tokio::test]
async fn a_conversation_that_ollama_cuts_is_told_with_the_window_it_loaded_and_what_to_do() {
    let server = Ollama::default().start().await;
    let turn = turn(&server, LARGE, "").await;
    assert_eq!(turn.window, Some(4_096), "as loaded, not the 32,768 that the model takes");
    let [before, after] = &turn.notices[..] else { panic!("{:?}", turn.notices) };
    assert!(before.contains("tokens are sent to a context window of 4,096"), "{before}");
    assert!(before.contains("OLLAMA_CONTEXT_LENGTH=32768 ollama serve"), "{before}");
    // The result does not fit with the call before it, nor alone: half a window and two.
    assert!(after.starts_with("The server read only 2,050 of about "), "{after}");
    assert!(after.contains("dropped the oldest part of this conversation"), "{after}");
}

#[tokio::test]
async fn a_setting_that_ollama_does_not_meet_is_told_and_the_loaded_window_counts() {
    let server = Ollama::default().start().await;
    let turn = turn(&server, LARGE, "context_window = 131072\n").await;
    assert_eq!(turn.window, Some(4_096));
    let [set, before, after] = &turn.notices[..] else { panic!("{:?}", turn.notices) };
    assert!(set.contains("set to 131,072, but the server loaded the model with 4,096"), "{set}");
    assert!(before.contains("a context window of 4,096"), "{before}");
    assert!(after.starts_with("The server read only 2,050"), "{after}");
}

#[tokio::test]
async fn an_ollama_that_does_not_tell_is_taken_at_its_modelfile_or_its_default() {
    let modelfile = Ollama {
        window: AtomicU64::new(65_536),
        tells: false,
        parameters: "num_ctx                        65536",
        ..Ollama::default()
    };
    let turn_of = async |server: Ollama, settings: &str| {
        let server = server.start().await;
        turn(&server, LARGE, settings).await
    };
    let set = turn_of(modelfile, "").await;
    assert_eq!((set.window, set.notices), (Some(65_536), vec![]));

    let silent = || Ollama { tells: false, ..Ollama::default() };
    let usual = turn_of(silent(), "").await;
    assert_eq!(usual.window, Some(4_096));
    let [assumed, before, after] = &usual.notices[..] else { panic!("{:?}", usual.notices) };
    assert!(assumed.contains("Ollama does not say") && assumed.contains("4,096"), "{assumed}");
    assert!(before.contains("a context window of 4,096"), "{before}");
    assert!(after.starts_with("The server read only 2,050"), "{after}");

    // Only the counts can tell that this setting is wrong: 2,050 tokens are less than the file.
    let wrong = turn_of(silent(), "context_window = 131072\n").await;
    assert_eq!(wrong.window, Some(131_072));
    let [after] = &wrong.notices[..] else { panic!("{:?}", wrong.notices) };
    assert!(after.starts_with("The server read only 2,050"), "{after}");
    assert!(after.contains("PARAMETER num_ctx 32768"), "{after}");
}

#[tokio::test]
async fn a_server_that_reads_everything_is_not_accused_however_it_counts() {
    for counts_rest in [false, true] {
        let window = AtomicU64::new(65_536);
        let server = Ollama { window, counts_rest, ..Ollama::default() }.start().await;
        for words in [100, LARGE] {
            let turn = turn(&server, words, "").await;
            assert_eq!((turn.window, turn.notices), (Some(65_536), vec![]), "{counts_rest}");
        }
    }
}

#[tokio::test]
async fn a_server_of_which_nothing_is_known_is_assumed_to_give_8k_and_that_is_said_once() {
    let bare = || Ollama { is_bare: true, window: AtomicU64::new(65_536), ..Ollama::default() };
    let server = bare().start().await;
    let small = turn(&server, 100, "").await;
    assert_eq!(small.window, Some(8_192));
    let [assumed] = &small.notices[..] else { panic!("{:?}", small.notices) };
    assert!(assumed.contains("8,192 tokens are assumed"), "{assumed}");
    assert!(assumed.contains("`context_window`"), "{assumed}");
    let server = bare().start().await;
    let set = turn(&server, 100, "context_window = 65536\n").await;
    assert_eq!((set.window, set.notices), (Some(65_536), vec![]));
}

#[tokio::test]
async fn an_ollama_that_was_started_anew_with_a_larger_window_is_believed_at_the_next_answer() {
    let server = Ollama::default().start().await;
    server.server.read.lock().unwrap().push(1);
    let provider = provider(&server);
    assert_eq!(provider.learn_window().await, None);
    assert_eq!(provider.about().context_window, Some(4_096));
    assert!(provider.window().is_told);
    server.server.window.store(32_768, Ordering::SeqCst);
    assert_eq!(provider.learn_window().await, None);
    assert_eq!(provider.about().context_window, Some(32_768));
}
