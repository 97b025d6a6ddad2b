//! The search in the history (Ctrl-R): what is looked for, and what was found.
//!
//! Owns one search. Must not know what becomes of what is found. Invariant: the box that was
//! typed into is not touched.

use ratatui::{
    Frame,
    layout::{Position, Rect},
    text::{Line, Span},
};

use super::History;
use crate::{
    text::sanitize::sanitize,
    tui::{composer::Composer, theme::Theme, wrap},
};

/// Most characters of what is looked for.
const WORDS: usize = 200;
const SIGN: &str = " history: ";

/// A search.
pub(in crate::tui) struct Recall {
    words: String,
    /// What was found: how far back, and in full.
    found: Option<(usize, String)>,
    /// A box that shows it.
    shown: Composer,
    /// What to say if nothing else holds the words.
    over: Option<&'static str>,
}

impl Recall {
    /// Begins with the newest prompt.
    pub(in crate::tui) fn new(history: &History) -> Self {
        let mut search =
            Self { words: String::new(), found: None, shown: Composer::new(), over: None };
        search.look(history, 0, "");
        search
    }

    /// What was found.
    pub(in crate::tui) fn found(&self) -> Option<&str> {
        self.found.as_ref().map(|(_, text)| text.as_str())
    }

    /// Looks for more words, from the one that is shown.
    pub(in crate::tui) fn add(&mut self, history: &History, text: &str) {
        let text = sanitize(text.lines().next().unwrap_or_default()).into_owned();
        let room = WORDS.saturating_sub(self.words.chars().count());
        self.words.extend(text.chars().take(room));
        let from = self.found.as_ref().map_or(0, |(at, _)| *at);
        self.look(history, from, "");
    }

    /// Takes the last character back, and looks from the newest.
    pub(in crate::tui) fn remove(&mut self, history: &History) {
        self.words.pop();
        self.look(history, 0, "");
    }

    /// Looks for an older one.
    pub(in crate::tui) fn older(&mut self, history: &History) {
        if let Some((at, text)) = self.found.clone() {
            self.look(history, at + 1, &text);
        }
    }

    /// Looks for a newer one.
    pub(in crate::tui) fn newer(&mut self, history: &History) {
        if let Some((at, text)) = self.found.clone() {
            let newer = history.find_newer(&self.words, at, &text);
            self.show(history, newer, "nothing newer holds this");
        }
    }

    fn look(&mut self, history: &History, from: usize, but: &str) {
        let at = history.find(&self.words, from, but);
        self.show(history, at, "nothing older holds this");
    }

    /// What was found before stays shown if nothing is found now.
    fn show(&mut self, history: &History, at: Option<usize>, over: &'static str) {
        self.over = at.is_none().then_some(over);
        if let Some((at, text)) = at.and_then(|at| Some((at, history.earlier(at)?.to_owned()))) {
            self.shown = Composer::showing(&text);
            self.found = Some((at, text));
        }
    }

    /// Rows that what was found wants.
    pub(in crate::tui) fn height(&mut self, width: u16, max: u16) -> u16 {
        self.shown.height(width, max)
    }

    /// Draws what was found.
    pub(in crate::tui) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let hint = "nothing is in the history yet";
        let _elsewhere = self.shown.draw(frame, area, hint, theme);
    }

    /// Draws what is looked for; gives where the caret stands.
    pub(in crate::tui) fn draw_words(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        theme: &Theme,
    ) -> Option<Position> {
        let nothing = self.over.map_or_else(String::new, |words| format!("   {words}"));
        let line = Line::from(vec![
            Span::styled(SIGN, theme.running),
            Span::styled(self.words.clone(), theme.strong),
            Span::styled(nothing, theme.warning),
        ]);
        frame.buffer_mut().set_line(area.x, area.y, &wrap::cut_line(&line, area.width), area.width);
        let column = wrap::width(SIGN) + wrap::width(&self.words);
        let column = u16::try_from(column).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
        (area.height > 0).then_some(Position::new(area.x + column, area.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        let mut history = History::default();
        for text in ["fix the parser", "run tests", "fix docs"] {
            history.remember(text);
        }
        history
    }

    #[test]
    fn it_narrows_from_the_newest_and_goes_to_older_ones() {
        let history = history();
        let mut search = Recall::new(&history);
        assert_eq!(search.found(), Some("fix docs"));
        search.add(&history, "f");
        search.add(&history, "ix");
        assert_eq!(search.found(), Some("fix docs"));
        search.older(&history);
        assert_eq!(search.found(), Some("fix the parser"));
        search.older(&history);
        assert_eq!(search.found(), Some("fix the parser"), "the last one stays");
        assert_eq!(search.over, Some("nothing older holds this"));
        search.newer(&history);
        assert_eq!((search.found(), search.over), (Some("fix docs"), None));
        search.newer(&history);
        assert_eq!(search.found(), Some("fix docs"));
        assert_eq!(search.over, Some("nothing newer holds this"));
    }

    #[test]
    fn a_character_that_is_taken_back_looks_again_from_the_newest() {
        let history = history();
        let mut search = Recall::new(&history);
        search.add(&history, "run");
        assert_eq!(search.found(), Some("run tests"));
        search.add(&history, "x");
        assert!(search.over.is_some());
        for _ in 0..4 {
            search.remove(&history);
        }
        assert_eq!(search.found(), Some("fix docs"));
    }
}
