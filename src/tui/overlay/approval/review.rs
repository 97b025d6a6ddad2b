//! What the user makes of a write: which hunks are taken, and what was edited by hand.
//!
//! Owns that choice and the rows that show it. Must not know keys, or how an answer is sent.
//!
//! Invariant: without any choice the answer is to do all that was asked. A frame lays out only
//! what it shows.

mod draw;
mod place;

#[cfg(test)]
pub(in crate::tui) mod tests;

use std::{ops::Range, sync::Arc};

use crate::{
    protocol::question::{Decision, Fate, FileChange, FilePart, Part, Preview, Texts},
    text::hunks,
    tui::diff::{
        self,
        sheet::{Sheet, Sides, Visual},
    },
};
use place::Top;

/// A write that is asked about.
pub(in crate::tui) struct Review {
    files: Vec<File>,
    units: Vec<Unit>,
    sheet: Sheet,
    /// The unit that the user is at.
    at: usize,
    /// Where the last frame began.
    top: Top,
    /// The rows of the list, made for one column or two.
    rows: Vec<Item>,
    /// The whole path in rows, where the title has no room for it.
    path: Vec<String>,
    is_split: bool,
    /// Columns and lines that the last frame had for the rows.
    room: (u16, usize),
}

struct File {
    asked: FileChange,
    /// Its part of the preview's diff, for what has no texts.
    diff: String,
    /// What is taken from: as asked, or as edited by hand.
    texts: Option<Texts>,
    hunks: Vec<hunks::Hunk>,
    is_edited: bool,
}

/// What can be taken or left.
struct Unit {
    file: usize,
    /// `None`: the whole file.
    hunk: Option<usize>,
    is_taken: bool,
    can_be_left: bool,
    rows: Range<usize>,
}

#[derive(Clone, Copy)]
enum Item {
    /// The head of a unit.
    Unit(usize),
    /// A row of a unit.
    Row(usize, Visual),
    /// A row of the path.
    Path(usize),
}

/// A text for the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) struct Draft {
    pub(in crate::tui) path: String,
    pub(in crate::tui) text: String,
}

impl Review {
    /// What there is to choose in this preview, if it is a write.
    pub(in crate::tui) fn of(preview: &Preview) -> Option<Self> {
        let Preview::Write { files, diff, path, .. } = preview else { return None };
        let diffs = file_diffs(diff, files.len());
        let files = files.iter().enumerate().map(|(n, asked)| File {
            diff: diffs.get(n).copied().unwrap_or_default().to_owned(),
            texts: asked.texts.clone(),
            hunks: asked.hunks.clone(),
            asked: asked.clone(),
            is_edited: false,
        });
        let mut review = Self {
            files: files.collect(),
            units: Vec::new(),
            sheet: Sheet::default(),
            at: 0,
            top: Top::default(),
            rows: Vec::new(),
            path: Vec::new(),
            is_split: false,
            room: (0, 0),
        };
        if review.files.is_empty() {
            let rows = review.sheet.add_unified(diff::hunks(diff), path);
            let unit = Unit { file: 0, hunk: None, is_taken: true, can_be_left: false, rows };
            review.units.push(unit);
        }
        for file in 0..review.files.len() {
            review.add_units(file);
        }
        review.arrange();
        Some(review)
    }

    fn add_units(&mut self, file: usize) {
        let Some(known) = self.files.get(file) else { return };
        let path = known.asked.path.as_str();
        let Some(texts) = &known.texts else {
            let rows = self.sheet.add_unified(diff::hunks(&known.diff), path);
            let can_be_left = known.asked.optional;
            self.units.push(Unit { file, hunk: None, is_taken: true, can_be_left, rows });
            return;
        };
        let sides = Sides::of(texts);
        let can_be_left = known.hunks.len() > 1 || known.asked.optional;
        for (n, hunk) in known.hunks.iter().enumerate() {
            let rows = self.sheet.add_hunk(&sides, *hunk, &texts.changes, path);
            let unit = Unit { file, hunk: Some(n), is_taken: true, can_be_left, rows };
            self.units.push(unit);
        }
        if known.hunks.is_empty() {
            let rows = self.sheet.len()..self.sheet.len();
            self.units.push(Unit { file, hunk: None, is_taken: true, can_be_left, rows });
        }
    }

