//! That any server takes our requests: one that refuses in the words of real servers, a server on
//! a Unix socket, a proxy, and what the user adds to every request.

mod added;
mod learnt;
mod ways;

use std::{path::Path, sync::Arc};

use futures_util::StreamExt;
use mcc_tui::{
    protocol::{
        exit::ErrorKind,
        extra::Header,
        id::CallId,
        message::{AssistantMessage, Message},
        tool::{ToolCall, ToolResult, ToolSpec, ToolStatus},
    },
    provider::{
        Provider, ProviderError, Request,
        error::Outlook,
        openai::{OpenAi, Settings},
    },
};
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixListener,
    sync::mpsc::Receiver,
};

use crate::support::{
    program::{outcome, program},
    server::{Listening, Reply, Server, give, read_request, serve},
};

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
                      data: [DONE]\n\n";

fn settings(server: &Server) -> Settings {
    Settings::new(server.base_url(), "m")
}

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

/// A conversation in which the model called a tool and the user goes on right after its result.
fn history(id: &str) -> Vec<Message> {
    let call =
        ToolCall { id: CallId(id.into()), name: "read".into(), arguments: "{\"p\":1}".into() };
    let answer = AssistantMessage {
        reasoning: "I should read it.".into(),
        calls: vec![call],
        ..AssistantMessage::default()
    };
    vec![
        Message::System { text: "Be brief.".into() },
        user("one"),
        user("two"),
        Message::Assistant(answer),
        Message::Tool(ToolResult::new(CallId(id.into()), ToolStatus::Ok, "41 lines", "")),
        user("three"),
    ]
}

fn request(id: &str) -> Request {
    let tool = ToolSpec {
        name: "read".into(),
        description: "Reads.".into(),
        parameters: json!({ "type": "object", "additionalProperties": false }),
    };
    let mut request = Request::new(history(id), Arc::new([tool]));
    request.stop = Some("Observation:".into());
    request
}

fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn bodies(server: &Server) -> Vec<Value> {
    server.requests().iter().map(|request| body(request)).collect()
}

async fn drain(provider: &OpenAi, request: Request) -> Result<(), ProviderError> {
    let mut stream = provider.stream(request).await?;
    while let Some(item) = stream.next().await {
        item?;
    }
    Ok(())
}

fn field(name: &str, value: Value) -> impl FnOnce(&mut Settings) {
    let name = name.to_owned();
    move |settings| settings.body = Map::from_iter([(name, value)])
}

/// The built program with this environment, once; gives what it printed.
async fn run(home: &Path, arguments: &[&str], env: &[(&str, String)]) -> String {
    let project = home.join("project");
    std::fs::create_dir_all(&project).unwrap();
    let mut command = program(&project, home);
    command.args(["-p", "hello"]).args(arguments);
    command.envs(env.iter().map(|(name, value)| (name, value)));
    let run = outcome(command.spawn().unwrap()).await;
    run.out + &run.err
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
