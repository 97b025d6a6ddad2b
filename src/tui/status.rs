//! The status line: derived from the state, owning nothing. The head of the screen is a file of its
//! own.

pub(super) mod header;
mod spent;

use std::time::Duration;

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    app::{App, Piece},
    keymap::{Action, prompt::Input},
    signs::{BETWEEN, FREE, FULL, SPINNER},
    update::moment,
    wrap,
};
use crate::text::{cut::one_line, number::short, sanitize::sanitize};

/// Columns of the gauge of the context window.
const GAUGE: u64 = 8;
/// From so many hundredths on the window is nearly full.
const NEARLY: u64 = 80;
/// Seconds from which on a wait for the first word is told, and one for the next.
const WAITED: u64 = 3;
const STALLED: u64 = 5;
/// Below so many columns keys are named without what they do.
const NARROW: u16 = 60;
/// Characters of the model's name.
const MODEL: usize = 32;

/// What goes first on a narrow screen: the least needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Model,
    Gauge,
    Cost,
    Tokens,
    Tools,
    Budget,
    Iteration,
    /// Little is left of a budget.
    Warning,
    /// What happens, and which key does what: never goes.
    Always,
}

/// A piece of the status line.
#[derive(Debug)]
struct Part {
    need: Need,
    words: String,
    /// The same in fewer words, for when there is no room; empty if there are none.
    short: String,
    style: Style,
}

impl Part {
    /// What stands before it if something else does.
    fn before(&self) -> &'static str {
        if self.need == Need::Gauge { " " } else { BETWEEN }
    }
}

/// The status line: what happens, what it cost, and which key does what now.
pub(super) fn line(app: &App, width: u16) -> Line<'static> {
    let theme = &app.theme;
    if let Some((words, _)) = &app.hint {
        return wrap::cut_line(
            &Line::from(Span::styled(format!(" {words}"), theme.warning)),
            width,
        );
    }
    let sign = if app.is_busy() { format!(" {} ", spinner(app)) } else { " ".to_owned() };
    let mut parts = parts(app);
    keep_what_fits(&mut parts, usize::from(width).saturating_sub(wrap::width(&sign)));
    let mut line = Line::from(Span::styled(sign, theme.running));
    for (n, part) in parts.into_iter().enumerate() {
        if n > 0 {
            line.push_span(Span::styled(part.before(), theme.status));
        }
        line.push_span(Span::styled(part.words, part.style));
    }
    wrap::cut_line(&line, width)
}

fn parts(app: &App) -> Vec<Part> {
    let style = app.theme.status;
    let part = |need: Need, words: String| Part { need, words, short: String::new(), style };
    let mut parts = Vec::new();
    let progress = &app.progress;
    if app.is_busy() {
        let short = short_doing(app).unwrap_or_default();
        parts.push(Part { short, ..part(Need::Always, doing(app)) });
        if progress.max > 0 {
            let words = format!("iteration {}/{}", progress.iteration, progress.max);
            parts.push(part(Need::Iteration, words));
        }
        if progress.running > 0 {
            let s = if progress.running == 1 { "" } else { "s" };
            parts.push(part(Need::Tools, format!("{} tool{s}", progress.running)));
        }
    }
    if let Some(words) = tokens(app) {
        parts.push(part(Need::Tokens, words));
        parts.extend(gauge(app));
    }
    parts.extend(spent::parts(app));
    let model = one_line(&sanitize(&app.about.model), MODEL);
    if !model.is_empty() && !app.about.scripted {
        parts.push(part(Need::Model, model));
    }
    parts.push(Part { short: few_keys(app), ..part(Need::Always, keys(app)) });
    parts
}

/// On a narrow screen the least needed goes first: what happens and the key must be read.
fn keep_what_fits(parts: &mut Vec<Part>, room: usize) {
    let columns = |parts: &[Part]| {
        let each = |(n, part): (usize, &Part)| {
            wrap::width(&part.words) + if n > 0 { wrap::width(part.before()) } else { 0 }
        };
        parts.iter().enumerate().map(each).sum::<usize>()
    };
    while columns(parts) > room {
        let least = parts.iter().map(|part| part.need).min();
        let Some(least) = least.filter(|need| *need != Need::Always) else { break };
        if least == Need::Warning && shorten(parts.iter_mut().filter(|part| part.need == least)) {
            continue;
        }
        parts.retain(|part| part.need != least);
    }
    if columns(parts) > room {
        shorten(parts.iter_mut());
    }
}

