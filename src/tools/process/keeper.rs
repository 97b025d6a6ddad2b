//! The keeper: a process of this same binary that runs one command and outlives nothing of it.
//!
//! Owns the command's session, its process tree and the end of both. Must not know tools, the
//! runtime or the screen: it is started before any of them, and talks by [`super::wire`] alone.
//! Standard input is the control socket, standard output the command's output, standard error the
//! reports.
//!
//! Why a process of its own: as child subreaper it inherits every orphan of the command, so that
//! "no child is left" is the kernel's word; and it lives on for as long as it takes to clean up
//! when the program is dropped, closed or killed, which it sees as the end of its input.
//!
//! Invariant: it exits only when no process of the command is left, or after it named those that
//! cannot be ended.

mod note;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, Write},
    os::{
        fd::AsFd,
        unix::{ffi::OsStrExt, process::CommandExt},
    },
    process::{Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus};

use self::note::Note;
use super::{
    tree::Tree,
    wire::{Control, EndFolder, Report, Request},
};

/// How long processes have to end by themselves.
const GRACE: Duration = Duration::from_millis(500);

/// The same after a time limit, when nobody waits for the end but the model.
const LONG_GRACE: Duration = Duration::from_secs(2);

/// How long after the shell its last children may still end by themselves.
const SETTLE: Duration = Duration::from_millis(100);

/// How long the reading of the output may take after the shell exited.
const READING: Duration = Duration::from_millis(1500);

/// How long KILL is sent again, without one process fewer, before the rest counts as unkillable.
const KILLING: Duration = Duration::from_secs(1);

/// How long at most: what was killed needs a processor to die, which a busy machine gives late.
const DYING: Duration = Duration::from_secs(5);

/// How long it is sent on after that was reported.
const STILL_KILLING: Duration = Duration::from_secs(10);

/// Pause between two looks while killing.
const PAUSE: Duration = Duration::from_millis(10);

/// Longest command that goes as an argument; the system allows 128 KiB.
const LONGEST_ARGUMENT: usize = 96 << 10;

/// Runs a longer command, which stands in standard input.
const FROM_INPUT: &str =
    r#"mcc_command=$(cat) && exec </dev/null && eval "unset mcc_command; $mcc_command""#;

/// Keeps the memory and the environment of this process, which hold the key of the server, from
/// other processes of the same user, and so from commands (Linux). Root can still read them: who
/// runs this program as root trusts its commands with everything. To be called first of all; no
/// debugger can attach afterwards, and no core is dumped.
pub fn conceal() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable).ok();
    }
}

/// Keeps one command, told by standard input, to its end.
#[must_use]
pub fn main() -> ExitCode {
    match prepare() {
        Ok(keeper) => {
            keeper.keep();
            ExitCode::SUCCESS
        }
        Err(error) => {
            report(&Report::Failed(error.to_string()));
            report(&Report::Done);
            ExitCode::FAILURE
        }
    }
}

fn prepare() -> io::Result<Keeper> {
    // A terminal that closes must not take the keeper with it: a session without a terminal.
    let session = rustix::process::setsid()?;
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_child_subreaper(Some(session))?;
        rustix::thread::set_name(c"command-keeper")?;
    }
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    rustix::process::setrlimit(Resource::Core, none).ok();
    let mut input = BufReader::new(io::stdin());
    let request = Request::decode(&mut input)?;
    let (sender, events) = sync_channel(64);
    let (control, reaper) = (sender.clone(), sender.clone());
    let (starts, started) = sync_channel(1);
    // Before the shell: whatever can fail has to fail while there is nothing to clean up.
    thread::Builder::new().spawn(move || listen(&mut input, &control))?;
    thread::Builder::new().spawn(move || {
        if let Ok(shell) = started.recv() {
            reap(shell, &reaper);
        }
    })?;
    // Without a note the folder stays unknown, and the command runs all the same.
    let note = request.tells_folder.then(|| Note::new().ok()).flatten();
    let shell = start(&request, note.as_ref())?;
    report(&Report::Started(shell.as_raw_nonzero().get()));
    starts.send(shell).map_err(io::Error::other)?;
    Ok(Keeper { session, shell, events, _open: sender, note, childless: false })
}

