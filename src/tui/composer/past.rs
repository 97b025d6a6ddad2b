//! What leaves the box and what comes back: sent, cleared, walked to in the history, given back.
//!
//! Owns how it looks when it comes back: a paste that was folded is folded again. Must not know why
//! it comes back. Invariant: what leaves the box stands in the history.

use super::{Composer, harmless, known::Part};
use crate::tui::history::History;

/// What comes back into the box and is larger than this without its pastes is folded as a whole.
const BACK_LINES: usize = 200;
const BACK_BYTES: usize = 16 * 1024;

impl Composer {
    /// Whether what stands in the box comes from the history, untouched.
    pub(in crate::tui) fn is_browsing(&self) -> bool {
        self.browsing.is_some()
    }

    /// What was being typed before Up was pressed can be reached by Up again.
    pub(super) fn leave_history(&mut self) {
        if self.browsing.take().is_some() {
            let draft = std::mem::take(&mut self.draft);
            self.history.remember(&draft);
        }
    }

    /// Puts this in place of what stands in the box.
    pub(in crate::tui) fn replace(&mut self, text: &str) {
        self.pastes.clear();
        self.put(text);
    }

    /// Puts what came back from elsewhere in place of the text, which stays in the history.
    pub(in crate::tui) fn take_over(&mut self, text: &str) {
        if self.text() == text {
            return;
        }
        let text = harmless(text);
        // Undo leads back to what was there before.
        self.clear();
        let folded = self.folded(&text);
        self.area.insert_str(&folded);
        self.guard_chips();
    }

    /// Empties the box and gives what was in it; remembered for Up.
    pub(in crate::tui) fn take(&mut self) -> String {
        let text = self.leave();
        self.history.remember(&text);
        self.put("");
        self.pastes.clear();
        text
    }

    /// Empties the box so that undo brings back what was in it; remembered for Up, too.
    pub(in crate::tui) fn clear(&mut self) {
        self.leave_history();
        let text = self.leave();
        self.history.remember(&text);
        self.area.clear_atomic_ranges();
        self.area.cancel_selection();
        self.area.clear();
    }

    /// As [`Self::take`], and remembered beyond the end of the program.
    pub(in crate::tui) fn take_sent(&mut self) -> String {
        let text = self.take();
        self.history.keep(&text);
        text
    }

    /// Puts text back before what stands in the box: a prompt that could not be sent.
    pub(in crate::tui) fn give_back(&mut self, text: &str) {
        let rest = self.leave();
        let text = if rest.trim().is_empty() { text.to_owned() } else { format!("{text}\n{rest}") };
        self.show(&harmless(&text));
    }

    /// The prompts that were sent.
    pub(in crate::tui) fn history(&mut self) -> &mut History {
        &mut self.history
    }

    /// Walks to an earlier prompt.
    pub(in crate::tui) fn back(&mut self) {
        let next = self.browsing.map_or(0, |at| at + 1);
        let Some(text) = self.history.earlier(next).map(str::to_owned) else { return };
        if self.browsing.is_none() {
            self.draft = self.leave();
        }
        self.show(&text);
        self.browsing = Some(next);
    }

    /// Walks to a later prompt, and at the end back to what was being typed.
    pub(in crate::tui) fn forward(&mut self) {
        let Some(at) = self.browsing else { return };
        if let Some(next) = at.checked_sub(1) {
            let text = self.history.earlier(next).unwrap_or_default().to_owned();
            self.show(&text);
            self.browsing = Some(next);
        } else {
            let draft = std::mem::take(&mut self.draft);
            self.show(&draft);
            self.browsing = None;
        }
    }

    pub(super) fn show(&mut self, text: &str) {
        self.pastes.clear();
        let folded = self.folded(text);
        self.put(&folded);
        self.guard_chips();
    }

    /// The text of the box, of which the folded pastes are known from here on.
    fn leave(&mut self) -> String {
        for place in self.pastes.places(self.area.lines()) {
            self.known.remember(self.pastes.text(place));
        }
        self.text()
    }

    /// What comes back as it was when it left: with its pastes folded.
    fn folded(&mut self, text: &str) -> String {
        let parts = self.known.parts(text);
        let typed = parts.iter().map(|part| match part {
            Part::Typed(typed) => *typed,
            Part::Pasted(_) => "",
        });
        if is_long(&typed.collect::<String>()) {
            return self.pastes.fold(text.to_owned());
        }
        let shown = parts.into_iter().map(|part| match part {
            Part::Typed(typed) => typed.to_owned(),
            Part::Pasted(pasted) => self.pastes.fold(pasted.to_owned()),
        });
        shown.collect()
    }
}

/// Whether text that comes back is folded as a whole.
fn is_long(text: &str) -> bool {
    text.len() > BACK_BYTES || text.lines().nth(BACK_LINES).is_some()
}
