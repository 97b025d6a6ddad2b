//! Long pastes, each folded to a few words that stand for it in the box.
//!
//! Owns which words stand for which text. Must not know the text area. Invariant: no two pastes
//! of one box have the same words.

use crate::text::number::grouped;

/// A paste with more lines or characters than this is folded.
const LINES: usize = 3;
const CHARACTERS: usize = 500;

/// The folded pastes of one box.
#[derive(Default)]
pub(super) struct Pastes {
    folded: Vec<Paste>,
}

struct Paste {
    chip: String,
    text: String,
}

/// Where a chip stands: row and columns in characters, and which paste it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) row: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    which: usize,
}

/// Whether a paste is long enough to be folded.
pub(super) fn is_long(text: &str) -> bool {
    text.lines().nth(LINES).is_some() || text.chars().nth(CHARACTERS).is_some()
}

impl Pastes {
    pub(super) fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.folded.clear();
    }

    /// Keeps a paste; gives the words that stand for it.
    pub(super) fn fold(&mut self, text: String) -> String {
        let (count, unit) = match text.lines().count() {
            0 | 1 => (text.chars().count(), "characters"),
            lines => (lines, "lines"),
        };
        let words = format!("pasted {} {unit}", grouped(count as u64));
        // The same text once more is the same paste.
        let is_taken =
            |chip: &str| self.folded.iter().any(|paste| paste.chip == chip && paste.text != text);
        let mut chip = format!("[{words}]");
        let mut n = 1;
        while is_taken(&chip) {
            n += 1;
            chip = format!("[{words} #{n}]");
        }
        if !self.folded.iter().any(|paste| paste.chip == chip) {
            self.folded.push(Paste { chip: chip.clone(), text });
        }
        chip
    }

    /// The text with each paste in place of its chip: one pass, so that a paste that holds the
    /// words of another chip stays as it is.
    pub(super) fn unfolded(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len());
        let mut rest = text;
        loop {
            let found =
                self.folded.iter().filter_map(|paste| Some((rest.find(&paste.chip)?, paste)));
            let Some((at, paste)) = found.min_by_key(|(at, _)| *at) else {
                whole.push_str(rest);
                return whole;
            };
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            whole.push_str(before);
            whole.push_str(&paste.text);
            rest = from.get(paste.chip.len()..).unwrap_or("");
        }
    }

    /// Where the chips stand.
    pub(super) fn places(&self, lines: &[String]) -> Vec<Place> {
        let mut places = Vec::new();
        for (row, line) in lines.iter().enumerate() {
            for (which, Paste { chip, .. }) in self.folded.iter().enumerate() {
                for (at, _) in line.match_indices(chip.as_str()) {
                    let start = line.get(..at).map_or(0, |before| before.chars().count());
                    places.push(Place { row, start, end: start + chip.chars().count(), which });
                }
            }
        }
        places
    }

    /// The text of the paste at that place.
    pub(super) fn text(&self, place: Place) -> &str {
        self.folded.get(place.which).map_or("", |paste| paste.text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_or_500_characters_are_not_long() {
        assert!(!is_long("a\nb\nc\n") && !is_long(&"漢".repeat(500)));
        assert!(is_long("a\nb\nc\nd") && is_long(&"漢".repeat(501)));
    }
}
