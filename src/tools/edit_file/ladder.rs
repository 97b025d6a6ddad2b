//! Finds the one place that an edit means, and applies it. Pure.
//!
//! Owns the levels of leniency, each over the whole text: the first level with a match decides.
//! Must not know files.
//!
//! Invariant: never a guess: two matches at the deciding level are an error, and no level joins
//! places that differ in more than blanks, line ends or typographic punctuation.

use std::borrow::Cow;

use super::endings::Unified;
use super::lenient::{Level, Shift, common_shift, key};

/// As many matches are looked for before an edit is called ambiguous.
const MAX_AMBIGUOUS: usize = 100;

/// What is to be replaced by what.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// The text that is there.
    pub old: &'a str,
    /// The text to put in its place.
    pub new: &'a str,
    /// Whether every place is meant.
    pub all: bool,
}

/// An edit that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole text after it.
    pub text: String,
    /// How it fitted.
    pub level: Level,
    /// The lines where it was applied, from 1, as numbered before.
    pub lines: Vec<usize>,
}

/// Why an edit was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// `old` is empty.
    EmptyOld,
    /// `old` and `new` are the same.
    Same,
    /// `old` fits nowhere.
    NotFound,
    /// `old` fits in several places.
    Ambiguous {
        /// At this level.
        level: Level,
        /// The lines where the matches begin, from 1.
        lines: Vec<usize>,
    },
    /// `old` fits with less indentation, but `new` cannot be shifted as much.
    UnevenNew {
        /// The line where `old` fits, from 1.
        line: usize,
    },
}

/// A place in the unified text.
struct Place {
    start: usize,
    end: usize,
    shift: Shift,
    /// The last line of the text has no line end, though `old` asks for one.
    lacks_end: bool,
}

/// Applies an edit to a text with any line ends (and no byte order mark).
///
/// # Errors
/// Why it does not fit.
pub fn edit(original: &str, edit: Edit<'_>) -> Result<Edited, Miss> {
    let old = unify(edit.old);
    let new = unify(edit.new);
    if old.is_empty() {
        return Err(Miss::EmptyOld);
    }
    if old == new {
        return Err(Miss::Same);
    }
    let text = Unified::of(original);
    let (level, places) = find(&text.text, &old, edit.all).ok_or(Miss::NotFound)?;
    let lines: Vec<usize> = places.iter().map(|place| text.line(place.start)).collect();
    if places.len() > 1 && !edit.all {
        return Err(Miss::Ambiguous { level, lines });
    }
    let mut result = String::with_capacity(original.len() + new.len());
    let mut done = 0;
    for place in &places {
        let Some(mut shifted) = place.shift.apply(&new) else {
            return Err(Miss::UnevenNew { line: text.line(place.start) });
        };
        if place.lacks_end && shifted.ends_with('\n') {
            shifted.pop();
        }
        // Without any line end to go by, the new text is taken as given.
        let dressed = text
            .dress(&shifted, place.start, place.end)
            .unwrap_or_else(|| if shifted == new { edit.new.to_owned() } else { shifted });
        result.push_str(original.get(done..text.original(place.start)).unwrap_or(""));
        result.push_str(&dressed);
        done = text.original(place.end);
    }
    result.push_str(original.get(done..).unwrap_or(""));
    Ok(Edited { text: result, level, lines })
}

fn unify(text: &str) -> String {
    text.strip_prefix('\u{FEFF}').unwrap_or(text).replace("\r\n", "\n")
}

fn find(text: &str, old: &str, all: bool) -> Option<(Level, Vec<Place>)> {
    let exact = if all { disjoint(text, old) } else { overlapping(text, old) };
    if !exact.is_empty() {
        return Some((Level::Exact, exact));
    }
    let window = Window::of(text, old)?;
    [Level::TrimEnd, Level::Punct, Level::Indent]
        .into_iter()
        .map(|level| (level, window.places(level, all)))
        .find(|(_, places)| !places.is_empty())
}

fn exact_place(start: usize, old: &str) -> Place {
    Place { start, end: start + old.len(), shift: Shift::None, lacks_end: false }
}

fn disjoint(text: &str, old: &str) -> Vec<Place> {
    text.match_indices(old).map(|(start, _)| exact_place(start, old)).collect()
}

/// Also matches that overlap: of those, none can be called the one that was meant.
fn overlapping(text: &str, old: &str) -> Vec<Place> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old)) {
        places.push(exact_place(from + at, old));
        from += at + step;
        if places.len() >= MAX_AMBIGUOUS {
            break;
        }
    }
    places
}

/// Whole lines of a text, and the lines of `old` that are looked for among them.
struct Window<'a> {
    text: &'a str,
    /// Line and offset.
    lines: Vec<(&'a str, usize)>,
    old: Vec<&'a str>,
    old_ends: bool,
}

impl<'a> Window<'a> {
    /// `None` if `old` is nothing but blanks: leniently that fits anywhere.
    fn of(text: &'a str, old: &'a str) -> Option<Self> {
        if old.trim().is_empty() {
            return None;
        }
        let mut lines = Vec::new();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            lines.push((line.strip_suffix('\n').unwrap_or(line), offset));
            offset += line.len();
        }
        let (old, old_ends) = match old.strip_suffix('\n') {
            Some(old) => (old, true),
            None => (old, false),
        };
        Some(Self { text, lines, old: old.split('\n').collect(), old_ends })
    }

    fn places(&self, level: Level, all: bool) -> Vec<Place> {
        let key = |line: &'a str| key(level, line);
        let lines: Vec<Cow<'_, str>> = self.lines.iter().map(|(line, _)| key(line)).collect();
        let old: Vec<Cow<'_, str>> = self.old.iter().map(|line| key(line)).collect();
        let mut places = Vec::new();
        let mut next = 0;
        for (index, window) in lines.windows(old.len()).enumerate() {
            if index < next || places.len() >= MAX_AMBIGUOUS && !all {
                continue;
            }
            let shift = if level == Level::Indent {
                common_shift(window, &old)
            } else {
                (window == old).then_some(Shift::None)
            };
            if let Some(shift) = shift {
                places.extend(self.place(index, shift));
                next = if all { index + old.len() } else { index + 1 };
            }
        }
        places
    }

    fn place(&self, index: usize, shift: Shift) -> Option<Place> {
        let (_, start) = *self.lines.get(index)?;
        let (last, last_start) = *self.lines.get(index + self.old.len() - 1)?;
        let end = last_start + last.len();
        let has_feed = end < self.text.len();
        let end = if self.old_ends && has_feed { end + 1 } else { end };
        Some(Place { start, end, shift, lacks_end: self.old_ends && !has_feed })
    }
}
