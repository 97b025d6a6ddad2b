//! Plays bodies to one provider, one after the other over one connection that is kept. Owns the
//! socket and where it cuts; knows nothing of what the bytes mean.

use std::sync::Arc;

use mcc_tui::provider::{ProviderError, accumulate::Response, openai::OpenAi};
use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    sync::{Mutex, mpsc},
};

use super::{hear, settings};
use crate::support::server::{Listening, read_request, serve};

/// What came out of a body.
pub type Outcome = (Response, Option<ProviderError>);

/// One provider, and its server.
pub struct Player {
    bodies: mpsc::Sender<Vec<u8>>,
    provider: OpenAi,
    _server: Listening,
}

impl Player {
    pub async fn start() -> Self {
        let (bodies, waiting) = mpsc::channel(1);
        let waiting = Arc::new(Mutex::new(waiting));
        let server = serve(move |mut socket| {
            socket.set_nodelay(true).unwrap();
            let waiting = Arc::clone(&waiting);
            async move { while answer(&mut socket, &waiting).await.is_some() {} }
        });
        let server = server.await;
        let provider = OpenAi::new(settings(server.base_url())).unwrap();
        Self { bodies, provider, _server: server }
    }

    /// Sends the bytes so that the reader gets them in pieces of these sizes, and takes what
    /// comes out of them.
    pub async fn play(&self, mut body: &[u8], pieces: &[usize]) -> Outcome {
        let mut sent = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
            transfer-encoding: chunked\r\n\r\n"
            .to_vec();
        for size in pieces.iter().cycle() {
            let (piece, rest) = body.split_at((*size).min(body.len()));
            if piece.is_empty() {
                break;
            }
            sent.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            sent.extend_from_slice(piece);
            sent.extend_from_slice(b"\r\n");
            body = rest;
        }
        sent.extend_from_slice(b"0\r\n\r\n");
        self.bodies.send(sent).await.unwrap();
        hear(&self.provider).await
    }
}

async fn answer(socket: &mut TcpStream, bodies: &Mutex<mpsc::Receiver<Vec<u8>>>) -> Option<()> {
    read_request(socket).await?;
    let body = bodies.lock().await.recv().await?;
    socket.write_all(&body).await.ok()
}

/// A body, where it is cut, and what is to come out.
pub struct Job {
    pub body: Arc<[u8]>,
    /// The sizes of the pieces, again and again.
    pub pieces: Vec<usize>,
    /// Says what is wrong with the outcome.
    pub check: Box<dyn FnOnce(Outcome) -> Option<String> + Send>,
}

/// Plays all, some side by side, and gives what was wrong.
pub async fn play_all(jobs: Vec<Job>) -> Vec<String> {
    const PLAYERS: usize = 6;
    let jobs = Arc::new(std::sync::Mutex::new(jobs.into_iter()));
    let players = (0..PLAYERS).map(|_| {
        let jobs = Arc::clone(&jobs);
        tokio::spawn(async move {
            let player = Player::start().await;
            let mut wrong = Vec::new();
            let next = || jobs.lock().unwrap().next();
            while let Some(job) = next() {
                let outcome = player.play(&job.body, &job.pieces).await;
                wrong.extend((job.check)(outcome));
            }
            wrong
        })
    });
    let mut wrong = Vec::new();
    for player in players.collect::<Vec<_>>() {
        wrong.append(&mut player.await.unwrap());
    }
    wrong
}
