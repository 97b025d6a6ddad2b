//! How a review looks. Owns the heads of its parts, and which rows a frame lays out.
//!
//! Must not know keys. Invariant: only rows that are shown are laid out, and at most as many again
//! at the end of the list.

use ratatui::text::{Line, Span};

use super::{File, Item, Review, Unit, place::Top};
use crate::{
    protocol::question::Fate,
    tui::{
        diff::draw::{Brush, SPLIT},
        highlight::Highlighter,
        overlay::approval::title::cut_path,
        theme::Theme,
        visible::visible,
        wrap,
    },
};

const LEFT_OUT: &str = "  left out";

/// What a frame shows of a review.
pub(in crate::tui) struct Drawn {
    pub(in crate::tui) lines: Vec<Line<'static>>,
    /// Rows of the diff above and below.
    pub(in crate::tui) above: usize,
    pub(in crate::tui) below: usize,
    /// Rows that were laid out for it.
    #[cfg(test)]
    pub(in crate::tui) laid: usize,
}

/// Which file it is and what becomes of it; with so many columns for its path, if it is cut.
fn file_words(file: &File, room: Option<usize>) -> String {
    let path = visible(&file.asked.path);
    let fate = match &file.asked.fate {
        Fate::Created => " (new)".to_owned(),
        Fate::Changed => String::new(),
        Fate::Deleted => " (deleted)".to_owned(),
        Fate::Moved { from } => format!(" (moved from {})", visible(from)),
    };
    let edited = if file.is_edited { " (edited by you)" } else { "" };
    let end = format!("{fate}{edited}");
    let Some(room) = room else { return format!("{path}{end}") };
    let left = room.saturating_sub(wrap::width(&end)).max(room / 2);
    format!("{}{end}", cut_path(&path, left))
}

impl Review {
    /// The visible lines, at most `room`, and how many rows of the diff are above and below.
    pub(in crate::tui) fn draw(
        &mut self,
        (width, room): (u16, usize),
        theme: &Theme,
        highlighter: &Highlighter,
    ) -> Drawn {
        if self.is_split != (width >= SPLIT) {
            self.is_split = width >= SPLIT;
            self.arrange();
            // The path stands before the first part.
            let head = if self.at == 0 { 0 } else { self.head(self.at) };
            self.top = Top::of(head);
        }
        if self.room != (width, room) {
            self.take_room((width, room));
            self.show_change();
        }
        if self.top > Top::default() {
            self.top = self.top.min(self.last_top());
        }
        self.frame(theme, highlighter)
    }

    /// The lines from the top on.
    fn frame(&self, theme: &Theme, highlighter: &Highlighter) -> Drawn {
        let (width, room) = self.room;
        let mut brush = Brush::new(&self.sheet, width, theme, Some(highlighter));
        let mut lines = Vec::new();
        let mut shown = self.top.row;
        let mut skipped = self.top.line;
        for item in self.rows.iter().skip(self.top.row) {
            if lines.len() >= room {
                break;
            }
            let row = self.item(*item, width, theme, &mut brush);
            // In another width a row may have fewer lines; its last one is seen.
            skipped = skipped.min(row.len().saturating_sub(1));
            lines.extend(row.into_iter().skip(std::mem::take(&mut skipped)));
            shown += 1;
        }
        let is_cut = lines.len() > room;
        lines.truncate(room);
        Drawn {
            lines,
            above: self.top.row + usize::from(self.top.line > 0),
            below: self.rows.len().saturating_sub(shown) + usize::from(is_cut),
            #[cfg(test)]
            laid: brush.drawn,
        }
    }

    /// Lines that all of it wants, counted no further than `most`.
    pub(in crate::tui) fn height(&self, width: u16, most: usize) -> usize {
        let theme = Theme::plain();
        let mut brush = Brush::new(&self.sheet, width, &theme, None);
        let mut height = 0;
        for item in &self.rows {
            if height >= most {
                break;
            }
            height += self.item(*item, width, &theme, &mut brush).len();
        }
        height.min(most)
    }

