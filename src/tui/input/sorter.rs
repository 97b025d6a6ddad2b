//! What the terminal's events say: the answer of the terminal, what many keys wrote at once, or a
//! message as it is.
//!
//! Owns the order in which they are given on. Must not know what a key means. Pure: it is told the
//! time.

use std::{collections::VecDeque, time::Instant};

use crossterm::event::{Event, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

use super::burst::{Bursts, Typed};
use crate::tui::{
    background::{Background, Sorted},
    message::Msg,
};

/// Sorts events.
pub(super) struct Sorter {
    background: Background,
    bursts: Bursts,
    ready: VecDeque<Msg>,
}

impl Sorter {
    pub(super) fn new() -> Self {
        Self { background: Background::new(), bursts: Bursts::default(), ready: VecDeque::new() }
    }

    /// The terminal was asked for its background.
    pub(super) fn asked_background(&mut self, now: Instant) {
        self.background.asked(now);
    }

    /// Until when its answer is to be waited for.
    pub(super) fn awaited(&self, now: Instant) -> Option<Instant> {
        self.background.awaited(now)
    }

    /// Takes an event.
    pub(super) fn take(&mut self, event: Event, now: Instant) {
        match message(event) {
            None => {}
            Some(Msg::Key(key)) => self.key(key, now),
            // These come in between without a word of the one who types.
            Some(msg @ (Msg::Resize | Msg::Focus(_))) => self.ready.push_back(msg),
            Some(msg) => {
                self.end(now);
                self.ready.push_back(msg);
            }
        }
    }

    fn key(&mut self, key: KeyEvent, now: Instant) {
        match self.background.sort(key, now) {
            Sorted::Answer(ground) => self.ready.extend(ground.map(Msg::Ground)),
            Sorted::Keys => self.take_sorted(now),
            Sorted::Held => {}
        }
    }

    /// Takes the keys that are none of the answer.
    fn take_sorted(&mut self, now: Instant) {
        while let Some(key) = self.background.ready() {
            self.bursts.take(key, now);
        }
        self.take_typed();
    }

    fn take_typed(&mut self) {
        while let Some(typed) = self.bursts.ready() {
            self.ready.push_back(match typed {
                Typed::Key(key) => Msg::Key(key),
                Typed::Text(text) => Msg::Burst(text),
            });
        }
    }

    /// Takes an event while nobody types; gives the terminal's answer, if that is complete now.
    pub(super) fn look_for_answer(&mut self, event: Event, now: Instant) -> Option<Msg> {
        let Some(Msg::Key(key)) = message(event) else { return None };
        match self.background.sort(key, now) {
            Sorted::Answer(ground) => ground.map(Msg::Ground),
            Sorted::Keys => {
                while self.background.ready().is_some() {}
                None
            }
            Sorted::Held => None,
        }
    }

    /// The terminal has nothing more at the moment. Gives whether [`Self::until`] is another now.
    pub(super) fn quiet(&mut self, now: Instant) -> bool {
        self.bursts.quiet(now)
    }

    /// Until when what is held is held.
    pub(super) fn until(&self) -> Option<Instant> {
        self.background.until().into_iter().chain(self.bursts.until()).min()
    }

    /// Gives up what was held long enough.
    pub(super) fn expire(&mut self, now: Instant) {
        self.background.expire(now);
        self.take_sorted(now);
        self.bursts.expire(now);
        self.take_typed();
    }

    /// What is held by a burst is given on: something else follows.
    pub(super) fn end(&mut self, now: Instant) {
        self.bursts.end(now);
        self.take_typed();
    }

    /// The next message that is complete.
    pub(super) fn ready(&mut self) -> Option<Msg> {
        self.ready.pop_front()
    }
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Msg::Key(key)),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(..) => Some(Msg::Resize),
        // With Shift the selection is the terminal's own, wherever it leaves that to us.
        Event::Mouse(mouse) if mouse.modifiers.contains(KeyModifiers::SHIFT) => None,
        Event::FocusGained => Some(Msg::Focus(true)),
        Event::FocusLost => Some(Msg::Focus(false)),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(Msg::Wheel(-1, (mouse.column, mouse.row))),
            MouseEventKind::ScrollDown => Some(Msg::Wheel(1, (mouse.column, mouse.row))),
            MouseEventKind::Down(MouseButton::Left) => Some(Msg::Click(mouse.column, mouse.row)),
            MouseEventKind::Drag(MouseButton::Left) => Some(Msg::Drag(mouse.column, mouse.row)),
            MouseEventKind::Up(MouseButton::Left) => Some(Msg::Release),
            _ => None,
        },
        Event::Key(_) => None,
    }
}
