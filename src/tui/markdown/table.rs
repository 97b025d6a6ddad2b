//! A table: how wide its columns are and how its rows are drawn. Must not know markdown.
//!
//! Text that is read back from the rows has the cells one after the other, with ` | ` between them,
//! and neither frames nor what fills a column up.
//!
//! Invariant: no cell is cut. Cells wrap where the table is wider than the screen, and where
//! there is no room for columns at all each row becomes a list of its cells.

use pulldown_cmark::Alignment;
use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::super::{
    theme::Theme,
    wrap::{mark, width, wrap_line},
};

/// Columns narrower than this are not worth drawing side by side.
const MIN_COLUMN: usize = 4;
/// Between two columns stands ` │ `.
const GAP: usize = 3;

#[derive(Default)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    head: Vec<Line<'static>>,
    rows: Vec<Vec<Line<'static>>>,
    row: Vec<Line<'static>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, ..Self::default() }
    }

    pub(super) fn cell(&mut self, cell: Line<'static>) {
        self.row.push(cell);
    }

    pub(super) fn end_head(&mut self) {
        self.head = std::mem::take(&mut self.row);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// The table in at most `room` columns.
    pub(super) fn draw(&self, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let Some(widths) = self.widths(room) else { return self.records(room, theme) };
        let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
        let rule = mark::no_text(Line::from(Span::styled(rule.join("─┼─"), theme.table_frame)));
        let rows: Vec<_> = self.rows.iter().map(|row| self.draw_row(row, &widths, theme)).collect();
        let wrapped = rows.iter().any(|row| row.len() > 1);
        let mut lines = self.draw_row(&self.head, &widths, theme);
        lines.push(rule.clone());
        for (index, row) in rows.into_iter().enumerate() {
            if wrapped && index > 0 {
                lines.push(rule.clone());
            }
            lines.extend(row);
        }
        lines
    }

    /// The width of each column: its content's where that fits, else a fair share of the
    /// room; `None` if that would be too little.
    fn widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.head.len();
        let mut wanted = vec![1; count];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (wanted, cell) in wanted.iter_mut().zip(row) {
                *wanted = cell_width(cell).max(*wanted);
            }
        }
        let mut room = room.checked_sub(GAP * count.saturating_sub(1))?;
        let mut narrow_first: Vec<usize> = (0..count).collect();
        narrow_first.sort_by_key(|&column| wanted.get(column));
        for (index, column) in narrow_first.into_iter().enumerate() {
            let share = room / (count - index);
            let wanted = wanted.get_mut(column)?;
            if *wanted > share && share < MIN_COLUMN {
                return None;
            }
            *wanted = share.min(*wanted);
            room -= *wanted;
        }
        Some(wanted)
    }

    fn draw_row(
        &self,
        row: &[Line<'static>],
        widths: &[usize],
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let cells: Vec<_> = row
            .iter()
            .zip(widths)
            .map(|(cell, &width)| wrap_line(cell, fit(width), &[], &[]))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let mut lines = Vec::new();
        for index in 0..height {
            let mut spans = Vec::new();
            for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                if column > 0 {
                    let parting = mark::parting(theme.table_frame);
                    let style = if index > 0 { mark::decoration(parting) } else { parting };
                    spans.push(Span::styled(" │ ", style));
                }
                let cell = cell.get(index).cloned().unwrap_or_default();
                let free = width.saturating_sub(cell_width(&cell));
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    _ => 0,
                };
                spans.push(fill(before));
                let left_out = mark::left_out(mark::blanks_after(&cell));
                spans.extend(cell.spans);
                spans.push(left_out);
                if column + 1 < widths.len() {
                    spans.push(fill(free - before));
                }
            }
            lines.push(Line::from(spans));
        }
        mark::join_cells(&mut lines);
        lines
    }

    /// Each row as a list of `head: cell`.
    fn records(&self, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let rule = mark::no_text(Line::from(Span::styled("─".repeat(room), theme.table_frame)));
        let mut lines = Vec::new();
        if self.rows.is_empty() {
            for head in &self.head {
                lines.extend(wrap_line(head, fit(room), &[], &[]));
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push(rule.clone());
            }
            for (head, cell) in self.head.iter().zip(row) {
                let mut spans = head.spans.clone();
                spans.push(Span::styled(": ", theme.table_head));
                spans.extend(cell.spans.iter().cloned());
                lines.extend(wrap_line(&Line::from(spans), fit(room), &[], &[Span::raw("  ")]));
            }
        }
        lines
    }
}

fn cell_width(cell: &Line<'_>) -> usize {
    cell.spans.iter().map(|span| width(&span.content)).sum()
}

fn fill(columns: usize) -> Span<'static> {
    Span::styled(" ".repeat(columns), mark::decoration(Style::new()))
}

fn fit(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
}
