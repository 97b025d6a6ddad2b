//! [`Calls`]: what is looked at: what is selected in the transcript, which call is open, and the
//! time line of the turn.
//!
//! Owns which of these takes the keys. Must not know what a key means. Invariant: of the open
//! call and the time line at most one is open.

use std::{borrow::Cow, time::Instant};

use ratatui::{Frame, layout::Rect};

use super::{
    app::App,
    cell::{Written, iteration::call::Call},
    overlay::{
        call::{self, CallView},
        pager::Pager,
        timeline::{self, TimeLine, times::TurnTimes},
    },
    transcript::{Item, Transcript},
};

/// What is looked at.
pub(super) struct Calls {
    selected: Option<Item>,
    /// What is selected is to be brought into view.
    reveals: bool,
    open: Option<CallView>,
    timeline: Option<TimeLine>,
    pub(super) times: TurnTimes,
    /// Where the transcript was drawn.
    pub(super) area: Rect,
    /// Letters that did something here one after the other, and when the last one did.
    pub(super) letters: (String, Instant),
    /// What is being copied, in a word.
    pub(super) copying: Option<String>,
    /// The piece of code that was copied last: of which item, and which one of it.
    pub(super) code: Option<(Item, usize)>,
}

impl Calls {
    /// Nothing is looked at yet.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            selected: None,
            reveals: false,
            open: None,
            timeline: None,
            times: TurnTimes::default(),
            area: Rect::default(),
            letters: (String::new(), now),
            copying: None,
            code: None,
        }
    }

    pub(super) fn selected(&self) -> Option<Item> {
        self.selected
    }

    /// Selects a call, or none.
    pub(super) fn select(&mut self, place: Option<Item>) {
        self.selected = place;
        self.reveals = place.is_some();
    }

    /// Selects what a search has led to, which is in view.
    pub(super) fn follow(&mut self, item: Item, transcript: &mut Transcript) {
        if let Some(before) = self.selected.replace(item) {
            transcript.with_call(before, |iteration, _| iteration.select(None));
        }
        transcript.with_call(item, |iteration, call| iteration.select(Some(call)));
    }

    /// The item to bring into view with this frame.
    pub(super) fn take_revealed(&mut self) -> Option<Item> {
        self.selected.filter(|_| std::mem::take(&mut self.reveals))
    }

    pub(super) fn open(&mut self, view: CallView) {
        self.timeline = None;
        self.open = Some(view);
    }

    pub(super) fn open_timeline(&mut self) {
        self.open = None;
        self.timeline = Some(TimeLine::new(self.times.runs()));
    }

    pub(super) fn shows_timeline(&self) -> bool {
        self.timeline.is_some()
    }

    pub(super) fn close(&mut self) {
        self.open = None;
        self.timeline = None;
    }

    /// The view of a call, if one is open.
    pub(super) fn view(&mut self) -> Option<&mut CallView> {
        self.open.as_mut()
    }

    /// Whether something is selected in what is open.
    pub(super) fn has_selection(&self) -> bool {
        self.open.as_ref().is_some_and(CallView::has_selection)
    }

    /// Whether the pointer pulls at an edge, so that what is open moves by itself.
    pub(super) fn is_pulled(&self) -> bool {
        self.open.as_ref().is_some_and(CallView::is_pulled)
    }

    /// Moves what is open if the pointer pulls at an edge, and it is time.
    pub(super) fn tick(&mut self, now: Instant) {
        if let Some(view) = &mut self.open {
            view.tick(now);
        }
    }

    /// Whether something lies over the transcript.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some() || self.timeline.is_some()
    }

    /// Whether keys are for the calls and not for the prompt or a question.
    pub(super) fn take_keys(&self) -> bool {
        self.selected.is_some() || self.is_open()
    }

    /// Whether the next frame has more to search.
    pub(super) fn is_pending(&self) -> bool {
        self.open.as_ref().is_some_and(CallView::is_pending)
    }

    /// What is scrolled.
    pub(super) fn pager(&mut self) -> Option<&mut Pager> {
        let of_call = self.open.as_mut().map(|view| &mut view.pager);
        of_call.or(self.timeline.as_mut().map(|timeline| &mut timeline.pager))
    }

    /// As [`Self::keys`], in fewer words.
    pub(super) fn few_keys(&self, transcript: &Transcript) -> Option<&'static str> {
        let runs = |place| transcript.call(place).is_some_and(Call::is_running);
        if let Some(view) = &self.open {
            if view.has_selection() && !view.is_searching() {
                return Some("Esc unselects");
            }
            return Some(match (view.is_typing(), view.is_searching(), runs(view.place())) {
                (true, ..) => "Enter searches · Esc",
                (_, true, _) => "n next · N · Esc ends",
                (.., true) => "/ · x stops · Esc closes",
                (.., false) => "/ · Esc closes",
            });
        }
        if self.timeline.is_some() {
            return Some("Esc closes");
        }
        if transcript.call(self.selected?).is_none() {
            return Some("y copies · Esc leaves");
        }
        Some(if runs(self.selected?) {
            "x stops it · Esc leaves"
        } else {
            "Enter opens · Esc leaves"
        })
    }

    /// Which key does what, for the status line.
    pub(super) fn keys(&self, transcript: &Transcript) -> Option<Cow<'static, str>> {
        let runs = |place| transcript.call(place).is_some_and(Call::is_running);
        if let Some(view) = &self.open {
            if view.has_selection() && !view.is_searching() {
                return Some("Alt-C copies · Esc unselects".into());
            }
            let words = match (view.is_typing(), view.is_searching(), runs(view.place())) {
                (true, ..) => "Enter searches · Ctrl-R regex · Esc ends it",
                (_, true, _) => "n next · N before · Esc ends the search",
                (.., true) => "/ searches · x stops it · Esc closes",
                (.., false) => "/ searches · y copies · Esc closes",
            };
            return Some(words.into());
        }
        if self.timeline.is_some() {
            return Some("arrows scroll · Esc closes".into());
        }
        if transcript.call(self.selected?).is_none() {
            return Some(of_text(&transcript.written(self.selected?)?).into());
        }
        let words = if runs(self.selected?) {
            "Enter opens · x stops it · Esc leaves"
        } else {
            "Enter opens · y copies · Esc leaves"
        };
        Some(words.into())
    }
}

