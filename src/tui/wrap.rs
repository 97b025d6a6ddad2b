//! How wide text is on the screen, and how it is broken into rows.
//!
//! Owns the column count of a grapheme and every line break. Must not know what the text
//! means. Text is expected without escapes; controls that come nonetheless are dropped.
//!
//! Invariant: no row is wider than asked, and every grapheme of the input stands in the rows
//! in its order, except blanks at a break, which the row counts; only a grapheme that is wider
//! than a whole row is drawn as `…`. A tab is one grapheme, drawn as blanks, and never left out.
//! The time is linear in the text.

pub mod mark;
pub(super) mod prose;

use std::borrow::Cow;

use ratatui::{
    buffer::CellWidth,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

const TAB: usize = 4;
/// What stands for text that does not fit.
const CUT: &str = "…";
/// A grapheme longer than this is measured without the buffer's 16-bit sum.
const LONG_GRAPHEME: usize = 4_096;

/// Columns that the text takes when it is drawn, after [`clean`].
#[must_use]
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    columns(&clean(text, 0))
}

/// The text as a span may hold it: tabs become blanks up to the next multiple of four,
/// counted from `column`; controls are dropped, and so are U+FE0F and U+20E3, about whose
/// width terminals disagree.
#[must_use]
pub fn clean(text: &str, column: usize) -> Cow<'_, str> {
    if !text.chars().any(is_dropped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut column = column;
    for (index, part) in text.split('\t').enumerate() {
        if index > 0 {
            let blanks = TAB - column % TAB;
            out.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        }
        let kept: String = part.chars().filter(|&c| !is_dropped(c)).collect();
        column += columns(&kept);
        out.push_str(&kept);
    }
    Cow::Owned(out)
}

