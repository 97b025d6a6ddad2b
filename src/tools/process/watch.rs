//! Watches one keeper: reads output and reports, tells it to stop, and sees to it that it ends.
//!
//! Owns the time limits on this side. Knows the keeper by [`super::wire`] alone.
//!
//! Invariant: it returns. A keeper that does not answer is ended with its tree, and output is
//! read on until then, so that no command waits for a reader.

mod ending;

use std::{io, process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::{Instant, sleep_until},
};

use super::{
    CommandEnd, CommandSpec, Exit, KEEPER_FLAG, Named, Processes, Run,
    capture::{Capture, Captured},
    environment,
    live::Live,
    wire::{Control, Report, Request},
};

/// After the shell exited: so long a silence is the end of the output.
const SILENCE: Duration = Duration::from_millis(150);

/// After the shell exited: so long is output read at most.
const DRAIN: Duration = Duration::from_secs(1);

/// So long may a keeper take for its own ladder: half a second, then KILL for another.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most that is read at once.
const CHUNK: usize = 64 << 10;

pub(super) async fn run(
    processes: &Processes,
    spec: CommandSpec,
    run: &Run,
) -> io::Result<CommandEnd> {
    if run.stop.is_cancelled() || run.kill.is_cancelled() {
        let (leftovers, survivors) = (Vec::new(), Vec::new());
        let output = Captured::default();
        return Ok(CommandEnd { exit: Exit::Stopped, output, leftovers, survivors });
    }
    let mut watch = Watch::start(processes, spec.timeout)?;
    let request = Request { cwd: spec.cwd, command: spec.command }.encode();
    watch.hand_over(&request, run).await;
    watch.follow(run).await;
    watch.finish(run).await
}

/// What the command is ended for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Stop,
    TimedOut,
}

/// What woke us.
enum Step {
    Kill,
    Stop,
    Time,
    Report(Option<String>),
    Output(usize),
}

struct Watch {
    child: Child,
    keeper: i32,
    control: Option<ChildStdin>,
    reports: Option<Lines<BufReader<ChildStderr>>>,
    output: Option<ChildStdout>,
    capture: Capture,
    live: Live,
    exit: Option<Exit>,
    asked: Option<Asked>,
    killing: bool,
    leftovers: Vec<Named>,
    survivors: Vec<Named>,
    failure: Option<String>,
    done: bool,
    times_out: Instant,
    last_output: Instant,
    /// Since when only the rest of the output is read: the shell exited, or all is over.
    drains_since: Option<Instant>,
    told_read: bool,
    gives_up: Option<Instant>,
}

