//! All lines of a call's view: arguments and changes first, then the output, however long, and
//! what there is to say after it.
//!
//! Owns where lines begin: they are counted once, and what is appended is counted alone. Must not
//! know scrolling.

pub(super) mod spot;

use std::{
    borrow::Cow,
    mem::{Discriminant, discriminant},
    ops::Range,
};

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    Whole, arguments,
    search::{Hit, Hits},
    told,
    whole::WholeText,
};
use crate::{
    text::cut,
    tui::{
        cell::iteration::call::Call, diff, highlight::Highlighter, overlay::pager::Lines,
        theme::Theme, wrap, wrap::mark,
    },
};

/// Bytes of a line that are laid out at once; a longer line is drawn as several.
const PIECE: usize = 4_096;
/// Lines of a diff that are drawn with all that a diff can show; more of them line by line.
const DIFF_LINES: usize = 2_100;

/// What a page is drawn with.
pub(super) type Ink<'a> = (&'a Theme, &'a Highlighter);

/// A line of a text, or a piece of a very long one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    start: usize,
    end: usize,
    /// It goes on where the piece before it ends.
    pub(super) joined: bool,
}

impl Piece {
    pub(super) fn new(range: Range<usize>, joined: bool) -> Self {
        Self { start: range.start, end: range.end, joined }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The line that it is drawn as.
    pub(super) fn line(self, spans: Vec<Span<'static>>) -> Line<'static> {
        let mut line = Line::from(spans);
        if self.joined {
            mark::go_on(&mut line);
        }
        line
    }
}

/// The lines of a text, long ones in pieces; without their line ends.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece> {
    let (mut at, mut joined) = (0, false);
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let head = cut::head(rest, PIECE);
        let (length, skip) = match head.find('\n') {
            Some(end) => (end, 1),
            None if rest.get(head.len()..).is_some_and(|more| more.starts_with('\n')) => {
                (head.len(), 1)
            }
            None => (head.len(), 0),
        };
        let piece = Piece { start: at, end: at + length, joined };
        at = piece.end + skip;
        joined = skip == 0;
        Some(piece)
    })
}

/// What a page is made of: bytes of the arguments, whether there is a result, how far its whole
/// output is, and how many lines were dropped from the front of the output.
type Made = (usize, bool, Discriminant<Whole>, usize);

/// What became of the lines that were there before.
pub(super) enum Renewal {
    /// They are the same.
    Nothing,
    /// They were laid out for another width; these stood before the output.
    Width(Vec<Line<'static>>),
    /// They are others.
    Page,
}

/// What is known of the lines.
#[derive(Default)]
pub(super) struct Page {
    /// What stands before the output.
    head: Vec<Line<'static>>,
    /// What stands after it.
    foot: Vec<Line<'static>>,
    /// For which width they were made, and of what.
    made_for: Option<(u16, Made)>,
    /// Which colours the highlighter had by then.
    colours: u64,
    /// The lines of the output, as far as they were counted; none of a whole one, which knows
    /// them itself.
    pieces: Vec<Piece>,
    /// How many of them were added last.
    added: usize,
    /// Bytes of the output that were counted.
    counted: usize,
    /// Lines that were dropped from its front when they were counted.
    dropped: usize,
    /// Changes whenever lines that were there before are others now.
    age: u64,
}

impl Page {
    /// Takes what is new of the call.
    pub(super) fn take(&mut self, (call, whole): Subject<'_>, width: u16, ink: Ink<'_>) -> Renewal {
        let colours = ink.1.generation();
        let dropped = call.live().dropped();
        let made = (call.arguments().len(), call.text().is_some(), discriminant(whole), dropped);
        let before = self.made_for.replace((width, made));
        let mut renewal = Renewal::Nothing;
        if before != Some((width, made)) {
            let old = std::mem::replace(&mut self.head, head((call, whole), width, ink));
            let is_same = before.is_some_and(|before| before.1 == made);
            renewal = if is_same { Renewal::Width(old) } else { Renewal::Page };
            self.foot = told::foot((call, whole), ink.0);
            self.colours = colours;
            self.dropped = dropped;
            self.pieces.clear();
            self.counted = 0;
            self.age += 1;
        } else if self.colours != colours && call.diff().is_some() {
            // Other colours, the same lines.
            self.head = head((call, whole), width, ink);
            self.colours = colours;
        }
        let text = if whole.is_here() { "" } else { output(call) };
        let fresh = text.get(self.counted..).unwrap_or_default();
        let (from, before) = (self.counted, self.pieces.len());
        self.pieces.extend(pieces(fresh).map(|piece| Piece {
            start: piece.start + from,
            end: piece.end + from,
            ..piece
        }));
        self.counted = text.len();
        self.added = self.pieces.len() - before;
        renewal
    }

