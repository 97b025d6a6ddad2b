//! The status line and the header: derived from the state, owning nothing.

use std::time::Duration;

use ratatui::text::{Line, Span};

use super::{app::App, wrap};
use crate::text::sanitize::sanitize;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const BETWEEN: &str = " · ";

/// The header: program, folder, model.
pub(super) fn header(app: &App, width: u16) -> Line<'static> {
    let theme = &app.theme;
    let model = model(app);
    let line = Line::from(vec![
        Span::styled(" mcc-tui", theme.strong),
        Span::styled(format!(" · {} · ", sanitize(&app.folder)), theme.dim),
        Span::styled(model, if app.about.scripted { theme.warning } else { theme.text }),
        Span::styled(if app.yolo { " · yolo: nothing asks" } else { "" }, theme.warning),
    ]);
    wrap::cut_line(&line, width)
}

fn model(app: &App) -> String {
    let about = &app.about;
    if about.scripted && about.model == "demo" {
        return "demo, not a real model".to_owned();
    }
    if about.scripted {
        return format!("script {}", sanitize(&about.model));
    }
    let name = if about.model.is_empty() { "model not chosen yet" } else { &about.model };
    format!("{} @ {}", sanitize(name), sanitize(&about.place))
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
    let mut parts = Vec::new();
    if app.is_busy() {
        parts.push(doing(app));
        let progress = &app.progress;
        if progress.max > 0 {
            parts.push(format!("iteration {}/{}", progress.iteration, progress.max));
        }
        if progress.running > 0 {
            let s = if progress.running == 1 { "" } else { "s" };
            parts.push(format!("{} tool{s}", progress.running));
        }
    }
    parts.extend(tokens(app));
    parts.push(keys(app).to_owned());
    let sign = if app.is_busy() { format!(" {} ", spinner(app)) } else { " ".to_owned() };
    let room = usize::from(width).saturating_sub(wrap::width(&sign));
    keep_what_fits(&mut parts, if app.is_busy() { 2 } else { 1 }, room);
    let line = Line::from(vec![
        Span::styled(sign, theme.running),
        Span::styled(parts.join(BETWEEN), theme.status),
    ]);
    wrap::cut_line(&line, width)
}

/// On a narrow screen the numbers go, the last first: what happens and the key must be read.
fn keep_what_fits(parts: &mut Vec<String>, least: usize, room: usize) {
    while parts.len() > least && wrap::width(&parts.join(BETWEEN)) > room {
        parts.remove(parts.len() - 2);
    }
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
        "answering"
    } else {
        let since = app.progress.since.unwrap_or(app.now);
        let seconds = app.now.saturating_duration_since(since).as_secs();
        return match seconds {
            0..3 => "waits for the model".to_owned(),
            _ => format!("waits for the model, {seconds} s"),
        };
    };
    words.to_owned()
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

fn short(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..100_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        100_000..1_000_000 => format!("{}k", n / 1_000),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

fn keys(app: &App) -> &'static str {
    if app.help.is_some() {
        "Esc closes the help"
    } else if let Some(words) = app.calls.keys().filter(|_| app.picker.is_none()) {
        words
    } else if app.picker.is_some() {
        "Enter chooses · Esc closes"
    } else if app.question().is_none() && app.commands.fitting(&app.composer).is_some() {
        "Tab completes · Enter runs · Esc closes"
    } else if app.stopping {
        "Esc again kills"
    } else if app.retry().is_some() && app.composer.is_empty() {
        "Enter retries now · Esc stops"
    } else if app.is_busy() {
        "Esc stops"
    } else if app.composer.is_empty() {
        "? keys · Ctrl-D quits"
    } else {
        "Enter sends · Alt-Enter breaks the line"
    }
}

#[cfg(test)]
mod tests {
    use super::{keep_what_fits, short};

    #[test]
    fn a_narrow_line_loses_its_numbers_and_keeps_its_ends() {
        let kept = |least: usize, room: usize| {
            let mut parts = ["now", "1/20", "9k", "key"].map(str::to_owned).to_vec();
            keep_what_fits(&mut parts, least, room);
            parts.join(" ")
        };
        // with three columns between each two: 3 + 4 + 2 + 3 + 9 = 21
        assert_eq!(kept(2, 21), "now 1/20 9k key");
        assert_eq!(kept(2, 20), "now 1/20 key");
        assert_eq!(kept(2, 15), "now key");
        assert_eq!(kept(2, 3), "now key");
        assert_eq!(kept(1, 3), "key");
    }

    #[test]
    fn token_counts_are_short_and_never_rounded_up() {
        for (n, words) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (12_499, "12.4k"),
            (128_000, "128k"),
            (999_999, "999k"),
            (1_048_576, "1.0M"),
        ] {
            assert_eq!(short(n), words);
        }
    }
}
