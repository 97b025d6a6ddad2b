//! What a row says about itself besides what is drawn: which of its spans are decoration, whether
//! it goes on with the line of the row above, what of its text is not drawn, and what is drawn in
//! another way than it is written. With it the text that rows were made of can be had back.
//!
//! Owns where that stands: among the attributes that a style takes away, in bits that nothing
//! switches on, so that it travels with every span and every line and draws nothing. Must not
//! know what the text means.

use ratatui::{
    style::{Modifier, Style},
    text::{Line, Span},
};

/// On a span: it is decoration. On a line: it goes on with the row above.
const FIRST: Modifier = Modifier::HIDDEN;
/// On a span: it is text although it stands in an indent. On a line: nothing in it is text.
const SECOND: Modifier = Modifier::RAPID_BLINK;
/// On a span: it parts two cells of a table. On a line: its cells go on in the rows below.
const THIRD: Modifier = Modifier::SLOW_BLINK;
/// The bits above all attributes are a number. Of a line and of a span without text it counts
/// blanks that are not drawn: after the row, or where the span stands.
const COUNT: u32 = Modifier::all().bits().count_ones();
/// The most blanks that can be left out at the end of one row.
pub(super) const MOST_BLANKS: usize = (1 << (u16::BITS - COUNT)) - 1;
/// Numbers on spans with text.
const TAB: usize = 1;
const SIGN: usize = 2;

/// The style of a span that is no text: a frame, a bar, a sign.
#[must_use]
pub fn decoration(style: Style) -> Style {
    with(style, FIRST)
}

/// Makes spans decoration.
pub fn all(spans: Vec<Span<'static>>) -> impl Iterator<Item = Span<'static>> {
    spans.into_iter().map(|span| Span { style: decoration(span.style), ..span })
}

/// The style of a span that is text wherever it stands: a label, for instance.
#[must_use]
pub fn kept(style: Style) -> Style {
    with(style, SECOND)
}

/// The style of the marker of an item: text wherever it stands, which is written in markdown's
/// own signs.
#[must_use]
pub fn marker(style: Style) -> Style {
    with(kept(style), number(SIGN))
}

/// The style of what parts two cells of a table: it is written in markdown's own sign.
#[must_use]
pub fn parting(style: Style) -> Style {
    with(with(style, THIRD), number(SIGN))
}

/// The style of the blanks that a tab is drawn as.
pub(super) fn tab(style: Style) -> Style {
    with(style, number(TAB))
}

/// What an indent begins with, if the text behind it begins with so many blanks, of which
/// nothing says that they are drawn. Counts to 127.
#[must_use]
pub fn indent(blanks: usize) -> Span<'static> {
    Span::styled("", with(decoration(Style::new()), number(blanks)))
}

/// Stands for so many blanks that are not drawn. Counts to 127.
#[must_use]
pub fn left_out(blanks: usize) -> Span<'static> {
    Span::styled("", with(Style::new(), number(blanks)))
}

/// A line in which nothing is text: a rule, a label.
#[must_use]
pub fn no_text(mut line: Line<'static>) -> Line<'static> {
    line.style = with(line.style, SECOND);
    line
}

/// Lets a row go on with the line of the row above.
pub fn go_on(row: &mut Line<'_>) {
    row.style = with(row.style, FIRST);
}

/// The rows of one row of a table: each cell goes on in the next row, at the same place.
pub fn join_cells(rows: &mut [Line<'static>]) {
    let is_joined = rows.len() > 1;
    for (n, row) in rows.iter_mut().enumerate().filter(|_| is_joined) {
        row.style = with(row.style, if n > 0 { THIRD.union(FIRST) } else { THIRD });
    }
}

/// Whether the span is decoration.
#[must_use]
pub fn is_decoration(span: &Span<'_>) -> bool {
    span.style.sub_modifier.contains(FIRST)
}

/// Whether the span parts two cells of a table.
#[must_use]
pub fn is_parting(span: &Span<'_>) -> bool {
    span.style.sub_modifier.contains(THIRD)
}

/// Whether the span is what a tab is drawn as.
#[must_use]
pub fn is_tab(span: &Span<'_>) -> bool {
    !span.content.is_empty() && count(span.style) == TAB
}

/// Whether a grapheme of the span may be written in another way than it is drawn.
#[must_use]
pub fn is_sign(span: &Span<'_>) -> bool {
    !span.content.is_empty() && count(span.style) == SIGN
}

/// How a grapheme is written that stands in a span of signs.
#[must_use]
pub fn written(sign: &str) -> &str {
    match sign {
        "•" | "◦" | "▪" => "-",
        // The box of a task, which stands in the place of the bullet.
        "[" => "- [",
        "│" => "|",
        sign => sign,
    }
}

/// How many blanks the span stands for.
#[must_use]
pub fn blanks_of(span: &Span<'_>) -> usize {
    if span.content.is_empty() && !is_decoration(span) { count(span.style) } else { 0 }
}

/// How many blanks the text of the row begins with that are no text of its spans.
#[must_use]
pub fn indent_of(row: &Line<'_>) -> usize {
    let mut empty = row.spans.iter().take_while(|span| span.content.is_empty());
    empty.find(|span| is_decoration(span)).map_or(0, |span| count(span.style))
}

/// Whether the row goes on with the line of the row above.
#[must_use]
pub fn continues(row: &Line<'_>) -> bool {
    row.style.sub_modifier.contains(FIRST)
}

/// Whether the line goes on cell by cell.
#[must_use]
pub fn has_cells(row: &Line<'_>) -> bool {
    row.style.sub_modifier.contains(THIRD)
}

/// Whether nothing in the row is text.
#[must_use]
pub fn has_no_text(row: &Line<'_>) -> bool {
    row.style.sub_modifier.contains(SECOND)
}

/// How many blanks were left out at the end of the row.
#[must_use]
pub fn blanks_after(row: &Line<'_>) -> usize {
    count(row.style)
}

/// Whether the span draws nothing and yet says something.
pub(super) fn is_told(span: &Span<'_>) -> bool {
    span.content.is_empty() && count(span.style) > 0
}

/// Everything in an indent is decoration, unless it says otherwise.
pub(super) fn as_indent(spans: &mut [Span<'_>]) {
    for span in spans.iter_mut().filter(|span| !span.style.sub_modifier.contains(SECOND)) {
        span.style = decoration(span.style);
    }
}

/// The style of a row of a line: whether it goes on, and how many blanks are left out after it.
pub(super) fn row_style(line: Style, continues: bool, blanks: usize) -> Style {
    let style = with(line, number(blanks));
    if continues { with(style, FIRST) } else { style }
}

fn number(number: usize) -> Modifier {
    Modifier::from_bits_retain(u16::try_from(number.min(MOST_BLANKS)).unwrap_or(0) << COUNT)
}

fn count(style: Style) -> usize {
    usize::from(style.sub_modifier.bits() >> COUNT)
}

fn with(mut style: Style, bits: Modifier) -> Style {
    style.sub_modifier = style.sub_modifier.union(bits);
    style
}
