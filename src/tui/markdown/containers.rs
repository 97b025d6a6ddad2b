//! Quotes, items and notes around a block. Owns the signs before each row; must not know what
//! stands in the rows.
//!
//! Text that is read back from the rows has no bars, and begins with the indent of its items,
//! whatever of them is drawn.
//!
//! Invariant: the sign of a container is drawn before its first row, however deep it is; only
//! indents of outer levels are left out where the screen is narrow.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::super::wrap::{mark, width};

/// Columns that nested blocks leave for text, where the screen has three times as many.
const MIN_ROOM: usize = 12;

/// The signs before the first and before every further row of a line.
pub(super) struct Indents {
    pub(super) first: Vec<Span<'static>>,
    pub(super) next: Vec<Span<'static>>,
}

/// The open containers, outermost first.
#[derive(Default)]
pub(super) struct Containers(Vec<Container>);

struct Container {
    first: Vec<Span<'static>>,
    rest: Vec<Span<'static>>,
    columns: usize,
    /// Blanks that the text within begins with.
    written: usize,
    /// No line was drawn in it yet.
    fresh: bool,
    is_item: bool,
}

impl Containers {
    /// A quote: `bar` stands before every row.
    pub(super) fn open_quote(&mut self, bar: Span<'static>) {
        self.open(vec![bar.clone()], vec![bar], false);
        self.set_written(0);
    }

    /// A note: its label stands before the first row, the others are indented.
    pub(super) fn open_note(&mut self, label: String, style: Style) {
        let rest = blank(width(&label));
        self.open(vec![Span::styled(label, mark::kept(style))], vec![rest], false);
    }

    /// An item: as a note, but its parts stand close.
    pub(super) fn open_item(&mut self, marker: String, style: Style) {
        let rest = blank(width(&marker));
        self.open(vec![Span::styled(marker, mark::marker(style))], vec![rest], true);
    }

    /// A task's box comes behind the number of the innermost item, or replaces its bullet.
    pub(super) fn mark_task(&mut self, text: &'static str, style: Style, replaces: bool) {
        let Some(item) = self.0.last_mut() else { return };
        let style = if replaces { mark::marker(style) } else { mark::kept(style) };
        if replaces {
            item.first.clear();
        }
        item.first.push(Span::styled(text, style));
        item.columns = columns(&item.first);
        item.rest = vec![blank(item.columns)];
    }

    /// Leaves the innermost container.
    pub(super) fn close(&mut self) {
        self.0.pop();
    }

    /// Whether nothing was drawn in the innermost container yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.0.last().is_some_and(|container| container.fresh)
    }

    /// Whether the innermost container is an item.
    pub(super) fn is_item(&self) -> bool {
        self.0.last().is_some_and(|container| container.is_item)
    }

    /// Something was drawn.
    pub(super) fn mark_drawn(&mut self) {
        for container in self.0.iter_mut().rev().take_while(|container| container.fresh) {
            container.fresh = false;
        }
    }

    /// What stands before the rows of the next line, on a screen of this width.
    pub(super) fn indents(&self, width: u16) -> Indents {
        let width = usize::from(width);
        let limit = width - (width / 3).min(MIN_ROOM);
        let mut columns = 0;
        let mut shown = Vec::new();
        for container in self.0.iter().rev() {
            columns += container.columns;
            let fits = columns <= limit;
            if !fits && !container.fresh {
                break;
            }
            shown.push((container, fits));
        }
        let opened = self.0.iter().filter(|container| !container.fresh);
        let written = opened.map(|container| container.written).sum();
        let mut indents = Indents { first: vec![mark::indent(written)], next: Vec::new() };
        for (container, fits) in shown.into_iter().rev() {
            let first = if container.fresh { &container.first } else { &container.rest };
            indents.first.extend(first.iter().cloned());
            if fits {
                indents.next.extend(container.rest.iter().cloned());
            }
        }
        indents
    }

    /// A row without text; a blank indent is left out.
    pub(super) fn empty_row(&self, width: u16) -> Line<'static> {
        let mut spans: Vec<_> = mark::all(self.indents(width).next).collect();
        if spans.iter().all(|span| span.content.trim().is_empty()) {
            spans.clear();
        }
        Line::from(spans)
    }

    /// Columns that are left for text.
    pub(super) fn room(&self, width: u16) -> usize {
        usize::from(width).saturating_sub(columns(&self.indents(width).first)).max(2)
    }

    fn open(&mut self, first: Vec<Span<'static>>, rest: Vec<Span<'static>>, is_item: bool) {
        let columns = columns(&rest);
        self.0.push(Container { first, rest, columns, written: columns, fresh: true, is_item });
    }

    fn set_written(&mut self, blanks: usize) {
        if let Some(container) = self.0.last_mut() {
            container.written = blanks;
        }
    }
}

fn columns(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

fn blank(columns: usize) -> Span<'static> {
    Span::raw(" ".repeat(columns))
}
