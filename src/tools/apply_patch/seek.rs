//! Finds the one place that each hunk means. Pure.
//!
//! Owns which of several places is meant, if that follows from the patch. Must not know files.
//!
//! Invariant: never a guess. A hunk that fits leniently must fit in one place; of several exact
//! places one is taken only if the patch itself says which: by a line number that is true, by
//! the end of the file, by a line that stands before it, or because in the order of the hunks
//! there is no other way.

use std::borrow::Cow;
use std::rc::Rc;

use super::patch::{Hunk, Line};
use super::reading::{Forms, Reading, readings};
use crate::tools::edit_file::lenient::{Level, Shift, key};

/// As many places are looked for.
const MAX_PLACES: usize = 1_000;

/// Lines compared for one hunk: a few seconds of work.
const MAX_COMPARED: usize = 100_000_000;

/// Where a hunk fits, and how it was read for that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Index of its first line.
    pub(super) start: usize,
    /// How it was read.
    pub(super) reading: Rc<Reading>,
    /// How leniently it was compared.
    pub(super) level: Level,
    /// How its indentation differs.
    pub(super) shift: Shift,
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// It fits nowhere.
    NotFound,
    /// It fits in several places; their lines, from 1.
    Ambiguous(Vec<usize>),
    /// It only adds lines, and nothing says where.
    NoContext,
    /// Finding it takes too long: both it and the file are long and repeat themselves.
    TooLong,
    /// It changes the same lines as another one; the line, from 1.
    Overlap(usize),
    /// It fits at this line with less indentation than its new lines have.
    UnevenNew(usize),
}

impl Place {
    /// The lines that it changes.
    pub(super) fn core(&self) -> (usize, usize) {
        let (first, last) = self.reading.core();
        (self.start + first, self.start + last)
    }

    fn end(&self) -> usize {
        self.start + self.reading.old.len()
    }

    /// The number of the first line that it changes.
    pub(super) fn line(&self) -> usize {
        self.core().0 + 1
    }
}

/// Finds a place for each hunk, in the order of the hunks.
///
/// # Errors
/// The index of the hunk that has none, and why.
pub(super) fn places(lines: &[&str], hunks: &[Hunk]) -> Result<Vec<Place>, (usize, Miss)> {
    let mut candidates = Vec::with_capacity(hunks.len());
    for (index, hunk) in hunks.iter().enumerate() {
        candidates.push(candidates_of(lines, hunk).map_err(|miss| (index, miss))?);
    }
    if let (Some(earliest), Some(latest)) = (earliest(&candidates), latest(&candidates)) {
        let several = earliest.iter().zip(&latest).position(|(one, other)| one != other);
        return match several {
            None => Ok(earliest.into_iter().cloned().collect()),
            Some(index) => Err((index, ambiguous(candidates.get(index)))),
        };
    }
    // Not in the order of the file: then each must be clear by itself.
    if let Some(index) = candidates.iter().position(|places| places.len() > 1) {
        return Err((index, ambiguous(candidates.get(index))));
    }
    let places: Vec<Place> = candidates.into_iter().flatten().collect();
    let mut sorted: Vec<(usize, &Place)> = places.iter().enumerate().collect();
    sorted.sort_by_key(|(_, place)| place.core());
    for pair in sorted.windows(2) {
        if let [(_, one), (index, other)] = pair
            && other.core().0 < one.core().1
        {
            return Err((*index, Miss::Overlap(other.line())));
        }
    }
    Ok(places)
}

fn ambiguous(places: Option<&Vec<Place>>) -> Miss {
    Miss::Ambiguous(places.into_iter().flatten().map(Place::line).collect())
}

/// The places if each hunk takes the first one behind the hunk before it.
fn earliest(candidates: &[Vec<Place>]) -> Option<Vec<&Place>> {
    let mut end = 0;
    let take = |list: &'_ [Place], end: &mut usize| {
        let index = list.iter().position(|place| place.core().0 >= *end)?;
        *end = list.get(index)?.core().1;
        Some(index)
    };
    candidates.iter().map(|list| list.get(take(list, &mut end)?)).collect()
}

/// The places if each hunk takes the last one before the hunk behind it.
fn latest(candidates: &[Vec<Place>]) -> Option<Vec<&Place>> {
    let mut start = usize::MAX;
    let take = |list: &'_ [Place], start: &mut usize| {
        let index = list.iter().rposition(|place| place.core().1 <= *start)?;
        *start = list.get(index)?.core().0;
        Some(index)
    };
    let places: Option<Vec<&Place>> =
        candidates.iter().rev().map(|list| list.get(take(list, &mut start)?)).collect();
    places.map(|mut places| {
        places.reverse();
        places
    })
}

