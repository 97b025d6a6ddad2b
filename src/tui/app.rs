//! [`App`]: all that the screen shows, and nothing else. Plain state; `update` changes it,
//! `view` draws it.
//!
//! Invariant: busy is `turn`, set by `TurnStarted` and `TurnEnded` alone (and `sent`, between
//! sending a prompt and the engine's word that it has it).

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::{
    calls::Calls,
    cell::{Cell, Look},
    completion::Files,
    composer::Composer,
    frame::SPIN,
    highlight::Highlighter,
    hint::Hint,
    history::recall::Recall,
    in_background::InBackground,
    keymap::Keys,
    links::Links,
    meter::{Meter, Moment},
    overlay::{
        approval::Approval, commands::CommandList, help::Help, picker::Picker, themes::ThemeList,
    },
    record::Record,
    search::{Search, Sought},
    skin::Skin,
    status::header::held_back,
    theme::Theme,
    transcript::Transcript,
    update::mouse::Pressed,
    wrap::prose,
};
use crate::{
    protocol::{about::About, cost::Usd, exit::ErrorKind, id::TurnId, usage::TokenUsage},
    text::sanitize::Stream,
};

/// How long a hint in the status line stays, and how long a second Ctrl-C counts as one.
pub(super) const HINT: Duration = Duration::from_secs(2);

/// Time between two frames of what moves while nobody looks, and where nothing may move but times.
const UNSEEN: Duration = Duration::from_millis(500);
const STILL: Duration = Duration::from_secs(1);

/// Lines of the last answer that stay on the normal screen.
const FAREWELL_LINES: usize = 200;

/// The screen's state.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the screen")]
pub(super) struct App {
    pub(super) about: About,
    /// The folder, as people write it.
    pub(super) folder: String,
    pub(super) turn: Option<TurnId>,
    /// A prompt that was sent and not yet taken.
    pub(super) sent: Option<String>,
    /// Since when the running turn is being stopped.
    pub(super) stopping: bool,
    pub(super) progress: Progress,
    /// What the session has used.
    pub(super) meter: Meter,
    pub(super) transcript: Transcript,
    pub(super) composer: Composer,
    /// Prompts that wait for the running turn to end.
    pub(super) queued: VecDeque<String>,
    /// What the running turn was told and has not heard yet.
    pub(super) steered: VecDeque<String>,
    /// The search in the history, while it is open.
    pub(super) recall: Option<Recall>,
    /// The files that can be named.
    pub(super) files: Files,
    /// Open questions; the first one is shown.
    pub(super) questions: VecDeque<Approval>,
    /// What is looked at of the calls.
    pub(super) calls: Calls,
    pub(super) help: Option<Help>,
    pub(super) picker: Option<Picker>,
    pub(super) search: Option<Search>,
    /// What was searched for last.
    pub(super) searched: Sought,
    pub(super) themes: Option<ThemeList>,
    /// What runs in the background, and the list of it.
    pub(super) in_background: InBackground,
    /// What was done in the list of commands.
    pub(super) commands: CommandList,
    /// No model is chosen, and requests wait until one is.
    pub(super) must_choose: bool,
    /// The user's file of settings, as people write it.
    pub(super) settings: String,
    pub(super) unfolded: bool,
    /// Nothing asks in this session.
    pub(super) yolo: bool,
    pub(super) mouse: bool,
    /// Whose the user has said that it is.
    pub(super) mouse_choice: Option<bool>,
    /// Whether the whole session is printed at the end.
    pub(super) print_transcript: bool,
    /// What the engine told.
    pub(super) record: Record,
    /// Whether what is selected with the mouse is copied at once.
    pub(super) copy_on_select: bool,
    pub(super) pressed: Option<Pressed>,
    /// A word for the user in the status line, or above it.
    pub(super) hint: Option<Hint>,
    /// Ctrl-C was pressed on an empty prompt; a second one until then quits.
    pub(super) quit_until: Option<Instant>,
    pub(super) theme: Theme,
    pub(super) skin: Skin,
    /// Where the links of the answers lead.
    pub(super) links: Links,
    pub(super) keys: Keys,
    /// Whether the window has the focus; it has where the terminal does not say.
    pub(super) focused: bool,
    /// How many turns have ended, and whether the last one failed.
    pub(super) ended: u64,
    pub(super) failed: bool,
    pub(super) highlighter: Highlighter,
    /// When the program began, and what time it is: told by the loop, so that state is all.
    pub(super) began: Instant,
    pub(super) now: Instant,
    /// The last thing said, and why the last turn ended: for the normal screen after the end.
    pub(super) last_words: LastWords,
    /// Rows of the transcript in the last frame.
    pub(super) page: u16,
}