    pub(super) fn item(
        &self,
        item: Item,
        width: u16,
        theme: &Theme,
        brush: &mut Brush<'_>,
    ) -> Vec<Line<'static>> {
        match item {
            Item::Unit(unit) => self.unit(unit, width, theme),
            Item::Path(row) => {
                let row = self.path.get(row).cloned().unwrap_or_default();
                vec![Line::from(Span::styled(row, theme.strong))]
            }
            Item::Row(unit, visual) => {
                let mut lines = brush.draw(&self.sheet, visual);
                if self.units.get(unit).is_some_and(|unit| !unit.is_taken) {
                    for span in lines.iter_mut().flat_map(|line| &mut line.spans) {
                        span.style = theme.dim;
                    }
                }
                lines
            }
        }
    }

    /// The head of a part: whether it is taken, and where it is.
    fn unit(&self, n: usize, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let Some(unit) = self.units.get(n) else { return Vec::new() };
        let Some(file) = self.files.get(unit.file) else { return Vec::new() };
        let (place, mut whole) = (place(unit, file), Vec::new());
        let mut spans = Vec::new();
        if self.has_choice() {
            let (sign, style) = match (unit.can_be_left, unit.is_taken) {
                (false, _) => (" •  ", theme.dim),
                (true, true) => ("[x] ", theme.success),
                (true, false) => ("[ ] ", theme.warning),
            };
            let here = if n == self.at { "▶" } else { " " };
            spans.push(Span::styled(here, theme.strong));
            spans.push(Span::styled(sign, style));
        }
        if self.files.len() > 1 || file.is_edited {
            let taken: usize = spans.iter().map(|span| wrap::width(&span.content)).sum();
            let room = usize::from(width).saturating_sub(taken + 2 + wrap::width(&place));
            let mut words = file_words(file, None);
            if wrap::width(&words) > room {
                // Once for a file all of it stands there.
                let is_first =
                    n == 0 || self.units.get(n - 1).is_some_and(|it| it.file != unit.file);
                let line = Line::from(Span::styled(words, theme.strong));
                whole = if is_first { wrap::wrap_line(&line, width, &[], &[]) } else { Vec::new() };
                words = file_words(file, Some(room));
            }
            spans.push(Span::styled(words, theme.strong));
            spans.push(Span::raw("  "));
        }
        spans.push(Span::styled(place, theme.hunk));
        let columns: usize = spans.iter().map(|span| wrap::width(&span.content)).sum();
        // The box says it, too.
        if !unit.is_taken && columns + LEFT_OUT.len() <= usize::from(width) {
            spans.push(Span::styled(LEFT_OUT, theme.warning));
        }
        let head = wrap::cut_line(&Line::from(spans), width);
        std::iter::once(head).chain(whole).collect()
    }
}

/// `hunk 2 of 3 · line 40 · +2 −1`.
fn place(unit: &Unit, file: &File) -> String {
    let Some((n, hunk)) = unit.hunk.and_then(|n| Some((n, file.hunks.get(n)?))) else {
        return "whole file".to_owned();
    };
    let (mut added, mut removed) = (0, 0);
    let changes = file.texts.iter().flat_map(|texts| texts.changes.iter());
    for change in changes.filter(|change| {
        change.old_start >= hunk.old_start
            && change.goes().end <= hunk.goes().end
            && change.comes().end <= hunk.comes().end
    }) {
        added += change.new_lines;
        removed += change.old_lines;
    }
    let line = if hunk.old_lines == 0 { hunk.new_start } else { hunk.old_start } + 1;
    let which = match file.hunks.len() {
        1 => String::new(),
        all => format!("hunk {} of {all} · ", n + 1),
    };
    format!("{which}line {line} · +{added} −{removed}")
}
