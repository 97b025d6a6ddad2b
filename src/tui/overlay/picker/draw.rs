//! What the picker looks like: the filter, a group a server, and how to keep the choice.
//!
//! Owns the words for what is not there: not yet, not at all, or not as typed. Only visible rows
//! are laid out, however many models there are.

use ratatui::{
    Frame,
    layout::{Position, Rect},
    text::{Line, Span},
};

use super::{Group, Hit, Picker};
use crate::{
    protocol::models::Listing,
    text::{cut::one_line, sanitize::sanitize},
    tui::{overlay::emphasise, theme::Theme, wrap},
};

/// Below this many rows the line about keeping the choice goes.
const NOTE_ROWS: u16 = 6;
/// Characters of an error that are shown.
const ERROR: usize = 600;

/// What drawing the picker depends on.
pub(in crate::tui) struct Look<'a> {
    pub(in crate::tui) theme: &'a Theme,
    pub(in crate::tui) spinner: &'a str,
    /// The user's file of settings, as people write it.
    pub(in crate::tui) settings: &'a str,
}

/// One row.
enum Row<'a> {
    Line(Line<'static>),
    Model(&'a Group, &'a Hit, bool),
}

impl Picker {
    /// Draws it; gives where the caret stands.
    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: &Look<'_>,
    ) -> Option<Position> {
        let theme = look.theme;
        let (x, width) = (area.x + 1.min(area.width), area.width.saturating_sub(2));
        let mut put = |y: u16, line: &Line<'_>| {
            if y < area.bottom() {
                frame.buffer_mut().set_line(x, y, line, width);
            }
        };
        let sign = Line::from(vec![
            Span::styled("Model ", theme.strong),
            Span::styled("› ", theme.running),
        ]);
        put(area.y, &sign);
        let has_note = area.height >= NOTE_ROWS;
        if has_note {
            put(area.bottom() - 1, &keep(look, width));
        }
        let list = Rect {
            y: area.y + 1,
            height: area.height.saturating_sub(1 + u16::from(has_note)),
            ..area
        };
        let (rows, marked) = self.rows(width, look);
        let room = usize::from(list.height);
        let scroll = follow(self.scroll, marked, rows.len(), room);
        for (y, row) in (list.y..list.bottom()).zip(rows.iter().skip(scroll)) {
            match row {
                Row::Line(line) => put(y, line),
                Row::Model(group, hit, is_marked) => {
                    put(y, &self.model(group, hit, *is_marked, (theme, width)));
                }
            }
        }
        drop(rows);
        self.scroll = scroll;
        let left = 8.min(width);
        let input = Rect { x: x + left, y: area.y, width: width - left, height: 1 };
        if area.height == 0 || input.width == 0 {
            return None;
        }
        self.filter.draw(frame, input, "type to filter", theme)
    }

    /// All rows, and those that must be seen: the marked one, with the server's line right above.
    fn rows(&self, width: u16, look: &Look<'_>) -> (Vec<Row<'_>>, (usize, usize)) {
        let (mut rows, mut marked) = (Vec::new(), (0, 0));
        let mut hits = self.hits.iter().enumerate().peekable();
        while let Some((_, first)) = hits.peek() {
            let at = first.group;
            let Some(group) = self.groups.get(at) else { break };
            let own = self.hits.iter().filter(|hit| hit.group == at).count();
            let first_row = rows.len();
            rows.push(Row::Line(title(group, own, (width, look))));
            while let Some((n, hit)) = hits.next_if(|(_, hit)| hit.group == at) {
                if n == self.marked {
                    let top = if rows.len() == first_row + 1 { first_row } else { rows.len() };
                    marked = (top, rows.len());
                }
                rows.push(Row::Model(group, hit, n == self.marked));
            }
        }
        let without = |at: usize| self.hits.iter().all(|hit| hit.group != at);
        let quiet = self.groups.iter().enumerate().filter(|(at, _)| without(*at));
        for (_, group) in quiet.filter(|(_, group)| group.server.models.is_empty()) {
            rows.push(Row::Line(title(group, 0, (width, look))));
            rows.extend(why(group, width, look).into_iter().map(Row::Line));
        }
        if self.hits.is_empty() {
            rows.extend(self.nothing(width, look).into_iter().map(Row::Line));
        }
        (rows, marked)
    }

    fn model(
        &self,
        group: &Group,
        hit: &Hit,
        is_marked: bool,
        (theme, width): (&Theme, u16),
    ) -> Line<'static> {
        const IN_USE: &str = "  in use";
        let style = if is_marked { theme.strong } else { theme.text };
        let mut line = Line::from(Span::styled(if is_marked { " ▸ " } else { "   " }, style));
        let name = group.shown.get(hit.model).map_or("", String::as_str);
        emphasise(&mut line, name, &hit.graphemes, (style, theme.hit));
        if !self.is_current(hit) {
            return wrap::cut_line(&line, width);
        }
        // It is said even of a name that fills the row.
        let words = u16::try_from(IN_USE.len()).unwrap_or(0);
        let mut line = wrap::cut_line(&line, width.saturating_sub(words));
        line.push_span(Span::styled(IN_USE, theme.success));
        line
    }

    /// What stands where no model does.
    fn nothing(&self, width: u16, look: &Look<'_>) -> Vec<Line<'static>> {
        let theme = look.theme;
        let offered = self.groups.iter().any(|group| !group.shown.is_empty());
        let mut lines = Vec::new();
        if let Some(typed) = self.as_typed() {
            let name = one_line(&sanitize(&typed.model), super::NAME);
            let line = Line::from(vec![
                Span::styled(" ▸ ", theme.strong),
                Span::styled(format!("use \"{name}\" as it is typed"), theme.strong),
            ]);
            lines.push(wrap::cut_line(&line, width));
            if !offered {
                return lines;
            }
        }
        let words = if !self.told {
            format!("{} asking for the models", look.spinner)
        } else if offered {
            "No model fits. Backspace takes a letter back, Ctrl-U all of them.".to_owned()
        } else if self.groups.is_empty() {
            "No model server answers on this machine. Start one (Ollama, LM Studio, llama.cpp, \
             vLLM) and type /model again, or start mcc-tui with --base-url URL."
                .to_owned()
        } else {
            return lines;
        };
        let words = Line::from(Span::styled(words, theme.notice));
        lines.extend(wrap::wrap_line(&words, width, &[], &[]));
        lines
    }
}

