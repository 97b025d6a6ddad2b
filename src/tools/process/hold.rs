//! The hold on one keeper: its start, its two sockets, and the end of its tree if it fails.
//!
//! Owns what every hold of this process has to know of the others: which children are keepers.
//! Must not know what is said on the sockets.
//!
//! Sockets and not pipes: the command has the keeper for a parent, and could open a pipe of it
//! through `/proc/PID/fd`, to forge reports, to eat what the keeper is told, or to hold its input
//! open for ever. A socket cannot be opened there.
//!
//! Invariant: after [`Hold::end`] no process that can be found and ended is left; a keeper whose
//! hold is dropped is still one of ours until it was waited for.

use std::{
    collections::BTreeSet,
    hash::BuildHasher,
    io,
    os::{fd::OwnedFd, unix::net::UnixStream as Socket},
    process::{ExitStatus, Stdio},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tokio::{
    net::UnixStream,
    process::{Child, ChildStdout, Command},
    sync::oneshot,
};

use super::{KEEPER_FLAG, Launch, Named, environment, tree::Tree};

/// How long a tree is killed, without one process fewer, before the rest counts as unkillable.
const KILLING: Duration = Duration::from_millis(800);

/// How long at most: what was killed needs a processor to die, which a busy machine gives late.
/// With the time that a keeper is waited for before, it fits into what the engine waits for a
/// call that is aborted.
const DYING: Duration = Duration::from_millis(1750);

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// The variable that tells a command's processes from all others, wherever they went.
const MARK: &str = "MCC_COMMAND";

/// The keepers that this process started and has not waited for yet.
static KEEPERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Whether orphans become children of this process.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// How many trees are being ended by threads of their own.
static ENDING: Mutex<usize> = Mutex::new(0);

/// Told when one of them is done.
static ENDED: Condvar = Condvar::new();

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process inherit the orphans of its keepers. A process that has children already,
/// or is the first of its system, has or gets some that are not ours, and inherits nothing.
pub(super) fn adopt() {
    #[cfg(target_os = "linux")]
    {
        let own = rustix::process::getpid();
        if own.as_raw_nonzero().get() > 1
            && !Tree::has_children(own.as_raw_nonzero().get())
            && rustix::process::set_child_subreaper(Some(own)).is_ok()
        {
            ADOPTS.store(true, Ordering::Relaxed);
        }
    }
}

/// Waits until no tree is being ended any more, but not for longer than `limit`.
pub(super) fn settle(limit: Duration) {
    let ending = locked(&ENDING);
    let waited = ENDED.wait_timeout_while(ending, limit, |ending| *ending > 0);
    drop(waited);
}

/// What is known after a tree was ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Processes that could not be ended.
    pub(super) survivors: Vec<Named>,
    /// How the keeper ended.
    pub(super) status: Option<ExitStatus>,
}

/// A keeper that was started, and the ends of what leads to it.
pub(super) struct Started {
    pub(super) hold: Hold,
    pub(super) control: UnixStream,
    pub(super) reports: UnixStream,
    pub(super) output: Option<ChildStdout>,
}

/// One keeper that was not waited for yet.
pub(super) struct Hold {
    pub(super) child: Child,
    keeper: i32,
    mark: String,
}

impl Hold {
    pub(super) fn start(launch: &Launch) -> io::Result<Started> {
        let (control, its_input) = Socket::pair()?;
        let (reports, its_errors) = Socket::pair()?;
        control.set_nonblocking(true)?;
        reports.set_nonblocking(true)?;
        let unguessable = || std::hash::RandomState::new().hash_one(Instant::now());
        let id = format!("{:016x}{:016x}", unguessable(), unguessable());
        // Held over the start: a keeper that is not in the set would pass for an orphan.
        let mut keepers = locked(&KEEPERS);
        let mut child = Command::new(&launch.keeper)
            // Not the name of the program: a command that ends programs by name ends itself.
            .arg0("command-keeper")
            .arg(KEEPER_FLAG)
            .env_clear()
            .envs(environment::for_commands(std::env::vars_os(), &launch.wishes))
            .env(MARK, &id)
            .stdin(Stdio::from(OwnedFd::from(its_input)))
            .stdout(Stdio::piped())
            .stderr(Stdio::from(OwnedFd::from(its_errors)))
            .spawn()?;
        let keeper = child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default();
        keepers.insert(keeper);
        drop(keepers);
        let output = child.stdout.take();
        let hold = Self { child, keeper, mark: format!("{MARK}={id}") };
        let (control, reports) = (UnixStream::from_std(control)?, UnixStream::from_std(reports)?);
        Ok(Started { hold, control, reports, output })
    }

