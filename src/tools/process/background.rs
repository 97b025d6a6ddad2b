//! Commands that run on while the model does something else.
//!
//! Owns the list of them, how many there may be, and when a look at one returns. Must not know
//! what is told of them. Each has a keeper of its own, so that it ends with this program however
//! that ends.
//!
//! Invariant: a command that was started stays in the list until it has ended; what ended is
//! forgotten only after many more have.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    Captured, CommandEnd, CommandSpec, Exit, Launch, Processes, Run,
    tap::{Phase, Tap},
    watch as watching,
};

/// Most that run at the same time.
pub const MOST_BACKGROUND: usize = 8;

/// Most that ended and can still be looked at.
const MOST_ENDED: usize = 16;

/// So long is a command watched after its start: what fails at once is told at once.
const GLANCE: Duration = Duration::from_millis(300);

/// A look that finds nothing new waits at least so long, and the next one twice as long.
const LEAST_WAIT: Duration = Duration::from_secs(2);

/// Longest time that a look has to wait for nothing.
const LONGEST_LEAST_WAIT: Duration = Duration::from_secs(30);

/// A background command, for a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundCommand {
    /// What the model calls it, e.g. `b1`.
    pub id: String,
    /// What runs.
    pub command: String,
    /// How long it has run, or did.
    pub elapsed: Duration,
    /// Whether it still does.
    pub state: BackgroundState,
}

/// How far a background command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundState {
    /// It runs.
    Running,
    /// It ended.
    Ended(Exit),
    /// Nothing is known of how it ended.
    Failed,
}

/// Who ended a background command that did not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoppedBy {
    /// The model, by a call.
    Model,
    /// The user, who stopped the turn.
    User,
    /// The end of a run that has one turn only.
    EndOfRun,
}

/// One look at a background command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What it is and how far.
    pub what: BackgroundCommand,
    /// What it printed since the last look.
    pub output: Captured,
    /// Where all of its output is.
    pub file: Option<PathBuf>,
    /// How it ended, if it did, without its output; or why that is not known.
    pub end: Option<Result<CommandEnd, String>>,
    /// Who ended it, if it did not end by itself.
    pub stopped_by: StoppedBy,
}

/// Why a background command was not started.
#[derive(Debug)]
pub enum NotStarted {
    /// As many run as may.
    TooMany(Vec<BackgroundCommand>),
    /// The system did not start it.
    Failed(String),
}

struct Job {
    id: String,
    command: String,
    started: Instant,
    tap: Tap,
    stop: CancellationToken,
    kill: CancellationToken,
    stopped_by: OnceLock<StoppedBy>,
    ended: OnceLock<Ended>,
    idle_looks: AtomicU32,
    /// Whether the user knows that it was stopped.
    told: AtomicBool,
}

struct Ended {
    after: Duration,
    end: Result<CommandEnd, String>,
}