    /// How many lines of the output were counted when it was taken last.
    #[cfg(test)]
    pub(super) fn added(&self) -> usize {
        self.added
    }

    /// The page as lines to scroll through.
    pub(super) fn with<'a>(
        &'a self,
        (call, whole): Subject<'a>,
        hits: Option<&'a Hits>,
        theme: &'a Theme,
    ) -> Shown<'a> {
        let open = if call.text().is_some() { "" } else { call.live().open_line() };
        let whole = whole.text();
        let text = whole.map_or_else(|| output(call), WholeText::text);
        let is_cut = call.whole().is_some() || self.dropped > 0;
        let is_all = whole.map_or(!is_cut, |whole| whole.notes().is_empty());
        Shown { page: self, text, whole, open, is_all, hits, theme }
    }
}

/// A call, and how far its whole output is.
pub(super) type Subject<'a> = (&'a Call, &'a Whole);

/// Whole lines of what the call printed, or its result.
fn output(call: &Call) -> &str {
    call.text().unwrap_or(call.live().lines())
}

fn head((call, whole): Subject<'_>, width: u16, ink: Ink<'_>) -> Vec<Line<'static>> {
    let theme = ink.0;
    let mut lines = Vec::new();
    let title = |words: String| mark::no_text(Line::from(Span::styled(words, theme.heading(2))));
    let given = arguments::lines(call.arguments(), theme);
    if !given.is_empty() {
        lines.push(title("Arguments".to_owned()));
        lines.extend(given);
        lines.push(Line::default());
    }
    if let Some(diff) = call.diff().filter(|diff| !diff.is_empty()) {
        lines.push(title("Changes".to_owned()));
        lines.extend(changes((diff, call.subject()), width, ink));
        lines.push(Line::default());
    }
    lines.push(title(match (call.text(), call.live().dropped()) {
        (Some(_), _) => told::title(call.whole(), whole),
        (None, 0) => "Output".to_owned(),
        (None, dropped) => format!("Output · {dropped} lines before these are not kept"),
    }));
    lines.extend(told::awaits(call.whole(), whole, theme));
    lines
}

/// The changes to the file at `path`, or to those that the diff names.
fn changes((diff, path): (&str, &str), width: u16, ink: Ink<'_>) -> Vec<Line<'static>> {
    let (theme, highlighter) = ink;
    if diff.lines().nth(DIFF_LINES).is_none() && diff.lines().all(|line| line.len() <= PIECE) {
        return diff::coloured_lines(diff::hunks(diff), path, width, theme, highlighter);
    }
    let style = |line: &str| match line.bytes().next() {
        Some(b'+') => theme.added,
        Some(b'-') => theme.removed,
        Some(b'@') => theme.hunk,
        _ => theme.text,
    };
    let lines = pieces(diff).filter_map(|piece| Some((piece, diff.get(piece.range())?)));
    let line =
        |(piece, line): (Piece, &str)| piece.line(vec![Span::styled(line.to_owned(), style(line))]);
    lines.map(line).collect()
}

/// The page, with the texts that it is about.
pub(super) struct Shown<'a> {
    page: &'a Page,
    text: &'a str,
    whole: Option<&'a WholeText>,
    /// The line that is still open.
    open: &'a str,
    is_all: bool,
    hits: Option<&'a Hits>,
    theme: &'a Theme,
}

