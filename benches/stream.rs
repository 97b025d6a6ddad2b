//! Speed of reading streams from a server, over a real socket: bytes in, one whole response out.
//! Run by hand: `cargo bench --bench stream`. A byte of the largest event, in pieces of 1 KiB,
//! must cost at most twice what a byte of small events costs.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "benches are not an interface"
)]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use divan::{Bencher, counter::BytesCount};
use futures_util::StreamExt;
use mcc_tui::{
    protocol::message::Message,
    provider::{
        Provider, Request,
        accumulate::{Accumulator, Response},
        openai::{OpenAi, Settings},
    },
};
use tokio::runtime::Runtime;

/// What an event may hold, and room for what stands around its text.
const LARGEST: usize = 2 * 1024 * 1024 - 1024;
/// Text of one response, at most.
const TEXT: usize = 1024 * 1024;

fn main() {
    divan::main();
}

/// A server that gives one body, and a provider that asks for it.
struct Line {
    runtime: Runtime,
    provider: OpenAi,
    body: Arc<Mutex<Vec<u8>>>,
}

impl Line {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let body = Arc::new(Mutex::new(Vec::new()));
        let given = Arc::clone(&body);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let given = Arc::clone(&given);
                thread::spawn(move || serve(socket, &given));
            }
        });
        let settings = Settings {
            connect_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_mins(1),
            ..Settings::new(&base_url, "bench")
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        Self { runtime, provider: OpenAi::new(settings).unwrap(), body }
    }

    /// Makes the body of the next answers, in pieces of so many bytes.
    fn set(&self, body: &[u8], piece: usize) {
        let mut sent = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
            transfer-encoding: chunked\r\n\r\n"
            .to_vec();
        for piece in body.chunks(piece) {
            sent.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            sent.extend_from_slice(piece);
            sent.extend_from_slice(b"\r\n");
        }
        sent.extend_from_slice(b"0\r\n\r\n");
        *self.body.lock().unwrap() = sent;
    }

    /// Asks once. Gives what came out.
    fn ask(&self) -> Response {
        self.runtime.block_on(async {
            let messages = vec![Message::User { text: "hello".to_owned() }];
            let mut deltas =
                self.provider.stream(Request::new(messages, Arc::new([]))).await.unwrap();
            let mut whole = Accumulator::new();
            while let Some(Ok(delta)) = deltas.next().await {
                whole.push(&delta).unwrap();
            }
            whole.finish()
        })
    }
}

fn serve(mut socket: TcpStream, body: &Mutex<Vec<u8>>) {
    let (mut taken, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(read) = socket.read(&mut buffer) {
        taken.extend_from_slice(buffer.get(..read).unwrap_or_default());
        // The request is one small message in JSON, which ends with its closing bracket.
        if taken.ends_with(b"}") {
            taken.clear();
            let body = body.lock().unwrap().clone();
            if socket.write_all(&body).is_err() {
                return;
            }
        }
        if read == 0 {
            return;
        }
    }
}

fn event(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

const END: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn measure(bencher: Bencher<'_, '_>, body: &[u8], piece: usize) {
    let line = Line::new();
    line.set(body, piece);
    assert!(line.ask().finish.is_some(), "it is read to its end");
    bencher.counter(BytesCount::new(body.len())).bench_local(|| line.ask());
}

/// All of the recorded streams of `$MCC_SHARED/streams`, in pieces of a network packet.
#[divan::bench]
fn recorded_streams(bencher: Bencher<'_, '_>) {
    let folder = std::env::var_os("MCC_SHARED").map(|shared| PathBuf::from(shared).join("streams"));
    let Some(files) = folder.and_then(|folder| std::fs::read_dir(folder).ok()) else {
        println!("skipped: MCC_SHARED names no folder with streams");
        return;
    };
    let paths = files.map(|file| file.unwrap().path());
    let streams = paths.filter(|path| path.extension().is_some_and(|kind| kind == "sse"));
    let bodies: Vec<Vec<u8>> = streams.map(|path| std::fs::read(path).unwrap()).collect();
    let line = Line::new();
    let bytes: usize = bodies.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let mut sum = 0;
        for body in &bodies {
            line.set(body, 1400);
            sum += line.ask().text.len();
        }
        sum
    });
}

/// Events of some ten characters, as a model writes.
#[divan::bench]
fn small_events_by_1_kib(bencher: Bencher<'_, '_>) {
    let body = event("some words").repeat(TEXT / 10) + END;
    measure(bencher, body.as_bytes(), 1024);
}

/// One event of the largest size, nearly all of which is a field that means nothing.
#[divan::bench]
fn the_largest_event_by_1_kib(bencher: Bencher<'_, '_>) {
    let padding = "x".repeat(LARGEST);
    let body = format!("data: {{\"choices\":[],\"padding\":\"{padding}\"}}\n\n{END}");
    measure(bencher, body.as_bytes(), 1024);
}