impl Job {
    fn new(id: String, command: String) -> Self {
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
            told: AtomicBool::new(false),
        }
    }

    fn is_running(&self) -> bool {
        self.tap.phase() < Phase::Ended
    }

    fn end(&self, end: Result<CommandEnd, String>) {
        self.ended.get_or_init(|| Ended { after: self.started.elapsed(), end });
        self.tap.enter(Phase::Ended);
    }

    fn listed(&self) -> BackgroundCommand {
        let (elapsed, state) = match self.ended.get() {
            None => (self.started.elapsed(), BackgroundState::Running),
            Some(Ended { after, end: Ok(end) }) => (*after, BackgroundState::Ended(end.exit)),
            Some(Ended { after, end: Err(_) }) => (*after, BackgroundState::Failed),
        };
        BackgroundCommand { id: self.id.clone(), command: self.command.clone(), elapsed, state }
    }

    fn look(&self) -> Look {
        let output = if self.is_running() { self.tap.look() } else { self.tap.finish() };
        let is_idle = self.is_running() && output.total_bytes == 0;
        let idle = if is_idle { self.idle_looks.load(Ordering::Relaxed) + 1 } else { 0 };
        self.idle_looks.store(idle, Ordering::Relaxed);
        Look {
            what: self.listed(),
            output,
            file: self.tap.file(),
            end: self.ended.get().map(|ended| ended.end.clone()),
            stopped_by: self.stopped_by.get().copied().unwrap_or(StoppedBy::User),
        }
    }

    fn least_wait(&self) -> Duration {
        let idle = self.idle_looks.load(Ordering::Relaxed).min(8);
        (LEAST_WAIT * 2_u32.pow(idle)).min(LONGEST_LEAST_WAIT)
    }

    fn ask_to_end(&self, by: StoppedBy) {
        self.stopped_by.get_or_init(|| by);
        self.stop.cancel();
    }

    /// Waits until it has ended; without patience once `kill` is cancelled.
    async fn ends(&self, kill: &CancellationToken) {
        tokio::select! {
            () = self.tap.reaches(Phase::Ended) => return,
            () = kill.cancelled() => self.kill.cancel(),
        }
        self.tap.reaches(Phase::Ended).await;
    }
}

/// Runs a job to its end. Whatever becomes of that, it has an end.
async fn drive(job: Arc<Job>, launch: Arc<Launch>, spec: CommandSpec, changes: watch::Sender<u64>) {
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
    job.end(end.map_err(|error| error.to_string()));
    drop(closing);
}

/// The background commands of a session.
#[derive(Default)]
pub(super) struct Jobs {
    list: Mutex<List>,
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct List {
    next: u32,
    jobs: Vec<(Arc<Job>, AbortOnDropHandle<()>)>,
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.listed()).finish()
    }
}

impl Jobs {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listed(&self) -> Vec<BackgroundCommand> {
        self.list().jobs.iter().map(|(job, _)| job.listed()).collect()
    }

    fn running(&self) -> Vec<Arc<Job>> {
        let list = self.list();
        let running = list.jobs.iter().filter(|(job, _)| job.is_running());
        running.map(|(job, _)| Arc::clone(job)).collect()
    }

    /// What was asked to end but by the model; each is given once.
    fn stopped_and_untold(&self) -> Vec<Arc<Job>> {
        let list = self.list();
        let jobs = list.jobs.iter().map(|(job, _)| job);
        let stopped = jobs.filter(|job| {
            job.stop.is_cancelled()
                && job.stopped_by.get() != Some(&StoppedBy::Model)
                && !job.told.swap(true, Ordering::Relaxed)
        });
        stopped.map(Arc::clone).collect()
    }

    /// `b1`, `B1` and `1` are the same.
    fn find(&self, id: &str) -> Option<Arc<Job>> {
        let number = |id: &str| id.trim().trim_start_matches(['b', 'B']).to_owned();
        let list = self.list();
        let found = list.jobs.iter().find(|(job, _)| number(&job.id) == number(id));
        found.map(|(job, _)| Arc::clone(job))
    }

    fn start(&self, launch: &Arc<Launch>, spec: CommandSpec) -> Option<Arc<Job>> {
        let mut list = self.list();
        if list.jobs.iter().filter(|(job, _)| job.is_running()).count() >= MOST_BACKGROUND {
            return None;
        }
        list.forget();
        list.next += 1;
        let command = spec.command.to_string_lossy().into_owned();
        let job = Arc::new(Job::new(format!("b{}", list.next), command));
        let driven = drive(Arc::clone(&job), Arc::clone(launch), spec, self.changes.clone());
        list.jobs.push((Arc::clone(&job), AbortOnDropHandle::new(tokio::spawn(driven))));
        drop(list);
        self.changes.send_modify(|count| *count += 1);
        Some(job)
    }

    fn remove(&self, job: &Arc<Job>) {
        self.list().jobs.retain(|(one, _)| !Arc::ptr_eq(one, job));
    }
}

