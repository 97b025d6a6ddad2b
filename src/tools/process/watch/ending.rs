//! The end of a watch: what is still to be read, what is still to be ended, and what is told.
//!
//! Owns the case of a keeper that is gone. Knows the rest of the watch as it left it.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus, time::Duration};

use tokio::time::timeout;

use super::{
    super::{Captured, CommandEnd, Exit, Run},
    Asked, CHUNK, PATIENCE, Watch,
};

const KILL: i32 = rustix::process::Signal::KILL.as_raw();

/// Most that is read after the end: as much as a pipe can hold.
const REST: usize = 1 << 20;

impl Watch<'_> {
    pub(super) async fn finish(mut self, run: &Run) -> io::Result<CommandEnd> {
        if !self.done && self.ending.is_none() {
            self.end_apart(Duration::ZERO);
        }
        self.control = None;
        let killed = self.ending.is_some();
        let status = self.keeper_status().await;
        self.read_rest().await;
        if let Some(rest) = self.live.finish() {
            (run.live)(&rest);
        }
        let exit = self.exit.take().or_else(|| self.asked.map(Asked::exit));
        let exit = match (exit, self.failure.take()) {
            (Some(exit), _) => exit,
            (None, Some(why)) => return Err(io::Error::other(why)),
            // It was killed from here, whether its status could be read or somebody was faster.
            (None, None) if killed => lost(status).unwrap_or(Exit::Signal(KILL)),
            (None, None) => lost(status)?,
        };
        Ok(CommandEnd {
            exit,
            output: Captured::default(),
            file: self.spill.finish().await,
            folder: std::mem::take(&mut self.folder),
            leftovers: std::mem::take(&mut self.leftovers),
            survivors: std::mem::take(&mut self.survivors),
        })
    }

    /// What is in the pipe now was printed before the end, however late we come to read it.
    async fn read_rest(&mut self) {
        let Some(pipe) = self.output.take().and_then(|pipe| pipe.into_owned_fd().ok()) else {
            return;
        };
        if rustix::io::ioctl_fionbio(&pipe, true).is_err() {
            return;
        }
        let mut chunk = vec![0; CHUNK];
        for _ in 0..REST / CHUNK {
            let Ok(length @ 1..) = rustix::io::read(&pipe, &mut chunk) else { break };
            self.on_output(chunk.get(..length).unwrap_or_default()).await;
        }
    }

    /// How the keeper ended, once it has; and who could not be ended in its place.
    async fn keeper_status(&mut self) -> Option<ExitStatus> {
        if let Some(ending) = self.ending.take() {
            let ended = ending.await.unwrap_or_default();
            self.survivors.extend(ended.survivors);
            return ended.status;
        }
        let hold = self.hold.as_mut().filter(|_| self.survivors.is_empty())?;
        let status = timeout(PATIENCE, hold.child.wait()).await.ok()?.ok();
        self.hold = None;
        status
    }
}

/// The keeper ended without a word: the command ended it, or somebody else did.
fn lost(status: Option<ExitStatus>) -> io::Result<Exit> {
    let signal = status.and_then(|status| status.signal());
    signal.map(Exit::Signal).ok_or_else(|| io::Error::other("the keeper of the command failed"))
}
