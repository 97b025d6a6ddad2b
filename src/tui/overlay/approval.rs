//! The permission question: what will be done, and the keys that decide.
//!
//! Owns its focus: it takes no key until it has stood for a moment without one and the prompt is
//! empty (or Tab was pressed), so that a key meant for the prompt cannot answer it. Must not know
//! what the answer leads to.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::Style,
    text::{Line, Span},
};

use crate::{
    protocol::question::{Preview, Question},
    text::{cut, sanitize::sanitize},
    tui::{composer::Composer, diff, theme::Theme, wrap},
};

/// How long no key must have been pressed before a key is an answer.
const ARMING: Duration = Duration::from_millis(300);
/// Rows of the preview that come before the words for the keys.
const LEAST: usize = 2;
/// Bytes of one line of a diff that are laid out.
const LINE: usize = 8 * 1024;

/// One open question.
pub(in crate::tui) struct Approval {
    pub(in crate::tui) question: Question,
    /// When it takes keys.
    armed_at: Instant,
    /// The word to the model that is being typed, if one is.
    pub(in crate::tui) word: Option<Composer>,
    /// Rows of the preview above the visible ones.
    scroll: usize,
    /// Tab gave it the keys although the prompt is not empty.
    held: bool,
    /// `a` was pressed once; the second one counts.
    pub(in crate::tui) sure: bool,
}

impl Approval {
    pub(in crate::tui) fn new(question: Question, now: Instant) -> Self {
        let armed_at = now + ARMING;
        Self { question, armed_at, word: None, scroll: 0, held: false, sure: false }
    }

    /// Whether keys are for this question now. `drafting`: the prompt is not empty.
    pub(in crate::tui) fn has_focus(&self, now: Instant, drafting: bool) -> bool {
        now >= self.armed_at && (self.held || !drafting)
    }

    /// Takes the keys from the prompt, or gives them back.
    pub(in crate::tui) fn hold(&mut self, on: bool) {
        self.held = on;
        self.sure = false;
    }

    /// A key went to the prompt although the question stands: the user is still typing.
    pub(in crate::tui) fn rearm(&mut self, now: Instant) {
        self.armed_at = now + ARMING;
    }

    pub(in crate::tui) fn scroll(&mut self, rows: i64) {
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        self.scroll =
            if rows < 0 { self.scroll.saturating_sub(by) } else { self.scroll.saturating_add(by) };
    }

    /// Rows that the question wants.
    pub(in crate::tui) fn height(&self, width: u16, theme: &Theme) -> u16 {
        let body = self.body(width, theme).len();
        let typing = usize::from(self.word.is_some());
        let rows = 1 + body + self.keys(width, theme).len() + typing;
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// Draws it; gives where the caret stands, if a word is being typed.
    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        theme: &Theme,
        focus: bool,
    ) -> Option<Position> {
        let width = area.width;
        let mut keys = self.keys(width, theme);
        let typing = usize::from(self.word.is_some());
        let body = self.body(width, theme);
        let height = usize::from(area.height);
        if height < 1 + body.len().min(LEAST) + keys.len() + typing {
            // What is decided on comes before the words for the keys.
            keys = vec![wrap::cut_line(&Line::from(Span::raw(self.short_keys())), width)];
        }
        let room = height.saturating_sub(1 + keys.len() + typing);
        self.scroll = self.scroll.min(body.len().saturating_sub(room));
        let hidden = body.len().saturating_sub(self.scroll + room);
        let mut rows = vec![self.title(theme, hidden, width)];
        rows.extend(body.into_iter().skip(self.scroll).take(room));
        let style = if focus { Style::new() } else { theme.dim };
        rows.extend(keys.into_iter().map(|line| line.style(style)));
        for (y, line) in (area.y..area.bottom()).zip(&rows) {
            frame.buffer_mut().set_line(area.x, y, line, width);
        }
        let word = self.word.as_mut()?;
        let y = area.bottom().saturating_sub(1);
        frame.buffer_mut().set_line(area.x, y, &Line::from(Span::styled("› ", theme.warning)), 2);
        let input = Rect { x: area.x + 2, y, width: width.saturating_sub(2), height: 1 };
        word.draw(frame, input, "what should it do instead? Enter denies with this word", theme)
    }

