//! Applies the hunks of one file to its text. Pure.
//!
//! Owns what becomes of line ends. Must not know files.
//!
//! Invariant: a line that no hunk removes keeps its bytes, but for a line end that it needs
//! because lines were put behind it.

use std::borrow::Cow;

use super::patch::Hunk;
use super::reading::Piece;
use super::seek::{self, Miss, Place};
use crate::tools::edit_file::lenient::Level;

/// A text with all hunks applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The whole text.
    pub text: String,
    /// The lines that changed first in each hunk, from 1, as numbered before.
    pub lines: Vec<usize>,
    /// Whether a hunk fitted only leniently.
    pub lenient: bool,
    /// Whether lines were indented otherwise than the patch has them.
    pub shifted: bool,
}

/// A line of the file: its text and its line end.
type Ended<'a> = (&'a str, &'a str);

/// Applies hunks to a text without a byte order mark, with any line ends.
///
/// # Errors
/// The index of the first hunk that has no place, and why.
pub fn apply(text: &str, hunks: &[Hunk]) -> Result<Applied, (usize, Miss)> {
    let result = apply_to(&split(text, false), hunks);
    match &result {
        // Old files end their lines with a carriage return alone.
        Err((_, Miss::NotFound)) if text.replace("\r\n", "").contains('\r') => {
            apply_to(&split(text, true), hunks).or(result)
        }
        _ => result,
    }
}

fn split(text: &str, at_lone_cr: bool) -> Vec<Ended<'_>> {
    let at_feeds = text.split_inclusive('\n').map(|line| {
        let body = line.strip_suffix('\n').unwrap_or(line);
        let body =
            if body.len() < line.len() { body.strip_suffix('\r').unwrap_or(body) } else { body };
        line.split_at_checked(body.len()).unwrap_or((line, ""))
    });
    if !at_lone_cr {
        return at_feeds.collect();
    }
    let mut lines = Vec::new();
    for (line, end) in at_feeds {
        let mut rest = line;
        while let Some(at) = rest.find('\r') {
            let (body, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let (return_, after) = after.split_at_checked(1).unwrap_or((after, ""));
            lines.push((body, return_));
            rest = after;
        }
        if !(rest.is_empty() && end.is_empty()) {
            lines.push((rest, end));
        }
    }
    lines
}

fn apply_to(lines: &[Ended<'_>], hunks: &[Hunk]) -> Result<Applied, (usize, Miss)> {
    let bare: Vec<&str> = lines.iter().map(|(line, _)| *line).collect();
    let places = seek::places(&bare, hunks)?;
    let mut sorted: Vec<(usize, &Place)> = places.iter().enumerate().collect();
    sorted.sort_by_key(|(_, place)| place.core());
    let mut new = New { lines, text: Vec::with_capacity(lines.len()) };
    let mut done = 0;
    let mut lacks_end = None;
    for (index, place) in sorted {
        let (first, last) = place.core();
        new.keep(done, first);
        new.replace(place).ok_or((index, Miss::UnevenNew(place.line())))?;
        done = last;
        if last == lines.len() {
            lacks_end = hunks.get(index).and_then(|hunk| hunk.lacks_end).map(|(_, new)| new);
        }
    }
    new.keep(done, lines.len());
    Ok(Applied {
        text: new.finish(lacks_end),
        lines: places.iter().map(Place::line).collect(),
        lenient: places.iter().any(|place| place.level != Level::Exact || !place.reading.is_strict),
        shifted: places.iter().any(|place| place.level == Level::Indent),
    })
}

/// The text that is being made, in lines.
struct New<'a> {
    lines: &'a [Ended<'a>],
    text: Vec<NewLine<'a>>,
}

struct NewLine<'a> {
    text: Cow<'a, str>,
    end: &'a str,
    is_added: bool,
}

impl<'a> New<'a> {
    fn keep(&mut self, first: usize, end: usize) {
        let kept = self.lines.get(first..end).unwrap_or_default();
        self.text.extend(kept.iter().map(|(line, end)| NewLine {
            text: Cow::Borrowed(line),
            end,
            is_added: false,
        }));
    }

    /// `None` if a line cannot be shifted as much as the place is.
    fn replace(&mut self, place: &Place) -> Option<()> {
        let (first, last) = place.core();
        let end = self.end_for(place);
        for piece in &place.reading.new {
            match piece {
                Piece::Kept(index) => {
                    let index = place.start + index;
                    if (first..last).contains(&index) {
                        self.keep(index, index + 1);
                    }
                }
                Piece::Added(line) => {
                    let text = Cow::Owned(place.shift.apply(line)?);
                    self.text.push(NewLine { text, end, is_added: true });
                }
            }
        }
        Some(())
    }

    /// The line end of what is added: the first one where it is put, else that of the line
    /// before, else the first of the file.
    fn end_for(&self, place: &Place) -> &'a str {
        let ends =
            |lines: &'a [Ended<'a>]| lines.iter().map(|(_, end)| *end).find(|end| !end.is_empty());
        let region = self.lines.get(place.start..).unwrap_or_default();
        let region = region.get(..place.reading.old.len()).unwrap_or(region);
        let before = self.lines.get(..place.start).unwrap_or_default();
        let before = before.last().map(std::slice::from_ref).unwrap_or_default();
        ends(region).or_else(|| ends(before)).or_else(|| ends(self.lines)).unwrap_or("\n")
    }

    /// `lacks_end`: what the patch says of the end of the last line, if it changes that.
    fn finish(self, lacks_end: Option<bool>) -> String {
        let first_end = self.lines.iter().map(|(_, end)| *end).find(|end| !end.is_empty());
        let lacked = self.lines.last().is_some_and(|(_, end)| end.is_empty());
        let last = self.text.len().saturating_sub(1);
        let mut text = String::new();
        for (index, line) in self.text.into_iter().enumerate() {
            text.push_str(&line.text);
            let end = if line.end.is_empty() { first_end.unwrap_or("\n") } else { line.end };
            text.push_str(match lacks_end {
                _ if index < last => end,
                Some(true) => "",
                Some(false) => end,
                None if line.is_added && lacked => "",
                None => line.end,
            });
        }
        text
    }
}
