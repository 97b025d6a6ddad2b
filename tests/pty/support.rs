//! A terminal for tests: a program on a pseudo terminal, and the screen that it draws.
//!
//! Owns the pty, the emulator and the answers that a terminal gives. Knows nothing of what the
//! program shows.
//!
//! Rules for tests: wait for what must appear ([`Term::wait_for`]), never for time; wait for
//! [`Term::settle`] before asserting what must *not* be there. A program started like this is
//! an orphaned process group, where SIGTSTP does nothing: test Ctrl-Z through `bash -i`. To take
//! the terminal away, run the program under `script -qfc PROGRAM /dev/null` and kill `script`.

mod emulator;
mod processes;

use std::{
    ffi::OsStr,
    fmt::Write as _,
    num::NonZeroU16,
    os::unix::process::ExitStatusExt,
    path::Path,
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicU32, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::memory::peak_of;
use emulator::{Answers, Display, State, read_all, write_all};
use processes::clean_environment;
pub(crate) use processes::{processes_with, wait_until_gone};

/// How long a test waits before it fails; generous, since it bounds a hang and measures nothing.
const BOUND: Duration = Duration::from_secs(30);
/// A program that has written nothing for so long has drawn its frame.
const SILENCE: Duration = Duration::from_millis(50);
const POLL: Duration = Duration::from_millis(10);
/// Environment variable by which all processes of one terminal are found.
const MARKER: &str = "PTY_TEST_MARKER";

/// Set for a program whose terminal does not tell its background by itself: tests do.
pub(crate) const UNTOLD: (&str, &str) = ("PTY_TEST_BACKGROUND_UNTOLD", "1");

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
}

/// A program on a terminal. Dropping it ends the program and all that it started.
pub(crate) struct Term {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    display: Arc<Display>,
    input: Sender<Vec<u8>>,
    marker: String,
    home: tempfile::TempDir,
}

impl Term {
    /// Starts the built binary. The environment is empty but for what a terminal sets, a home
    /// of its own, and `env`.
    pub(crate) fn start(
        cols: u16,
        rows: u16,
        args: &[&str],
        env: &[(&str, &str)],
        cwd: &Path,
    ) -> Self {
        Self::spawn(env!("CARGO_BIN_EXE_mcc-tui"), (cols, rows), args, env, cwd)
    }

    /// Starts any program.
    pub(crate) fn spawn(
        program: impl AsRef<OsStr>,
        (cols, rows): (u16, u16),
        args: &[&str],
        env: &[(&str, &str)],
        cwd: &Path,
    ) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{MARKER}=pty-{}-{number}-end", std::process::id());
        let home = tempfile::tempdir().expect("a folder for the home");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(cwd);
        clean_environment(&mut command, home.path(), &marker);
        for (name, value) in env {
            command.env(name, value);
        }
        let pair = native_pty_system().openpty(size(cols, rows)).expect("a pseudo terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        // the slave must be closed here, or the end of the program is no end of its output
        drop(pair.slave);
        let (input, queue) = channel();
        let parser = vt100::Parser::new_with_callbacks(
            at_least_one(rows),
            at_least_one(cols),
            1000,
            Answers { tells_background: !env.contains(&UNTOLD), ..Answers::default() },
        );
        let state = State { parser, bytes: Vec::new(), closed: false };
        let display = Arc::new(Display { state: Mutex::new(state), changed: Condvar::new() });
        let reader = pair.master.try_clone_reader().expect("a reader of the terminal");
        let writer = pair.master.take_writer().expect("a writer to the terminal");
        thread::spawn(move || write_all(writer, &queue));
        let (for_reader, answers) = (Arc::clone(&display), input.clone());
        thread::spawn(move || read_all(reader, &for_reader, &answers));
        Self { master: pair.master, child, display, input, marker, home }
    }

