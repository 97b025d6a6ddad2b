//! The file that holds all of a command's output, for what the model is not shown of it.
//!
//! Owns its size and its writing, on a thread of its own: a disk that hangs must hold neither the
//! command nor the program. Knows no processes.
//!
//! Invariant: what is held in memory is bounded; nothing is written before there is more output
//! than can be shown, unless all is wanted from the start.

use std::{fs::File, io::Write, path::PathBuf, sync::Arc, thread, time::Duration};

use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::out_folder::{InUse, OutFolder};

/// Most of one command's output that is written, in bytes.
pub const MOST_SPILLED: u64 = 100 << 20;

/// Output up to here is shown whole, so that it needs no file. In bytes.
const SHOWN: usize = 30_000;

/// Chunks that wait for the disk.
const QUEUE: usize = 2;

/// A disk that takes longer for a chunk is given up.
const SLOW: Duration = Duration::from_secs(1);

/// A file with the output of a command, as it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes in it: the first ones of the output.
    pub bytes: u64,
    /// Why it is not all, if it is not.
    pub cut: Option<String>,
}

/// Takes output as it comes.
pub(super) struct Spill {
    folder: Option<Arc<OutFolder>>,
    held: Vec<u8>,
    writer: Option<Writer>,
    taken: u64,
    late: bool,
}

struct Writer {
    path: PathBuf,
    queue: Option<mpsc::Sender<Vec<u8>>>,
    done: oneshot::Receiver<(u64, Option<String>)>,
    sent: u64,
}

impl Spill {
    /// Without a folder nothing is written.
    pub(super) fn new(folder: Option<Arc<OutFolder>>) -> Self {
        Self { folder, held: Vec::new(), writer: None, taken: 0, late: false }
    }

    /// Begins the file now; gives its path if there is one.
    pub(super) fn begin(&mut self) -> Option<PathBuf> {
        let folder = self.folder.take()?;
        self.writer = folder.create().ok().and_then(|(path, file, in_use)| {
            let (queue, chunks) = mpsc::channel(QUEUE);
            let (tell, done) = oneshot::channel();
            thread::Builder::new()
                .spawn(move || {
                    tell.send(write(file, chunks)).ok();
                    drop::<InUse>(in_use);
                })
                .ok()?;
            Some(Writer { path, queue: Some(queue), done, sent: 0 })
        });
        self.writer.as_ref().map(|writer| writer.path.clone())
    }

    /// Takes a chunk. Waits for a slow disk, but not for long and only once.
    pub(super) async fn push(&mut self, chunk: &[u8]) {
        self.taken += chunk.len() as u64;
        if self.folder.is_some() {
            if self.held.len() + chunk.len() <= SHOWN {
                self.held.extend_from_slice(chunk);
                return;
            }
            self.begin();
        }
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            self.send(held).await;
        }
        self.send(chunk.to_vec()).await;
    }

    async fn send(&mut self, mut chunk: Vec<u8>) {
        let Some(writer) = &mut self.writer else { return };
        let Some(queue) = &writer.queue else { return };
        let room = usize::try_from(MOST_SPILLED - writer.sent).unwrap_or(usize::MAX);
        chunk.truncate(room);
        let length = chunk.len() as u64;
        if length > 0 && queue.send_timeout(chunk, SLOW).await.is_ok() {
            writer.sent += length;
        } else {
            self.late |= length > 0;
            writer.queue = None;
        }
    }

    /// The file, if one was begun.
    pub(super) async fn finish(&mut self) -> Option<OutputFile> {
        let mut writer = self.writer.take()?;
        writer.queue = None;
        let ended = timeout(SLOW, &mut writer.done).await;
        let (bytes, error) = match ended {
            Ok(Ok(ended)) => ended,
            Ok(Err(_)) | Err(_) => (0, Some("the disk does not answer".to_owned())),
        };
        let cut = error.or_else(|| {
            let why = if self.late { "the disk was too slow" } else { "a file holds no more" };
            (bytes < self.taken).then(|| why.to_owned())
        });
        Some(OutputFile { path: writer.path, bytes, cut })
    }
}

/// Writes until nothing more comes; gives the bytes written, and why it ended before.
fn write(mut file: File, mut chunks: mpsc::Receiver<Vec<u8>>) -> (u64, Option<String>) {
    let mut written = 0;
    while let Some(chunk) = chunks.blocking_recv() {
        if let Err(error) = file.write_all(&chunk) {
            return (written, Some(error.to_string()));
        }
        written += chunk.len() as u64;
    }
    (written, None)
}

#[cfg(test)]
mod tests;