/// A server's line: its name and place, and how many of its models fit.
fn title(group: &Group, own: usize, (width, look): (u16, &Look<'_>)) -> Line<'static> {
    let theme = look.theme;
    let server = &group.server;
    let place = one_line(&sanitize(&server.place), super::NAME);
    let name = match one_line(&sanitize(&server.name), super::NAME) {
        name if name.is_empty() => place,
        name => format!("{name} · {place}"),
    };
    let count = match (own, server.models.len()) {
        (_, 0) => String::new(),
        (own, all) if own == all => format!("  {all}"),
        (own, all) => format!("  {own} of {all}"),
    };
    let line = Line::from(vec![Span::styled(name, theme.strong), Span::styled(count, theme.dim)]);
    wrap::cut_line(&line, width)
}

/// Why a server shows no models.
fn why(group: &Group, width: u16, look: &Look<'_>) -> Vec<Line<'static>> {
    let theme = look.theme;
    let indent = [Span::raw("   ")];
    let wrapped = |words: &str, style| {
        let line = Line::from(Span::styled(words.to_owned(), style));
        wrap::wrap_line(&line, width, &indent, &indent)
    };
    match &group.server.listing {
        Listing::Asking => wrapped(&format!("{} asking for its models", look.spinner), theme.dim),
        Listing::Waiting => {
            let words = "the list comes when this answer is complete";
            wrapped(&format!("{} {words}", look.spinner), theme.dim)
        }
        Listing::Known => wrapped("offers no models", theme.dim),
        Listing::Failed { message, hint } => {
            let mut rows = wrapped(&one_line(&sanitize(message), ERROR), theme.warning);
            rows.extend(wrapped(&one_line(&sanitize(hint), ERROR), theme.text));
            rows
        }
    }
}

/// How to keep the choice, as much of it as there is room for.
fn keep(look: &Look<'_>, width: u16) -> Line<'static> {
    let settings = one_line(&sanitize(look.settings), super::NAME);
    let words = [
        format!("For this session. To keep it: model = \"…\" in {settings}"),
        format!("To keep it: model = \"…\" in {settings}"),
        "To keep it: model = \"…\" in config.toml".to_owned(),
    ];
    let fitting = words.iter().find(|words| wrap::width(words) <= usize::from(width));
    let words = fitting.or(words.last()).cloned().unwrap_or_default();
    wrap::cut_line(&Line::from(Span::styled(words, look.theme.dim)), width)
}

/// The first row to draw, so that these rows are seen and the place moves no more than it must.
fn follow(scroll: usize, (top, marked): (usize, usize), rows: usize, room: usize) -> usize {
    let scroll = scroll.min(rows.saturating_sub(room)).min(top);
    scroll.max((marked + 1).saturating_sub(room))
}