/// Starts the shell. Afterwards the keeper holds no end of the output any more, so that the end
/// of the output is the end of the command's own processes.
fn start(request: &Request, note: Option<&Note>) -> io::Result<Pid> {
    if !request.cwd.is_dir() {
        let folder = request.cwd.display();
        return Err(io::Error::other(format!("the folder {folder} does not exist any more")));
    }
    let nowhere = File::options().write(true).open("/dev/null")?;
    let child = match spawn("bash", request, note) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => spawn("sh", request, None),
        other => other,
    };
    let id = child.map_err(|error| io::Error::other(format!("no shell could start: {error}")))?;
    rustix::stdio::dup2_stdout(nowhere)?;
    i32::try_from(id).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("no process id"))
}

fn spawn(shell: &str, request: &Request, note: Option<&Note>) -> io::Result<u32> {
    let output = || io::stdout().as_fd().try_clone_to_owned().map(Stdio::from);
    let mut command = Command::new(shell);
    command.arg("-c").current_dir(&request.cwd).env("PWD", &request.cwd).process_group(0);
    command.stdout(output()?).stderr(output()?);
    command.envs(note.map(Note::variable));
    if request.command.len() <= LONGEST_ARGUMENT {
        command.arg(&request.command).stdin(Stdio::null());
    } else {
        let mut file = tempfile::tempfile()?;
        file.write_all(request.command.as_bytes())?;
        file.rewind()?;
        command.arg(FROM_INPUT).stdin(file);
    }
    command.spawn().map(|child| child.id())
}

/// What can happen to a keeper.
enum Event {
    Told(Control),
    /// The program dropped the command, or is gone.
    Gone,
    /// The shell ended.
    Exited(Report),
    /// No child is left; with a subreaper that is: no descendant.
    Childless,
}

