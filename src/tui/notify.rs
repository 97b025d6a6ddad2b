//! What the terminal is told besides the frame: the window's title, that something runs, and that
//! the user is wanted. Owns these sequences and when they are due; writes nothing itself.
//!
//! Invariant: a text goes into a sequence only after [`harmless`], and a sequence is sent only
//! when what it tells has changed.

use super::{
    app::App,
    signs,
    terminal::{Call, Facts},
};
use crate::{
    config::Ui,
    text::{cut::one_line, sanitize::sanitize},
};

/// Characters of a title: more are not shown anywhere.
const TITLE: usize = 80;

/// Keeps the title on the terminal's stack of titles.
pub(super) const PUSH_TITLE: &str = "\x1b[22;2t";
/// Without a stack the title is empty afterwards, and the shell sets its own.
pub(super) const POP_TITLE: &str = "\x1b]2;\x1b\\\x1b[23;2t";
/// Says that nothing runs.
pub(super) const NO_PROGRESS: &str = "\x1b]9;4;0;0\x1b\\";

/// What the progress of the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    None,
    Busy,
    /// Something waits for the user.
    Waits,
    /// The last turn failed.
    Failed,
}

/// What the terminal was told last.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub(super) struct Notify {
    has_title: bool,
    has_progress: bool,
    motion: bool,
    calls: bool,
    call: Call,
    ascii: bool,
    title: String,
    progress: Progress,
    /// How many turns had ended, and how many questions were open.
    ended: u64,
    questions: usize,
}

impl Notify {
    pub(super) fn new(ui: &Ui, facts: Facts) -> Self {
        Self {
            has_title: ui.title,
            has_progress: ui.progress && facts.shows_progress,
            motion: ui.motion,
            calls: ui.notify,
            call: facts.call,
            ascii: facts.needs_ascii(ui.signs),
            title: String::new(),
            progress: Progress::None,
            ended: 0,
            questions: 0,
        }
    }

    /// Whether the window gets a title.
    pub(super) fn has_title(&self) -> bool {
        self.has_title
    }

    /// Whether the terminal is told that something runs.
    pub(super) fn has_progress(&self) -> bool {
        self.has_progress
    }

    /// The terminal was given away and taken again: it knows nothing any more.
    pub(super) fn forget(&mut self) {
        self.title.clear();
        self.progress = Progress::None;
    }

    /// What is to be told now; empty if nothing is new.
    pub(super) fn news(&mut self, app: &App) -> String {
        let mut news = String::new();
        self.title(app, &mut news);
        self.progress(app, &mut news);
        self.call(app, &mut news);
        news
    }

    fn title(&mut self, app: &App, news: &mut String) {
        let mark = match (app.questions.is_empty(), app.is_busy()) {
            (false, _) => "? ",
            (true, true) => "● ",
            (true, false) => "",
        };
        let folder = app.folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or("/");
        let title = harmless(&format!("{mark}{folder} - mcc-tui"));
        let title = if self.ascii { signs::in_ascii(&title) } else { title };
        if self.has_title && title != self.title {
            *news = format!("{news}\x1b]2;{title}\x1b\\");
            self.title = title;
        }
    }

    fn progress(&mut self, app: &App, news: &mut String) {
        let progress = if !app.questions.is_empty() {
            Progress::Waits
        } else if app.is_busy() {
            // What a terminal shows of it moves.
            if self.motion { Progress::Busy } else { Progress::None }
        } else if app.failed {
            Progress::Failed
        } else {
            Progress::None
        };
        if self.has_progress && progress != self.progress {
            news.push_str(match progress {
                Progress::None => NO_PROGRESS,
                Progress::Busy => "\x1b]9;4;3;0\x1b\\",
                Progress::Waits => "\x1b]9;4;4;100\x1b\\",
                Progress::Failed => "\x1b]9;4;2;100\x1b\\",
            });
            self.progress = progress;
        }
    }

    /// Calls the user who looks elsewhere when a turn has ended or a question is new.
    fn call(&mut self, app: &App, news: &mut String) {
        // Counted, as a whole turn may pass between two frames.
        let (ended, questions) = (app.ended, app.questions.len());
        let words = if questions > self.questions {
            Some("waits for your answer")
        } else if ended > self.ended && !app.is_busy() {
            Some(if app.failed { "the turn has failed" } else { "the turn has ended" })
        } else {
            None
        };
        (self.ended, self.questions) = (ended, questions);
        let Some(words) = words.filter(|_| self.calls && !app.focused) else { return };
        let words = harmless(&format!("{words} in {}", app.folder));
        let call = match self.call {
            Call::Bell => "\x07".to_owned(),
            Call::Osc9 => format!("\x1b]9;mcc-tui: {words}\x1b\\"),
            Call::Osc777 => format!("\x1b]777;notify;mcc-tui;{}\x1b\\", words.replace(';', ",")),
        };
        news.push_str(&call);
    }
}