    /// Lets a keeper go on that the command stopped.
    pub(super) fn wake(&self) {
        if let Some(keeper) = Pid::from_raw(self.keeper) {
            kill_process(keeper, Signal::CONT).ok();
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        Tree::is_stopped(self.keeper)
    }

    /// Ends the tree on a thread of its own, which goes on whatever becomes of the receiver. The
    /// keeper may take `patience` to do it itself.
    pub(super) fn end_apart(self, patience: Duration) -> oneshot::Receiver<Ended> {
        let (sender, receiver) = oneshot::channel();
        *locked(&ENDING) += 1;
        let counted = Counted;
        // Without a thread the keeper is alone with it: it sees that its input ended.
        let _started = thread::Builder::new().spawn(move || {
            let ended = self.end(patience);
            sender.send(ended).ok();
            drop(counted);
        });
        receiver
    }

    fn end(mut self, patience: Duration) -> Ended {
        let deadline = Instant::now() + patience;
        let mut status = self.status();
        while status.is_none() && Instant::now() < deadline {
            self.wake();
            thread::park_timeout(PAUSE);
            status = self.status();
        }
        if status.is_some_and(|status| status.success()) {
            return Ended { survivors: Vec::new(), status };
        }
        self.kill(status)
    }

    /// The keeper is gone, or does not answer: ends the tree in its place.
    fn kill(mut self, mut status: Option<ExitStatus>) -> Ended {
        let started = Instant::now();
        let mut progress = started;
        let mut fewest = usize::MAX;
        // A process that is born during one look is seen by the next.
        let mut empty_looks = 0;
        loop {
            let tree = self.find();
            tree.signal(Signal::KILL);
            let left = tree.named().count();
            if left < fewest {
                (fewest, progress) = (left, Instant::now());
            }
            if tree.is_empty() || started.elapsed() > KILLING / 2 {
                // Only now: while it lives, orphans become its children and can be found.
                self.child.start_kill().ok();
            }
            empty_looks = if tree.is_empty() && status.is_some() { empty_looks + 1 } else { 0 };
            let given_up = progress.elapsed() > KILLING || started.elapsed() > DYING;
            if empty_looks == 2 || given_up {
                return Ended { survivors: tree.named().collect(), status };
            }
            if !tree.is_empty() || status.is_none() {
                thread::park_timeout(PAUSE);
            }
            status = status.or_else(|| self.status());
        }
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    fn find(&self) -> Tree {
        let keepers = locked(&KEEPERS);
        let adopting = ADOPTS.load(Ordering::Relaxed).then_some(&*keepers);
        let tree = Tree::lost(self.keeper, &self.mark, adopting);
        for orphan in tree.dead_orphans().filter_map(Pid::from_raw) {
            waitpid(Some(orphan), WaitOptions::NOHANG).ok();
        }
        tree
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        locked(&KEEPERS).remove(&self.keeper);
    }
}

/// A child that belongs to no command, whoever loses a keeper meanwhile. Whoever starts it waits
/// for it.
pub(super) struct Apart {
    pub(super) pid: i32,
}

impl Apart {
    pub(super) fn start(command: &mut std::process::Command) -> io::Result<Self> {
        // Held over the start, as for a keeper.
        let mut keepers = locked(&KEEPERS);
        let child = command.spawn()?;
        let pid = i32::try_from(child.id()).unwrap_or_default();
        keepers.insert(pid);
        drop(keepers);
        Ok(Self { pid })
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        locked(&KEEPERS).remove(&self.pid);
    }
}

/// Counts one tree that is being ended, until it is dropped.
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        *locked(&ENDING) -= 1;
        ENDED.notify_all();
    }
}