fn listen(input: &mut impl BufRead, events: &SyncSender<Event>) {
    for byte in input.bytes() {
        match byte {
            Ok(byte) => {
                let Some(control) = Control::from_byte(byte) else { continue };
                events.send(Event::Told(control)).ok();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    events.send(Event::Gone).ok();
}

/// Takes every child that ends, orphans too: a command that runs for long must not fill the
/// process table with zombies.
fn reap(shell: Pid, events: &SyncSender<Event>) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == shell => {
                if let Some(exit) = ending(status) {
                    events.send(Event::Exited(exit)).ok();
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => break,
        }
    }
    events.send(Event::Childless).ok();
}

fn ending(status: WaitStatus) -> Option<Report> {
    let code = status.exit_status().map(Report::Exit);
    code.or_else(|| status.terminating_signal().map(Report::Signal))
}

fn report(report: &Report) {
    // Nobody may be there to read it; the work is the same.
    io::stderr().lock().write_all(report.line().as_bytes()).ok();
}

/// Why the tree is to be ended.
#[derive(PartialEq, Eq)]
enum Why {
    /// The shell exited by itself.
    Exited,
    Stopped,
    /// It ran for too long.
    Expired,
    Killed,
}

struct Keeper {
    session: Pid,
    shell: Pid,
    events: Receiver<Event>,
    /// Keeps the channel open, so that a wait is a wait also when nobody can send any more.
    _open: SyncSender<Event>,
    /// Where the shell writes its folder.
    note: Option<Note>,
    childless: bool,
}

impl Keeper {
    fn keep(mut self) {
        let mut why = self.until_exit();
        if why == Why::Exited {
            why = self.until_read();
            for one in self.tree().named() {
                report(&Report::Leftover(one));
            }
        }
        match why {
            Why::Killed => {}
            Why::Expired => self.terminate(LONG_GRACE),
            Why::Exited | Why::Stopped => self.terminate(GRACE),
        }
        self.kill(KILLING, DYING);
        if !self.nothing_left() {
            for one in self.tree().named() {
                report(&Report::Survivor(one));
            }
        }
        report(&Report::Done);
        self.kill(STILL_KILLING, STILL_KILLING);
    }

    fn until_exit(&mut self) -> Why {
        loop {
            match self.events.recv() {
                Ok(Event::Exited(exit)) => {
                    self.exited(&exit);
                    return Why::Exited;
                }
                Ok(Event::Told(Control::Kill)) => return Why::Killed,
                Ok(Event::Told(Control::Expire)) => return Why::Expired,
                Ok(Event::Told(Control::Read)) => {}
                Ok(Event::Told(Control::Stop) | Event::Gone) | Err(_) => return Why::Stopped,
                Ok(Event::Childless) => {
                    self.childless = true;
                    return Why::Exited;
                }
            }
        }
    }

    /// After the shell exited: what it started to write its output may end by itself.
    fn until_read(&mut self) -> Why {
        let now = Instant::now();
        let (settled, mut deadline) = (now + SETTLE, now + READING);
        while !self.nothing_left() {
            match self.next(deadline) {
                None => break,
                Some(Event::Told(Control::Read)) => deadline = settled,
                Some(Event::Told(Control::Kill)) => return Why::Killed,
                Some(Event::Told(Control::Stop | Control::Expire) | Event::Gone) => {
                    return Why::Stopped;
                }
                Some(Event::Exited(_) | Event::Childless) => {}
            }
        }
        Why::Exited
    }

    fn terminate(&mut self, grace: Duration) {
        if self.nothing_left() {
            return;
        }
        self.signal(Signal::TERM);
        // A stopped process gets no other signal before this one.
        self.signal(Signal::CONT);
        let mut deadline = Instant::now() + grace;
        while !self.nothing_left() {
            match self.next(deadline) {
                None | Some(Event::Told(Control::Kill)) => return,
                // Somebody lost patience.
                Some(Event::Told(Control::Stop) | Event::Gone) => {
                    deadline = deadline.min(Instant::now() + GRACE);
                }
                Some(_) => {}
            }
        }
    }

    /// The shell is gone: what it wrote of its folder is whole.
    fn exited(&mut self, exit: &Report) {
        let folder = self.note.take().map(Note::read);
        // A shell that was killed told nothing.
        if let Some(folder) = folder.filter(|folder| *folder != EndFolder::Unknown) {
            report(&Report::Folder(folder));
        }
        report(exit);
    }

    /// Gives up after `patience` in which nothing died, and after `most` in any case.
    fn kill(&mut self, patience: Duration, most: Duration) {
        let last = Instant::now() + most;
        let mut deadline = Instant::now() + patience;
        let mut fewest = usize::MAX;
        while !self.nothing_left() && Instant::now() < deadline.min(last) {
            let left = self.signal(Signal::KILL);
            if left < fewest {
                fewest = left;
                deadline = Instant::now() + patience;
            }
            self.next(Instant::now() + PAUSE);
        }
    }

    /// Signals everything that is left; gives how many processes that were, as far as is known.
    fn signal(&self, signal: Signal) -> usize {
        if cfg!(target_os = "linux") {
            let tree = self.tree();
            tree.signal(signal);
            tree.named().count()
        } else {
            rustix::process::kill_process_group(self.shell, signal).ok();
            1
        }
    }

    fn tree(&self) -> Tree {
        if self.nothing_left() {
            return Tree::default();
        }
        Tree::of(self.session.as_raw_nonzero().get())
    }

    /// Whether no process of the command is left. Without a subreaper the group has to tell.
    fn nothing_left(&self) -> bool {
        self.childless
            && (cfg!(target_os = "linux")
                || rustix::process::test_kill_process_group(self.shell).is_err())
    }

    /// The next event before `deadline`; what the shell's end and the last child's end mean is
    /// seen to already.
    fn next(&mut self, deadline: Instant) -> Option<Event> {
        let wait = deadline.saturating_duration_since(Instant::now());
        let event = self.events.recv_timeout(wait).ok()?;
        match &event {
            Event::Exited(exit) => self.exited(exit),
            Event::Childless => self.childless = true,
            Event::Told(_) | Event::Gone => {}
        }
        Some(event)
    }
}
