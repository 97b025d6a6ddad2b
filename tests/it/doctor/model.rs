//! A model server in small: it lists models, streams, calls the tools that it is told to use, and
//! lacks what it is told to lack. Owns nothing of what the doctor makes of it.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream, sync::Semaphore};

use crate::support::server::{Listening, read_request, serve};

/// What becomes of a request with tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tools {
    /// They are called.
    Called,
    /// It is refused. Without tools, plain answers come.
    Refused,
    /// It is refused; but in the protocol of labels, tools are called.
    AsText,
    /// The call comes as words of the answer.
    Leaked,
    /// They are called, but results are refused.
    RefusedResults,
}

/// What kind of server it is.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fault of its own")]
pub struct Model {
    pub names: Vec<String>,
    pub server: String,
    pub streams: bool,
    pub counts: bool,
    pub parallel: bool,
    pub answers: bool,
    /// Whether it takes the wish for token counts.
    pub takes_options: bool,
    pub window: Option<u64>,
    pub tools: Tools,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            names: vec!["small".into()],
            server: "test-server/7".into(),
            streams: true,
            counts: true,
            parallel: true,
            answers: true,
            takes_options: true,
            window: Some(16_384),
            tools: Tools::Called,
        }
    }
}

/// The server while it runs.
pub struct Running {
    listening: Listening,
    requests: Arc<Mutex<Vec<String>>>,
    dropped: Arc<Semaphore>,
}

impl Running {
    pub fn base_url(&self) -> String {
        self.listening.base_url()
    }

    /// The requests so far: head, blank line, body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a client went away in the middle of an answer.
    pub async fn dropped(&self) {
        self.dropped.acquire().await.unwrap().forget();
    }
}

impl Model {
    pub async fn start(self) -> Running {
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let dropped = Arc::new(Semaphore::new(0));
        let (seen, gone) = (Arc::clone(&requests), Arc::clone(&dropped));
        let answer =
            move |socket| self.clone().answer(socket, Arc::clone(&seen), Arc::clone(&gone));
        Running { listening: serve(answer).await, requests, dropped }
    }

    async fn answer(
        self,
        mut socket: TcpStream,
        seen: Arc<Mutex<Vec<String>>>,
        gone: Arc<Semaphore>,
    ) {
        socket.set_nodelay(true).unwrap();
        let Some(request) = read_request(&mut socket).await else { return };
        seen.lock().unwrap().push(request.clone());
        let path = request.split_whitespace().nth(1).unwrap_or_default();
        let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let answer = match path {
            "/v1/models" => {
                let entry = |name: &String| json!({ "id": name, "object": "model" });
                let data: Vec<_> = self.names.iter().map(entry).collect();
                Answer::json(200, &json!({ "object": "list", "data": data }))
            }
            "/props" if self.window.is_some() => {
                let settings = json!({ "n_ctx": self.window });
                Answer::json(200, &json!({ "default_generation_settings": settings }))
            }
            "/v1/chat/completions" if !self.answers => return std::future::pending().await,
            "/v1/chat/completions" => self.chat(&serde_json::from_str(body).unwrap()),
            _ => Answer::json(404, &json!({ "error": "not here" })),
        };
        if !answer.write(&self.server, &mut socket).await {
            gone.add_permits(1);
        }
        socket.shutdown().await.ok();
    }