/// The text without anything that would end a sequence or turn the direction, in one line.
fn harmless(text: &str) -> String {
    one_line(&sanitize(text), TITLE).chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::about::About,
        tui::{highlight::Highlighter, theme::Theme},
    };

    fn app(folder: &str) -> App {
        let about =
            About { model: "m".into(), place: "p".into(), scripted: false, context_window: None };
        App::new(about, folder.into(), Theme::default(), Highlighter::off())
    }

    fn notify(call: Call) -> Notify {
        let facts = Facts { shows_progress: true, call, ..Facts::default() };
        Notify::new(&Ui::default(), facts)
    }

    #[test]
    fn the_title_names_the_folder_and_whether_something_runs() {
        let (mut app, mut notify) = (app("~/src/parser"), notify(Call::Bell));
        assert_eq!(notify.news(&app), "\x1b]2;parser - mcc-tui\x1b\\");
        assert_eq!(notify.news(&app), "", "only news are told");
        app.sent = Some("go".into());
        assert_eq!(notify.news(&app), "\x1b]2;● parser - mcc-tui\x1b\\\x1b]9;4;3;0\x1b\\");
        app.sent = None;
        app.failed = true;
        assert_eq!(notify.news(&app), "\x1b]2;parser - mcc-tui\x1b\\\x1b]9;4;2;100\x1b\\");
        app.failed = false;
        assert_eq!(notify.news(&app), NO_PROGRESS);
    }

    #[test]
    fn a_hostile_folder_cannot_end_the_sequence() {
        let hostile = "x\x1b\\\x1b]52;c;aGk=\x07\u{9c}\u{202e}\n;y";
        for call in [Call::Osc9, Call::Osc777] {
            let (mut app, mut notify) = (app(hostile), notify(call));
            app.focused = false;
            app.sent = Some("go".into());
            let mut news = notify.news(&app);
            app.sent = None;
            app.ended += 1;
            news += &notify.news(&app);
            let inside = news.replace("\x1b]2;", "").replace("\x1b]9;", "");
            let inside = inside.replace("\x1b]777;", "").replace("\x1b\\", "");
            assert!(!inside.contains(|c: char| c.is_control() || c == '\u{202e}'), "{news:?}");
            assert_eq!(news.matches("\x1b]").count(), news.matches("\x1b\\").count(), "{news:?}");
        }
    }

    #[test]
    fn the_user_is_called_only_when_looking_elsewhere_and_only_once() {
        let calls = [
            (Call::Bell, "\x07"),
            (Call::Osc9, "\x1b]9;mcc-tui: the turn has ended in ~/p\x1b\\"),
            (Call::Osc777, "\x1b]777;notify;mcc-tui;the turn has ended in ~/p\x1b\\"),
        ];
        for (call, want) in calls {
            for focused in [true, false] {
                let mut app = app("~/p");
                let mut notify = Notify { has_title: false, has_progress: false, ..notify(call) };
                app.focused = focused;
                app.sent = Some("go".into());
                assert_eq!(notify.news(&app), "");
                app.sent = None;
                app.ended += 1;
                assert_eq!(notify.news(&app), if focused { "" } else { want });
                assert_eq!(notify.news(&app), "");
            }
        }
    }

    #[test]
    fn all_of_it_can_be_switched_off() {
        let mut app = app("~/p");
        let facts = Facts { shows_progress: true, ..Facts::default() };
        let ui = Ui { title: false, progress: false, notify: false, ..Ui::default() };
        let mut notify = Notify::new(&ui, facts);
        app.focused = false;
        app.sent = Some("go".into());
        assert_eq!(notify.news(&app), "");
        app.sent = None;
        app.ended += 1;
        assert_eq!(notify.news(&app), "");
    }

    #[test]
    fn a_turn_that_passes_between_two_frames_is_told_too() {
        let mut app = app("~/p");
        app.focused = false;
        let mut notify = Notify { has_title: false, has_progress: false, ..notify(Call::Bell) };
        assert_eq!(notify.news(&app), "");
        app.ended += 1;
        assert_eq!(notify.news(&app), "\x07");
        app.ended += 1;
        app.sent = Some("the next, which waited".into());
        assert_eq!(notify.news(&app), "", "it goes on by itself");
    }
}
