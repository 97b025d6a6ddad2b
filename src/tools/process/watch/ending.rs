//! The end of a watch: what is still to be read, what is still to be ended, and what is told.
//!
//! Owns the case of a keeper that is gone. Knows the rest of the watch as it left it.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus, time::Duration};

use rustix::process::Signal;
use tokio::time::{sleep, timeout};

use super::{
    super::{CommandEnd, Exit, Run, tree::Tree},
    Asked, CHUNK, PATIENCE, Watch,
};

/// Pause between two looks at a tree that we end ourselves.
const PAUSE: Duration = Duration::from_millis(10);

/// How often we look at such a tree.
const LOOKS: usize = 200;

/// Most that is read after the end: as much as a pipe can hold.
const REST: usize = 1 << 20;

impl Watch {
    pub(super) async fn finish(mut self, run: &Run) -> io::Result<CommandEnd> {
        self.control = None;
        if !self.done {
            self.end_tree().await;
        }
        let status = if self.survivors.is_empty() {
            timeout(PATIENCE, self.child.wait()).await.ok().and_then(Result::ok)
        } else {
            None
        };
        self.keeper = 0;
        self.read_rest();
        if let Some(rest) = self.live.finish() {
            (run.live)(&rest);
        }
        let exit = self.exit.take().or_else(|| self.asked.map(Asked::exit));
        let exit = match (exit, self.failure.take()) {
            (Some(exit), _) => exit,
            (None, Some(why)) => return Err(io::Error::other(why)),
            (None, None) => lost(status)?,
        };
        let output = std::mem::take(&mut self.capture).finish();
        let leftovers = std::mem::take(&mut self.leftovers);
        let survivors = std::mem::take(&mut self.survivors);
        Ok(CommandEnd { exit, output, leftovers, survivors })
    }

    /// What is in the pipe now was printed before the end, however late we come to read it.
    fn read_rest(&mut self) {
        let Some(pipe) = self.output.take().and_then(|pipe| pipe.into_owned_fd().ok()) else {
            return;
        };
        if rustix::io::ioctl_fionbio(&pipe, true).is_err() {
            return;
        }
        let mut chunk = vec![0; CHUNK];
        for _ in 0..REST / CHUNK {
            let Ok(length @ 1..) = rustix::io::read(&pipe, &mut chunk) else { break };
            self.on_output(chunk.get(..length).unwrap_or_default());
        }
    }

    /// The keeper is gone, or does not answer: ends the tree in its place.
    async fn end_tree(&mut self) {
        let mut tree = Tree::of(self.keeper);
        for look in 0..LOOKS {
            tree.signal(Signal::KILL);
            if tree.is_empty() || look == LOOKS / 2 {
                // Only now: while it lives, orphans become its children and can be found.
                self.child.start_kill().ok();
            }
            if tree.is_empty() {
                break;
            }
            sleep(PAUSE).await;
            tree = Tree::of(self.keeper);
        }
        self.survivors.extend(tree.named());
    }
}

/// The keeper ended without a word: the command ended it, or somebody else did.
fn lost(status: Option<ExitStatus>) -> io::Result<Exit> {
    let signal = status.and_then(|status| status.signal());
    signal.map(Exit::Signal).ok_or_else(|| io::Error::other("the keeper of the command failed"))
}
