//! The full screen: the loop over its sources, and what the loop does for `update`.
//!
//! Owns the order of things: keys before frames before events, a bounded drain, one write a
//! frame. Must not know the engine, a provider, a tool or the session: it lives on the link.
//!
//! Invariant: the loop waits for nothing but input, events, the next frame, the end of a job and the
//! highlighter's word that there is something to draw; a wish for anything else is an `Effect`.

mod app;
mod background;
mod between;
mod calls;
mod cell;
mod clipboard;
mod command;
mod completion;
mod composer;
pub mod desk;
pub mod diff;
mod disputed;
mod effect;
mod farewell;
mod frame;
mod fuzzy;
pub mod highlight;
mod hint;
mod history;
mod in_background;
mod input;
mod jobs;
mod keymap;
mod links;
mod loan;
pub mod markdown;
mod message;
mod meter;
mod notify;
mod overlay;
mod record;
pub mod screen;
mod search;
mod selection;
mod signs;
mod skin;
pub mod stage;
mod status;
pub mod terminal;
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

pub use self::keymap::Keys;
use self::{
    app::App,
    clipboard::Clipboard,
    desk::Desk,
    effect::Editing,
    frame::FrameClock,
    highlight::Highlighter,
    input::Input,
    jobs::Jobs,
    links::Links,
    loan::Loan,
    message::Msg,
    meter::Meter,
    notify::Notify,
    screen::{Extras, Screen},
    search::Search,
    skin::Skin,
    terminal::Facts,
    theme::Theme,
    update::update,
};
use crate::{
    config::{ThemeName, Ui},
    link::FrontEnd,
    protocol::{about::About, budget::Spent, event::StreamEvent},
};

/// Events taken in one go before keys are looked at again, and the longest time for it.
const DRAIN: usize = 2_048;
const DRAIN_TIME: Duration = Duration::from_millis(2);
/// How long a program that was let go on behind a shell looks for a signal before it stops again.
const WAKING: Duration = Duration::from_millis(300);

/// What the screen begins with.
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
    /// Whether to take the mouse; unset, where that does no harm.
    pub mouse: Option<bool>,
    /// What the session has used so far: nothing, and its budgets.
    pub spent: Spent,
    /// What the screen gets from the machine.
    pub desk: Desk,
    /// Whether what is selected with the mouse is copied at once.
    pub copy_on_select: bool,
    /// Whether the whole session is printed at the end, and not only the last answer.
    pub print_transcript: bool,
    /// How the screen looks, and what it tells the terminal.
    pub ui: Ui,
    /// Which keys count.
    pub keys: Keys,
    /// What is known of the terminal.
    pub terminal: Facts,
}