/// Says these in fewer words; gives whether there were any.
fn shorten<'a>(parts: impl Iterator<Item = &'a mut Part>) -> bool {
    let mut is_shorter = false;
    for part in parts.filter(|part| !part.short.is_empty()) {
        part.words = std::mem::take(&mut part.short);
        is_shorter = true;
    }
    is_shorter
}

/// How full the context window is: `━━┄┄┄┄┄┄ 25%`.
fn gauge(app: &App) -> Option<Part> {
    let window = app.about.context_window.filter(|window| *window > 0)?;
    let context = app.progress.context.min(window);
    let of = |most: u64| {
        u64::try_from(u128::from(context) * u128::from(most) / u128::from(window)).unwrap_or(most)
    };
    let full = usize::try_from(of(GAUGE).max(1)).unwrap_or(1);
    let free = usize::try_from(GAUGE).unwrap_or(full).saturating_sub(full);
    let hundredths = of(100);
    Some(Part {
        need: Need::Gauge,
        short: String::new(),
        words: format!("{}{} {hundredths}%", FULL.repeat(full), FREE.repeat(free)),
        style: if hundredths >= NEARLY { app.theme.warning } else { app.theme.status },
    })
}

fn spinner(app: &App) -> &'static str {
    beat(app.now.saturating_duration_since(app.began))
}

/// How the spinner looks after this time.
pub(super) fn beat(since: Duration) -> &'static str {
    let beat = since.as_millis() / 80 % 10;
    usize::try_from(beat).ok().and_then(|beat| SPINNER.get(beat)).copied().unwrap_or("*")
}

fn doing(app: &App) -> String {
    if let Some(words) = retry(app) {
        return words;
    }
    let words = if app.stopping {
        "stopping"
    } else if app.must_choose {
        "waits for your choice: /model"
    } else if !app.questions.is_empty() {
        "waits for your answer"
    } else if app.progress.running > 0 {
        "working"
    } else if app.progress.heard {
        let doing = saying(app);
        return match silence(app) {
            Some(seconds) => format!("{doing}, nothing for {seconds} s"),
            None => doing.to_owned(),
        };
    } else {
        return match silence(app) {
            Some(seconds) => format!("waits for the model, {seconds} s"),
            None => "waits for the model".to_owned(),
        };
    };
    words.to_owned()
}

/// What [`doing`] says, for a narrow screen.
fn short_doing(app: &App) -> Option<String> {
    if let Some(retry) = app.progress.retry.as_ref().filter(|_| !app.stopping) {
        let number = format!("retry {}/{}", retry.attempt, retry.of);
        let left = retry.at.saturating_duration_since(app.now).as_millis().div_ceil(1_000);
        return Some(if left > 0 { format!("{number} in {left} s") } else { number });
    }
    if app.stopping {
        None
    } else if app.must_choose {
        Some("choose: /model".to_owned())
    } else if !app.questions.is_empty() {
        Some("asks you".to_owned())
    } else if app.progress.running > 0 {
        None
    } else {
        let doing = if app.progress.heard { saying(app) } else { "waits" };
        silence(app).map(|seconds| format!("{doing}, {seconds} s"))
    }
}

fn saying(app: &App) -> &'static str {
    match app.progress.piece {
        Piece::Thought => "thinking",
        Piece::Answer => "answering",
    }
}

/// Seconds for which nothing came from the model, once there are some.
fn silence(app: &App) -> Option<u64> {
    let (since, from) = match app.progress.heard_at {
        Some(heard) if app.progress.heard => (Some(heard), STALLED),
        _ => (app.progress.since, WAITED),
    };
    let seconds = app.now.saturating_duration_since(since?).as_secs();
    (seconds >= from).then_some(seconds)
}

/// `network · retry 2 of 5 in 3 s`, and after the wait, until the model says something, what is
/// waited for then.
fn retry(app: &App) -> Option<String> {
    let retry = app.progress.retry.as_ref().filter(|_| !app.stopping)?;
    let number = format!("retry {} of {}", retry.attempt, retry.of);
    if app.retry().is_none() {
        return Some(format!("waits for the model{BETWEEN}{number}"));
    }
    // Counted up: it must not say 0 while there is something to wait for.
    let left = retry.at.saturating_duration_since(app.now).as_millis().div_ceil(1_000);
    Some(format!("{}{BETWEEN}{number} in {left} s", retry.kind.word()))
}

