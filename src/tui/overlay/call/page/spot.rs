//! Places in the text of a page, what text stands between two of them, and where it is drawn.
//!
//! Must not know the pointer. Invariant: no width changes a place, and nothing that is printed
//! later does. In the output it is a number of bytes, so that what stands between two of them is
//! what was printed, and no line between them is looked at.

use std::ops::{Range, RangeInclusive};

use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;

use super::{Shown, wrapped};
use crate::tui::{
    overlay::pager::Place,
    selection::{Grain, is_word},
    transcript::{
        anchor::Anchor,
        pieces,
        selection::{line, word},
        text,
    },
    wrap::{self, mark},
};

/// A place in the text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tui::overlay::call) enum Spot {
    /// Before the output: a line, and graphemes of it.
    Head(usize, usize),
    /// Bytes of the output.
    Output(usize),
    /// After the output: a line there, and graphemes of it.
    Foot(usize, usize),
}

/// Two places, the first one first.
pub(in crate::tui::overlay::call) type Ends = (Spot, Spot);

impl Shown<'_> {
    /// The ends of what stands in a column of this row.
    pub(in crate::tui::overlay::call) fn at(
        &self,
        Place { line, row }: Place,
        column: usize,
        (width, grain): (u16, Grain),
    ) -> Option<Ends> {
        let rows = self.laid_out(line, width, &[], None);
        let (glyph, end) = text::at_column(rows.get(row)?, column);
        let all = 0..rows.len();
        let from = pieces::before(&rows, all.clone(), (row, glyph));
        let until = pieces::behind(&rows, all, (row, end));
        let ends = (self.spot(line, from), self.spot(line, until));
        match ends {
            _ if grain == Grain::Letter => Some(ends),
            (Spot::Output(from), Spot::Output(until)) => {
                let (from, until) = self.around(from..until, grain);
                Some((Spot::Output(from), Spot::Output(until)))
            }
            (Spot::Head(line, from), _) => {
                let (from, until) = around(&self.page.head, (line, from), grain)?;
                Some((Spot::Head(from.0, from.1), Spot::Head(until.0, until.1)))
            }
            (Spot::Foot(line, from), _) => {
                let (from, until) = around(&self.page.foot, (line, from), grain)?;
                Some((Spot::Foot(from.0, from.1), Spot::Foot(until.0, until.1)))
            }
            (Spot::Output(_), _) => None,
        }
    }

    /// The place before the grapheme of this number in a line.
    fn spot(&self, line: usize, number: usize) -> Spot {
        if line < self.page.head.len() {
            return Spot::Head(line, number);
        }
        if let Some(piece) = self.piece(line) {
            let text = self.text.get(piece.range()).unwrap_or_default();
            return Spot::Output(piece.start + byte_of(text, number));
        }
        match line.saturating_sub(self.output_end()) {
            line if line < self.page.foot.len() => Spot::Foot(line, number),
            _ => Spot::Output(self.text.len() + byte_of(self.open, number)),
        }
    }

    /// The bytes of the word or the line that these bytes of the output belong to.
    fn around(&self, Range { start, end }: Range<usize>, grain: Grain) -> (usize, usize) {
        let settled = self.text.len();
        let is_open = start >= settled && !self.open.is_empty();
        let (text, base) = if is_open { (self.open, settled) } else { (self.text, 0) };
        let (before, behind) = text.split_at_checked(start - base).unwrap_or((text, ""));
        if grain == Grain::Line {
            let begin = before.rfind('\n').map_or(0, |end| end + 1);
            let length = behind.find('\n').unwrap_or(behind.len());
            return (base + begin, start + length);
        }
        let on = behind.get(..end - start).unwrap_or_default();
        if !is_word(on) {
            return (start, end);
        }
        let graphemes = |text: &str, back: bool| {
            let all = text.graphemes(true);
            let is_in = |grapheme: &&str| is_word(grapheme);
            let lengths: usize = if back {
                all.rev().take_while(is_in).map(str::len).sum()
            } else {
                all.take_while(is_in).map(str::len).sum()
            };
            lengths
        };
        let after = behind.get(end - start..).unwrap_or_default();
        (start - graphemes(before, true), end + graphemes(after, false))
    }

    /// What stands between two places, as it was printed.
    pub(in crate::tui::overlay::call) fn between(&self, (from, until): Ends) -> String {
        let mut parts = Vec::new();
        if let Spot::Head(line, number) = from {
            parts.extend(head_between(&self.page.head, (line, number), until));
        }
        let start = match from {
            Spot::Head(..) => Some(0),
            Spot::Output(start) => Some(start),
            Spot::Foot(..) => None,
        };
        let end = match until {
            Spot::Head(..) => None,
            Spot::Output(end) => Some(end),
            Spot::Foot(..) => Some(usize::MAX),
        };
        if let (Some(start), Some(end)) = (start, end)
            && !(self.text.is_empty() && self.open.is_empty())
        {
            parts.push(self.printed(start..end));
        }
        if let Spot::Foot(line, number) = until {
            let first = match from {
                Spot::Foot(line, number) => (line, number),
                _ => (0, 0),
            };
            parts.extend(styled_between(&self.page.foot, first, Some((line, number))));
        }
        parts.join("\n")
    }

    /// These bytes of the output, its open line included; without the last line's end if it goes
    /// on behind the output.
    pub(in crate::tui::overlay::call) fn printed(
        &self,
        Range { start, end }: Range<usize>,
    ) -> String {
        let part = |text: &str, base: usize| {
            let place = |at: usize| at.saturating_sub(base).min(text.len());
            text.get(place(start)..place(end)).unwrap_or_default().to_owned()
        };
        let mut printed = part(self.text, 0) + &part(self.open, self.text.len());
        if end == usize::MAX && printed.ends_with('\n') {
            printed.pop();
        }
        printed
    }

    /// What of the open line stands before this place, and where in the output it stands.
    pub(in crate::tui::overlay::call) fn open_before(
        &self,
        until: Spot,
    ) -> Option<(usize, String)> {
        let Spot::Output(until) = until else { return None };
        let settled = self.text.len();
        let part = self.open.get(..until.checked_sub(settled)?)?;
        Some((settled, part.to_owned()))
    }

    /// Whether this stands there in the output.
    pub(in crate::tui::overlay::call) fn has_at(&self, at: usize, part: &str) -> bool {
        self.printed(at..at.saturating_add(part.len())) == part
    }

    /// The columns of each row of a line that stand between two places.
    pub(in crate::tui::overlay::call) fn columns(
        &self,
        line: usize,
        width: u16,
        (from, until): Ends,
    ) -> Vec<Vec<Range<u16>>> {
        let (from, until) = (self.number_in(line, from), self.number_in(line, until));
        let Some(last) = until.checked_sub(1).filter(|last| from <= *last) else {
            return Vec::new();
        };
        let rows = self.laid_out(line, width, &[], None);
        let ends = (Anchor::at(from).place(&rows), Anchor::at(last).behind(&rows));
        let ends = (Some(ends.0), Some(ends.1));
        (0..rows.len()).map(|row| pieces::columns_within(&rows, row, ends)).collect()
    }

    /// How many graphemes of a line stand before a place: none of a line behind it.
    fn number_in(&self, line: usize, spot: Spot) -> usize {
        let (start, end) = (self.spot(line, 0), self.spot(line, usize::MAX));
        match (start, spot) {
            _ if spot <= start => 0,
            _ if spot >= end => usize::MAX,
            (Spot::Output(start), Spot::Output(byte)) => {
                let text = self.text_of(line, line);
                drawn(&text).partition_point(|grapheme| *grapheme < byte - start)
            }
            (_, Spot::Head(_, number) | Spot::Foot(_, number)) => number,
            (_, Spot::Output(_)) => 0,
        }
    }

    /// Leads two places to the same text, after the lines before the output, which were these, were
    /// laid out for another width; `None` if they lead nowhere.
    pub(in crate::tui::overlay::call) fn moved(
        &self,
        (from, until): Ends,
        old: &[Line<'static>],
    ) -> Option<Ends> {
        let Spot::Head(line, number) = from else { return Some((from, until)) };
        let lines = |head: &[Line<'static>]| 0..=head.len().saturating_sub(1);
        let new = &self.page.head;
        let flat = (Flat::of(old, lines(old)), Flat::of(new, lines(new)));
        let until = match until {
            Spot::Head(line, number) => led((line, number), true, &flat)?,
            until => until,
        };
        Some((led((line, number), false, &flat)?, until))
    }

    /// Whether the lines before the output have the same text between these places as those had
    /// between those.
    pub(in crate::tui::overlay::call) fn is_same(
        &self,
        new: Ends,
        (old, lines): (Ends, &[Line<'static>]),
    ) -> bool {
        let text = |(from, until): Ends, lines: &[Line<'static>]| match from {
            Spot::Head(line, number) => head_between(lines, (line, number), until),
            _ => None,
        };
        text(new, &self.page.head) == text(old, lines)
    }
}

/// Where the place is in lines that were laid out anew; the end of what stands before it, if
/// `is_end`.
fn led((line, number): (usize, usize), is_end: bool, (old, new): &(Flat, Flat)) -> Option<Spot> {
    let last = number.checked_sub(1).filter(|_| is_end);
    let (row, glyph) = old.place((line, last.unwrap_or(number)));
    let anchor = Anchor::of(&old.rows, row, glyph);
    let at = if last.is_some() { anchor.behind(&new.rows) } else { anchor.place(&new.rows) };
    new.spot(at, last.is_some()).map(|(line, number)| Spot::Head(line, number))
}

/// The ends of the word or the line that this grapheme belongs to, among such lines.
fn around(
    lines: &[Line<'static>],
    (at, number): (usize, usize),
    grain: Grain,
) -> Option<((usize, usize), (usize, usize))> {
    let goes_on = |at: &usize| lines.get(*at).is_some_and(mark::continues);
    let first = (0..=at).rev().find(|at| !goes_on(at)).unwrap_or(0);
    let last = at + (at + 1..lines.len()).take_while(goes_on).count();
    let flat = Flat::of(lines, first..=last);
    let (row, glyph) = flat.place((at, number));
    let (from, until) = match grain {
        Grain::Line => line(&flat.rows, row),
        _ => word(&flat.rows, (row, glyph)),
    };
    Some((flat.spot(from, false)?, flat.spot(until, true)?))
}

/// What stands in these lines before the output from a place on, up to another one.
fn head_between(head: &[Line<'static>], from: (usize, usize), until: Spot) -> Option<String> {
    let until = match until {
        Spot::Head(line, number) => Some((line, number)),
        _ => None,
    };
    styled_between(head, from, until)
}

/// The text of these lines from a place on, up to another one or to their end; `None` if nothing
/// of it is text.
fn styled_between(
    lines: &[Line<'static>],
    from: (usize, usize),
    until: Option<(usize, usize)>,
) -> Option<String> {
    let last = until.map_or(lines.len().saturating_sub(1), |until| until.0);
    let flat = Flat::of(lines, from.0..=last);
    let end = until.map_or((flat.rows.len(), 0), |until| flat.end(until));
    let has_text = flat.rows.iter().any(|row| !mark::has_no_text(row));
    has_text.then(|| text::between(&flat.rows, flat.place(from), end))
}

/// Lines, each laid out as wide as it can be.
struct Flat {
    rows: Vec<Line<'static>>,
    /// The line of each row.
    lines: Vec<usize>,
}

impl Flat {
    fn of(lines: &[Line<'static>], range: RangeInclusive<usize>) -> Self {
        let mut flat = Self { rows: Vec::new(), lines: Vec::new() };
        let (first, last) = range.into_inner();
        for (number, line) in lines.iter().enumerate().take(last.saturating_add(1)).skip(first) {
            flat.rows.extend(wrapped(line, std::iter::empty(), u16::MAX));
            flat.lines.resize(flat.rows.len(), number);
        }
        flat
    }

    /// The rows of a line, and the number of the first one.
    fn own(&self, line: usize) -> (&[Line<'static>], usize) {
        let first = self.lines.partition_point(|it| *it < line);
        let end = self.lines.partition_point(|it| *it <= line);
        (self.rows.get(first..end).unwrap_or_default(), first)
    }

    /// The row that a grapheme of a line stands in, and its number there.
    fn place(&self, (line, number): (usize, usize)) -> (usize, usize) {
        let (own, first) = self.own(line);
        let (row, glyph) = Anchor::at(number).place(own);
        (first + row, glyph)
    }

    /// As [`Self::place`], of an end: it belongs to the grapheme before it.
    fn end(&self, (line, number): (usize, usize)) -> (usize, usize) {
        let (own, first) = self.own(line);
        let end = number.checked_sub(1).filter(|_| !own.iter().all(mark::has_no_text));
        let (row, glyph) = end.map_or((0, 0), |last| Anchor::at(last).behind(own));
        (first + row, glyph)
    }

    /// The line of a row, and how many graphemes of it stand before this one, or before this end.
    fn spot(&self, (row, glyph): (usize, usize), is_end: bool) -> Option<(usize, usize)> {
        let line = *self.lines.get(row)?;
        let (own, first) = self.own(line);
        let (all, at) = (0..own.len(), (row - first, glyph));
        let count = if is_end { pieces::behind } else { pieces::before };
        Some((line, count(own, all, at)))
    }
}

/// Where each grapheme that is drawn begins in the text. What is not drawn belongs to the one
/// before it.
fn drawn(text: &str) -> Vec<usize> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return (0..text.len()).collect();
    }
    let mut starts = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive('\t') {
        let text = part.trim_end_matches('\t');
        let is_kept = |c: char| !wrap::clean(c.encode_utf8(&mut [0; 4]), 0).is_empty();
        let mut kept = text.char_indices().filter(|(_, c)| is_kept(*c));
        for grapheme in wrap::clean(text, 0).graphemes(true) {
            starts.extend(kept.next().map(|(start, _)| at + start));
            kept.by_ref().take(grapheme.chars().count() - 1).for_each(drop);
        }
        if text.len() < part.len() {
            starts.push(at + text.len());
        }
        at += part.len();
    }
    starts
}

/// Where the grapheme of this number begins; all that stands before the first one is at its front.
fn byte_of(text: &str, number: usize) -> usize {
    if number == 0 { 0 } else { drawn(text).get(number).copied().unwrap_or(text.len()) }
}

#[cfg(test)]
mod tests;
