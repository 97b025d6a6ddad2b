//! Which key does what now: in the status line, in an empty input box, behind a queued prompt.
//! Owns the words for it; must not know how much room there is beside them.
//!
//! Invariant: where Esc does something, the fewest words of the status line say what.

use super::fit::{Field, Worth};
use crate::tui::{
    app::App,
    command::{self, Typed},
    keymap::{Action, prompt::Input},
    signs::BETWEEN,
    update::moment,
    wrap,
};

/// Below so many columns keys are named without what they do.
const NARROW: u16 = 60;

/// What is said of a prompt that begins like a command and is none.
const NO_COMMAND: &str = "no such command";

/// What closes a call that is open, or the time line.
const CLOSES: &str = "Esc closes";

/// Which key does what now, with the keys that count, in ever fewer words.
pub(super) fn field(app: &App, room: usize) -> Option<Field> {
    if let Some(forms) = over_or_in_place_of_the_prompt(app) {
        if app.hint.is_some() {
            return Field::new(Worth::Keys, app.theme.status, forms);
        }
        // Whoever has opened something looks for its keys first.
        let fits = forms.iter().find(|form| wrap::width(form) <= room).or(forms.last()).cloned();
        return Field::new(Worth::Keys, app.theme.status, fits);
    }
    Field::new(Worth::Keys, app.theme.status, of_the_prompt(app))
}

fn over_or_in_place_of_the_prompt(app: &App) -> Option<Vec<String>> {
    if let Some(words) = over_the_prompt(app) {
        // What Esc does stands last.
        let last = words.rsplit(BETWEEN).next().unwrap_or_default().to_owned();
        return Some(vec![words, last]);
    }
    if let Some(words) = app.calls.keys(&app.transcript) {
        return Some(of_calls(app, &words));
    }
    if app.recall.is_some() && leads_to_question(app) {
        return Some(to_question([&format!("Enter takes{BETWEEN}Ctrl-R older"), "Enter takes"]));
    }
    if app.recall.is_some() {
        let long = format!("Enter takes{BETWEEN}Ctrl-R older{BETWEEN}Esc goes back");
        return Some(vec![long, format!("Enter takes{BETWEEN}Esc back"), "Esc back".to_owned()]);
    }
    let has_word = app.questions.front().is_some_and(|approval| approval.word.is_some());
    has_word.then(|| vec![format!("Enter denies{BETWEEN}Esc back"), "Esc back".to_owned()])
}

/// The keys of what lies over the prompt, or of a list above it.
fn over_the_prompt(app: &App) -> Option<String> {
    let has_keys = app.question().is_none() && !app.calls.take_keys() && app.recall.is_none();
    if app.help.is_some() {
        Some("Esc closes the help".to_owned())
    } else if app.themes.is_some() {
        Some(format!("Enter keeps{BETWEEN}Esc gives back"))
    } else if app.in_background.is_open() {
        let ends = if app.in_background.running().is_empty() { "" } else { "x ends it · " };
        Some(format!("{ends}Esc closes"))
    } else if app.picker.is_some() {
        Some(format!("Enter chooses{BETWEEN}Esc closes"))
    } else if has_keys && app.commands.fitting(&app.composer).is_some() {
        let runs = if is_no_command(app) { "" } else { "Enter runs · " };
        Some(format!("Tab completes{BETWEEN}{runs}Esc closes"))
    } else if has_keys && app.files.is_open() {
        Some(format!("Tab takes{BETWEEN}Esc closes"))
    } else {
        None
    }
}

/// The keys of a call that is selected or open, or of the time line.
fn of_calls(app: &App, words: &str) -> Vec<String> {
    let last = |words: &str| words.rsplit(BETWEEN).next().unwrap_or_default().to_owned();
    if words.ends_with(CLOSES) && leads_to_question(app) {
        let few = app.calls.few_keys(&app.transcript).unwrap_or_default();
        let rest = |words: &str| words.strip_suffix(CLOSES).unwrap_or_default().to_owned();
        return to_question([&rest(words), &rest(few)].map(|it| it.trim_end_matches(BETWEEN)));
    }
    // A key alone does not say what it does.
    let few = app.calls.few_keys(&app.transcript).filter(|few| last(few).contains(' '));
    let shortest = last(few.unwrap_or(words));
    let forms = [words.to_owned(), few.unwrap_or_default().to_owned(), last(words), shortest];
    // No words at all would fit everywhere.
    forms.into_iter().filter(|form| !form.is_empty()).collect()
}

/// Whether Esc leads from what is open to a question that waits.
fn leads_to_question(app: &App) -> bool {
    let drafting = !app.composer.is_empty();
    app.questions.front().is_some_and(|approval| !approval.leaves_keys(drafting))
}