    fn chat(&self, body: &Value) -> Answer {
        if !self.takes_options && body.get("stream_options").is_some() {
            let what = "Extra inputs are not permitted, field: 'stream_options'";
            return Answer::json(400, &json!({ "error": { "message": what } }));
        }
        let messages = body["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        let text = last["content"].as_str().unwrap();
        let system = messages[0]["content"].as_str().unwrap();
        if body.get("tools").is_some() {
            return self.with_tools(last, text);
        }
        if self.tools == Tools::AsText && system.contains("Action:") {
            if let Some(result) = text.strip_prefix("Observation:") {
                return self.says(&["Thought: I know it.\n", &format!("Answer: {result}\n")]);
            }
            let call = format!("Action: read_file('{}')\n", files(text)[0]);
            return self.says(&["Thought: I look.\n", &call]);
        }
        if text.contains("1000") {
            let numbers: Vec<_> = (0..2_000).map(|n| format!("number {n}\n")).collect();
            let numbers: Vec<_> = numbers.iter().map(String::as_str).collect();
            return Answer { pause: Duration::from_millis(5), ..self.says(&numbers) };
        }
        if text.contains("Count") {
            let numbers: Vec<_> = (1..=30).map(|n| format!("{n}, ")).collect();
            return self.says(&numbers.iter().map(String::as_str).collect::<Vec<_>>());
        }
        self.says(&["rea", "dy"])
    }

    fn with_tools(&self, last: &Value, text: &str) -> Answer {
        let refused = |what: &str| Answer::json(400, &json!({ "error": { "message": what } }));
        match self.tools {
            Tools::Refused | Tools::AsText => return refused("small does not support tools"),
            Tools::Leaked if last["role"] == "user" => {
                let call = json!({ "name": "read_file", "arguments": { "path": "notes.txt" } });
                return self.says(&["<tool_call>\n", &call.to_string(), "\n</tool_call>"]);
            }
            Tools::RefusedResults if last["role"] == "tool" => {
                return refused("roles must alternate");
            }
            Tools::Called | Tools::Leaked | Tools::RefusedResults => {}
        }
        if last["role"] == "tool" {
            // It does not know which words there were before, so it says both.
            return self.says(&[text, " juniper basalt"]);
        }
        let mut files = files(text);
        if !self.parallel {
            files.truncate(1);
        }
        let call = |(index, file): (usize, &String)| {
            json!({ "index": index, "id": format!("id-{index}"), "type": "function", "function":
                { "name": "read_file", "arguments": json!({ "path": file }).to_string() } })
        };
        let calls: Vec<_> = files.iter().enumerate().map(call).collect();
        self.sends(&[json!({ "tool_calls": calls })], "tool_calls")
    }

    fn says(&self, pieces: &[&str]) -> Answer {
        let deltas: Vec<_> = pieces.iter().map(|piece| json!({ "content": piece })).collect();
        self.sends(&deltas, "stop")
    }

    fn sends(&self, deltas: &[Value], finish: &str) -> Answer {
        let usage = json!({ "prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16 });
        if !self.streams {
            let text: String =
                deltas.iter().filter_map(|delta| delta["content"].as_str()).collect();
            let mut message = json!({ "role": "assistant", "content": text });
            if let Some(calls) = deltas[0].get("tool_calls") {
                message["tool_calls"] = calls.clone();
            }
            let choices = json!([{ "index": 0, "message": message, "finish_reason": finish }]);
            return Answer::json(200, &json!({ "choices": choices, "usage": usage }));
        }
        let chunk = |delta: &Value, finish: Value| {
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
            format!("data: {}\n\n", json!({ "choices": [choice] }))
        };
        let mut pieces: Vec<_> = deltas.iter().map(|delta| chunk(delta, Value::Null)).collect();
        pieces.push(chunk(&json!({}), finish.into()));
        if self.counts {
            pieces.push(format!("data: {}\n\n", json!({ "choices": [], "usage": usage })));
        }
        pieces.push("data: [DONE]\n\n".into());
        Answer { status: 200, kind: "text/event-stream", pieces, pause: Duration::ZERO }
    }
}

/// The files that a prompt names.
fn files(prompt: &str) -> Vec<String> {
    let words = prompt.split_whitespace().map(|word| word.trim_end_matches(['.', ',']));
    words
        .filter(|word| Path::new(word).extension().is_some_and(|end| end == "txt"))
        .map(str::to_owned)
        .collect()
}

struct Answer {
    status: u16,
    kind: &'static str,
    pieces: Vec<String>,
    pause: Duration,
}

impl Answer {
    fn json(status: u16, body: &Value) -> Self {
        let pieces = vec![body.to_string()];
        Self { status, kind: "application/json", pieces, pause: Duration::ZERO }
    }

    /// False if the client went away before the end.
    async fn write(&self, server: &str, socket: &mut TcpStream) -> bool {
        let head = format!(
            "HTTP/1.1 {} Status\r\nserver: {server}\r\nconnection: close\r\ncontent-type: {}\r\n\r\n",
            self.status, self.kind
        );
        if socket.write_all(head.as_bytes()).await.is_err() {
            return false;
        }
        for piece in &self.pieces {
            if socket.write_all(piece.as_bytes()).await.is_err() {
                return false;
            }
            if !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
        }
        true
    }
}
