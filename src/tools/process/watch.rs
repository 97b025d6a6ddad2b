//! Watches one keeper: reads output and reports, tells it to stop, and sees to it that it ends.
//!
//! Owns the time limits on this side. Knows the keeper by [`super::wire`] alone.
//!
//! Invariant: it returns. A keeper that does not answer is ended with its tree, and output is
//! read on until then, so that no command waits for a reader.

mod ending;
mod reports;

use std::{io, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    process::ChildStdout,
    sync::oneshot,
    time::{Instant, sleep_until},
};

use self::reports::Reports;
use super::{
    CommandEnd, CommandSpec, EndFolder, Exit, Launch, Named, Run,
    hold::{Ended, Hold, Started},
    live::Live,
    spill::Spill,
    tap::{Phase, Tap},
    wire::{Control, Report, Request},
};

/// After the shell exited: so long a silence is the end of the output.
const SILENCE: Duration = Duration::from_millis(150);

/// After the shell exited: so long is output read at most.
const DRAIN: Duration = Duration::from_secs(1);

/// So long may a keeper take that was told to end everything: its half second of grace, and some.
/// Then the tree is killed from here, for which whoever asked must still have patience.
const PATIENCE: Duration = Duration::from_millis(700);

/// The same after a time limit: its two seconds of grace, and some.
const LONG_PATIENCE: Duration = Duration::from_millis(2200);

/// So long may it take after the shell exited, when nobody has asked for the end.
const UNHURRIED: Duration = Duration::from_secs(5);

/// A keeper that named survivors goes on to kill them for so long, and some.
const STILL_KILLING: Duration = Duration::from_secs(12);

/// Pause between two looks whether the command stopped its keeper.
const LOOK: Duration = Duration::from_millis(250);

/// The same while it is to end everything.
const HURRIED_LOOK: Duration = Duration::from_millis(20);

/// A keeper that is found stopped so often in a row is stopped on purpose.
const STOPS: u32 = 8;

/// Most that is read at once.
const CHUNK: usize = 64 << 10;

/// Runs the command to its end. What it prints goes to `tap`, and is not in what is returned.
pub(super) async fn run(
    launch: &Launch,
    spec: CommandSpec,
    tap: &Tap,
    run: &Run,
) -> io::Result<CommandEnd> {
    if run.stop.is_cancelled() || run.kill.is_cancelled() {
        return Ok(CommandEnd::never_ran());
    }
    let mut spill = Spill::new(launch.out.clone());
    if spec.is_background {
        tap.set_file(spill.begin());
    }
    let mut watch = Watch::new(Hold::start(launch)?, tap, spill, spec.timeout);
    let CommandSpec { cwd, command, tells_folder, .. } = spec;
    watch.hand_over(&Request { cwd, command, tells_folder }.encode(), run).await;
    watch.follow(run).await;
    watch.finish(run).await
}

/// What the command is ended for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Stop,
    TimedOut,
}

/// How firmly the keeper was told to end the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urge {
    None,
    End,
    Stop,
    Kill,
}

/// What woke us.
enum Step {
    Kill,
    Stop,
    Time,
    Report(Option<String>),
    Output(usize),
}

struct Watch<'a> {
    /// `None` once the keeper was waited for, or its tree is ended apart.
    hold: Option<Hold>,
    ending: Option<oneshot::Receiver<Ended>>,
    control: Option<UnixStream>,
    reports: Option<Reports>,
    output: Option<ChildStdout>,
    tap: &'a Tap,
    spill: Spill,
    live: Live,
    exit: Option<Exit>,
    folder: EndFolder,
    asked: Option<Asked>,
    urged: Urge,
    leftovers: Vec<Named>,
    survivors: Vec<Named>,
    failure: Option<String>,
    done: bool,
    times_out: Option<Instant>,
    last_output: Instant,
    /// Since when only the rest of the output is read: the shell exited, or all is over.
    drains_since: Option<Instant>,
    told_read: bool,
    gives_up: Option<Instant>,
    looks: Instant,
    stops: u32,
}