    fn title(&self, theme: &Theme, hidden: usize, width: u16) -> Line<'static> {
        let what = match &self.question.preview {
            Preview::Nothing => format!("May {} run?", self.question.tool),
            Preview::Read { path } => format!("May it read {}?", visible(path)),
            Preview::Write { path, creates, added, removed, .. } => {
                let verb = if *creates { "create" } else { "change" };
                format!("May it {verb} {}?  +{added} −{removed}", visible(path))
            }
            Preview::Command { cwd, background, .. } => {
                let place =
                    if cwd == "." { String::new() } else { format!(" in {}", visible(cwd)) };
                let how = if *background { " in the background" } else { "" };
                match (place.as_str(), how) {
                    ("", "") => "May it run this command?".to_owned(),
                    ("", how) => format!("May it run this command{how}?"),
                    (place, how) => format!("May it run this{place}{how}?"),
                }
            }
        };
        let place = match (self.scroll, hidden) {
            (0, 0) => String::new(),
            (0, below) => format!("{below} more rows: PageDown"),
            (above, 0) => format!("{above} rows above: PageUp"),
            (above, below) => format!("{above} rows above, {below} below"),
        };
        let fits = wrap::width(&what) + wrap::width(&place) + 5 <= usize::from(width);
        let place = if fits { place } else { short_place(self.scroll, hidden) };
        let (what, place) = (Span::styled(what, theme.warning), Span::styled(place, theme.dim));
        // Where only one has room it is the one that says that not all is seen.
        let (first, second) =
            if fits || place.content.is_empty() { (what, place) } else { (place, what) };
        let spans = vec![Span::styled("? ", theme.warning), first, Span::raw("  "), second];
        wrap::cut_line(&Line::from(spans), width)
    }

    fn body(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        match &self.question.preview {
            Preview::Nothing => Vec::new(),
            Preview::Read { .. } => {
                let words = "Its name says that it holds secrets. What is in it goes to the model.";
                let line = Line::from(Span::styled(words, theme.text));
                wrap::wrap_line(&line, width, &[], &[])
            }
            Preview::Write { diff, .. } => diff_rows(diff, width, theme),
            Preview::Command { command, .. } => command_lines(command, width, theme),
        }
    }

    fn short_keys(&self) -> &'static str {
        if self.word.is_some() {
            "Enter no, with this · Esc back"
        } else if self.sure {
            "a once more: this session"
        } else {
            "y yes · aa session · n no · t why"
        }
    }

    /// The keys that answer, as many on a row as fit; a key and its words stay together.
    fn keys(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let session = format!("{}, this session", self.question.session_grant);
        let session = if self.sure { format!("once more: {session}") } else { session };
        let keys: &[(&str, &str)] = if self.word.is_some() {
            &[("Enter", "no, with this word"), ("Esc", "back to the question")]
        } else {
            &[
                ("y", "yes, once"),
                ("aa", session.as_str()),
                ("n", "no"),
                ("t", "no, and tell it why"),
                ("Esc", "stop"),
            ]
        };
        let mut rows: Vec<Line<'static>> = Vec::new();
        let mut room = 0;
        for &(key, words) in keys {
            let wanted = wrap::width(key) + 1 + wrap::width(words) + 3;
            if wanted > room {
                rows.push(Line::default());
                room = usize::from(width) + 3;
            }
            room = room.saturating_sub(wanted);
            if let Some(row) = rows.last_mut() {
                row.push_span(Span::styled(key.to_owned(), theme.strong));
                row.push_span(Span::styled(format!(" {words}   "), theme.text));
            }
        }
        rows.iter().map(|row| wrap::cut_line(row, width)).collect()
    }
}

/// Where in the preview we are, for a narrow title: `↑3 ↓25`.
fn short_place(above: usize, below: usize) -> String {
    let part = |sign: char, rows: usize| (rows > 0).then(|| format!("{sign}{rows}"));
    let parts: Vec<_> = [part('↑', above), part('↓', below)].into_iter().flatten().collect();
    parts.join(" ")
}

/// The diff, whole; what is invisible is shown, and a line that no screen holds is cut.
fn diff_rows(diff: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let shown: Vec<String> = diff::hunks(diff)
        .lines()
        .map(|line| {
            let head = cut::head(line, LINE);
            match line.len() - head.len() {
                0 => visible(head),
                more => format!("{}… {more} bytes more", visible(head)),
            }
        })
        .collect();
    diff::diff_lines(&shown.join("\n"), width, theme)
}

/// The whole command; control and invisible characters are shown as what they are.
fn command_lines(command: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mark = [Span::styled("$ ", theme.warning)];
    let blank = [Span::raw("  ")];
    let mut rows = Vec::new();
    for (n, line) in command.split('\n').enumerate() {
        let line = Line::from(Span::styled(visible(line), theme.strong));
        let first = if n == 0 { &mark } else { &blank };
        rows.extend(wrap::wrap_line(&line, width, first, &blank));
    }
    rows
}

/// Makes what [`sanitize`] would drop visible: nobody can decide on what cannot be seen.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        let one: &str = c.encode_utf8(&mut buffer);
        if c == '\t' || sanitize(one) == one {
            shown.push(c);
        } else {
            // Writing to a string cannot fail.
            let _written = write!(shown, "<U+{:04X}>", u32::from(c)).is_ok();
        }
    }
    shown
}
