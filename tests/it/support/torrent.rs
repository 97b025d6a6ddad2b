//! A server that sends the same bytes again and again, as fast as they are taken. Owns its
//! threads; knows nothing of who reads.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use super::request::is_whole;

/// Bytes that are sent at most; then the body ends.
const MOST: u64 = 200_000_000;

/// What is sent.
#[derive(Clone)]
pub(crate) struct Torrent {
    /// Once, before all else.
    pub(crate) head: String,
    /// Again and again.
    pub(crate) piece: String,
}

/// The server. It ends with the test binary.
pub(crate) struct Flooding {
    pub(crate) base_url: String,
    sent: Arc<AtomicU64>,
}

impl Torrent {
    pub(crate) fn start(self) -> Flooding {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let sent = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&sent);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (torrent, counted) = (self.clone(), Arc::clone(&counted));
                thread::spawn(move || torrent.pour(socket, &counted));
            }
        });
        Flooding { base_url, sent }
    }

    fn pour(&self, mut socket: TcpStream, counted: &AtomicU64) {
        if !has_asked(&mut socket) {
            return;
        }
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let begun = socket.write_all(head.as_bytes()).is_ok()
            && socket.write_all(self.head.as_bytes()).is_ok();
        let pieces = self.piece.repeat(64 * 1024 / self.piece.len() + 1);
        let mut sent = 0;
        while begun && sent < MOST && socket.write_all(pieces.as_bytes()).is_ok() {
            sent += pieces.len() as u64;
            counted.fetch_add(pieces.len() as u64, Ordering::Relaxed);
        }
    }
}

impl Flooding {
    /// Bytes that were taken so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

/// Reads one request to the end of its body.
fn has_asked(socket: &mut TcpStream) -> bool {
    let (mut taken, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let Ok(read) = socket.read(&mut buffer) else { return false };
        taken.extend_from_slice(&buffer[..read]);
        if is_whole(&String::from_utf8_lossy(&taken)) {
            return true;
        }
        if read == 0 {
            return false;
        }
    }
}

/// An event with more text, which is escaped as in JSON.
pub(crate) fn delta(text: &str) -> String {
    event(&format!("\"content\":\"{text}\""))
}

/// An event with more reasoning.
pub(crate) fn reasoning(text: &str) -> String {
    event(&format!("\"reasoning_content\":\"{text}\""))
}

/// An event with more of the arguments of the one call.
pub(crate) fn call(arguments: &str) -> String {
    let function = format!("{{\"name\":\"write_file\",\"arguments\":\"{arguments}\"}}");
    event(&format!("\"tool_calls\":[{{\"index\":0,\"id\":\"c\",\"function\":{function}}}]"))
}

fn event(delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}}}}]}}\n\n")
}
