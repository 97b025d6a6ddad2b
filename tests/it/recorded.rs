//! Streams and errors recorded from real servers, played from a real socket. The folder with
//! `index.tsv`, `errors.jsonl` and the bodies is `$MCC_SHARED/streams`; without it, all is skipped.

use std::{collections::HashMap, fs, path::PathBuf, sync::Arc};

use futures_util::StreamExt;
use mcc_tui::{
    protocol::{exit::ErrorKind, message::Message, usage::TokenUsage},
    provider::{
        FinishReason, Provider, ProviderError, Request,
        accumulate::{Accumulator, Response},
        openai::{OpenAi, Settings},
    },
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::server::{self, Reply, Server};

mod cuts;
mod mutate;
mod player;
mod same;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("MCC_SHARED").map(|shared| PathBuf::from(shared).join("streams"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: MCC_SHARED names no folder with streams");
    }
    folder
}

fn settings(base_url: String) -> Settings {
    Settings { api_key: Some("sk-recorded-key".into()), ..server::settings(base_url, "recorded") }
}

fn hello() -> Request {
    Request::new(vec![Message::User { text: "hello".into() }], Arc::new([]))
}

/// The whole response, and the error that ended it.
async fn play(reply: Reply) -> (Response, Option<ProviderError>) {
    let server = Server::start(vec![reply]).await;
    hear(&OpenAi::new(settings(server.base_url())).unwrap()).await
}

/// What comes of one request, and the error that ended it.
async fn hear(provider: &OpenAi) -> (Response, Option<ProviderError>) {
    let mut fold = Accumulator::new();
    let mut deltas = match provider.stream(hello()).await {
        Ok(deltas) => deltas,
        Err(error) => return (fold.finish(), Some(error)),
    };
    while let Some(item) = deltas.next().await {
        match item {
            Ok(delta) => drop(fold.push(&delta).unwrap()),
            Err(error) => {
                assert!(deltas.next().await.is_none(), "an error is the last item");
                return (fold.finish(), Some(error));
            }
        }
    }
    (fold.finish(), None)
}

type Row = HashMap<String, String>;

fn index(folder: &std::path::Path) -> Vec<Row> {
    let table = fs::read_to_string(folder.join("index.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

/// What of a response differs from its row.
fn differences(row: &Row, response: &Response, error: Option<&ProviderError>) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |what: &str, got: String, want: &str| {
        if got != want {
            found.push(format!("{what}: got {got:?}, want {want:?}"));
        }
    };
    check("text", digest(&response.text)[..12].to_owned(), &row["text_sha256_12"]);
    check("text length", response.text.chars().count().to_string(), &row["text_len"]);
    check("reasoning", response.reasoning.chars().count().to_string(), &row["reasoning_len"]);
    let calls: Vec<_> = response
        .calls
        .iter()
        .map(|call| {
            let arguments = serde_json::from_str(&call.arguments)
                .unwrap_or_else(|_| json!({ "__invalid_json__": call.arguments }));
            json!({ "name": call.name, "arguments": arguments })
        })
        .collect();
    let same_calls = serde_json::from_str::<Value>(&row["tool_calls"]).unwrap() == json!(calls);
    check("same calls", same_calls.to_string(), "true");
    let word = row["finish_reason"].as_str();
    let finish = (!word.is_empty()).then(|| FinishReason::from_word(word));
    check("finish", format!("{:?}", response.finish), &format!("{finish:?}"));
    let usage = serde_json::from_str::<Value>(&row["usage"]).ok().map(|usage| {
        let count = |path| usage.pointer(path).and_then(Value::as_f64).unwrap_or(0.0) as u64;
        TokenUsage {
            prompt: count("/prompt_tokens"),
            completion: count("/completion_tokens"),
            reasoning: count("/completion_tokens_details/reasoning_tokens")
                + count("/reasoning_tokens"),
            cached: count("/prompt_tokens_details/cached_tokens")
                .max(count("/prompt_cache_hit_tokens"))
                .max(count("/cached_tokens")),
            // The index does not have it.
            beside: response.usage.map_or(0, |usage| usage.beside),
        }
    });
    check("usage", format!("{:?}", response.usage), &format!("{usage:?}"));
    if row["error"].is_empty() {
        let kind = error.map(|error| error.kind);
        let spliced = row["quirks"].contains("non-json-data");
        let cut = if spliced { ErrorKind::Protocol } else { ErrorKind::Network };
        let want = word.is_empty().then_some(cut);
        check("error", format!("{kind:?}"), &format!("{want:?}"));
    } else {
        let want = said(&serde_json::from_str(&row["error"]).unwrap());
        let got = error.map_or_else(String::new, |error| error.message.clone());
        check("error", got.contains(&want).to_string(), "true");
    }
    found
}

#[tokio::test]
async fn recorded_streams_come_out_as_the_index_says() {
    let Some(folder) = folder() else { return };
    let rows = index(&folder);
    let mut wrong = Vec::new();
    for row in &rows {
        let body = fs::read(folder.join(&row["file"])).unwrap();
        let (response, error) = play(Reply::sse(body)).await;
        let found = differences(row, &response, error.as_ref());
        if !found.is_empty() {
            wrong.push(format!("{}: {}", row["file"], found.join("; ")));
        }
    }
    println!("{} of {} recorded streams as the index says", rows.len() - wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn streams_of_a_local_server_end_as_they_ended_there() {
    let Some(folder) = folder() else { return };
    let (mut streams, mut refusals) = (0, 0);
    let servers = fs::read_dir(folder.join("local")).into_iter().flatten();
    let files = servers.flat_map(|server| fs::read_dir(server.unwrap().path()).unwrap());
    for file in files.map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        let name = file.display().to_string();
        let head = fs::read_to_string(file.with_extension("headers")).unwrap();
        let status: u16 = head.split_whitespace().nth(1).unwrap().parse().unwrap();
        let kind = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-type: ").map(str::to_owned)
        });
        let body = fs::read(&file).unwrap();
        let sent = String::from_utf8_lossy(&body).into_owned();
        let (response, error) = play(Reply::new(status, &kind.unwrap(), body)).await;
        if status == 200 {
            streams += 1;
            let cut = name.contains("12-abort-midstream");
            assert_eq!(error.is_some(), cut, "{name}: {error:?}");
            assert_eq!(response.finish.is_some(), !cut, "{name}");
            let called = sent.contains("\"tool_calls\":[");
            assert_eq!(!response.calls.is_empty(), called, "{name}");
        } else {
            refusals += 1;
            let error = error.unwrap();
            assert_eq!(error.status, Some(status), "{name}");
            assert!(
                error.message.contains(&said(&serde_json::from_str(&sent).unwrap())),
                "{error}"
            );
            assert_eq!(error.context_overflow, name.contains("13-context"), "{name}");
        }
    }
    println!("{streams} local streams and {refusals} refusals");
}

/// The server's sentence in an error, by the places where servers put it, the innermost first.
fn said(error: &Value) -> String {
    const PLACES: [&str; 9] = [
        "/error/metadata/raw",
        "/metadata/raw",
        "/error/message",
        "/error",
        "/message",
        "/detail",
        "/base_resp/status_msg",
        "/details",
        "",
    ];
    let text = PLACES.iter().find_map(|place| error.pointer(place)?.as_str()).unwrap();
    let inner = text.find('{').and_then(|at| serde_json::from_str::<Value>(&text[at..]).ok());
    match inner {
        Some(inner) if inner.is_object() => said(&inner),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// How the kinds of the recorded errors map to ours.
fn kind_of(row: &Value) -> ErrorKind {
    let body = row["body"].as_str().unwrap();
    match row["kind"].as_str().unwrap() {
        // The model is gone from every provider behind this router.
        "bad-request" if body.contains("No endpoints found for") => ErrorKind::ModelNotFound,
        "bad-request" | "context-length" | "content-filter" | "tools-unsupported" => {
            ErrorKind::BadRequest
        }
        "invalid-key" => ErrorKind::Auth,
        "no-credit" => ErrorKind::Quota,
        "rate-limit" => ErrorKind::RateLimit,
        "model-not-found" => ErrorKind::ModelNotFound,
        "tool-call-rejected" => ErrorKind::Protocol,
        "overloaded" | "server-error" => ErrorKind::Server,
        "error-with-http-200" if body.starts_with("quota exceeded") => ErrorKind::Quota,
        "error-with-http-200" if body.contains("not support model") => ErrorKind::ModelNotFound,
        other => panic!("an unknown kind: {other}"),
    }
}

#[tokio::test]
async fn recorded_errors_keep_status_sentence_and_kind() {
    let Some(folder) = folder() else { return };
    let rows = fs::read_to_string(folder.join("errors.jsonl")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        count += 1;
        let body = row["body"].as_str().unwrap();
        let status = u16::try_from(row["status"].as_u64().unwrap()).unwrap();
        let mut reply = Reply::new(status, "", body);
        for (name, value) in row["headers"].as_object().unwrap() {
            reply = reply.header(name, value.as_str().unwrap());
        }
        let (response, error) = play(reply).await;
        assert_eq!(response, Response::default());
        let error = error.unwrap();
        let want = match serde_json::from_str(body) {
            Ok(value) => said(&value),
            Err(_) if body.contains("<title>") => "502: Bad gateway".to_owned(),
            Err(_) => body.trim().to_owned(),
        };
        let kind = row["kind"].as_str().unwrap();
        let checks = [
            ("status", error.status == Some(status)),
            ("sentence", error.message.contains(&want)),
            ("kind", error.kind == kind_of(&row)),
            ("overflow", error.context_overflow == (kind == "context-length")),
            ("filter", error.content_filter == (kind == "content-filter")),
            ("tools", error.tools_unsupported == (kind == "tools-unsupported")),
            ("hint", !error.hint.is_empty()),
        ];
        let failed: Vec<_> = checks.iter().filter(|(_, ok)| !ok).map(|(what, _)| *what).collect();
        if !failed.is_empty() {
            wrong.push(format!("{failed:?} {kind} {body}\n    {error:?}"));
        }
    }
    println!("{} of {count} recorded errors read right", count - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// SHA-256 as lower-case hex digits.
fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}