/// That a question waits and Esc leads to it, behind other keys as far as they fit.
fn to_question(others: [&str; 2]) -> Vec<String> {
    let [long, few] = others;
    let behind = |keys: &str, words: &str| {
        if keys.is_empty() { words.to_owned() } else { format!("{keys}{BETWEEN}{words}") }
    };
    let waits = "a question waits: Esc";
    vec![behind(long, &format!("{waits} leads to it")), behind(few, waits), waits.to_owned()]
}

/// The keys of the prompt, of a question and of the running turn.
fn of_the_prompt(app: &App) -> Vec<String> {
    let key = |action, usual| key(app, action, usual);
    let help = format!("{} keys", key(Action::Help, "?"));
    if app.stopping {
        vec![format!("{} again kills", key(Action::Abort, "Esc"))]
    } else if app.is_busy() {
        // GNU screen holds Esc back while the mouse is not its own.
        let is_held = app.mouse && app.skin.terminal().in_screen;
        let abort = if is_held { "Ctrl-C".to_owned() } else { key(Action::Abort, "Esc") };
        let stops = format!("{abort} stops");
        let retries = (app.retry().is_some() && app.composer.is_empty())
            .then(|| format!("{} retries now{BETWEEN}{stops}", key(Action::RetryNow, "Enter")));
        let none = is_no_command(app).then(|| format!("{NO_COMMAND}{BETWEEN}{stops}"));
        retries.into_iter().chain(none).chain([stops]).collect()
    } else if app.transcript.has_selection() && app.question().is_none() {
        let copies = format!("{} copies", key(Action::Copy, "Alt-C"));
        let leaves = format!("{} unselects", key(Action::Unselect, "Esc"));
        let both = format!("{copies}{BETWEEN}{leaves}");
        let all = app.composer.is_empty().then(|| format!("{help}{BETWEEN}{both}"));
        all.into_iter().chain([both, leaves]).collect()
    } else if app.composer.is_empty() {
        vec![format!("{help}{BETWEEN}{} quits", key(Action::Quit, "Ctrl-D")), help]
    } else if is_no_command(app) {
        vec![NO_COMMAND.to_owned()]
    } else if app.composer.begins_with('!') && app.composer.text().trim() == "!" {
        vec!["a shell command follows".to_owned()]
    } else {
        let (send, line) = (key(Action::Send, "Enter"), key(Action::NewLine, "Alt-Enter"));
        let (sends, runs) = if app.composer.begins_with('!') {
            ("runs it in a shell", "runs it")
        } else {
            ("sends", "sends")
        };
        let long = format!("{send} {sends}{BETWEEN}{line} breaks the line");
        vec![long, format!("{send} {sends}"), format!("{send} {runs}")]
    }
}

/// Whether the prompt begins like a command there is none of, so that Enter does not send it.
fn is_no_command(app: &App) -> bool {
    let is_unknown = || matches!(command::read(&app.composer.text()), Typed::Unknown(_));
    let fitting = || app.commands.fitting(&app.composer);
    app.composer.begins_with('/')
        && is_unknown()
        && fitting().is_none_or(|fitting| fitting.meant().is_none())
}

/// The key that means this now, as people write it.
fn key(app: &App, action: Action, usual: &str) -> String {
    app.keys.label(action, moment(app)).unwrap_or(usual).to_owned()
}

/// What stands in an empty input box.
pub(in crate::tui) fn prompt(app: &App, width: u16) -> String {
    if app.questions.front().is_some_and(|approval| approval.word.is_some()) {
        "the field above has the keys".to_owned()
    } else if app.question().is_some() {
        format!("the question has the keys, {}: here", key(app, Action::Focus, "Tab"))
    } else if !app.questions.is_empty() && app.search.is_some() {
        "the search has the keys, Esc closes it".to_owned()
    } else if app.is_busy() {
        let send = key(app, Action::Send, "Enter");
        let steer = key(app, Action::Input(Input::Steer), "Ctrl-S");
        let long = format!("type while it runs: {send} queues, {steer} tells it now");
        if wrap::width(&long) <= usize::from(width) {
            long
        } else {
            format!("{send} queues, {steer} tells it")
        }
    } else {
        "type what you want".to_owned()
    }
}

/// Behind the prompt that was queued last: which key does what with it.
pub(in crate::tui) fn queued(app: &App, width: u16) -> String {
    let edit = key(app, Action::HistoryBack, "Up");
    let remove = key(app, Action::Input(Input::DropQueued), "Ctrl-X");
    if width < NARROW {
        return format!("  (queued; {edit}, {remove})");
    }
    format!("  (queued; {edit} takes it back, {remove} removes it)")
}