    fn arrange(&mut self) {
        self.rows.clear();
        self.rows.extend((0..self.path.len()).map(Item::Path));
        for (n, unit) in self.units.iter().enumerate() {
            self.rows.push(Item::Unit(n));
            let visuals = self.sheet.visuals(unit.rows.clone(), self.is_split);
            self.rows.extend(visuals.into_iter().map(|visual| Item::Row(n, visual)));
        }
    }

    /// From now on these rows of the path stand before all else.
    pub(in crate::tui) fn lay_path(&mut self, rows: Vec<String>) {
        let before = std::mem::replace(&mut self.path, rows).len();
        self.arrange();
        if self.top.row > before {
            // What is looked at stays where it is.
            self.top.row = self.top.row + self.path.len() - before;
        }
    }

    /// Whether there is something to choose.
    pub(in crate::tui) fn has_choice(&self) -> bool {
        self.units.iter().any(|unit| unit.can_be_left)
    }

    /// Whether the user has chosen something else than all as asked.
    pub(in crate::tui) fn is_changed(&self) -> bool {
        self.units.iter().any(|unit| !unit.is_taken) || self.files.iter().any(|file| file.is_edited)
    }

    /// How many parts are taken, and how many there are.
    pub(in crate::tui) fn counts(&self) -> (usize, usize) {
        (self.units.iter().filter(|unit| unit.is_taken).count(), self.units.len())
    }

    /// Whether a file was edited by hand.
    pub(in crate::tui) fn is_edited(&self) -> bool {
        self.files.iter().any(|file| file.is_edited)
    }

    /// Lines that come and lines that go with what is taken, if that is not all as asked.
    pub(in crate::tui) fn taken_lines(&self) -> Option<(usize, usize)> {
        let taken = self.units.iter().filter(|unit| unit.is_taken);
        let count = |(added, removed), unit: &Unit| {
            let (come, go) = self.sheet.counts(unit.rows.clone());
            (added + come, removed + go)
        };
        self.is_changed().then(|| taken.fold((0, 0), count))
    }

    /// Takes or leaves the part that the user is at. False if it cannot be left.
    pub(in crate::tui) fn toggle(&mut self) -> bool {
        let Some(unit) = self.units.get_mut(self.at).filter(|unit| unit.can_be_left) else {
            return false;
        };
        unit.is_taken = !unit.is_taken;
        self.show();
        true
    }

    /// Whether the file that the user is at can be edited.
    pub(in crate::tui) fn can_be_edited(&self) -> bool {
        let file = self.units.get(self.at).and_then(|unit| self.files.get(unit.file));
        file.is_some_and(|file| file.texts.is_some())
    }

    /// What the editor gets: the file that the user is at, with what is taken of it.
    pub(in crate::tui) fn draft(&self) -> Option<Draft> {
        let index = self.units.get(self.at)?.file;
        let file = self.files.get(index)?;
        Some(Draft { path: file.asked.path.clone(), text: self.content(index)? })
    }

    /// What of a file is taken.
    fn content(&self, index: usize) -> Option<String> {
        let file = self.files.get(index)?;
        let texts = file.texts.as_ref()?;
        let taken: Vec<usize> = self
            .units
            .iter()
            .filter(|unit| unit.file == index && unit.is_taken)
            .filter_map(|unit| unit.hunk)
            .collect();
        let is_taken = |n: usize| taken.binary_search(&n).is_ok();
        if file.hunks.is_empty() {
            return Some(texts.new.to_string());
        }
        Some(hunks::apply(&texts.old, &texts.new, &file.hunks, is_taken))
    }

