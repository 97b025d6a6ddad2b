//! Text that does not change any more: what the user said, a notice, the end of a turn.
//!
//! Owns its sign and its colours, and how much of a long one is shown. Must not know when it is
//! said. Invariant: what is not shown is told of, and shown where it is unfolded.

use ratatui::text::{Line, Span};

use super::{
    Cached, Look,
    rows::{Column, Way},
};
use crate::{
    text::{cut, sanitize::sanitize},
    tui::wrap,
};

/// A text of more lines than this is folded to so many rows.
const LONG: usize = 20;
const SHOWN: usize = 10;
/// One of more bytes is folded too; and so many are looked at for the rows that are shown.
const LONG_BYTES: usize = 16 * 1024;

/// Such a text.
pub(in crate::tui) struct Fixed {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// It was folded or unfolded by itself.
    pub(super) unfold: Option<bool>,
    cached: Cached<(u16, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Steered,
    Notice,
    Success,
    Failure,
}

impl Fixed {
    pub(super) fn new(kind: Kind, text: &str) -> Self {
        Self { kind, text: sanitize(text).into_owned(), unfold: None, cached: Cached::default() }
    }

    /// Whether there is something to fold.
    pub(super) fn is_long(&self) -> bool {
        self.text.len() > LONG_BYTES || self.text.split('\n').nth(LONG).is_some()
    }

    /// What it is, in a word.
    pub(super) fn what(&self) -> &'static str {
        match self.kind {
            Kind::User | Kind::Steered => "prompt",
            Kind::Notice => "notice",
            Kind::Success | Kind::Failure => "reason",
        }
    }

    pub(super) fn rows(&mut self, width: u16, look: Look<'_>) -> &[Line<'static>] {
        let theme = look.theme;
        let (sign, style, sign_style) = match self.kind {
            Kind::User | Kind::Steered => ("› ", theme.prompt, theme.running),
            Kind::Notice => ("· ", theme.notice, theme.warning),
            Kind::Success => ("■ ", theme.dim, theme.success),
            Kind::Failure => ("■ ", theme.text, theme.failure),
        };
        let is_folded = !look.unfolds(self.unfold) && self.is_long();
        let text = &self.text;
        self.cached.get((width, is_folded), || {
            let sign = Span::styled(sign, sign_style);
            let blank = Span::raw("  ");
            let wrapped = |(n, line): (usize, &str)| {
                let first = if n == 0 { &sign } else { &blank };
                let line = Line::from(Span::styled(line.to_owned(), style));
                let (first, next) = (std::slice::from_ref(first), std::slice::from_ref(&blank));
                wrap::wrap_line(&line, width, first, next)
            };
            if !is_folded {
                return text.split('\n').enumerate().flat_map(wrapped).collect();
            }
            let head = cut::head(text, LONG_BYTES);
            let rows = head.split('\n').take(SHOWN + 1).enumerate().flat_map(wrapped).collect();
            let column = Column { width, bar: "  ", theme };
            column.folded(rows, (SHOWN, Some(text.lines().count())), Way::Unfold)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::tui::{highlight::Highlighter, theme::Theme};

    fn rows(text: &str, (width, unfolded, all): (u16, bool, bool)) -> Vec<String> {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let now = Instant::now();
        let look = Look { width, theme: &theme, highlighter: &highlighter, now, unfolded, all };
        let mut fixed = Fixed::new(Kind::User, text);
        fixed.rows(width, look).iter().map(ToString::to_string).collect()
    }

    fn lines(count: usize) -> String {
        (1..=count).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_long_prompt_is_folded_with_a_count_and_unfolds_whole() {
        let folded = rows(&lines(10_000), (60, false, false));
        assert_eq!(folded.len(), 11);
        assert_eq!(folded[0], "› line 1");
        assert_eq!(folded[9], "  line 10");
        assert_eq!(folded[10], "  … 9,990 more lines (Ctrl-O shows more)");
        for look in [(60, true, false), (60, false, true)] {
            let unfolded = rows(&lines(10_000), look);
            assert_eq!(unfolded.len(), 10_000);
            assert_eq!(unfolded[9_999], "  line 10000");
        }
    }

    #[test]
    fn a_prompt_of_a_screen_is_not_folded_and_one_line_without_an_end_is() {
        assert_eq!(rows(&lines(20), (60, false, false)).len(), 20);
        assert_eq!(rows(&lines(21), (60, false, false)).len(), 11);
        let folded = rows(&"x".repeat(1_000_000), (60, false, false));
        assert_eq!(folded.len(), 11);
        assert_eq!(folded[10], "  … the rest of the line (Ctrl-O shows more)");
    }

    #[test]
    fn folded_or_unfolded_by_itself_it_stays_so() {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let look = |unfolded, all| Look {
            width: 60,
            theme: &theme,
            highlighter: &highlighter,
            now: Instant::now(),
            unfolded,
            all,
        };
        let mut fixed = Fixed::new(Kind::User, &lines(30));
        fixed.unfold = Some(false);
        assert_eq!(fixed.rows(60, look(true, false)).len(), 11);
        assert_eq!(fixed.rows(60, look(true, true)).len(), 30, "a search sees all");
        fixed.unfold = Some(true);
        assert_eq!(fixed.rows(60, look(false, false)).len(), 30);
    }
}