/// Breaks a line into rows of at most `width` columns, between words where it can. The first
/// row begins with `first_indent`, the others with `next_indent`; an indent that leaves less
/// than two columns is not drawn, but for the first, which then becomes part of the text.
#[must_use]
pub fn wrap_line(
    line: &Line<'_>,
    width: u16,
    first_indent: &[Span<'_>],
    next_indent: &[Span<'_>],
) -> Vec<Line<'static>> {
    let width = usize::from(width.max(1));
    let mut spans: Vec<Span<'_>> = Vec::new();
    let mut first_indent = cleaned(first_indent);
    mark::as_indent(&mut first_indent);
    if !fits(&first_indent, width) {
        (first_indent, spans) = first_indent.into_iter().partition(mark::is_told);
    }
    spans.extend(cleaned(&line.spans));
    if span_columns(&first_indent) + span_columns(&spans) <= width {
        let row = first_indent.iter().chain(&spans).map(owned).collect();
        return vec![Line { spans: row, style: line.style, alignment: line.alignment }];
    }
    let mut next_indent = cleaned(next_indent);
    mark::as_indent(&mut next_indent);
    if !fits(&next_indent, width) {
        next_indent.clear();
    }
    let text = Glyphs::of(&spans);
    let widths = (width - span_columns(&first_indent), width - span_columns(&next_indent));
    let mut rows = Vec::new();
    for Break { start, end, next } in text.breaks(widths.0, widths.1) {
        let (indent, room) =
            if rows.is_empty() { (&first_indent, widths.0) } else { (&next_indent, widths.1) };
        let mut row: Vec<Span<'static>> = indent.iter().map(owned).collect();
        text.draw(start..end, room, &mut row);
        let style = mark::row_style(line.style, !rows.is_empty(), text.blanks(end..next));
        rows.push(Line { spans: row, style, alignment: line.alignment });
    }
    rows
}

/// The line in at most `width` columns; what does not fit is replaced by `…`.
#[must_use]
pub fn cut_line(line: &Line<'_>, width: u16) -> Line<'static> {
    let width = usize::from(width);
    let spans = cleaned(&line.spans);
    let text = Glyphs::of(&spans);
    let mut row = Vec::new();
    if text.list.iter().map(|glyph| usize::from(glyph.width)).sum::<usize>() <= width {
        row.extend(spans.iter().map(owned));
    } else if width > 0 {
        let mut taken = 0;
        let fitting = text.list.iter().take_while(|glyph| {
            taken += usize::from(glyph.width);
            taken < width
        });
        let end = fitting.count();
        text.draw(0..end, width, &mut row);
        let style = text.list.get(end).and_then(|glyph| spans.get(glyph.span));
        row.push(Span::styled(CUT, style.map(|span| span.style).unwrap_or_default()));
    }
    Line { spans: row, style: line.style, alignment: line.alignment }
}

fn is_dropped(c: char) -> bool {
    c.is_control() || matches!(c, '\u{FE0F}' | '\u{20E3}')
}

fn columns(text: &str) -> usize {
    text.graphemes(true).map(|grapheme| usize::from(grapheme_columns(grapheme))).sum()
}

fn grapheme_columns(grapheme: &str) -> u16 {
    if grapheme.len() > LONG_GRAPHEME {
        return u16::try_from(grapheme.width()).unwrap_or(u16::MAX);
    }
    grapheme.cell_width()
}

fn span_columns(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| columns(&span.content)).sum()
}

fn fits(indent: &[Span<'_>], width: usize) -> bool {
    indent.is_empty() || span_columns(indent) + 2 <= width
}

fn owned(span: &Span<'_>) -> Span<'static> {
    Span::styled(span.content.to_string(), span.style)
}

/// Spans that hold only what is drawn, each tab in one of its own; the column runs on from span
/// to span.
fn cleaned<'a>(spans: &'a [Span<'_>]) -> Vec<Span<'a>> {
    let mut column = 0;
    let mut out = Vec::with_capacity(spans.len());
    for span in spans {
        for (index, part) in span.content.split('\t').enumerate() {
            if index > 0 {
                let blanks = TAB - column % TAB;
                out.push(Span::styled(" ".repeat(blanks), mark::tab(span.style)));
                column += blanks;
            }
            let content = clean(part, column);
            column += columns(&content);
            if !content.is_empty() || mark::is_told(span) {
                out.push(Span::styled(content, span.style));
            }
        }
    }
    out
}

/// One grapheme and what the line breaker must know of it.
struct Glyph {
    span: usize,
    start: u32,
    end: u32,
    width: u16,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Blank,
    /// The blanks that a tab is drawn as.
    Tab,
    /// An ideograph or an emoji: a line may break on both sides.
    Wide,
    /// Wide punctuation that must not begin a row.
    Closing,
    /// Wide punctuation that must not end a row.
    Opening,
}

impl Kind {
    fn of(grapheme: &str, width: u16) -> Self {
        let Some(first) = grapheme.chars().next() else { return Self::Letter };
        match first {
            '\u{A0}' | '\u{202F}' | '\u{2007}' => Self::Letter,
            first if first.is_whitespace() => Self::Blank,
            '、' | '。' | '，' | '．' | '！' | '？' | '：' | '；' | '）' | '］' | '｝' | '」'
            | '』' | '】' | '》' | '〉' | '〕' | '・' | 'ー' => Self::Closing,
            '（' | '［' | '｛' | '「' | '『' | '【' | '《' | '〈' | '〔' => Self::Opening,
            _ if width >= 2 => Self::Wide,
            _ => Self::Letter,
        }
    }

    /// Whether a row may end after `self` when `next` comes.
    fn breaks_before(self, next: Self) -> bool {
        let is_kept = matches!(
            (self, next),
            (_, Self::Blank | Self::Tab | Self::Closing)
                | (Self::Opening, _)
                | (Self::Letter, Self::Letter)
        );
        !is_kept
    }
}

/// A row as graphemes, and where the next one begins; what stands between are blanks.
struct Break {
    start: usize,
    end: usize,
    next: usize,
}

struct Glyphs<'a> {
    spans: &'a [Span<'a>],
    list: Vec<Glyph>,
}

impl<'a> Glyphs<'a> {
    fn of(spans: &'a [Span<'a>]) -> Self {
        let mut list = Vec::new();
        for (index, span) in spans.iter().enumerate() {
            if mark::is_tab(span) {
                let width = u16::try_from(span.content.len()).unwrap_or(u16::MAX);
                let end = u32::from(width);
                list.push(Glyph { span: index, start: 0, end, width, kind: Kind::Tab });
                continue;
            }
            for (start, grapheme) in span.content.grapheme_indices(true) {
                let width = grapheme_columns(grapheme);
                list.push(Glyph {
                    span: index,
                    start: u32::try_from(start).unwrap_or(u32::MAX),
                    end: u32::try_from(start + grapheme.len()).unwrap_or(u32::MAX),
                    width,
                    kind: Kind::of(grapheme, width),
                });
            }
        }
        Self { spans, list }
    }

    /// The rows as ranges of graphemes; always at least one.
    fn breaks(&self, first_width: usize, next_width: usize) -> Vec<Break> {
        let mut rows = Vec::new();
        let mut row = Row::at(0);
        let mut room = first_width;
        let mut index = 0;
        while let Some(glyph) = self.list.get(index) {
            let wide = usize::from(glyph.width).min(room);
            if row.columns + wide > room && index > row.start {
                let (end, next) = match (glyph.kind, row.break_before(index, glyph.kind)) {
                    (Kind::Blank, _) => (row.text_end, self.skip_blanks(index)),
                    (Kind::Tab, _) | (_, None) => (index, index),
                    (_, Some(found)) => found,
                };
                // A row can count only so many blanks: those before them stay in it.
                let end = end.max(next.saturating_sub(mark::MOST_BLANKS));
                rows.push(Break { start: row.start, end, next });
                if next >= self.list.len() {
                    return rows;
                }
                row = Row::at(next);
                room = next_width;
                index = next;
                continue;
            }
            row.take(index, glyph.kind, wide);
            index += 1;
        }
        let end = self.list.len();
        rows.push(Break { start: row.start, end, next: end });
        rows
    }

    fn skip_blanks(&self, from: usize) -> usize {
        let blanks = self.list.iter().skip(from).take_while(|glyph| glyph.kind == Kind::Blank);
        from + blanks.take(mark::MOST_BLANKS).count()
    }

    /// How many of these blanks are text.
    fn blanks(&self, range: std::ops::Range<usize>) -> usize {
        let blanks = self.list.get(range).unwrap_or_default().iter();
        let spans = blanks.filter_map(|glyph| self.spans.get(glyph.span));
        spans.filter(|span| !mark::is_decoration(span)).count()
    }

    /// Appends graphemes to a row, one span for each run of one style.
    fn draw(&self, range: std::ops::Range<usize>, room: usize, row: &mut Vec<Span<'static>>) {
        let mut run: Option<(usize, u32, u32)> = None;
        for glyph in self.list.get(range).unwrap_or_default() {
            let too_wide = usize::from(glyph.width) > room;
            match &mut run {
                Some((span, _, end)) if *span == glyph.span && !too_wide => *end = glyph.end,
                _ => {
                    row.extend(run.take().and_then(|run| self.slice(run)));
                    run = Some((glyph.span, glyph.start, glyph.end));
                }
            }
            if too_wide {
                run = None;
                let style = self.spans.get(glyph.span).map(|span| span.style);
                let is_tab = glyph.kind == Kind::Tab;
                let shown = if is_tab { " ".repeat(room) } else { CUT.to_owned() };
                row.push(Span::styled(shown, style.unwrap_or_default()));
            }
        }
        row.extend(run.and_then(|run| self.slice(run)));
    }

    fn slice(&self, (span, start, end): (usize, u32, u32)) -> Option<Span<'static>> {
        let span = self.spans.get(span)?;
        let text = span.content.get(start as usize..end as usize)?;
        Some(Span::styled(text.to_owned(), span.style))
    }
}

/// The row that is being filled.
struct Row {
    start: usize,
    columns: usize,
    /// After the last grapheme that is no blank.
    text_end: usize,
    /// Something else than blanks and tabs stands in it.
    has_letters: bool,
    last_kind: Option<Kind>,
    /// Where this row would end and the next one begin.
    last_break: Option<(usize, usize)>,
}

impl Row {
    fn at(start: usize) -> Self {
        Self {
            start,
            columns: 0,
            text_end: start,
            has_letters: false,
            last_kind: None,
            last_break: None,
        }
    }

    /// The last place at or before `index` where this row may end, given what stands there.
    fn break_before(&self, index: usize, kind: Kind) -> Option<(usize, usize)> {
        let may_break = self.last_kind.is_some_and(|last| last.breaks_before(kind));
        if may_break && self.has_letters {
            return Some((self.text_end, index));
        }
        self.last_break
    }

    fn take(&mut self, index: usize, kind: Kind, columns: usize) {
        self.last_break = self.break_before(index, kind);
        if kind != Kind::Blank {
            self.text_end = index + 1;
            self.has_letters |= kind != Kind::Tab;
        }
        self.last_kind = Some(kind);
        self.columns += columns;
    }
}

#[cfg(test)]
mod tests;
