//! What stands below a call's line: the end of what it prints, or of its result as much as is
//! shown unasked.
//!
//! Owns how much that is. Must not know the line. Invariant: what is not shown is told of.

use ratatui::text::{Line, Span};

use super::{Call, Done, State};
use crate::tui::{
    cell::{
        Look,
        rows::{self, Column, Way},
    },
    diff,
    theme::Theme,
    wrap,
};

/// Bytes of live output that its rows are made from.
const LIVE_BYTES: usize = 2_048;
/// Rows below a running call, and below an unfolded one.
const LIVE_ROWS: usize = 3;
const UNFOLDED_ROWS: usize = 1_000;
/// Of these, at the end of what a command printed.
const LAST_ROWS: usize = 10;
/// As many as a diff of one file can have in lines, and some more.
const UNFOLDED_DIFF: usize = 2_100;

impl Call {
    /// Adds what stands below the line.
    pub(super) fn below(&self, rows: &mut Vec<Line<'static>>, width: u16, look: Look<'_>) {
        let theme = look.theme;
        let bar = if width >= 30 { "      │ " } else { " " };
        match &self.state {
            State::Runs(_) => {
                let mut live = rows::plain(&self.live.tail(LIVE_BYTES), width, bar, theme.dim);
                rows.extend(live.drain(live.len().saturating_sub(LIVE_ROWS)..));
            }
            State::Done(done) => {
                if done.hides_what_failed(look.width) {
                    rows.extend(rows::plain(&done.summary, width, bar, theme.warning));
                }
                if let Some(said) = &self.said {
                    rows.extend(rows::plain(&format!("you: {said}"), width, bar, theme.text));
                }
                rows.extend(self.result(done, Column { width, bar, theme }, look));
            }
            _ => {}
        }
    }

    /// What it changed or printed, or as much of it as is shown unasked.
    fn result(&self, done: &Done, column: Column<'_>, look: Look<'_>) -> Vec<Line<'static>> {
        let (keep, way) = if look.unfolded {
            (UNFOLDED_ROWS, Way::Open)
        } else {
            (done.rows_shown(&self.name, self.reader), Way::Unfold)
        };
        if keep == 0 {
            return Vec::new();
        }
        if let Some(diff) = &done.diff {
            let most = if look.unfolded { UNFOLDED_DIFF } else { keep };
            return self.changes(diff, (most, way), column, look);
        }
        let text = |shown| rows::plain(shown, column.width, column.bar, column.theme.dim);
        let lines = match &done.whole {
            None => Some(done.text.lines().count()),
            Some(whole) => {
                let printed = usize::try_from(whole.output.lines).ok().filter(|lines| *lines > 0);
                printed.map(|lines| lines + whole.about.lines().count())
            }
        };
        match (look.unfolded, self.name == "run_command") {
            (false, true) => column.folded_tail(text(done.tail()), (keep, lines), way),
            (false, false) => column.folded(text(done.head()), (keep, lines), way),
            (true, true) => column.folded_middle(text(&done.text), (keep, LAST_ROWS), (lines, way)),
            (true, false) => column.folded(text(&done.text), (keep, lines), way),
        }
    }

    fn changes(
        &self,
        diff: &str,
        (most, way): (usize, Way),
        column: Column<'_>,
        look: Look<'_>,
    ) -> Vec<Line<'static>> {
        let Column { width, bar, theme } = column;
        let inner = width.saturating_sub(u16::try_from(wrap::width(bar)).unwrap_or(0)).max(1);
        let diff = (diff::hunks(diff), self.subject.as_str());
        let shown = diff::beginning(diff, most, inner, (theme, look.highlighter));
        let mut rows = behind(bar, shown.rows, theme);
        if shown.hidden > 0 {
            rows.push(column.hidden(&rows::more(shown.hidden), way));
        }
        rows
    }
}

/// Lines moved behind a bar.
fn behind(bar: &str, lines: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
    let behind = |mut line: Line<'static>| {
        line.spans.insert(0, Span::styled(bar.to_owned(), wrap::mark::decoration(theme.dim)));
        line
    };
    lines.into_iter().map(behind).collect()
}
