//! One call, whole: what it is, what it was given, what it changed, what it printed.
//!
//! Owns the order of these parts, the place in them, and the search. Must not know what runs a
//! call, nor how the whole of an output is read. Everything in it is harmless text.
//!
//! Invariant: a frame lays out what is in view; the end is followed while the call runs, until
//! somebody scrolls. What is only a part of what was printed is said to be one.

mod arguments;
mod page;
mod search;
mod selection;
mod told;
pub(in crate::tui) mod whole;

use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::{
    Frame,
    layout::{Position, Rect},
    text::{Line, Span},
};

use super::pager::{Pager, Place};
use crate::protocol::{id::CallId, tool::WholeFile};
use crate::tui::{
    cell::{iteration::call::Call, two_ends},
    frame::SPIN,
    highlight::Highlighter,
    theme::Theme,
    transcript::Item,
    wrap,
};
use page::{Page, Subject};
use search::Search;
use selection::Selected;
use whole::WholeText;

/// From so many rows on a rule stands below the head.
const RULE_ROWS: u16 = 12;

/// The open view of a call.
pub(in crate::tui) struct CallView {
    place: Item,
    pub(in crate::tui) pager: Pager,
    page: Page,
    search: Option<Search>,
    selected: Selected,
    /// How far the whole output is, of the call of this id.
    whole: Whole,
    id: Option<CallId>,
}

/// How far the whole output of a call is, if its result has only a part of it.
#[derive(Default)]
pub(in crate::tui) enum Whole {
    #[default]
    Unasked,
    Asked,
    Here(Arc<WholeText>),
    /// It cannot be read, for this reason.
    Failed(String),
}

impl Whole {
    fn text(&self) -> Option<&WholeText> {
        match self {
            Self::Here(text) => Some(text),
            _ => None,
        }
    }

    fn is_here(&self) -> bool {
        self.text().is_some()
    }
}

/// What drawing it depends on.
pub(in crate::tui) struct Look<'a> {
    pub(in crate::tui) theme: &'a Theme,
    pub(in crate::tui) highlighter: &'a Highlighter,
    pub(in crate::tui) now: std::time::Instant,
    pub(in crate::tui) since: std::time::Duration,
}

impl CallView {
    /// Opened at the end if the call runs, else at the beginning.
    pub(in crate::tui) fn new(place: Item, runs: bool) -> Self {
        Self {
            place,
            pager: Pager::new(runs),
            page: Page::default(),
            search: None,
            selected: Selected::default(),
            whole: Whole::default(),
            id: None,
        }
    }

    pub(in crate::tui) fn place(&self) -> Item {
        self.place
    }

    /// The file with the whole output, if there is one and it was not asked for yet.
    pub(in crate::tui) fn ask_for_output(&mut self, call: &Call) -> Option<(CallId, WholeFile)> {
        if self.id.as_ref() != call.id() {
            // The calls of an answer that broke off were replaced by those of the next one.
            (self.id, self.whole) = (call.id().cloned(), Whole::Unasked);
            self.unselect();
        }
        let file = call.whole()?.file.clone();
        let asked = self.id.clone().zip(file).filter(|_| matches!(self.whole, Whole::Unasked))?;
        self.whole = Whole::Asked;
        Some(asked)
    }

    /// Takes what came of asking for the whole output of a call.
    pub(in crate::tui) fn output_read(
        &mut self,
        id: &CallId,
        read: Result<Arc<WholeText>, String>,
    ) {
        if self.id.as_ref() == Some(id) {
            self.whole = read.map_or_else(Whole::Failed, Whole::Here);
        }
    }

    /// Whether the next frame has more to search.
    pub(in crate::tui) fn is_pending(&self) -> bool {
        self.search.as_ref().is_some_and(Search::is_pending)
    }

    /// Begins to type what to search for.
    pub(in crate::tui) fn find(&mut self) {
        let from = self.pager.top_line().unwrap_or(0);
        self.search = Some(Search::new(from));
    }

    /// Whether what to search for is being typed.
    pub(in crate::tui) fn is_typing(&self) -> bool {
        self.search.as_ref().is_some_and(Search::is_typing)
    }

