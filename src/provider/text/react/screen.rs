//! What of a reply is shown and kept, by kind. Owns the white space between its parts; knows no
//! label.
//!
//! Invariant: what is shown is decided character by character, so it does not depend on how the
//! reply was cut into pieces, and nothing shown is taken back.

use super::Piece;

/// What a part of a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The inside of a think block.
    Reasoning,
    /// Below a label of thought.
    Thought,
    /// Before any label.
    Prose,
    /// Below a label of answer.
    Answer,
}

/// The parts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Screen {
    pub(super) thought: String,
    pub(super) prose: String,
    pub(super) answer: String,
    /// Not yet taken by the caller.
    pieces: Vec<Piece>,
    /// White space that is shown only if something follows it.
    blanks: String,
    /// The end of emphasis around a label, to be dropped.
    ornament: &'static str,
    has_begun: bool,
    has_thought: bool,
    has_text: bool,
}

impl Screen {
    /// Begins a part.
    pub(super) fn begin(&mut self, ornament: &'static str) {
        self.blanks.clear();
        self.ornament = ornament;
        self.has_begun = false;
    }

    /// Shows one more character of a part.
    pub(super) fn put(&mut self, kind: Kind, char: char) {
        if let Some(rest) = self.ornament.strip_prefix(char) {
            self.ornament = rest;
            return;
        }
        self.ornament = "";
        if char.is_whitespace() || char == '\u{feff}' {
            if self.has_begun {
                self.blanks.push(char);
            }
            return;
        }
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let blanks = std::mem::take(&mut self.blanks);
        let kept = match kind {
            Kind::Reasoning => None,
            Kind::Thought => Some(&mut self.thought),
            Kind::Prose => Some(&mut self.prose),
            Kind::Answer => Some(&mut self.answer),
        };
        if let Some(kept) = kept {
            if is_first && !kept.is_empty() {
                kept.push('\n');
            }
            kept.push_str(&blanks);
            kept.push(char);
        }
        let is_text = matches!(kind, Kind::Prose | Kind::Answer);
        let has_shown = if is_text { &mut self.has_text } else { &mut self.has_thought };
        let gap = if std::mem::replace(has_shown, true) && is_first { "\n\n" } else { "" };
        let add = |shown: &mut String| {
            shown.push_str(gap);
            shown.push_str(&blanks);
            shown.push(char);
        };
        match (self.pieces.last_mut(), is_text) {
            (Some(Piece::Text(shown)), true) | (Some(Piece::Thought(shown)), false) => add(shown),
            _ => {
                let mut shown = String::new();
                add(&mut shown);
                let piece = if is_text { Piece::Text } else { Piece::Thought };
                self.pieces.push(piece(shown));
            }
        }
    }

    /// Shows a whole answer that was not shown as it came.
    pub(super) fn show_answer(&mut self, answer: &str) {
        self.begin("");
        answer.chars().for_each(|char| self.put(Kind::Answer, char));
    }

    /// Forgets what was kept; what was shown stays.
    pub(super) fn forget(&mut self) {
        self.thought.clear();
        self.prose.clear();
        self.answer.clear();
    }

    /// What can be shown and was not taken yet.
    pub(super) fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }
}