impl Watch {
    fn start(processes: &Processes, limit: Duration) -> io::Result<Self> {
        let mut child = Command::new(&processes.keeper)
            // Not the name of the program: a command that ends programs by name ends itself.
            .arg0("command-keeper")
            .arg(KEEPER_FLAG)
            .env_clear()
            .envs(environment::for_commands(std::env::vars_os()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let now = Instant::now();
        Ok(Self {
            keeper: child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default(),
            control: child.stdin.take(),
            output: child.stdout.take(),
            reports: child.stderr.take().map(|pipe| BufReader::new(pipe).lines()),
            child,
            capture: Capture::default(),
            live: Live::new(now),
            exit: None,
            asked: None,
            killing: false,
            leftovers: Vec::new(),
            survivors: Vec::new(),
            failure: None,
            done: false,
            times_out: now + limit,
            last_output: now,
            drains_since: None,
            told_read: false,
            gives_up: None,
        })
    }

    /// Gives the keeper its request. Half a request, when stopped before, starts nothing.
    async fn hand_over(&mut self, request: &[u8], run: &Run) {
        let Some(control) = &mut self.control else { return };
        let written = tokio::select! {
            biased;
            () = run.kill.cancelled() => None,
            () = run.stop.cancelled() => None,
            written = control.write_all(request) => Some(written),
        };
        if written.is_none() {
            self.asked = Some(Asked::Stop);
            self.gives_up = Some(Instant::now() + PATIENCE);
        }
        if !matches!(written, Some(Ok(()))) {
            self.control = None;
        }
    }

    async fn follow(&mut self, run: &Run) {
        let mut chunk = vec![0; CHUNK];
        while !self.is_over() {
            let step = tokio::select! {
                biased;
                () = run.kill.cancelled(), if !self.killing => Step::Kill,
                () = run.stop.cancelled(), if self.asked.is_none() => Step::Stop,
                () = sleep_until(self.wakes()) => Step::Time,
                line = next_report(&mut self.reports), if self.reports.is_some() => {
                    Step::Report(line)
                }
                length = next_output(&mut self.output, &mut chunk), if self.output.is_some() => {
                    Step::Output(length)
                }
            };
            match step {
                Step::Kill => self.ask(Asked::Stop, Control::Kill).await,
                Step::Stop => self.ask(Asked::Stop, Control::Stop).await,
                Step::Time => self.on_time(run).await,
                Step::Report(line) => self.on_report(line),
                Step::Output(length) => self.on_output(chunk.get(..length).unwrap_or_default()),
            }
            self.end_reading().await;
        }
    }

    /// Whether all was reported and all was read. Survivors may hold the output open.
    fn is_over(&self) -> bool {
        self.reports.is_none() && self.has_read_all()
    }

    /// Whether the rest of the output has been read.
    fn has_read_all(&self) -> bool {
        self.output.is_none() || self.reading_ends().is_some_and(|end| end <= Instant::now())
    }

    fn reading_ends(&self) -> Option<Instant> {
        let since = self.drains_since?;
        Some((self.last_output.max(since) + SILENCE).min(since + DRAIN))
    }

    /// When something has to be done though nothing happens.
    fn wakes(&self) -> Instant {
        let runs = self.asked.is_none() && self.exit.is_none();
        let reads = self.output.is_some() && (self.reports.is_none() || !self.told_read);
        [
            Some(self.times_out).filter(|_| runs),
            self.reading_ends().filter(|_| reads),
            self.live.due(),
            self.gives_up,
        ]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or_else(|| Instant::now() + PATIENCE)
    }

    async fn on_time(&mut self, run: &Run) {
        let now = Instant::now();
        if let Some(piece) = self.live.take(now) {
            (run.live)(&piece);
        }
        if self.times_out <= now && self.asked.is_none() && self.exit.is_none() {
            self.ask(Asked::TimedOut, Control::Stop).await;
        }
        if self.gives_up.is_some_and(|end| end <= now) {
            self.gives_up = None;
            self.end_reports();
        }
    }

    fn on_report(&mut self, line: Option<String>) {
        let Some(line) = line else { return self.end_reports() };
        match Report::parse(&line) {
            Some(Report::Failed(why)) => self.failure = Some(why),
            Some(Report::Exit(code)) => self.on_exit(Exit::Code(code)),
            Some(Report::Signal(number)) => self.on_exit(Exit::Signal(number)),
            Some(Report::Leftover(one)) => self.leftovers.push(one),
            Some(Report::Survivor(one)) => self.survivors.push(one),
            Some(Report::Done) => {
                self.done = true;
                self.end_reports();
            }
            Some(Report::Started(_)) | None => {}
        }
    }

    fn on_exit(&mut self, exit: Exit) {
        self.exit.get_or_insert(self.asked.map_or(exit, Asked::exit));
        self.drains_since = Some(Instant::now());
    }

    fn end_reports(&mut self) {
        self.reports = None;
        self.drains_since = Some(Instant::now());
    }

    fn on_output(&mut self, chunk: &[u8]) {
        if chunk.is_empty() {
            self.output = None;
            return;
        }
        self.last_output = Instant::now();
        self.capture.push(chunk);
        self.live.push(chunk);
    }

    /// Once the output of a command that exited is read, what it left behind can be ended.
    async fn end_reading(&mut self) {
        if self.exit.is_some() && !self.told_read && self.has_read_all() {
            self.told_read = true;
            self.gives_up.get_or_insert(Instant::now() + PATIENCE);
            self.tell(Control::Read).await;
        }
    }

    async fn ask(&mut self, asked: Asked, control: Control) {
        self.asked.get_or_insert(asked);
        self.killing |= control == Control::Kill;
        self.gives_up.get_or_insert(Instant::now() + PATIENCE);
        // A command can stop its keeper, but not for long.
        self.wake();
        self.tell(control).await;
    }

    async fn tell(&mut self, control: Control) {
        if let Some(pipe) = &mut self.control
            && pipe.write_all(&[control.byte()]).await.is_err()
        {
            self.control = None;
        }
    }

    fn wake(&self) {
        if let Some(keeper) = Pid::from_raw(self.keeper) {
            kill_process(keeper, Signal::CONT).ok();
        }
    }
}

impl Drop for Watch {
    /// A keeper that the command stopped would never see that its input ended.
    fn drop(&mut self) {
        self.wake();
    }
}

impl Asked {
    fn exit(self) -> Exit {
        match self {
            Self::Stop => Exit::Stopped,
            Self::TimedOut => Exit::TimedOut,
        }
    }
}

async fn next_report(reports: &mut Option<Lines<BufReader<ChildStderr>>>) -> Option<String> {
    reports.as_mut()?.next_line().await.ok().flatten()
}

/// Bytes read; 0 at the end, and at an error, which ends the output too.
async fn next_output(output: &mut Option<ChildStdout>, chunk: &mut [u8]) -> usize {
    let Some(output) = output else { return 0 };
    output.read(chunk).await.unwrap_or(0)
}
