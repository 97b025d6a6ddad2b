//! One background command: its way from the start to its end.
//!
//! Owns what is known of it, and who has been told what. Must not know of the others.
//!
//! Invariant: whatever becomes of the task that drives it, it has an end.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    super::{
        Captured, CommandEnd, CommandSpec, Launch, Run, Stuck,
        tap::{Phase, Tap},
        watch as watching,
    },
    BackgroundCommand, BackgroundState, Look, StoppedBy,
};

/// A look that finds nothing new waits at least so long, and the next one twice as long.
const LEAST_WAIT: Duration = Duration::from_secs(2);

/// Longest time that a look has to wait for nothing.
const LONGEST_LEAST_WAIT: Duration = Duration::from_secs(30);

pub(super) struct Job {
    pub(super) id: String,
    command: String,
    started: Instant,
    pub(super) tap: Tap,
    pub(super) stop: CancellationToken,
    kill: CancellationToken,
    pub(super) stopped_by: OnceLock<StoppedBy>,
    ended: OnceLock<Ended>,
    idle_looks: AtomicU32,
    /// Bytes of the output that were looked at.
    looked_at: AtomicU64,
    /// Whether the user knows that it was stopped.
    pub(super) told: AtomicBool,
    /// Whether whoever started it was told that it runs.
    pub(super) handed_over: AtomicBool,
    /// Whether the model knows how it ended.
    end_told: AtomicBool,
}

struct Ended {
    after: Duration,
    end: Result<CommandEnd, String>,
}

impl Job {
    pub(super) fn new(id: String, command: String) -> Self {
        Self {
            id,
            command,
            started: Instant::now(),
            tap: Tap::new(),
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
            stopped_by: OnceLock::new(),
            ended: OnceLock::new(),
            idle_looks: AtomicU32::new(0),
            looked_at: AtomicU64::new(0),
            told: AtomicBool::new(false),
            handed_over: AtomicBool::new(false),
            end_told: AtomicBool::new(false),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.tap.phase() < Phase::Ended
    }

    fn end(&self, end: Result<CommandEnd, String>) {
        self.ended.get_or_init(|| Ended { after: self.started.elapsed(), end });
        self.tap.enter(Phase::Ended);
    }

    pub(super) fn listed(&self) -> BackgroundCommand {
        let (elapsed, state) = match self.ended.get() {
            None => (self.started.elapsed(), BackgroundState::Running),
            Some(Ended { after, end: Ok(end) }) => (*after, BackgroundState::Ended(end.exit)),
            Some(Ended { after, end: Err(_) }) => (*after, BackgroundState::Failed),
        };
        BackgroundCommand {
            id: self.id.clone(),
            command: self.command.clone(),
            elapsed,
            state,
            stopped_by: self.stopped_by.get().copied().unwrap_or(StoppedBy::User),
            last_line: self.tap.last_line(),
        }
    }

    /// What is new, for the model.
    pub(super) fn look(&self) -> Look {
        let output = if self.is_running() { self.tap.look() } else { self.tap.finish() };
        let is_idle = self.is_running() && output.total_bytes == 0;
        let idle = if is_idle { self.idle_looks.load(Ordering::Relaxed) + 1 } else { 0 };
        self.idle_looks.store(idle, Ordering::Relaxed);
        let from = self.looked_at.fetch_add(output.total_bytes, Ordering::Relaxed);
        let look = Look { output, from, ..self.glance() };
        self.end_told.fetch_or(look.end.is_some(), Ordering::Relaxed);
        look
    }

    /// A look that takes no output away.
    fn glance(&self) -> Look {
        Look {
            what: self.listed(),
            output: Captured::default(),
            from: 0,
            file: self.tap.file(),
            end: self.ended.get().map(|ended| ended.end.clone()),
        }
    }

    /// How it ended, if the model does not know that yet; then it is given once.
    pub(super) fn untold_end(&self) -> Option<Look> {
        let is_news = !self.is_running()
            && self.handed_over.load(Ordering::Relaxed)
            && !self.end_told.swap(true, Ordering::Relaxed);
        is_news.then(|| self.glance())
    }

    pub(super) fn least_wait(&self) -> Duration {
        let idle = self.idle_looks.load(Ordering::Relaxed).min(8);
        (LEAST_WAIT * 2_u32.pow(idle)).min(LONGEST_LEAST_WAIT)
    }

    pub(super) fn ask_to_end(&self, by: StoppedBy) {
        self.stopped_by.get_or_init(|| by);
        self.stop.cancel();
    }

    /// The user wants it to end, and knows that it does; asked again, without patience.
    pub(super) fn ask_to_end_for_the_user(&self) {
        if self.stop.is_cancelled() {
            self.kill.cancel();
        } else {
            self.told.store(true, Ordering::Relaxed);
            self.ask_to_end(StoppedBy::User);
        }
    }

    /// Waits until it has ended; without patience once `kill` is cancelled.
    pub(super) async fn ends(&self, kill: &CancellationToken) {
        tokio::select! {
            () = self.tap.reaches(Phase::Ended) => return,
            () = kill.cancelled() => self.kill.cancel(),
        }
        self.tap.reaches(Phase::Ended).await;
    }
}

/// Runs a job to its end. Whatever becomes of that, it has an end.
pub(super) async fn drive(
    job: Arc<Job>,
    launch: Arc<Launch>,
    spec: CommandSpec,
    (changes, stuck): (watch::Sender<u64>, Stuck),
) {
    struct Closing(Arc<Job>, watch::Sender<u64>);
    impl Drop for Closing {
        fn drop(&mut self) {
            self.0.end(Err("it was given up".to_owned()));
            self.1.send_modify(|count| *count += 1);
        }
    }
    let closing = Closing(Arc::clone(&job), changes);
    let run = Run { stop: job.stop.clone(), kill: job.kill.clone(), live: Arc::new(|_: &str| {}) };
    let end = watching::run(&launch, spec, &job.tap, &run).await;
    if let Ok(end) = &end {
        stuck.add(&end.survivors);
    }
    job.end(end.map_err(|error| error.to_string()));
    drop(closing);
}
