//! Commands that run on while the model does something else.
//!
//! Owns the list of them, how many there may be, and when a look at one returns. Must not know
//! what is told of them. Each has a keeper of its own, so that it ends with this program however
//! that ends.
//!
//! Invariant: a command that was started stays in the list until it has ended; what ended is
//! forgotten only after many more have.

mod job;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::Ordering},
    time::Duration,
};

use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use self::job::{Job, drive};
use super::{
    Captured, CommandEnd, CommandSpec, Exit, Launch, Named, Processes, Run, Stuck, tap::Phase,
};

/// Most that run at the same time.
pub const MOST_BACKGROUND: usize = 8;

/// Most that ended and can still be looked at.
const MOST_ENDED: usize = 16;

/// So long is a command watched after its start: what fails at once is told at once.
const GLANCE: Duration = Duration::from_millis(300);

/// Who follows the commands looks so often for what they printed.
const FOLLOWS_EVERY: Duration = Duration::from_secs(1);

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
    /// Who ended it, if it did not end by itself.
    pub stopped_by: StoppedBy,
    /// The last line that it printed: harmless, not too long, empty if there is none.
    pub last_line: String,
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
    /// Bytes that it had printed before that.
    pub from: u64,
    /// Where all of its output is.
    pub file: Option<PathBuf>,
    /// How it ended, if it did, without its output; or why that is not known.
    pub end: Option<Result<CommandEnd, String>>,
}

/// Why a background command was not started.
#[derive(Debug)]
pub enum NotStarted {
    /// As many run as may.
    TooMany(Vec<BackgroundCommand>),
    /// The system did not start it.
    Failed(String),
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

    fn start(&self, launch: &Arc<Launch>, spec: CommandSpec, stuck: Stuck) -> Option<Arc<Job>> {
        let mut list = self.list();
        if list.jobs.iter().filter(|(job, _)| job.is_running()).count() >= MOST_BACKGROUND {
            return None;
        }
        list.forget();
        list.next += 1;
        let command = spec.command.to_string_lossy().into_owned();
        let job = Arc::new(Job::new(format!("b{}", list.next), command));
        let ways_out = (self.changes.clone(), stuck);
        let driven = drive(Arc::clone(&job), Arc::clone(launch), spec, ways_out);
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

/// Follows the background commands of a session from outside of it.
#[derive(Debug)]
pub struct Follower {
    jobs: Weak<Jobs>,
    changes: watch::Receiver<u64>,
    stuck: Stuck,
}

impl Follower {
    /// Waits until one starts or ends, or, while some run, for a moment at most. False once the
    /// session is over. Cancel-safe.
    pub async fn wait(&mut self) -> bool {
        if !self.list().iter().any(|one| one.state == BackgroundState::Running) {
            return self.changes.changed().await.is_ok();
        }
        match timeout(FOLLOWS_EVERY, self.changes.changed()).await {
            Ok(changed) => changed.is_ok(),
            Err(_late) => self.jobs.strong_count() > 0,
        }
    }

    /// All that run on after the call that started them, and the last of those that ended.
    #[must_use]
    pub fn list(&self) -> Vec<BackgroundCommand> {
        let Some(jobs) = self.jobs.upgrade() else { return Vec::new() };
        let list = jobs.list();
        let jobs = list.jobs.iter().map(|(job, _)| job);
        let known = jobs.filter(|job| job.handed_over.load(Ordering::Relaxed));
        known.map(|job| job.listed()).collect()
    }

    /// The processes of any command that could not be ended since the last time, and are still
    /// there.
    #[must_use]
    pub fn take_stuck(&self) -> Vec<Named> {
        self.stuck.take()
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
        let Some(job) = self.jobs.start(&self.launch, spec, self.stuck.clone()) else {
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
        if look.end.is_none() {
            job.handed_over.store(true, Ordering::Relaxed);
            self.jobs.changes.send_modify(|count| *count += 1);
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

    /// Follows the background commands for as long as the session lives, and does not keep it
    /// alive.
    #[must_use]
    pub fn follow_background(&self) -> Follower {
        let (jobs, changes) = (Arc::downgrade(&self.jobs), self.jobs.changes.subscribe());
        Follower { jobs, changes, stuck: self.stuck.clone() }
    }

    /// Those that ended and of which the model has not been told so; each is given once, without
    /// its output.
    #[must_use]
    pub fn untold_ends(&self) -> Vec<Look> {
        self.jobs.list().jobs.iter().filter_map(|(job, _)| job.untold_end()).collect()
    }

    /// The user wants this one to end. Returns at once; asked again, it is killed. One that does
    /// not run is left as it is.
    pub fn ask_to_end(&self, id: &str) {
        if let Some(job) = self.jobs.find(id).filter(|job| job.is_running()) {
            job.ask_to_end_for_the_user();
        }
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