/// What the running turn has done.
#[derive(Default)]
pub(super) struct Progress {
    pub(super) iteration: u32,
    pub(super) max: u32,
    pub(super) running: usize,
    /// When the request was sent.
    pub(super) since: Option<Instant>,
    pub(super) usage: TokenUsage,
    pub(super) context: u64,
    pub(super) estimated: bool,
    /// What the turn costs, if that is known.
    pub(super) cost: Option<Usd>,
    /// Makes the answer harmless as it comes.
    pub(super) text: Stream,
    /// Whether the model has said anything since the request.
    pub(super) heard: bool,
    /// For how long questions waited for the user, and since when one does now.
    pub(super) asked_for: Duration,
    pub(super) asked_since: Option<Instant>,
    /// How many cells there were when the request was sent.
    pub(super) asked_at: usize,
    /// When the last piece of it came, and what it was.
    pub(super) heard_at: Option<Instant>,
    pub(super) piece: Piece,
    pub(super) caller: Caller,
    /// Whether this turn has done or said anything at all.
    pub(super) anything: bool,
    /// The retry that is waited for, or that the model has not answered yet.
    pub(super) retry: Option<Retry>,
}

impl Progress {
    /// For how long questions have waited for the user in this turn.
    pub(super) fn asked(&self, now: Instant) -> Duration {
        let open = self.asked_since.map(|since| now.saturating_duration_since(since));
        self.asked_for + open.unwrap_or_default()
    }
}

/// Whose the calls of a turn are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Caller {
    #[default]
    Model,
    /// It is a command of the user's own.
    User,
}

/// What a piece of a response is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Piece {
    #[default]
    Answer,
    Thought,
}

/// One retry of a failed request.
pub(super) struct Retry {
    pub(super) kind: ErrorKind,
    pub(super) attempt: u32,
    pub(super) of: u32,
    /// When the request is sent again.
    pub(super) at: Instant,
}

/// What is left on the normal screen.
#[derive(Default)]
pub(super) struct LastWords {
    pub(super) answer: String,
    pub(super) ending: String,
}

impl App {
    pub(super) fn new(
        about: About,
        folder: String,
        theme: Theme,
        highlighter: Highlighter,
    ) -> Self {
        let now = Instant::now();
        Self {
            about,
            folder,
            turn: None,
            sent: None,
            stopping: false,
            progress: Progress::default(),
            meter: Meter::default(),
            transcript: Transcript::default(),
            composer: Composer::new(),
            queued: VecDeque::new(),
            steered: VecDeque::new(),
            recall: None,
            files: Files::default(),
            questions: VecDeque::new(),
            calls: Calls::new(now),
            help: None,
            picker: None,
            search: None,
            searched: Sought::default(),
            themes: None,
            in_background: InBackground::default(),
            commands: CommandList::default(),
            must_choose: false,
            settings: String::from("~/.config/mcc-tui/config.toml"),
            unfolded: false,
            yolo: false,
            mouse: true,
            mouse_choice: None,
            print_transcript: false,
            record: Record::default(),
            copy_on_select: true,
            pressed: None,
            hint: None,
            quit_until: None,
            theme,
            skin: Skin::default(),
            links: Links::default(),
            keys: Keys::default(),
            focused: true,
            ended: 0,
            failed: false,
            highlighter,
            began: now,
            now,
            last_words: LastWords::default(),
            page: 10,
        }
    }

    /// The moment for the meter.
    pub(super) fn moment(&self) -> Moment {
        Moment { at: self.now, asked: self.progress.asked(self.now) }
    }