    /// Gives the program these bytes in one write. Never blocks.
    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) {
        // once the program is gone nobody takes them, as with any terminal
        drop(self.input.send(bytes.as_ref().to_vec()));
    }

    /// Types the text, one write a character, as a keyboard does.
    pub(crate) fn type_text(&self, text: &str) {
        text.chars().for_each(|character| self.send(character.to_string()));
    }

    /// Waits until the screen's text is as it must be, and gives that text.
    #[track_caller]
    pub(crate) fn wait_for(&self, is_there: impl Fn(&str) -> bool, what: &str) -> String {
        self.wait_within(BOUND, is_there, what)
    }

    /// As [`Term::wait_for`], with a bound of its own.
    #[track_caller]
    pub(crate) fn wait_within(
        &self,
        bound: Duration,
        is_there: impl Fn(&str) -> bool,
        what: &str,
    ) -> String {
        let look = |screen: &vt100::Screen| Some(text_of(screen)).filter(|text| is_there(text));
        self.wait_until(bound, look, what)
    }

    /// Waits until the emulator's screen is as it must be: colours, modes, the cursor.
    #[track_caller]
    pub(crate) fn wait_screen(&self, is_so: impl Fn(&vt100::Screen) -> bool, what: &str) {
        self.wait_until(BOUND, |screen| is_so(screen).then_some(()), what);
    }

    #[track_caller]
    fn wait_until<T>(
        &self,
        bound: Duration,
        look: impl Fn(&vt100::Screen) -> Option<T>,
        what: &str,
    ) -> T {
        let end = Instant::now() + bound;
        let mut state = self.state();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if let Some(found) = look(state.parser.screen()) {
                return found;
            }
            let why = match (state.closed, left.is_zero()) {
                (true, _) => "the program closed the terminal",
                (_, true) => "it did not come in time",
                _ => "",
            };
            assert!(why.is_empty(), "waited for {what}, but {why}\n{}", report(&state));
            state = self.wait(state, left);
        }
    }

    /// Waits until the program has written nothing for a moment.
    #[track_caller]
    pub(crate) fn settle(&self) {
        let end = Instant::now() + BOUND;
        let mut state = self.state();
        let mut quiet_since = (state.bytes.len(), Instant::now());
        while !state.closed && quiet_since.1.elapsed() < SILENCE {
            assert!(Instant::now() < end, "the program never stops writing\n{}", report(&state));
            state = self.wait(state, SILENCE);
            if state.bytes.len() != quiet_since.0 {
                quiet_since = (state.bytes.len(), Instant::now());
            }
        }
    }

    /// The screen's text, one line for each row, without blanks at line ends.
    pub(crate) fn screen(&self) -> String {
        text_of(self.state().parser.screen())
    }

    /// One row of the screen, counted from 0.
    pub(crate) fn row(&self, row: usize) -> String {
        self.screen().lines().nth(row).unwrap_or_default().to_owned()
    }

    /// Looks at the emulator's screen: colours, modes, the title.
    pub(crate) fn with_screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.state().parser.screen())
    }

    /// Row and column of the cursor, counted from 0; `None` while it is hidden.
    pub(crate) fn cursor(&self) -> Option<(u16, u16)> {
        self.with_screen(|screen| (!screen.hide_cursor()).then(|| screen.cursor_position()))
    }

    /// Everything that the program has written so far.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.state().bytes.clone()
    }

    /// Makes the terminal larger or smaller; the program gets SIGWINCH.
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        // under the lock, so that no output of the new size meets the emulator's old one
        let mut state = self.state();
        state.parser.set_size(at_least_one(rows), at_least_one(cols));
        self.master.resize(size(cols, rows)).expect("the terminal takes a size");
    }

    /// Says that the terminal is so large; what tests see of it stays as it is.
    pub(crate) fn claim(&self, cols: u16, rows: u16) {
        self.master.resize(size(cols, rows)).expect("the terminal takes a size");
    }

    /// Waits until the program has written this.
    #[track_caller]
    pub(crate) fn wait_bytes(&self, part: &[u8]) {
        let there = || self.bytes().windows(part.len()).any(|window| window == part);
        eventually(there, &format!("the bytes {}", part.escape_ascii()));
    }

    /// Waits for the program's end, and for the last of its output.
    #[track_caller]
    pub(crate) fn wait_exit(&mut self) -> Exit {
        let end = Instant::now() + BOUND;
        let display = Arc::clone(&self.display);
        let mut state = display.lock();
        let status = loop {
            let child: &mut dyn Child = &mut *self.child;
            let child = child.downcast_mut::<std::process::Child>().expect("a plain child");
            let status = child.try_wait().expect("a child to wait for");
            if let Some(status) = status {
                break status;
            }
            assert!(Instant::now() < end, "the program did not end\n{}", report(&state));
            state = display.wait(state, POLL);
        };
        // a descendant may keep the terminal open, so this has a bound of its own
        let end = Instant::now() + Duration::from_secs(2);
        while !state.closed && Instant::now() < end {
            state = display.wait(state, POLL);
        }
        status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or(0)), Exit::Code)
    }

    /// Whether the program gets single keys, unechoed, instead of lines.
    pub(crate) fn is_raw_mode(&self) -> bool {
        use rustix::termios::LocalModes;
        let modes = self.master.get_termios().expect("the terminal's modes").local_flags.bits();
        modes & (LocalModes::ICANON | LocalModes::ECHO).bits() == 0
    }

    /// Sends a signal to the program alone.
    pub(crate) fn kill(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the program runs");
    }

    pub(crate) fn pid(&self) -> Pid {
        let id = self.child.process_id().and_then(|id| i32::try_from(id).ok());
        id.and_then(Pid::from_raw).expect("a program has an id")
    }

    /// The most memory that it has held, in bytes; 0 if it is gone.
    pub(crate) fn peak(&self) -> u64 {
        peak_of(self.pid().as_raw_nonzero().get().unsigned_abs())
    }

    /// Marks the program and all that inherits its environment, for [`processes_with`].
    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    /// The program's own home; configuration, state and cache lie below it.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.display.lock()
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.display.wait(state, most)
    }
}

impl Drop for Term {
    fn drop(&mut self) {
        // an id that was waited for may belong to somebody else by now
        if matches!(self.child.try_wait(), Ok(None)) {
            end(kill_process_group(self.pid(), Signal::KILL));
        }
        for pid in processes_with(&self.marker) {
            end(kill_process(pid, Signal::KILL));
        }
        drop(self.child.wait());
    }
}

/// Gone already is as good as gone now.
fn end(kill: rustix::io::Result<()>) {
    kill.unwrap_or_default();
}

/// Waits for something that no terminal tells.
#[track_caller]
pub(crate) fn eventually(is_so: impl Fn() -> bool, what: &str) {
    let end = Instant::now() + BOUND;
    while !is_so() {
        assert!(Instant::now() < end, "waited for {what}, but it did not come in time");
        thread::park_timeout(POLL);
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

pub(crate) fn at_least_one(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

pub(crate) fn text_of(screen: &vt100::Screen) -> String {
    let cols = screen.size().1.get();
    let rows = screen.rows(0, cols);
    rows.flat_map(|row| [row.trim_end().to_owned(), "\n".to_owned()]).collect()
}

/// What a failed test shows.
fn report(state: &State) -> String {
    let mut report = String::from("the screen:\n");
    for row in text_of(state.parser.screen()).lines() {
        writeln!(report, "  |{row}").expect("a string takes all");
    }
    let tail = state.bytes.get(state.bytes.len().saturating_sub(400)..).unwrap_or_default();
    report + "the last bytes: " + &tail.escape_ascii().to_string()
}