impl Shown<'_> {
    /// The text of this line, with all lines up to `next` that go on where it ends.
    pub(super) fn text_of(&self, line: usize, next: usize) -> Cow<'_, str> {
        if let Some(line) = self.styled(line) {
            return Cow::Owned(line.spans.iter().map(|span| span.content.as_ref()).collect());
        }
        let last = self.piece(next.saturating_sub(1).max(line));
        match (self.piece(line), last) {
            (Some(first), Some(last)) => {
                let range = first.start..last.end;
                Cow::Borrowed(self.text.get(range).unwrap_or_default())
            }
            _ => Cow::Borrowed(self.open),
        }
    }

    /// A line before the output, or after it.
    fn styled(&self, line: usize) -> Option<&Line<'static>> {
        let after = || self.page.foot.get(line.checked_sub(self.output_end())?);
        self.page.head.get(line).or_else(after)
    }

    /// The piece of the output that this line is.
    pub(super) fn piece(&self, line: usize) -> Option<Piece> {
        let line = line.checked_sub(self.page.head.len())?;
        match self.whole {
            Some(whole) => whole.piece(line),
            None => self.page.pieces.get(line).copied(),
        }
    }

    fn output_end(&self) -> usize {
        self.page.head.len() + self.whole.map_or(self.page.pieces.len(), WholeText::count)
    }

    /// Lines that do not change any more.
    pub(super) fn settled(&self) -> usize {
        self.output_end() + self.page.foot.len()
    }

    /// Changes whenever lines that were there before are others now.
    pub(super) fn age(&self) -> u64 {
        self.page.age
    }

    /// Whether this is all that was printed.
    pub(super) fn is_all(&self) -> bool {
        self.is_all
    }

    /// In which row of its line the hit is drawn.
    pub(super) fn row_of(&self, hit: Hit, width: u16) -> usize {
        let style = self.theme.hit;
        let has = |row: &Line<'_>| row.spans.iter().any(|span| span.style == style);
        let only = [hit];
        let rows = self.laid_out(hit.line, width, &only, Some(hit));
        rows.iter().position(has).unwrap_or(0)
    }

    fn laid_out(
        &self,
        line: usize,
        width: u16,
        hits: &[Hit],
        current: Option<Hit>,
    ) -> Vec<Line<'static>> {
        let plain;
        let whole = if let Some(line) = self.styled(line) {
            line
        } else {
            let gap = self.whole.and_then(WholeText::gap).map(|gap| gap + self.page.head.len());
            let style = if gap == Some(line) { self.theme.warning } else { self.theme.text };
            plain = Line::from(Span::styled(self.text_of(line, line).into_owned(), style));
            &plain
        };
        let marks = hits.iter().map(|hit| {
            let style = if Some(*hit) == current { self.theme.hit } else { self.theme.selection };
            (hit.from..hit.to, style)
        });
        wrapped(whole, marks, width)
    }
}

/// The rows of a line with these parts of its text in styles of their own.
fn wrapped(
    whole: &Line<'_>,
    marks: impl Iterator<Item = (Range<usize>, Style)>,
    width: u16,
) -> Vec<Line<'static>> {
    let gutter = whole.spans.first().filter(|span| arguments::is_gutter(span)).cloned();
    let mut line = painted(whole, marks);
    let mut left = gutter.as_ref().map_or(0, |gutter| gutter.content.len());
    let of_gutter = line.spans.iter().take_while(|span| {
        let is_part = left > 0;
        left = left.saturating_sub(span.content.len());
        is_part
    });
    let text = line.spans.split_off(of_gutter.count());
    let first = std::mem::replace(&mut line.spans, text);
    wrap::wrap_line(&line, width, &first, gutter.as_slice())
}

impl Lines for Shown<'_> {
    fn count(&self) -> usize {
        self.settled() + usize::from(!self.open.is_empty())
    }

    fn rows(&self, line: usize, width: u16) -> Vec<Line<'static>> {
        let hits = self.hits.map(|hits| (hits.in_line(line), hits.current()));
        let (hits, current) = hits.unwrap_or((&[], None));
        self.laid_out(line, width, hits, current)
    }
}

/// The line with these parts of its text, in order, in styles of their own.
fn painted<'a>(line: &'a Line<'_>, marks: impl Iterator<Item = (Range<usize>, Style)>) -> Line<'a> {
    let mut spans = Vec::new();
    let mut marks = marks.peekable();
    let mut start = 0;
    for span in &line.spans {
        let (text, end) = (span.content.as_ref(), start + span.content.len());
        let mut at = start;
        while let Some((range, style)) = marks.peek().filter(|(range, _)| range.start < end) {
            let (from, to) = (range.start.max(at), range.end.min(end));
            spans.push(part(text, at - start..from - start, span.style));
            spans.push(part(text, from - start..to.max(from) - start, *style));
            at = to.max(from);
            if range.end > end {
                break;
            }
            marks.next();
        }
        spans.push(part(text, at - start..end - start, span.style));
        start = end;
    }
    spans.retain(|span| !span.content.is_empty());
    Line::from(spans).style(line.style)
}

fn part(text: &str, range: Range<usize>, style: Style) -> Span<'_> {
    Span::styled(text.get(range).unwrap_or_default(), style)
}
