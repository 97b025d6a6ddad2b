//! The reports of a keeper, line by line.
//!
//! Owns the bound. Must not know what a report says.
//!
//! Invariant: what is held is bounded, whoever writes. Cancel-safe: what was read is kept.

use tokio::{io::AsyncReadExt, net::UnixStream};

/// Longest report, in bytes; a longer one ends the reports, for no keeper writes it.
const LONGEST: usize = 4 << 10;

/// Most that is read at once, in bytes.
const CHUNK: usize = 4 << 10;

pub(super) struct Reports {
    from: UnixStream,
    held: Vec<u8>,
}

impl Reports {
    pub(super) fn new(from: UnixStream) -> Self {
        Self { from, held: Vec::new() }
    }

    /// The next line without its end; `None` at the end, after an error, or if it is too long.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.held.drain(..=end).take(end).collect();
                return Some(String::from_utf8_lossy(&line).into_owned());
            }
            if self.held.len() > LONGEST {
                return None;
            }
            let mut chunk = [0; CHUNK];
            let length = self.from.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
            self.held.extend_from_slice(chunk.get(..length).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn lines_come_one_by_one_and_half_a_line_is_none() {
        let (mut keeper, ours) = UnixStream::pair().unwrap();
        keeper.write_all(b"one\ntwo\n\nhalf").await.unwrap();
        drop(keeper);
        let mut reports = Reports::new(ours);
        for line in ["one", "two", ""] {
            assert_eq!(reports.next().await.as_deref(), Some(line));
        }
        assert_eq!(reports.next().await, None);
    }

    #[tokio::test]
    async fn an_endless_line_ends_the_reports() {
        let (mut keeper, ours) = UnixStream::pair().unwrap();
        let flood = async { while keeper.write_all(&[b'a'; 1 << 10]).await.is_ok() {} };
        let mut reports = Reports::new(ours);
        let read = async move {
            assert_eq!(reports.next().await, None);
            assert!(reports.held.len() <= LONGEST + CHUNK);
        };
        tokio::join!(flood, read);
    }
}