/// `12.4k of 128k tokens`; `~` if it is our estimate.
fn tokens(app: &App) -> Option<String> {
    let context = app.progress.context;
    if context == 0 {
        return None;
    }
    let about = if app.progress.estimated { "~" } else { "" };
    let of = app.about.context_window.map(|window| format!(" of {}", short(window)));
    Some(format!("{about}{}{} tokens", short(context), of.unwrap_or_default()))
}

/// Which key does what now, with the keys that count.
fn keys(app: &App) -> String {
    let now = moment(app);
    let key = |action: Action, usual: &str| app.keys.label(action, now).unwrap_or(usual).to_owned();
    if app.help.is_some() {
        "Esc closes the help".to_owned()
    } else if app.themes.is_some() {
        format!("Enter keeps{BETWEEN}Esc gives back")
    } else if app.in_background.is_open() {
        let ends = if app.in_background.running().is_empty() { "" } else { "x ends it · " };
        format!("{ends}Esc closes")
    } else if let Some(words) = app.calls.keys(&app.transcript).filter(|_| app.picker.is_none()) {
        words.to_owned()
    } else if app.picker.is_some() {
        format!("Enter chooses{BETWEEN}Esc closes")
    } else if app.recall.is_some() {
        format!("Enter takes{BETWEEN}Ctrl-R older{BETWEEN}Esc goes back")
    } else if app.question().is_none() && app.commands.fitting(&app.composer).is_some() {
        format!("Tab completes{BETWEEN}Enter runs{BETWEEN}Esc closes")
    } else if app.question().is_none() && app.files.is_open() {
        format!("Tab takes{BETWEEN}Esc closes")
    } else if app.questions.front().is_some_and(|approval| approval.word.is_some()) {
        format!("Enter denies{BETWEEN}Esc back")
    } else if app.stopping {
        format!("{} again kills", key(Action::Abort, "Esc"))
    } else if app.retry().is_some() && app.composer.is_empty() {
        let (retry, stop) = (key(Action::RetryNow, "Enter"), key(Action::Abort, "Esc"));
        format!("{retry} retries now{BETWEEN}{stop} stops")
    } else if app.is_busy() {
        format!("{} stops", key(Action::Abort, "Esc"))
    } else if app.composer.is_empty() {
        format!("{} keys{BETWEEN}{} quits", key(Action::Help, "?"), key(Action::Quit, "Ctrl-D"))
    } else {
        let (send, line) = (key(Action::Send, "Enter"), key(Action::NewLine, "Alt-Enter"));
        let sends = if app.composer.begins_with('!') { "runs it in a shell" } else { "sends" };
        format!("{send} {sends}{BETWEEN}{line} breaks the line")
    }
}

/// The keys in fewer words, where many are told; empty if there are none.
fn few_keys(app: &App) -> String {
    let is_covered = app.help.is_some() || app.has_list();
    let of_calls = app.calls.few_keys(&app.transcript).filter(|_| !is_covered);
    if let Some(words) = of_calls {
        words.to_owned()
    } else if app.recall.is_some() && !is_covered {
        format!("Enter takes{BETWEEN}Esc back")
    } else if !is_covered && !app.is_busy() && app.composer.begins_with('!') {
        "Enter runs it".to_owned()
    } else {
        String::new()
    }
}

/// What stands in an empty input box.
pub(super) fn prompt(app: &App, width: u16) -> String {
    let now = moment(app);
    let key = |action: Action, usual: &str| app.keys.label(action, now).unwrap_or(usual).to_owned();
    if app.questions.front().is_some_and(|approval| approval.word.is_some()) {
        "the field above has the keys".to_owned()
    } else if app.question().is_some() {
        format!("the question has the keys, {}: here", key(Action::Focus, "Tab"))
    } else if app.is_busy() {
        let (send, steer) =
            (key(Action::Send, "Enter"), key(Action::Input(Input::Steer), "Ctrl-S"));
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
pub(super) fn queued(app: &App, width: u16) -> String {
    let now = moment(app);
    let key = |action: Action, usual: &str| app.keys.label(action, now).unwrap_or(usual).to_owned();
    let (edit, remove) =
        (key(Action::HistoryBack, "Up"), key(Action::Input(Input::DropQueued), "Ctrl-X"));
    if width < NARROW {
        return format!("  (queued; {edit}, {remove})");
    }
    format!("  (queued; {edit} takes it back, {remove} removes it)")
}

#[cfg(test)]
mod tests;