impl<'a> Watch<'a> {
    fn new(started: Started, tap: &'a Tap, spill: Spill, limit: Option<Duration>) -> Self {
        let now = Instant::now();
        Self {
            hold: Some(started.hold),
            ending: None,
            control: Some(started.control),
            reports: Some(Reports::new(started.reports)),
            output: started.output,
            tap,
            spill,
            live: Live::new(now),
            exit: None,
            folder: EndFolder::Unknown,
            asked: None,
            urged: Urge::None,
            leftovers: Vec::new(),
            survivors: Vec::new(),
            failure: None,
            done: false,
            times_out: limit.map(|limit| now + limit),
            last_output: now,
            drains_since: None,
            told_read: false,
            gives_up: None,
            looks: now + LOOK,
            stops: 0,
        }
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
            (self.asked, self.urged) = (Some(Asked::Stop), Urge::Stop);
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
                () = run.kill.cancelled(), if self.urged < Urge::Kill => Step::Kill,
                () = run.stop.cancelled(), if self.urged < Urge::Stop => Step::Stop,
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
                Step::Output(length) => {
                    self.on_output(chunk.get(..length).unwrap_or_default()).await;
                }
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
            self.times_out.filter(|_| runs),
            self.reading_ends().filter(|_| reads),
            self.live.due(),
            self.gives_up,
            Some(self.looks).filter(|_| self.hold.is_some()),
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
        let is_late = self.times_out.is_some_and(|end| end <= now);
        if is_late && self.asked.is_none() && self.exit.is_none() {
            self.ask(Asked::TimedOut, Control::Expire).await;
        }
        if self.gives_up.is_some_and(|end| end <= now) {
            self.end_apart(Duration::ZERO);
        }
        if self.looks <= now {
            self.look_after_keeper();
        }
    }

    /// A command can stop its keeper: once is mended, again and again is an attack.
    fn look_after_keeper(&mut self) {
        let pause = if self.gives_up.is_some() { HURRIED_LOOK } else { LOOK };
        self.looks = Instant::now() + pause;
        let Some(hold) = &self.hold else { return };
        self.stops = if hold.is_stopped() { self.stops + 1 } else { 0 };
        hold.wake();
        if self.stops >= STOPS && self.gives_up.is_none() {
            self.end_apart(Duration::ZERO);
        }
    }

    /// Gives the keeper up and ends the tree in its place, while the output is read on.
    fn end_apart(&mut self, patience: Duration) {
        self.gives_up = None;
        self.end_reports();
        if let Some(hold) = self.hold.take() {
            self.control = None;
            self.ending = Some(hold.end_apart(patience));
        }
    }

    fn on_report(&mut self, line: Option<String>) {
        let Some(line) = line else { return self.end_apart(PATIENCE) };
        match Report::parse(&line) {
            Some(Report::Failed(why)) => self.failure = Some(why),
            Some(Report::Folder(folder)) => self.folder = folder,
            Some(Report::Exit(code)) => self.on_exit(Exit::Code(code)),
            Some(Report::Signal(number)) => self.on_exit(Exit::Signal(number)),
            Some(Report::Leftover(one)) => self.leftovers.push(one),
            Some(Report::Survivor(one)) => self.survivors.push(one),
            Some(Report::Done) => {
                self.done = true;
                self.end_reports();
            }
            Some(Report::Started(_)) => self.tap.enter(Phase::Running),
            None => {}
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

    async fn on_output(&mut self, chunk: &[u8]) {
        if chunk.is_empty() {
            self.output = None;
            return;
        }
        self.last_output = Instant::now();
        self.tap.push(chunk);
        self.live.push(chunk);
        self.spill.push(chunk).await;
    }

    /// Once the output of a command that exited is read, what it left behind can be ended.
    async fn end_reading(&mut self) {
        if self.exit.is_some() && !self.told_read && self.has_read_all() {
            self.told_read = true;
            self.gives_up.get_or_insert(Instant::now() + UNHURRIED);
            self.tell(Control::Read).await;
        }
    }

    async fn ask(&mut self, asked: Asked, control: Control) {
        self.asked.get_or_insert(asked);
        self.urged = self.urged.max(match control {
            Control::Kill => Urge::Kill,
            Control::Stop | Control::Read => Urge::Stop,
            Control::Expire => Urge::End,
        });
        let patience = if self.urged == Urge::End { LONG_PATIENCE } else { PATIENCE };
        let end = Instant::now() + patience;
        self.gives_up = Some(self.gives_up.map_or(end, |earlier| earlier.min(end)));
        self.looks = Instant::now() + HURRIED_LOOK;
        // A command can stop its keeper, but not for long.
        if let Some(hold) = &self.hold {
            hold.wake();
        }
        self.tell(control).await;
    }

    async fn tell(&mut self, control: Control) {
        if let Some(pipe) = &mut self.control
            && pipe.write_all(&[control.byte()]).await.is_err()
        {
            self.control = None;
        }
    }
}

impl Drop for Watch<'_> {
    /// A keeper that the command stopped would never see that its input ended.
    fn drop(&mut self) {
        if let Some(hold) = self.hold.take() {
            let patience = if self.survivors.is_empty() { PATIENCE } else { STILL_KILLING };
            drop(hold.end_apart(patience));
        }
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

async fn next_report(reports: &mut Option<Reports>) -> Option<String> {
    reports.as_mut()?.next().await
}

/// Bytes read; 0 at the end, and at an error, which ends the output too.
async fn next_output(output: &mut Option<ChildStdout>, chunk: &mut [u8]) -> usize {
    let Some(output) = output else { return 0 };
    output.read(chunk).await.unwrap_or(0)
}
