//! A loopback HTTP server that sends exactly the bytes it is told, in the pieces it is told.
//! Owns the socket, and
//! the settings that lead to one; knows nothing of what the bytes mean.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcc_tui::provider::openai::Settings;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

use super::request::is_whole;

/// A server without a key, with patience for a machine that is busy.
pub fn settings(base_url: impl Into<String>, model: &str) -> Settings {
    Settings {
        connect_timeout: Duration::from_secs(30),
        idle_timeout: Duration::from_mins(1),
        ..Settings::new(base_url, model)
    }
}

/// What listens on a port of this machine, until it is dropped.
pub struct Listening {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Listening {
    /// Where it listens: host and port.
    pub fn place(&self) -> String {
        self.address.to_string()
    }

    /// A base URL that leads here.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

/// Listens, and gives every connection to `answer`; the answers go on side by side.
pub async fn serve<F>(mut answer: impl FnMut(TcpStream) -> F + Send + 'static) -> Listening
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            drop(tokio::spawn(answer(socket)));
        }
    });
    Listening { address, task }
}

/// Listens where https is looked for, and speaks plain HTTP only.
pub async fn without_tls() -> Listening {
    serve(|mut socket| async move {
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        socket.read_to_end(&mut Vec::new()).await.ok();
    })
    .await
}

/// Answers with a whole body of this status and content type, and closes.
pub async fn give(mut socket: TcpStream, (status, kind): (u16, &str), body: &str) {
    let head =
        format!("HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n");
    socket.write_all((head + body).as_bytes()).await.ok();
    socket.shutdown().await.ok();
}

/// What happens after the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The connection is closed.
    Close,
    /// The connection is held open until the client closes it.
    Hold,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Reply {
    head: String,
    body: Vec<u8>,
    piece: usize,
    pause: Duration,
    then: Then,
}

impl Reply {
    /// An answer with this status, content type (none if empty) and body; ended by a close.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let mut head = format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n");
        if !content_type.is_empty() {
            head.extend(["content-type: ", content_type, "\r\n"]);
        }
        Self {
            head,
            body: body.into(),
            piece: usize::MAX,
            pause: Duration::ZERO,
            then: Then::Close,
        }
    }

    /// An event stream.
    pub fn sse(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    /// No answer at all: the connection is held open.
    pub fn silence() -> Self {
        Self { head: String::new(), ..Self::new(200, "", "").hold() }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.extend([name, ": ", value, "\r\n"]);
        self
    }

    /// Writes the body in pieces of this size.
    pub fn cut(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }

    /// Waits after each piece.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Keeps the connection open after the last piece.
    pub fn hold(mut self) -> Self {
        self.then = Then::Hold;
        self
    }
}

/// The server. It gives its replies in order, and the last one again and again.
pub struct Server {
    listening: Listening,
    requests: Arc<Mutex<Vec<String>>>,
    closed: watch::Receiver<usize>,
    arrived: watch::Receiver<usize>,
    broken: watch::Receiver<usize>,
    written: watch::Receiver<usize>,
}

impl Server {
    /// Listens and answers.
    pub async fn start(replies: Vec<Reply>) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (closing, closed) = watch::channel(0);
        let (writing, written) = watch::channel(0);
        let (arriving, arrived) = watch::channel(0);
        let (breaking, broken) = watch::channel(0);
        let seen = Arc::clone(&requests);
        let mut next = 0;
        let listening = serve(move |socket| {
            let reply = replies[next.min(replies.len() - 1)].clone();
            next += 1;
            let connection = Connection {
                socket,
                seen: Arc::clone(&seen),
                closing: closing.clone(),
                writing: writing.clone(),
                arriving: arriving.clone(),
                breaking: breaking.clone(),
            };
            connection.answer(reply)
        });
        let listening = listening.await;
        Self { listening, requests, closed, arrived, broken, written }
    }

    /// A base URL that leads here.
    pub fn base_url(&self) -> String {
        self.listening.base_url()
    }

    /// The requests so far: head, blank line, body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until this many requests have come.
    pub async fn arrived(&mut self, count: usize) {
        self.arrived.wait_for(|arrived| *arrived >= count).await.unwrap();
    }

    /// Waits until clients have closed this many held connections.
    pub async fn closed(&mut self, count: usize) {
        self.closed.wait_for(|closed| *closed >= count).await.unwrap();
    }

    /// Waits until clients have closed this many connections that were still being written to.
    pub async fn broken(&mut self, count: usize) {
        self.broken.wait_for(|broken| *broken >= count).await.unwrap();
    }

    /// Bytes of bodies that the sockets took so far.
    pub fn written(&self) -> usize {
        *self.written.borrow()
    }
}

struct Connection {
    socket: TcpStream,
    seen: Arc<Mutex<Vec<String>>>,
    closing: watch::Sender<usize>,
    writing: watch::Sender<usize>,
    arriving: watch::Sender<usize>,
    breaking: watch::Sender<usize>,
}

impl Connection {
    async fn answer(mut self, reply: Reply) {
        self.socket.set_nodelay(true).unwrap();
        let Some(request) = read_request(&mut self.socket).await else { return };
        self.seen.lock().unwrap().push(request);
        self.arriving.send_modify(|arrived| *arrived += 1);
        let end = if reply.head.is_empty() { "" } else { "\r\n" };
        let head = format!("{}{end}", reply.head);
        if self.socket.write_all(head.as_bytes()).await.is_ok() {
            let size = reply.piece.min(reply.body.len().max(1));
            for piece in reply.body.chunks(size) {
                if !self.write(piece).await {
                    self.breaking.send_modify(|broken| *broken += 1);
                    return;
                }
                if !reply.pause.is_zero() {
                    tokio::time::sleep(reply.pause).await;
                }
            }
            if reply.then == Then::Hold {
                let mut rest = [0; 64];
                while matches!(self.socket.read(&mut rest).await, Ok(read) if read > 0) {}
                self.closing.send_modify(|closed| *closed += 1);
            }
        }
        self.socket.shutdown().await.ok();
    }

    async fn write(&mut self, mut piece: &[u8]) -> bool {
        while !piece.is_empty() {
            let Ok(written) = self.socket.write(piece).await else { return false };
            self.writing.send_modify(|sum| *sum += written);
            piece = &piece[written..];
        }
        true
    }
}

/// Reads one request whole: head, blank line, body.
pub async fn read_request(socket: &mut (impl AsyncReadExt + Unpin)) -> Option<String> {
    let mut taken = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = socket.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        taken.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&taken);
        if is_whole(&text) {
            return Some(text.into_owned());
        }
    }
}

/// A port that nothing listens on, and that nobody else gets while it is held: bound, and never
/// listened on.
pub struct DeadPort {
    socket: tokio::net::TcpSocket,
}

impl DeadPort {
    pub fn hold() -> Self {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self { socket }
    }

    pub fn address(&self) -> std::net::SocketAddr {
        self.socket.local_addr().unwrap()
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address())
    }
}