    /// Whether hits are marked.
    pub(in crate::tui) fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Gives a key to the search that is being typed.
    pub(in crate::tui) fn key(&mut self, key: KeyEvent) {
        if let Some(search) = &mut self.search
            && !search.key(key)
        {
            self.search = None;
        }
    }

    pub(in crate::tui) fn paste(&mut self, text: &str) {
        if let Some(search) = &mut self.search {
            search.paste(text);
        }
    }

    /// To the next hit, or to the one before.
    pub(in crate::tui) fn next_hit(&mut self, forward: bool) {
        if let Some(search) = &mut self.search {
            search.step(forward);
        }
    }

    /// Forgets the search.
    pub(in crate::tui) fn end_search(&mut self) {
        self.search = None;
    }

    /// Takes what is new of the call.
    fn take(&mut self, call: &Call, width: u16, look: &Look<'_>) {
        let renewal = self.page.take((call, &self.whole), width, (look.theme, look.highlighter));
        let shown = self.page.with((call, &self.whole), None, look.theme);
        self.selected.settle(&renewal, &shown);
    }

    /// Draws it; gives where the caret stands, if one is shown.
    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        (call, look): (&Call, &Look<'_>),
    ) -> Option<Position> {
        let theme = look.theme;
        let inner =
            Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
        let head_rows = (2 + u16::from(area.height >= RULE_ROWS)).min(area.height);
        let field = u16::from(self.search.is_some()).min(area.height - head_rows);
        let body =
            Rect { y: inner.y + head_rows, height: inner.height - head_rows - field, ..inner };
        self.take(call, inner.width, look);
        let subject = (call, &self.whole);
        let plain = self.page.with(subject, None, theme);
        if let Some(search) = &mut self.search
            && let Some(hit) = search.look_through(&plain)
        {
            self.pager.show(Place { line: hit.line, row: plain.row_of(hit, inner.width) });
        }
        let shown = self.page.with(subject, self.search.as_ref().map(Search::hits), theme);
        if self.selected.is_pressed() {
            // What is to be selected does not run away.
            self.pager.hold();
        }
        let rows = self.pager.window(&shown, inner.width, usize::from(body.height));
        let head = head(subject, look, (inner.width, self.pager.hidden()));
        let (above, below) = ((inner.y..body.y).zip(&head), (body.y..body.bottom()).zip(&rows));
        for (y, row) in above.chain(below) {
            frame.buffer_mut().set_line(inner.x, y, row, inner.width);
        }
        let seen = (&shown, self.pager.seen());
        self.selected.lay_out(body, seen);
        self.selected.draw(frame.buffer_mut(), seen, theme.selection);
        let is_all = shown.is_all();
        let search = self.search.as_mut().filter(|_| field > 0)?;
        search.draw(frame, Rect { y: body.bottom(), height: 1, ..inner }, (theme, is_all))
    }
}

/// Mark, name, subject, and what is hidden above and below; how it stands, whether what is shown
/// is a part only, and how long each part took; a rule.
fn head(
    (call, whole): Subject<'_>,
    look: &Look<'_>,
    (width, hidden): (u16, (usize, usize)),
) -> [Line<'static>; 3] {
    let theme = look.theme;
    let (mark, style) = call.mark(look.since.as_millis() / SPIN.as_millis(), theme);
    let name = vec![
        Span::styled(format!("{mark} "), style),
        Span::styled(call.name(), theme.strong),
        Span::raw("  "),
        Span::styled(call.subject(), theme.text),
    ];
    let hidden = [('↑', hidden.0), ('↓', hidden.1)];
    let hidden = hidden.iter().filter(|(_, lines)| *lines > 0);
    let hidden = hidden.map(|(sign, lines)| format!("{sign}{lines}")).collect::<Vec<_>>().join(" ");
    let times = super::times_in_words(call.course().times(look.now));
    let cut = told::in_short(call.whole(), whole);
    let words = [call.status(), cut, times].into_iter().filter(|words| !words.is_empty());
    let words = words.collect::<Vec<_>>().join(" · ");
    let rule = "─".repeat(usize::from(width));
    [
        two_ends(name, vec![Span::styled(hidden, theme.dim)], width),
        wrap::cut_line(&Line::from(Span::styled(words, theme.dim)), width),
        Line::from(Span::styled(rule, theme.frame)),
    ]
}

#[cfg(test)]
mod tests;