    /// The user edited a file: it is shown anew, all of it taken.
    pub(in crate::tui) fn edited(&mut self, path: &str, text: String) {
        let Some(index) = self.files.iter().position(|file| file.asked.path == path) else {
            return;
        };
        if self.content(index).as_deref() == Some(text.as_str()) {
            // What was taken and left stays so.
            return;
        }
        let Some(old) = self.files.get(index).and_then(|file| file.texts.as_ref()) else { return };
        let old = Arc::clone(&old.old);
        let changes = {
            let (before, after) = (hunks::lines(&old), hunks::lines(&text));
            hunks::changes(&hunks::differences(&before, &after))
        };
        if let Some(file) = self.files.get_mut(index) {
            let asked = file.asked.texts.as_ref();
            file.is_edited = asked.is_none_or(|asked| *asked.new != *text);
            file.hunks = hunks::grouped(&changes);
            file.texts = Some(Texts { old, new: text.into(), changes: changes.into() });
        }
        self.rebuild(index);
    }

    /// Makes the rows of all files anew; what was left of the others stays left.
    fn rebuild(&mut self, edited: usize) {
        let units = std::mem::take(&mut self.units);
        self.sheet = Sheet::default();
        for file in 0..self.files.len() {
            self.add_units(file);
        }
        for unit in self.units.iter_mut().filter(|unit| unit.file != edited) {
            let same = |other: &&Unit| (other.file, other.hunk) == (unit.file, unit.hunk);
            unit.is_taken = units.iter().find(same).is_none_or(|other| other.is_taken);
        }
        self.arrange();
        self.at = self.units.iter().position(|unit| unit.file == edited).unwrap_or(0);
        self.top = Top::of(self.head(self.at));
    }

    /// The answer that does what is taken; `None` if nothing is.
    pub(in crate::tui) fn decision(&self) -> Option<Decision> {
        if self.units.iter().all(|unit| !unit.is_taken) {
            return None;
        }
        let parts = (0..self.files.len()).filter_map(|file| self.part(file));
        let files: Vec<FilePart> = parts.collect();
        let all_left =
            files.len() == self.files.len() && files.iter().all(|file| file.part == Part::Left);
        match files.as_slice() {
            [] => Some(Decision::AllowOnce),
            _ if all_left => None,
            _ => Some(Decision::AllowPart { files }),
        }
    }

    /// What is done to a file instead of all that was asked.
    fn part(&self, index: usize) -> Option<FilePart> {
        let file = self.files.get(index)?;
        let path = file.asked.path.clone();
        let units = || self.units.iter().filter(|unit| unit.file == index);
        let is_left = units().all(|unit| !unit.is_taken);
        let part = match &file.texts {
            _ if is_left => Part::Left,
            Some(texts) if file.is_edited => {
                let content = self.content(index)?;
                let asked = file.asked.texts.as_ref().map(|asked| &*asked.new);
                if asked == Some(content.as_str()) {
                    return None;
                }
                if *texts.old == *content && file.asked.fate != Fate::Created {
                    Part::Left
                } else {
                    Part::Edited { content }
                }
            }
            _ if units().all(|unit| unit.is_taken) => return None,
            _ => {
                let taken = units().filter(|unit| unit.is_taken).filter_map(|unit| unit.hunk);
                Part::Hunks { taken: taken.collect() }
            }
        };
        Some(FilePart { path, part })
    }
}

/// The parts of a diff of several files, one for each.
fn file_diffs(diff: &str, files: usize) -> Vec<&str> {
    if files <= 1 && !diff.starts_with("diff --git ") {
        return vec![diff];
    }
    let mut starts: Vec<usize> =
        diff.match_indices("\ndiff --git ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    let parts = starts.iter().zip(ends);
    parts.map(|(start, end)| diff.get(*start..end).unwrap_or_default()).collect()
}
