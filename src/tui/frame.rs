//! [`FrameClock`]: when to draw. Merges requests, at most 60 frames a second, silent while
//! nothing changes. Pure: it is told the time.

use std::time::{Duration, Instant};

/// Shortest time between two frames: 60 a second.
const FRAME: Duration = Duration::from_micros(16_667);
/// Time between two states of a spinner.
pub(super) const SPIN: Duration = Duration::from_millis(80);

/// Decides when the next frame is due.
#[derive(Debug)]
pub(super) struct FrameClock {
    dirty: bool,
    drawn: Option<Instant>,
    /// Not before this, whatever is dirty: the line is slow.
    hold: Option<Instant>,
}

impl FrameClock {
    /// A clock whose first frame is due at once.
    pub(super) fn new() -> Self {
        Self { dirty: true, drawn: None, hold: None }
    }

    /// Something changed.
    pub(super) fn request(&mut self) {
        self.dirty = true;
    }

    /// When to draw next; `None` while there is nothing to draw. `beat`: how often something on
    /// the screen moves by itself.
    pub(super) fn due(&self, now: Instant, beat: Option<Duration>) -> Option<Instant> {
        let after = |pause: Duration| self.drawn.map_or(now, |drawn| drawn + pause);
        let next = if self.dirty {
            after(FRAME)
        } else if let Some(beat) = beat {
            after(beat)
        } else {
            return None;
        };
        Some(self.hold.map_or(next, |hold| next.max(hold)))
    }

    /// A frame was drawn; the next one waits at least `pause` more.
    pub(super) fn drawn(&mut self, now: Instant, pause: Duration) {
        self.dirty = false;
        self.drawn = Some(now);
        self.hold = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_due_while_nothing_changes() {
        let start = Instant::now();
        let mut clock = FrameClock::new();
        assert_eq!(clock.due(start, None), Some(start));
        clock.drawn(start, Duration::ZERO);
        assert_eq!(clock.due(start, None), None);
        assert_eq!(clock.due(start, Some(SPIN)), Some(start + SPIN));
    }

    #[test]
    fn many_requests_are_one_frame_and_a_slow_line_waits() {
        let start = Instant::now();
        let mut clock = FrameClock::new();
        clock.drawn(start, Duration::ZERO);
        clock.request();
        clock.request();
        assert_eq!(clock.due(start, Some(SPIN)), Some(start + FRAME));
        clock.drawn(start, Duration::from_secs(1));
        clock.request();
        assert_eq!(clock.due(start, None), Some(start + Duration::from_secs(1)));
    }
}
