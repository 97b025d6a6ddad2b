//! The terminal: entering and leaving the full screen, one write a frame, stopping and coming
//! back. Owns every escape sequence that mcc-tui itself sends.
//!
//! Must not know what is drawn. Invariant: [`leave`] can be called at any time, any number of
//! times, from any thread, a panic hook included, and gives the terminal back as it was.

mod backend;

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::{
    Frame, Terminal,
    layout::{Rect, Size},
};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use self::backend::Bounded;
use super::{
    disputed::Rows,
    links::{self, Links},
    notify::{NO_PROGRESS, POP_TITLE, PUSH_TITLE},
};

/// Alternate screen, bracketed paste, word of the focus, keys that can be told apart; the mouse
/// comes apart. No wrapping: a character that the terminal takes for wider than it is must not run
/// into the next row.
const ENTER: &str = "\x1b[?1049h\x1b[?7l\x1b[2J\x1b[H\x1b[?2004h\x1b[?1004h\x1b[>1u";
/// Buttons, the wheel, and motion while a button is down, in the form without a column limit. No
/// motion besides: it would flood.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Undoes everything above, in an order that is harmless if part of it was never done.
const LEAVE: &str = "\x1b[?2026l\x1b[<1u\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\
                     \x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
/// Undoes what another program may have left behind: a cursor that moves or keys that are told in
/// other ways, every kind of mouse, word of the focus, marked pastes, colours, no wrapping, no
/// cursor, the other screen, rows that scroll alone. The cursor stays where it is, as each screen
/// keeps its own.
const CLEAR_UP: &str = "\x1b[?2026l\x1b[?1l\x1b>\x1b[>4m\x1b[?1000l\x1b[?1002l\x1b[?1003l\
                        \x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?7h\
                        \x1b[?25h\x1b7\x1b[?1049l\x1b7\x1b[r\x1b8";
/// The terminal shows nothing between these two, so that a frame never appears in halves.
const FRAME_BEGIN: &str = "\x1b[?2026h";
const FRAME_END: &str = "\x1b[?2026l";

/// A write that took longer than this means a slow line.
const SLOW: Duration = Duration::from_millis(8);

/// How the terminal was set before it was taken first.
static SETTINGS: Mutex<Option<Termios>> = Mutex::new(None);
static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether the window has a title of ours, and whether the terminal shows progress of ours.
static TITLED: AtomicBool = AtomicBool::new(false);
static PROGRESS: AtomicBool = AtomicBool::new(false);
/// Whether the terminal is told of links: a frame may have been cut within one.
static LINKS: AtomicBool = AtomicBool::new(false);
/// Whether there may be no other screen to go back to, as in GNU screen by default: what stands
/// there is then wiped away, or the shell would write over it.
static WIPED: AtomicBool = AtomicBool::new(false);
const WIPE: &str = "\x1b[0m\x1b[2J\x1b[H";

/// What is taken besides the screen.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent things to take")]
pub(super) struct Extras {
    pub(super) mouse: bool,
    pub(super) title: bool,
    pub(super) progress: bool,
    /// Whether there may be no other screen.
    pub(super) wipe: bool,
}

/// The full screen.
pub(super) struct Screen {
    terminal: Terminal<Bounded<FrameBuffer>>,
    buffer: FrameBuffer,
    disputed: Rows,
    extras: Extras,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn enter(extras: Extras, links: Links) -> io::Result<Self> {
        let buffer = FrameBuffer::default();
        LINKS.store(links.are_on(), Ordering::SeqCst);
        let terminal = Terminal::new(Bounded::new(buffer.clone(), links))?;
        let settings = tcgetattr(io::stdin()).ok();
        *SETTINGS.lock().unwrap_or_else(PoisonError::into_inner) = settings;
        take(extras)?;
        Ok(Self { terminal, buffer, disputed: Rows::default(), extras })
    }

    /// Draws one frame and writes it in one piece. Gives how long the next frame should wait
    /// because the line is slow.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<Duration> {
        let disputed = &mut self.disputed;
        self.terminal.draw(|frame| {
            draw(frame);
            disputed.mark(frame.buffer_mut());
        })?;
        let frame = self.buffer.take();
        let started = Instant::now();
        let mut out = io::stdout().lock();
        out.write_all(FRAME_BEGIN.as_bytes())?;
        out.write_all(&frame)?;
        out.write_all(FRAME_END.as_bytes())?;
        out.flush()?;
        let took = started.elapsed();
        Ok(if took > SLOW { took * 4 } else { Duration::ZERO })
    }

    /// Draws everything anew with the next frame, at this size. Asks the terminal nothing.
    pub(super) fn resize(&mut self, width: u16, height: u16) -> io::Result<()> {
        self.disputed.forget();
        let Size { width, height } = backend::bounded(Size::new(width, height));
        self.terminal.resize(Rect::new(0, 0, width, height))
    }

    /// The terminal's size in columns and rows.
    pub(super) fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Takes or leaves the mouse.
    pub(super) fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.extras.mouse = on;
        let mut out = io::stdout().lock();
        out.write_all(if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes())?;
        out.flush()
    }

    /// Takes the terminal again; the next frame draws everything.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        take(self.extras)?;
        let (width, height) = crossterm::terminal::size()?;
        self.resize(width, height)
    }
}

