//! The full screen: the loop over its sources, and what the loop does for `update`.
//!
//! Owns the order of things: keys before frames before events, a bounded drain, one write a
//! frame. Must not know the engine, a provider, a tool or the session: it lives on the link.
//!
//! Invariant: the loop waits for nothing but input, events, the next frame and the highlighter's
//! word that there is something to draw; a wish for anything else is an `Effect`.

mod app;
mod calls;
mod cell;
mod clipboard;
mod command;
mod composer;
pub mod diff;
mod editor;
mod effect;
mod frame;
mod fuzzy;
pub mod highlight;
mod input;
mod keymap;
pub mod markdown;
mod message;
mod overlay;
mod record;
pub mod screen;
mod search;
mod status;
pub mod theme;
mod transcript;
mod update;
mod view;
mod visible;
pub mod wrap;

use std::{
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use self::{
    app::App, cell::Cell, clipboard::Clipboard, effect::Effect, frame::FrameClock,
    highlight::Highlighter, input::Input, message::Msg, overlay::approval::review::Draft,
    screen::Screen, search::Search, theme::Theme, update::update,
};
use crate::{
    link::FrontEnd,
    protocol::{about::About, event::StreamEvent, exit::AbortBy, op::Op},
};

/// Events taken in one go before keys are looked at again, and the longest time for it.
const DRAIN: usize = 2_048;
const DRAIN_TIME: Duration = Duration::from_millis(2);
/// How long the end of the program waits for a running turn to end.
const FAREWELL: Duration = Duration::from_secs(3);

/// What the screen begins with.
#[expect(clippy::struct_excessive_bools, reason = "independent choices of the user")]
pub struct Start {
    /// Who answers.
    pub about: About,
    /// The folder, as people write it.
    pub folder: String,
    /// The folder itself, for files whose names are relative.
    pub root: PathBuf,
    /// The user's file of settings, as people write it.
    pub settings: String,
    /// The first message, if there is one.
    pub prompt: Option<String>,
    /// What the user should know at once.
    pub notices: Vec<String>,
    /// Whether nothing asks, which the header says.
    pub yolo: bool,
    /// Whether to take the mouse.
    pub mouse: bool,
    /// Whether what is selected with the mouse is copied at once.
    pub copy_on_select: bool,
    /// Whether the whole session is printed at the end, and not only the last answer.
    pub print_transcript: bool,
    /// No colours.
    pub plain: bool,
}

/// Runs the full screen until the user leaves; gives the program's exit code. The terminal is
/// given back on every way out.
///
/// # Errors
/// The terminal cannot be taken or written.
pub async fn run(front: FrontEnd, start: Start) -> io::Result<u8> {
    // Before the terminal is taken: a signal that nobody hears yet would leave it taken.
    let input = Input::open()?;
    let mut screen = Screen::enter(start.mouse)?;
    let wake = Arc::new(Notify::new());
    let waker = Arc::clone(&wake);
    let highlighter = Highlighter::start(Arc::new(move || waker.notify_one()));
    let theme = if start.plain { Theme::plain() } else { Theme::default() };
    let mut app = App::new(start.about, start.folder, theme, highlighter);
    app.mouse = start.mouse;
    app.copy_on_select = start.copy_on_select;
    app.print_transcript = start.print_transcript;
    app.yolo = start.yolo;
    app.settings = start.settings;
    for notice in &start.notices {
        app.transcript.push(Cell::notice(notice));
    }
    // Drawn before anything else is set up: this is what the user waits for.
    screen.draw(|frame| view::view(&mut app, frame))?;
    let mut running = Running {
        front,
        input,
        screen,
        app,
        clock: FrameClock::new(),
        clipboard: Clipboard::new(&|name| std::env::var(name).ok()),
        root: start.root,
        wake,
        engine_gone: false,
        exit_code: None,
    };
    if let Some(prompt) = start.prompt.filter(|prompt| !prompt.trim().is_empty()) {
        let effects = update::begin(&mut running.app, &prompt);
        running.carry_out(effects)?;
    }
    let ended = running.work().await;
    running.farewell().await;
    ended.map(|()| running.exit_code.unwrap_or(0))
}

struct Running {
    front: FrontEnd,
    input: Input,
    screen: Screen,
    app: App,
    clock: FrameClock,
    clipboard: Clipboard,
    root: PathBuf,
    wake: Arc<Notify>,
    engine_gone: bool,
    /// Set when the program is to end.
    exit_code: Option<u8>,
}

enum Happened {
    Msg(Msg),
    Drawable,
    Frame,
    Event(Option<StreamEvent>),
}

impl Running {
    async fn work(&mut self) -> io::Result<()> {
        while self.exit_code.is_none() {
            let happened = self.next().await?;
            self.app.tick(Instant::now());
            match happened {
                Happened::Frame => self.draw(),
                Happened::Drawable => self.clock.request(),
                Happened::Msg(msg) => self.take(msg)?,
                Happened::Event(Some(event)) => self.drain(event)?,
                Happened::Event(None) => {
                    self.engine_gone = true;
                    self.take(Msg::EngineGone)?;
                }
            }
        }
        Ok(())
    }

    /// The next thing that happens; keys first, then frames, then events.
    async fn next(&mut self) -> io::Result<Happened> {
        let due = self.clock.due(Instant::now(), self.app.moves());
        let frame = async {
            match due {
                Some(due) => tokio::time::sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        Ok(tokio::select! {
            biased;
            msg = self.input.next() => Happened::Msg(msg?),
            () = frame => Happened::Frame,
            () = self.wake.notified() => Happened::Drawable,
            event = self.front.next(), if !self.engine_gone => Happened::Event(event),
        })
    }

    /// Takes the events that are there, but not so many that keys would wait.
    fn drain(&mut self, first: StreamEvent) -> io::Result<()> {
        let began = Instant::now();
        self.take(Msg::Stream(first))?;
        for _ in 1..DRAIN {
            if began.elapsed() > DRAIN_TIME {
                break;
            }
            let Some(event) = self.front.try_next() else { break };
            self.take(Msg::Stream(event))?;
        }
        Ok(())
    }

    fn take(&mut self, msg: Msg) -> io::Result<()> {
        panic_if_asked(&msg);
        let effects = update(&mut self.app, msg);
        self.clock.request();
        self.carry_out(effects)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        for effect in effects {
            match effect {
                Effect::Send(op) => match self.front.send(op) {
                    Err(Op::Submit { text }) => self.take(Msg::NotSent(text))?,
                    Err(_) => self.take(Msg::NotHeard)?,
                    Ok(()) => {}
                },
                Effect::Interrupt(by) => self.front.interrupt(by),
                Effect::Mouse(on) => self.screen.set_mouse(on)?,
                Effect::Copy(text) => {
                    let (copied, sequence) = self.clipboard.copy(&text);
                    screen::tell(&sequence)?;
                    self.take(Msg::Copied(copied))?;
                }
                Effect::Export(export) => {
                    let written = record::write(&self.root, &export);
                    self.take(Msg::Exported(written))?;
                }
                Effect::Redraw => {
                    let (width, height) = self.screen.size();
                    self.screen.resize(width, height)?;
                }
                Effect::Suspend => {
                    self.input.close();
                    self.screen.suspend()?;
                    self.input.reopen();
                }
                Effect::Edit { call_id, draft } => {
                    let edited = self.edit(&draft.text, &draft.path)?;
                    let edited = edited.map(|text| Draft { text, ..draft });
                    self.take(Msg::Edited { call_id, edited })?;
                }
                Effect::Quit => self.exit_code = Some(self.input.exit_code()),
            }
        }
        Ok(())
    }

    /// Gives the terminal to the user's editor until it ends.
    fn edit(&mut self, text: &str, file_name: &str) -> io::Result<Result<String, String>> {
        self.input.lend();
        let edited = self.screen.lend(|| editor::edit(text, file_name));
        self.input.take_back()?;
        self.app.tick(Instant::now());
        edited
    }

    /// Draws one frame. A terminal that cannot be written is gone, as after a hang-up.
    fn draw(&mut self) {
        let app = &mut self.app;
        match self.screen.draw(|frame| view::view(app, frame)) {
            Ok(pause) => {
                self.clock.drawn(Instant::now(), pause);
                if self.app.search.as_ref().is_some_and(Search::is_pending) {
                    self.clock.request();
                }
            }
            Err(_gone) => self.exit_code = Some(input::HUNG_UP),
        }
    }

    /// Gives the terminal back, ends what runs, and leaves the last words on the normal screen.
    async fn farewell(&mut self) {
        self.input.close();
        screen::leave();
        if self.app.is_busy() && !self.engine_gone {
            // A second interrupt would mean to have no patience with processes.
            if !self.app.stopping {
                self.front.interrupt(AbortBy::User);
            }
            let end = async {
                while let Some(event) = self.front.next().await {
                    let over = matches!(event, StreamEvent::TurnEnded { .. });
                    update(&mut self.app, Msg::Stream(event));
                    if over {
                        break;
                    }
                }
            };
            let _in_time = tokio::time::timeout(FAREWELL, end).await.is_ok();
        }
        screen::say(&self.app.farewell());
    }
}

/// With `MCC_TEST_PANIC=screen` the first key is a fault, so that tests see what becomes of the
/// terminal then; never in a build without debug assertions.
fn panic_if_asked(msg: &Msg) {
    let asked = || std::env::var_os("MCC_TEST_PANIC").is_some_and(|place| place == "screen");
    let faulty = cfg!(debug_assertions) && matches!(msg, Msg::Key(_)) && asked();
    assert!(!faulty, "asked for by MCC_TEST_PANIC=screen");
}