    /// Whether something can be stopped.
    pub(super) fn is_busy(&self) -> bool {
        self.turn.is_some() || self.sent.is_some()
    }

    /// Whether something on the screen moves by itself.
    pub(super) fn moves(&self) -> bool {
        let loads = self.picker.as_ref().is_some_and(Picker::is_loading);
        let counts = self.in_background.is_open() && !self.in_background.running().is_empty();
        let is_pulled = self.transcript.is_pulled() || self.calls.is_pulled();
        self.is_busy() || self.hint.is_some() || loads || counts || is_pulled
    }

    /// Whether a list lies over the prompt or beside it that takes all keys.
    pub(super) fn has_list(&self) -> bool {
        self.picker.is_some() || self.themes.is_some() || self.in_background.is_open()
    }

    /// Shows what the user should know. If it takes the place of the first screen, what that says
    /// of a sandbox is said before it.
    pub(super) fn notice(&mut self, text: &str) {
        if self.transcript.is_empty() {
            let held_back = held_back(self);
            self.transcript.push(Cell::notice(&held_back));
        }
        self.transcript.push(Cell::notice(text));
    }

    /// The transcript, and how its cells look now.
    pub(super) fn transcript_and_look(&mut self) -> (&mut Transcript, Look<'_>) {
        let look = Look {
            width: self.transcript.width(),
            theme: &self.theme,
            highlighter: &self.highlighter,
            now: self.now,
            unfolded: self.unfolded,
            all: false,
        };
        (&mut self.transcript, look)
    }

    /// How often the screen changes by itself, if it does.
    pub(super) fn beat(&self) -> Option<Duration> {
        self.moves().then(|| match (self.skin.moves(), self.focused) {
            (false, _) => STILL,
            (true, false) => UNSEEN,
            (true, true) => SPIN,
        })
    }

    /// The retry that is waited for.
    pub(super) fn retry(&self) -> Option<&Retry> {
        self.progress.retry.as_ref().filter(|retry| retry.at > self.now && !self.stopping)
    }

    /// Whether somebody is typing a prompt.
    pub(super) fn is_drafting(&self) -> bool {
        !self.composer.is_empty() || self.recall.is_some()
    }

    /// The question that has the focus.
    pub(super) fn question(&self) -> Option<&Approval> {
        let drafting = self.is_drafting();
        let is_covered = self.calls.take_keys() || self.search.is_some();
        let first = self.questions.front().filter(|_| !is_covered);
        first.filter(|approval| approval.has_focus(self.now, drafting))
    }

    /// What stays on the normal screen: the last answer, why the turn ended, and what was typed
    /// and never sent; that as it was typed, the rest for a screen of so many columns.
    pub(super) fn farewell(&self, columns: u16) -> Vec<String> {
        let mut said = if self.print_transcript {
            vec![self.record.markdown(&self.about, &self.folder).trim_end().to_owned()]
        } else {
            self.last_said()
        };
        for text in &mut said {
            *text = prose::wrapped(text, columns);
        }
        let unsent = self.steered.iter().chain(&self.queued).cloned().chain([self.composer.text()]);
        said.extend(
            unsent.filter(|text| !text.trim().is_empty()).map(|text| format!("not sent: {text}")),
        );
        said
    }

    fn last_said(&self) -> Vec<String> {
        let answer = self.last_words.answer.trim();
        let lines = answer.lines().count();
        let shown = answer.lines().skip(lines.saturating_sub(FAREWELL_LINES));
        let mut said = Vec::new();
        if lines > FAREWELL_LINES {
            said.push(format!("… {} lines of the answer before", lines - FAREWELL_LINES));
        }
        said.push(shown.collect::<Vec<_>>().join("\n"));
        said.push(self.last_words.ending.clone());
        said
    }

    /// Takes the time; what has run out goes.
    pub(super) fn tick(&mut self, now: Instant) {
        self.now = now;
        self.transcript.tick(now);
        self.calls.tick(now);
        if self.hint.as_ref().is_some_and(|hint| hint.is_over(now)) {
            self.hint = None;
        }
        if self.quit_until.is_some_and(|until| until <= now) {
            self.quit_until = None;
        }
    }
}