/// Runs the full screen until the user leaves; gives the program's exit code. The terminal is
/// given back on every way out.
///
/// # Errors
/// The terminal cannot be taken or written.
pub async fn run(front: FrontEnd, start: Start) -> io::Result<u8> {
    // Before the terminal is taken: a signal that nobody hears yet would leave it taken.
    let input = Input::open()?;
    // Whether there are colours is decided here, for every terminal alike.
    crossterm::style::force_color_output(true);
    let notify = Notify::new(&start.ui, start.terminal);
    let extras = Extras {
        mouse: start.terminal.takes_mouse(start.mouse),
        title: notify.has_title(),
        progress: notify.has_progress(),
        wipe: start.terminal.in_screen,
    };
    let has_links = start.terminal.draws_links(start.ui.links);
    let links = if has_links { Links::on() } else { Links::default() };
    let mut screen = Screen::enter(extras, links.clone())?;
    let wake = Arc::new(tokio::sync::Notify::new());
    let waker = Arc::clone(&wake);
    let highlighter = Highlighter::start(Arc::new(move || waker.notify_one()));
    let mut app = App::new(start.about, start.folder, Theme::default(), highlighter);
    app.skin = Skin::new(&start.ui, start.terminal);
    app.links = links;
    app.keys = start.keys;
    (app.mouse, app.mouse_choice) = (extras.mouse, start.mouse);
    app.copy_on_select = start.copy_on_select;
    app.print_transcript = start.print_transcript;
    app.yolo = start.yolo;
    app.settings = start.settings;
    app.meter = Meter::new(start.spent);
    start.notices.iter().for_each(|notice| app.notice(notice));
    // Drawn before anything else is set up: this is what the user waits for.
    screen.draw(|frame| view::view(&mut app, frame))?;
    let mut running = Running {
        front,
        input,
        screen,
        app,
        clock: FrameClock::new(),
        jobs: Jobs::start(start.desk, start.root.clone()),
        loan: Loan::default(),
        clipboard: Clipboard::new(&|name| std::env::var(name).ok()),
        root: start.root,
        wake,
        notify,
        asleep: false,
        engine_gone: false,
        exit_code: None,
    };
    running.ask_background(&start.ui, start.terminal)?;
    if start.terminal.is_asked {
        screen::tell(between::QUESTION.as_bytes())?;
        running.input.asked_device();
    }
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
    jobs: Jobs,
    /// Who has the terminal.
    loan: Loan,
    clipboard: Clipboard,
    root: PathBuf,
    wake: Arc<tokio::sync::Notify>,
    notify: Notify,
    /// Set when the program is to stop until somebody lets it go on.
    asleep: bool,
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
            if std::mem::take(&mut self.asleep) {
                self.sleep().await?;
            }
            if let Some(editing) = self.loan.begin() {
                self.lend(editing).await?;
            }
        }
        Ok(())
    }

    /// Asks the terminal how light it is, if that decides something. Waits for no answer.
    fn ask_background(&mut self, ui: &Ui, terminal: Facts) -> io::Result<()> {
        let decides = matches!(ui.theme, ThemeName::Auto | ThemeName::HighContrast);
        if decides && !terminal.no_color && terminal.tells_ground {
            screen::tell(background::QUESTION.as_bytes())?;
            self.input.asked_background();
        }
        Ok(())
    }

    /// Stops until the terminal is this program's again. Whoever lets it go on elsewhere wants it
    /// to end, or is told by its stopping again that it needs a terminal.
    async fn sleep(&mut self) -> io::Result<()> {
        if let Some(answer) = self.input.close().await {
            self.take(answer)?;
        }
        loop {
            let mut goes_on = input::let_go_on()?;
            screen::stop()?;
            let _signal = goes_on.recv().await;
            if !screen::is_in_background() {
                break;
            }
            if let Some(end) = self.input.ending(WAKING).await {
                return self.take(end);
            }
        }
        self.take_terminal_back()
    }

    /// Gives the terminal to the user's editor; `Msg::Edited` is its end.
    async fn lend(&mut self, editing: Editing) -> io::Result<()> {
        if let Some(answer) = self.input.lend().await {
            self.take(answer)?;
        }
        screen::leave();
        self.jobs.edit(editing);
        Ok(())
    }

    /// The terminal was given away; the next frame draws everything.
    fn take_terminal_back(&mut self) -> io::Result<()> {
        self.screen.take_again()?;
        self.notify.forget();
        self.input.reopen()?;
        self.clock.request();
        Ok(())
    }

    /// The next thing that happens; keys first, then frames, then events.
    async fn next(&mut self) -> io::Result<Happened> {
        let due = self.clock.due(Instant::now(), self.app.beat()).filter(|_| !self.loan.is_lent());
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
            msg = self.jobs.next() => Happened::Msg(msg),
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
        if !self.loan.lets(&msg) {
            return Ok(());
        }
        panic_if_asked(&msg);
        if matches!(msg, Msg::Edited(..)) {
            if self.loan.end() {
                self.app.report("keys typed before the editor opened were dropped");
            }
            self.take_terminal_back()?;
        }
        let effects = update(&mut self.app, msg);
        self.jobs.save(self.app.composer.history().take_unsaved());
        self.clock.request();
        self.carry_out(effects)
    }

    /// Draws one frame. A terminal that cannot be written is gone, as after a hang-up.
    fn draw(&mut self) {
        let app = &mut self.app;
        let news = self.notify.news(app);
        let told = if news.is_empty() { Ok(()) } else { screen::tell(news.as_bytes()) };
        match told.and_then(|()| self.screen.draw(|frame| view::view(app, frame))) {
            Ok(pause) => {
                self.clock.drawn(Instant::now(), pause);
                let searches = self.app.search.as_ref().is_some_and(Search::is_pending);
                if searches || self.app.calls.is_pending() {
                    self.clock.request();
                }
            }
            Err(_gone) => self.exit_code = Some(input::HUNG_UP),
        }
    }
}

/// With `MCC_TEST_PANIC=screen` the first key is a fault, so that tests see what becomes of the
/// terminal then; never in a build without debug assertions.
fn panic_if_asked(msg: &Msg) {
    let asked = || std::env::var_os("MCC_TEST_PANIC").is_some_and(|place| place == "screen");
    let faulty = cfg!(debug_assertions) && matches!(msg, Msg::Key(_)) && asked();
    assert!(!faulty, "asked for by MCC_TEST_PANIC=screen");
}
