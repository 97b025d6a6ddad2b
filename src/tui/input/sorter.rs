//! What the terminal's events say: the answer of the terminal, what many keys wrote at once, or a
//! message as it is.
//!
//! Owns the order in which they are given on. Must not know what a key means. Pure: it is told the
//! time.

use std::{collections::VecDeque, time::Instant};

use crossterm::event::{Event, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

use super::{
    burst::{Bursts, Typed},
    parser::{Parser, Sent},
};
use crate::tui::{background::Background, message::Msg};

/// Sorts events.
pub(super) struct Sorter {
    background: Background,
    /// It was asked what it is.
    is_asked: bool,
    bursts: Bursts,
    ready: VecDeque<Msg>,
}

impl Sorter {
    pub(super) fn new() -> Self {
        Self {
            background: Background::default(),
            is_asked: false,
            bursts: Bursts::default(),
            ready: VecDeque::new(),
        }
    }

    /// The terminal was asked for its background.
    pub(super) fn asked_background(&mut self, now: Instant) {
        self.background.asked(now);
    }

    /// The terminal was asked what it is.
    pub(super) fn asked_device(&mut self) {
        self.is_asked = true;
    }

    /// Until when its answer is to be waited for.
    pub(super) fn awaited(&self, now: Instant) -> Option<Instant> {
        self.background.awaited(now)
    }

    /// Takes all that is complete.
    pub(super) fn take_all(&mut self, parser: &mut Parser, now: Instant) {
        while let Some(sent) = parser.ready() {
            match sent {
                Sent::Event(event) => self.take(event, now),
                Sent::Answer(text) => {
                    let answer = self.answer(&text, now);
                    self.ready.extend(answer);
                }
            }
        }
    }

    /// What an answer says, if its question was asked.
    fn answer(&mut self, text: &str, now: Instant) -> Option<Msg> {
        let Some(device) = text.strip_prefix('>') else {
            return self.background.answered(text, now).map(Msg::Ground);
        };
        let number = device.split(';').next()?.parse().ok()?;
        std::mem::take(&mut self.is_asked).then_some(Msg::Device(number))
    }

    /// Takes an event.
    pub(super) fn take(&mut self, event: Event, now: Instant) {
        match message(event) {
            None => {}
            Some(Msg::Key(key)) => {
                self.bursts.take(key, now);
                self.take_typed();
            }
            // These come in between without a word of the one who types.
            Some(msg @ (Msg::Resize | Msg::Focus(_))) => self.ready.push_back(msg),
            Some(msg) => {
                self.end(now);
                self.ready.push_back(msg);
            }
        }
    }

    fn take_typed(&mut self) {
        while let Some(typed) = self.bursts.ready() {
            self.ready.push_back(match typed {
                Typed::Key(key) => Msg::Key(key),
                Typed::Text(text) => Msg::Burst(text),
            });
        }
    }

    /// Takes what came while nobody types; gives the terminal's answer, if it is among it.
    pub(super) fn look_for_answer(&mut self, parser: &mut Parser, now: Instant) -> Option<Msg> {
        let mut answer = None;
        while let Some(sent) = parser.ready() {
            if let Sent::Answer(text) = sent {
                answer = self.answer(&text, now).or(answer);
            }
        }
        answer
    }

    /// The terminal has nothing more at the moment. Gives whether [`Self::until`] is another now.
    pub(super) fn quiet(&mut self, now: Instant) -> bool {
        self.bursts.quiet(now)
    }

    /// Until when what is held is held.
    pub(super) fn until(&self) -> Option<Instant> {
        self.bursts.until()
    }

    /// Gives up what was held long enough.
    pub(super) fn expire(&mut self, now: Instant) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_terminal_is_counts_once_and_only_if_it_was_asked() {
        let now = Instant::now();
        let mut sorter = Sorter::new();
        let mut told = |asks: bool| {
            if asks {
                sorter.asked_device();
            }
            let mut parser = Parser::default();
            parser.take(b"\x1b[>84;0;0c", (now, false));
            sorter.take_all(&mut parser, now);
            sorter.ready()
        };
        assert!(told(false).is_none());
        assert!(matches!(told(true), Some(Msg::Device(84))));
        assert!(told(false).is_none());
    }
}
