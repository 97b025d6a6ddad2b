//! The permission question: what will be done, and the keys that decide.
//!
//! Owns its focus: it takes no key until it has stood for a moment without one and the prompt is
//! empty (or Tab was pressed), so that a key meant for the prompt cannot answer it. Must not know
//! what the answer leads to.
//!
//! Invariant: once the user has typed or gone to the prompt, no time that passes gives the keys
//! back to the question; only Tab does.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use crossterm::event::KeyEvent;
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
    keys: Keys,
    /// The first press of the two that open the session; the second one counts.
    pub(in crate::tui) sure: Option<KeyEvent>,
}

/// Whom the user gave the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    /// Nobody yet: the prompt has them while something stands in it, else the question.
    Free,
    Question,
    Prompt,
}

impl Approval {
    pub(in crate::tui) fn new(question: Question, now: Instant) -> Self {
        let armed_at = now + ARMING;
        Self { question, armed_at, word: None, scroll: 0, keys: Keys::Free, sure: None }
    }

    /// Whether keys are for this question now. `drafting`: the prompt is not empty.
    pub(in crate::tui) fn has_focus(&self, now: Instant, drafting: bool) -> bool {
        now >= self.armed_at && !self.leaves_keys(drafting)
    }

    /// Whether the prompt has the keys until Tab is pressed.
    pub(in crate::tui) fn leaves_keys(&self, drafting: bool) -> bool {
        match self.keys {
            Keys::Free => drafting,
            Keys::Question => false,
            Keys::Prompt => true,
        }
    }

    /// Tab: takes the keys from the prompt, or gives them back.
    pub(in crate::tui) fn switch_keys(&mut self, drafting: bool) {
        self.keys = if self.leaves_keys(drafting) { Keys::Question } else { Keys::Prompt };
        self.sure = None;
    }

    /// The user writes a prompt: it keeps the keys, also when nothing is left in it.
    pub(in crate::tui) fn leave_keys(&mut self) {
        self.keys = Keys::Prompt;
        self.sure = None;
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
    pub(in crate::tui) fn height(&self, width: u16, theme: &Theme, drafting: bool) -> u16 {
        let body = self.body(width, theme).len();
        let typing = usize::from(self.word.is_some());
        let rows = 1 + body + self.keys(width, theme, drafting).len() + typing;
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// Draws it; gives where the caret stands, if a word is being typed.
    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        theme: &Theme,
        (focus, drafting): (bool, bool),
    ) -> Option<Position> {
        let width = area.width;
        let mut keys = self.keys(width, theme, drafting);
        let typing = usize::from(self.word.is_some());
        let body = self.body(width, theme);
        let height = usize::from(area.height);
        if height < 1 + body.len().min(LEAST) + keys.len() + typing {
            // What is decided on comes before the words for the keys.
            keys = vec![wrap::cut_line(&Line::from(Span::raw(self.short_keys(drafting))), width)];
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
        let long = "what should it do instead? Enter denies with this word";
        let hint =
            if wrap::width(long) <= usize::from(input.width) { long } else { "what instead?" };
        word.draw(frame, input, hint, theme)
    }

    fn title(&self, theme: &Theme, hidden: usize, width: u16) -> Line<'static> {
        let what = match &self.question.preview {
            Preview::Nothing => format!("May {} run?", self.question.tool),
            Preview::Write { path, creates, added, removed, .. } => {
                let verb = if *creates { "create" } else { "change" };
                format!("May it {verb} {}?  +{added} −{removed}", visible(path))
            }
            Preview::Command { cwd, .. } if cwd == "." => "May it run this command?".to_owned(),
            Preview::Command { cwd, .. } => format!("May it run this in {}?", visible(cwd)),
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
            Preview::Write { diff, .. } => diff_rows(diff, width, theme),
            Preview::Command { command, .. } => command_lines(command, width, theme),
        }
    }

    /// For a row of 38 columns.
    fn short_keys(&self, drafting: bool) -> &'static str {
        if self.word.is_some() {
            "Enter no, with this · Esc back"
        } else if self.leaves_keys(drafting) {
            "Tab answer it: y · aa · n · t"
        } else if self.sure.is_some() {
            "a once more: this session"
        } else {
            "y yes · aa session · n no · t why"
        }
    }

    /// The keys that answer, as many on a row as fit; a key and its words stay together.
    fn keys(&self, width: u16, theme: &Theme, drafting: bool) -> Vec<Line<'static>> {
        let session = format!("{}, this session", self.question.session_grant);
        let once_more = format!("once more: {session}");
        let answers = [
            ("Tab", "answer it:"),
            ("y", "yes, once"),
            ("aa", session.as_str()),
            ("n", "no"),
            ("t", "no, and tell it why"),
            ("Esc", "stop"),
        ];
        let unsure = [("a", once_more.as_str()), ("Backspace", "not that"), ("Esc", "stop")];
        let keys: &[(&str, &str)] = if self.word.is_some() {
            &[("Enter", "no, with this word"), ("Esc", "back to the question")]
        } else if self.leaves_keys(drafting) {
            &answers
        } else if self.sure.is_some() {
            &unsure
        } else {
            answers.get(1..).unwrap_or_default()
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
                row.push_span(Span::styled(format!(" {}   ", words.trim_end()), theme.text));
            }
        }
        rows.iter().flat_map(|row| wrap::wrap_line(&trimmed(row), width, &[], &[])).collect()
    }
}

/// A row without the blanks at its end, which would be wrapped to a row of their own.
fn trimmed(row: &Line<'static>) -> Line<'static> {
    let mut row = row.clone();
    if let Some(last) = row.spans.last_mut() {
        last.content = last.content.trim_end().to_owned().into();
    }
    row
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