/// The keys of something selected that is no call.
fn of_text(written: &Written) -> String {
    let code = match (written.what, written.codes.len()) {
        ("code", _) | (_, 0) => "",
        (_, 1) => " · c its code",
        _ => " · c its code, one by one",
    };
    format!("y copies the {}{code} · Y the turn · Esc leaves", written.what)
}

/// The open view of a call, with the call and how it looks now, if there is one.
pub(super) fn opened(app: &mut App) -> Option<(&mut CallView, &Call, call::Look<'_>)> {
    let since = app.now.saturating_duration_since(app.began);
    let look = call::Look { theme: &app.theme, highlighter: &app.highlighter, now: app.now, since };
    let view = app.calls.open.as_mut()?;
    let call = app.transcript.call(view.place())?;
    Some((view, call, look))
}

/// Draws what lies over the transcript, with its caret; false if nothing does.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) -> bool {
    if let Some((view, call, look)) = opened(app) {
        if let Some(caret) = view.draw(frame, area, (call, &look)) {
            frame.set_cursor_position(caret);
        }
        return true;
    }
    if app.calls.open.is_some() {
        // The calls of an answer that broke off were replaced by those of the next one.
        app.calls.close();
    }
    let (theme, now) = (&app.theme, app.now);
    let since = now.saturating_duration_since(app.began);
    let Some(timeline) = &mut app.calls.timeline else { return false };
    let (times, iterations) = (&app.calls.times, app.transcript.last_turn());
    timeline.draw(frame, area, (times, &iterations), &timeline::Look { theme, now, since });
    true
}
