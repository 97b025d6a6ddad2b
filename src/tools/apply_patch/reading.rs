//! How a hunk can be read: as the format says, and as models get it wrong. Pure.
//!
//! Owns the readings and their order. Must not know the file.
//!
//! Invariant: what a reading adds and removes are the lines that were marked so.

use super::patch::{Hunk, Line};

/// One way to read a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// The lines that must be there, each in the forms that it may have.
    pub(super) old: Vec<Forms>,
    /// What is there afterwards.
    pub(super) new: Vec<Piece>,
    /// Whether it is what the format says.
    pub(super) is_strict: bool,
}

/// One line, in the forms that it may have.
pub(super) type Forms = Vec<String>;

/// One line of what is there afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The line of `old` with this index, as it is in the file.
    Kept(usize),
    /// A new line.
    Added(String),
}

impl Reading {
    fn of(hunk: &Hunk, keep: impl Fn(&str) -> Forms, sign: impl Fn(&str) -> String) -> Self {
        let mut reading = Self::default();
        for line in &hunk.lines {
            match line {
                Line::Keep(text) => {
                    reading.new.push(Piece::Kept(reading.old.len()));
                    reading.old.push(keep(text));
                }
                Line::Remove(text) => reading.old.push(vec![sign(text)]),
                Line::Add(text) => reading.new.push(Piece::Added(sign(text))),
            }
        }
        reading
    }

    /// The same without blank lines that stay, at both ends.
    fn trimmed(mut self) -> Self {
        self.is_strict = false;
        let is_blank = |forms: &Forms| forms.iter().all(|form| form.trim().is_empty());
        while matches!(self.new.first(), Some(Piece::Kept(0)))
            && self.old.first().is_some_and(is_blank)
        {
            self.old.remove(0);
            self.new.remove(0);
            for piece in &mut self.new {
                if let Piece::Kept(index) = piece {
                    *index = index.saturating_sub(1);
                }
            }
        }
        while let (Some(Piece::Kept(last)), Some(forms)) = (self.new.last(), self.old.last())
            && last + 1 == self.old.len()
            && is_blank(forms)
        {
            self.old.pop();
            self.new.pop();
        }
        self
    }

    /// Whether nothing that it looks for is more than blanks: then it fits anywhere.
    pub(super) fn is_blank(&self) -> bool {
        self.old.iter().flatten().all(|form| form.trim().is_empty())
    }

    /// The part of `old` from the first to the last line that changes, as a range.
    pub(super) fn core(&self) -> (usize, usize) {
        let kept = |from_start: bool| {
            let pieces: Box<dyn Iterator<Item = &Piece>> = if from_start {
                Box::new(self.new.iter())
            } else {
                Box::new(self.new.iter().rev())
            };
            pieces
                .enumerate()
                .take_while(|(step, piece)| {
                    let index =
                        if from_start { Some(*step) } else { self.old.len().checked_sub(step + 1) };
                    matches!((piece, index), (Piece::Kept(kept), Some(index)) if *kept == index)
                })
                .count()
        };
        let first = kept(true);
        (first, (self.old.len() - kept(false).min(self.old.len())).max(first))
    }
}

/// All readings of a hunk, the strictest first.
pub(super) fn readings(hunk: &Hunk) -> Vec<Reading> {
    let plain = |text: &str| text.to_owned();
    let unmarked = |text: &str| text.strip_prefix(' ').unwrap_or(text).to_owned();
    // Some models leave the blank in front of a line that stays out.
    let either_form = |text: &str| {
        let (bare, raw) = (unmarked(text), text.to_owned());
        if bare == raw { vec![bare] } else { vec![bare, raw] }
    };
    let is_marked = |line: &Line| match line {
        Line::Keep(text) => text.is_empty() || text.starts_with(' '),
        Line::Remove(_) | Line::Add(_) => true,
    };
    let mut readings = Vec::new();
    if hunk.lines.iter().all(is_marked) {
        let strict = Reading::of(hunk, |text| vec![unmarked(text)], plain);
        readings.push(Reading { is_strict: true, ..strict });
    }
    readings.push(Reading::of(hunk, either_form, plain));
    // Others put a blank behind each sign.
    let is_spaced = |line: &Line| match line {
        Line::Keep(_) => true,
        Line::Remove(text) | Line::Add(text) => text.is_empty() || text.starts_with(' '),
    };
    if hunk.lines.iter().all(is_spaced) {
        let either = |text: &str| {
            let mut forms = either_form(text);
            forms.extend(text.strip_prefix("  ").map(str::to_owned));
            forms
        };
        readings.push(Reading::of(hunk, either, unmarked));
        // Or let the sign take the place of a blank.
        readings.push(Reading::of(hunk, either_form, |text| match text {
            "" => String::new(),
            text => format!(" {text}"),
        }));
    }
    let mut all: Vec<Reading> = Vec::new();
    for reading in readings {
        for reading in [reading.clone(), reading.trimmed()] {
            if !all.iter().any(|known| known.old == reading.old && known.new == reading.new) {
                all.push(reading);
            }
        }
    }
    all
}