/// Gives the terminal back and stops this process until somebody lets it go on. Nobody may read the
/// terminal meanwhile.
pub(super) fn stop() -> io::Result<()> {
    leave();
    // SIGSTOP and not SIGTSTP: whoever listens to SIGTSTP has switched its effect off.
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)?;
    Ok(())
}

/// Whether the terminal is somebody else's: a shell's, after it let this process go on behind it.
/// Touching it would stop this process once more.
pub(super) fn is_in_background() -> bool {
    let in_front = rustix::termios::tcgetpgrp(io::stdin());
    in_front.is_ok_and(|group| group != rustix::process::getpgrp())
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn take(extras: Extras) -> io::Result<()> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    let mut out = io::stdout().lock();
    out.write_all(ENTER.as_bytes())?;
    if extras.title {
        TITLED.store(true, Ordering::SeqCst);
        out.write_all(PUSH_TITLE.as_bytes())?;
    }
    PROGRESS.store(extras.progress, Ordering::SeqCst);
    WIPED.store(extras.wipe, Ordering::SeqCst);
    if extras.mouse {
        out.write_all(MOUSE_ON.as_bytes())?;
    }
    out.flush()
}

/// Tells the terminal something that is not drawn.
pub(super) fn tell(sequence: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(sequence)?;
    out.flush()
}

/// Gives the terminal back. Errors are of no use here: there is nobody left to tell.
pub fn leave() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        if LINKS.load(Ordering::SeqCst) {
            let _told = out.write_all(links::END.as_bytes()).is_ok();
        }
        if PROGRESS.swap(false, Ordering::SeqCst) {
            let _told = out.write_all(NO_PROGRESS.as_bytes()).is_ok();
        }
        if TITLED.swap(false, Ordering::SeqCst) {
            let _told = out.write_all(POP_TITLE.as_bytes()).is_ok();
        }
        if WIPED.load(Ordering::SeqCst) {
            let _told = out.write_all(WIPE.as_bytes()).is_ok();
        }
        let _told = out.write_all(LEAVE.as_bytes()).and_then(|()| out.flush()).is_ok();
        let _cooked = disable_raw_mode().is_ok();
    }
}

/// Gives the terminal back as it was at the start, after another program that had it was made to
/// end. Harmless if that has done so itself. Not from behind a shell, whose terminal it is.
pub(super) fn clear_up() {
    let is_in_front = !is_in_background();
    // A group that is gone had the terminal last: nobody's words are in the way.
    if is_in_front || is_front_gone() {
        let _told = tell(CLEAR_UP.as_bytes()).is_ok();
    }
    let settings = SETTINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(settings) = settings.as_ref().filter(|_| is_in_front) {
        let _set = tcsetattr(io::stdin(), OptionalActions::Now, settings).is_ok();
    }
}

/// Whether the terminal is in front of a group that has ended.
fn is_front_gone() -> bool {
    let front = rustix::termios::tcgetpgrp(io::stdin());
    front.and_then(rustix::process::test_kill_process_group) == Err(rustix::io::Errno::SRCH)
}

/// Writes paragraphs to the normal screen, after it was given back. Blank ones are left out.
pub(super) fn say(paragraphs: &[String]) {
    let filled = paragraphs.iter().filter(|text| !text.trim().is_empty());
    let said: Vec<&str> = filled.map(String::as_str).collect();
    // From behind a shell nothing is said: it would stand in what is typed there.
    let is_heard = !io::stdout().is_terminal() || !is_in_background();
    if !said.is_empty() && is_heard {
        let mut out = io::stdout().lock();
        let _told = writeln!(out, "{}", said.join("\n\n")).and_then(|()| out.flush()).is_ok();
    }
}

/// Collects the bytes of one frame. Clones share the bytes.
#[derive(Clone, Default)]
struct FrameBuffer {
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl FrameBuffer {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for FrameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Does nothing: a frame goes out whole, in [`Screen::draw`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
