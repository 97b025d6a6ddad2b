//! What a row says about itself besides what is drawn: which of its spans are decoration, whether
//! it goes on with the line of the row above, and which blanks were left out at its end. With it
//! the text that rows were made of can be had back from them.
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
/// The bits above all attributes count the blanks that were left out.
const COUNT: u32 = Modifier::all().bits().count_ones();
/// The most blanks that can be left out at the end of one row.
pub(super) const MOST_BLANKS: usize = (1 << (u16::BITS - COUNT)) - 1;

/// The style of a span that is no text: a frame, a bar, a sign.
#[must_use]
pub fn decoration(style: Style) -> Style {
    with(style, FIRST)
}

/// Makes spans decoration.
pub fn all(spans: Vec<Span<'static>>) -> impl Iterator<Item = Span<'static>> {
    spans.into_iter().map(|span| Span { style: decoration(span.style), ..span })
}

/// The style of a span that is text wherever it stands: the marker of an item, for instance.
#[must_use]
pub fn kept(style: Style) -> Style {
    with(style, SECOND)
}

/// A line in which nothing is text: a rule, a label.
#[must_use]
pub fn no_text(mut line: Line<'static>) -> Line<'static> {
    line.style = with(line.style, SECOND);
    line
}

/// Whether the span is decoration.
#[must_use]
pub fn is_decoration(span: &Span<'_>) -> bool {
    span.style.sub_modifier.contains(FIRST)
}

/// Whether the row goes on with the line of the row above.
#[must_use]
pub fn continues(row: &Line<'_>) -> bool {
    row.style.sub_modifier.contains(FIRST)
}

/// Whether nothing in the row is text.
#[must_use]
pub fn has_no_text(row: &Line<'_>) -> bool {
    row.style.sub_modifier.contains(SECOND)
}

/// How many blanks were left out at the end of the row.
#[must_use]
pub fn blanks_after(row: &Line<'_>) -> usize {
    usize::from(row.style.sub_modifier.bits() >> COUNT)
}

/// Everything in an indent is decoration, unless it says otherwise.
pub(super) fn as_indent(spans: &mut [Span<'_>]) {
    for span in spans.iter_mut().filter(|span| !span.style.sub_modifier.contains(SECOND)) {
        span.style = decoration(span.style);
    }
}

/// The style of a row of a line: whether it goes on, and how many blanks are left out after it.
pub(super) fn row_style(line: Style, continues: bool, blanks: usize) -> Style {
    let count = u16::try_from(blanks.min(MOST_BLANKS)).unwrap_or(0) << COUNT;
    let style = with(line, Modifier::from_bits_retain(count));
    if continues { with(style, FIRST) } else { style }
}

fn with(mut style: Style, bits: Modifier) -> Style {
    style.sub_modifier = style.sub_modifier.union(bits);
    style
}