fn candidates_of(lines: &[&str], hunk: &Hunk) -> Result<Vec<Place>, Miss> {
    let readings: Vec<Rc<Reading>> = readings(hunk).into_iter().map(Rc::new).collect();
    let mut left = MAX_COMPARED;
    for level in [Level::Exact, Level::TrimEnd, Level::Punct, Level::Indent] {
        let keys: Vec<Cow<'_, str>> = lines.iter().map(|line| key(level, line)).collect();
        for reading in readings.iter().filter(|reading| !reading.old.is_empty()) {
            let is_strict = level == Level::Exact && reading.is_strict;
            if reading.is_blank() && !is_strict {
                continue;
            }
            let places = find(&keys, reading, level, &mut left)?;
            match places.len() {
                0 => {}
                1 => return Ok(places),
                _ if is_strict => return Ok(told_apart(lines, hunk, places)),
                _ => return Err(ambiguous(Some(&places))),
            }
        }
    }
    // A blank line without a mark may be a gap between the parts of the patch.
    let is_gap = |line: &Line| hunk.number.is_none() && *line == Line::Keep(String::new());
    let only_adds = hunk.lines.iter().all(|line| matches!(line, Line::Add(_)) || is_gap(line));
    let reading = readings.into_iter().find(|reading| only_adds && reading.old.is_empty());
    let Some(reading) = reading else { return Err(Miss::NotFound) };
    let start = match hunk.number {
        Some(number) if number == 0 || number == lines.len() => number,
        None if hunk.anchors.is_empty() || lines.is_empty() => lines.len(),
        _ => return Err(Miss::NoContext),
    };
    Ok(vec![Place { start, reading, level: Level::Exact, shift: Shift::None }])
}

fn find(
    keys: &[Cow<'_, str>],
    reading: &Rc<Reading>,
    level: Level,
    left: &mut usize,
) -> Result<Vec<Place>, Miss> {
    let wanted = |forms: &'_ Forms| -> Vec<String> {
        forms.iter().map(|form| key(level, form).into_owned()).collect()
    };
    let old: Vec<Vec<String>> = reading.old.iter().map(wanted).collect();
    let mut places = Vec::new();
    for (start, window) in keys.windows(old.len()).enumerate() {
        let pairs = || window.iter().zip(&old);
        let same = pairs()
            .take_while(|(line, forms)| {
                level == Level::Indent || forms.iter().any(|it| it == *line)
            })
            .count();
        *left = left.checked_sub(same + 1).ok_or(Miss::TooLong)?;
        let shift = match level {
            Level::Indent => common_shift(window, &old),
            _ => (same == old.len()).then_some(Shift::None),
        };
        if let Some(shift) = shift {
            places.push(Place { start, reading: reading.clone(), level, shift });
        }
        if places.len() >= MAX_PLACES {
            break;
        }
    }
    Ok(places)
}

/// The one shift that turns, for each line, one of its forms into the line of the window.
fn common_shift(window: &[Cow<'_, str>], old: &[Vec<String>]) -> Option<Shift> {
    let is_blank =
        |line: &str, forms: &[String]| line.is_empty() && forms.iter().any(String::is_empty);
    let pairs = || window.iter().zip(old).filter(|(line, forms)| !is_blank(line, forms));
    let (line, forms) = pairs().next()?;
    forms.iter().filter_map(|form| Shift::between(line, form)).find(|shift| {
        pairs().all(|(line, forms)| {
            forms.iter().any(|form| Shift::between(line, form).as_ref() == Some(shift))
        })
    })
}

/// Of several exact places the one that the patch names; all, if it names none.
fn told_apart(lines: &[&str], hunk: &Hunk, places: Vec<Place>) -> Vec<Place> {
    let named = hunk.number.and_then(|number| {
        places.iter().find(|place| Some(place.start) == number.checked_sub(1)).cloned()
    });
    let at_end = || {
        let is_told = hunk.at_end || hunk.lacks_end.is_some();
        let last = places.last().filter(|place| is_told && place.end() == lines.len());
        last.cloned()
    };
    match named.or_else(at_end).or_else(|| below_anchors(lines, &hunk.anchors, &places)) {
        Some(place) => vec![place],
        None => places,
    }
}

/// The one place that stands in the block that the anchors begin.
fn below_anchors(lines: &[&str], anchors: &[String], places: &[Place]) -> Option<Place> {
    let mut begins: Vec<usize> = Vec::new();
    for (depth, anchor) in anchors.iter().enumerate() {
        let is_anchor = |index: &usize| {
            let line = lines.get(*index).map_or("", |line| line.trim());
            // Git cuts the line that it shows there.
            line == anchor.trim() || anchor.len() >= 40 && line.starts_with(anchor.trim())
        };
        let inside = |index: &usize| {
            depth == 0
                || begins.iter().any(|begin| begin < index && is_in_block(lines, *begin, *index))
        };
        begins = (0..lines.len()).filter(is_anchor).filter(inside).take(MAX_PLACES).collect();
    }
    let mut found = begins.iter().filter_map(|begin| {
        let place = places.iter().find(|place| place.start >= *begin)?;
        is_in_block(lines, *begin, place.start).then_some(place)
    });
    let first = found.next()?;
    found.all(|place| place == first).then(|| first.clone())
}

/// Whether no line between these two ends the block that the first one begins.
fn is_in_block(lines: &[&str], begin: usize, end: usize) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(outer) = lines.get(begin).map(|line| indent(line)) else { return false };
    let between = lines.get(begin + 1..end).unwrap_or_default();
    between.iter().all(|line| {
        let text = line.trim_start();
        text.is_empty() || indent(line) > outer || text.starts_with(['{', ')', ']'])
    })
}