impl List {
    /// Forgets the oldest of too many that ended.
    fn forget(&mut self) {
        let ended = self.jobs.iter().filter(|(job, _)| !job.is_running()).count();
        let mut over = (ended + 1).saturating_sub(MOST_ENDED);
        self.jobs.retain(|(job, _)| {
            let goes = over > 0 && !job.is_running();
            over -= usize::from(goes);
            !goes
        });
    }
}

impl Processes {
    /// Starts a command that runs on, and watches it for a moment. If `run` is stopped meanwhile,
    /// or this is dropped, it ends; later it ends when it is asked to, and with the last clone of
    /// this.
    ///
    /// # Errors
    /// If too many run, or it could not be started.
    pub async fn start(&self, spec: CommandSpec, run: &Run) -> Result<Look, NotStarted> {
        let Some(job) = self.jobs.start(&self.launch, spec) else {
            let running = self.jobs.running();
            return Err(NotStarted::TooMany(running.iter().map(|job| job.listed()).collect()));
        };
        // What was not handed over has nobody who could end it.
        let unless_handed_over = job.stop.clone().drop_guard();
        let glance = async {
            job.tap.reaches(Phase::Running).await;
            // However it went on, it is told below.
            timeout(GLANCE, job.tap.reaches(Phase::Ended)).await.ok();
        };
        tokio::select! {
            biased;
            () = run.stop.cancelled() => job.ask_to_end(StoppedBy::User),
            () = run.kill.cancelled() => job.ask_to_end(StoppedBy::User),
            () = glance => {}
        }
        if job.stop.is_cancelled() {
            job.ends(&run.kill).await;
        }
        unless_handed_over.disarm();
        let look = job.look();
        if let Some(Err(why)) = look.end {
            self.jobs.remove(&job);
            return Err(NotStarted::Failed(why));
        }
        Ok(look)
    }

    /// Whether there is a background command of this name.
    #[must_use]
    pub fn knows(&self, id: &str) -> bool {
        self.jobs.find(id).is_some()
    }

    /// The background commands of this session, in the order of their start: all that run, and
    /// the last that ended. Cheap.
    #[must_use]
    pub fn background(&self) -> Vec<BackgroundCommand> {
        self.jobs.listed()
    }

    /// Changes whenever a background command starts or ends.
    #[must_use]
    pub fn background_changes(&self) -> watch::Receiver<u64> {
        self.jobs.changes.subscribe()
    }

    /// What a background command printed since the last look. Waits for its end, for `wait` at
    /// most, but for at least two seconds, and longer after looks that found nothing. `None` if
    /// there is no such command. Cancel-safe.
    pub async fn look(&self, id: &str, wait: Duration, run: &Run) -> Option<Look> {
        let job = self.jobs.find(id)?;
        let wait = wait.max(job.least_wait());
        tokio::select! {
            () = job.tap.reaches(Phase::Ended) => {}
            () = run.stop.cancelled() => {}
            () = run.kill.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
        }
        Some(job.look())
    }

    /// Ends a background command and waits until nothing of it is left. `None` if there is none
    /// of this name.
    pub async fn end(&self, id: &str, run: &Run) -> Option<Look> {
        let job = self.jobs.find(id)?;
        if job.is_running() {
            job.ask_to_end(StoppedBy::Model);
        }
        job.ends(&run.kill).await;
        Some(job.look())
    }

    /// Ends all background commands; gives those that were stopped by this, or as they started.
    /// Without patience once `kill` is cancelled.
    pub async fn end_background(
        &self,
        by: StoppedBy,
        kill: &CancellationToken,
    ) -> Vec<BackgroundCommand> {
        for job in self.jobs.running() {
            job.ask_to_end(by);
        }
        let stopped = self.jobs.stopped_and_untold();
        for job in &stopped {
            job.ends(kill).await;
        }
        stopped.iter().map(|job| job.listed()).collect()
    }
}
