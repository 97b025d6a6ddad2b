//! What a running call has printed so far, as a terminal would show it in the end.
//!
//! Owns the line that is still open: it is drawn over and over, and its escape sequences come in
//! pieces. Must not know how it is drawn.
//!
//! Invariant: a whole line never changes any more; what was dropped from the front is counted.

use crate::text::{cut, sanitize::settle_drawn_over};

/// Most bytes that are kept of whole lines; of more, the older half goes.
const MOST: usize = 4 << 20;
/// Most bytes of an open line; a longer one is broken.
const OPEN: usize = 16 << 10;
/// From so many bytes on it is made as short as it looks.
const DRAWN_OVER: usize = 1 << 10;

/// The output of a call while it runs.
#[derive(Default)]
pub(in crate::tui) struct Live {
    /// Whole lines, settled.
    lines: String,
    /// The open line as it came.
    open: String,
    /// The open line, settled.
    shown: String,
    /// Whole lines that are not kept any more.
    dropped: usize,
}

impl Live {
    /// Takes a piece. A carriage return or an escape sequence may be cut between two of them.
    pub(super) fn push(&mut self, piece: &str) {
        self.open.push_str(piece);
        if let Some(end) = self.open.rfind('\n') {
            let rest = self.open.split_off(end + 1);
            self.lines.push_str(&settle_drawn_over(&self.open));
            self.open = rest;
        }
        if self.open.len() > DRAWN_OVER {
            self.shorten_the_open_line();
        }
        self.shown = settle_drawn_over(&self.open).into_owned();
        if self.lines.len() > MOST {
            self.drop_older_half();
        }
    }

    /// Whole lines.
    pub(in crate::tui) fn lines(&self) -> &str {
        &self.lines
    }

    /// The line that is still open, as it looks now.
    pub(in crate::tui) fn open_line(&self) -> &str {
        &self.shown
    }

    /// How many lines are not kept any more.
    pub(in crate::tui) fn dropped(&self) -> usize {
        self.dropped
    }

    /// The last bytes of all that is shown.
    pub(super) fn tail(&self, bytes: usize) -> String {
        let mut tail = cut::tail(&self.lines, bytes).to_owned();
        tail.push_str(cut::tail(&self.shown, bytes));
        tail
    }

    /// What stands before the last carriage return is settled: the caret is at the start there. A
    /// line that is long nonetheless is broken.
    fn shorten_the_open_line(&mut self) {
        if let Some(last) = self.open.rfind('\r') {
            let rest = self.open.split_off(last);
            self.open = settle_drawn_over(&self.open).into_owned() + &rest;
        }
        if self.open.len() > OPEN {
            self.lines.push_str(&settle_drawn_over(&self.open));
            self.lines.push('\n');
            self.open.clear();
        }
    }

    fn drop_older_half(&mut self) {
        let half = self.lines.len() / 2;
        let end = self.lines.bytes().skip(half).position(|byte| byte == b'\n');
        let end = end.map_or(self.lines.len(), |more| half + more + 1);
        let kept = self.lines.split_off(end);
        self.dropped += self.lines.matches('\n').count();
        self.lines = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(pieces: &[&str]) -> Live {
        let mut live = Live::default();
        for piece in pieces {
            live.push(piece);
        }
        live
    }

    #[test]
    fn a_bar_that_is_drawn_over_collapses_to_its_last_state_wherever_it_is_cut() {
        let bar = "start\n 10%\r 55%\r\x1b[K100%\ndone\r\nafter";
        for (cut, _) in bar.char_indices() {
            let (first, second) = bar.split_at(cut);
            let live = live(&[first, second]);
            assert_eq!(live.lines(), "start\n100%\ndone\n", "cut at {cut}");
            assert_eq!(live.open_line(), "after");
            assert_eq!(live.tail(5), "done\nafter");
        }
    }

    #[test]
    fn an_open_bar_shows_its_last_state_only() {
        assert_eq!(live(&["10% of 200\r", "done\r"]).open_line(), "done");
        assert_eq!(live(&["\r10% of 200", "\rdone", "\n"]).lines(), "done\n");
        assert_eq!(live(&["10%\r", "20%\r", "30%"]).open_line(), "30%");
        assert_eq!(live(&["a\x1b[3", "1mb"]).open_line(), "ab");
        assert_eq!(live(&["kept\r\r\n", "too\r", "\r"]).lines(), "kept\n");
        assert_eq!(live(&["kept\r\r\n", "too\r", "\r"]).open_line(), "too");
    }

    #[test]
    fn an_endless_bar_stays_small_and_an_endless_line_is_broken() {
        let mut bar = Live::default();
        (0..20_000).for_each(|n| bar.push(&format!("\r{n:>5} of 20000")));
        assert_eq!((bar.lines(), bar.open_line()), ("", "19999 of 20000"));
        assert!(bar.open.len() <= OPEN);
        let mut line = Live::default();
        (0..20).for_each(|_| line.push(&"x".repeat(1_024)));
        let shown = line.lines().matches('x').count() + line.open_line().len();
        assert_eq!((shown, line.lines().matches('\n').count()), (20 * 1_024, 1));
    }

    #[test]
    fn of_very_much_the_older_half_goes_and_is_counted() {
        let mut live = Live::default();
        let line = "y".repeat(1_023) + "\n";
        (0..5_000).for_each(|_| live.push(&line));
        assert!(live.lines().len() <= MOST);
        assert_eq!(live.dropped() + live.lines().lines().count(), 5_000);
    }
}
