//! The help screen: every key and every command, from their tables themselves.

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use crate::tui::{
    command::{COMMANDS, MESSAGES},
    keymap::{Action, Keys, When, prompt::AS_EVERYWHERE},
    theme::Theme,
    wrap,
};

/// A key that nothing else is bound to.
const EXAMPLE: &str = "\"ctrl-q\" = \"quit\"";

/// The help screen, with its place.
#[derive(Default)]
pub(in crate::tui) struct Help {
    scroll: usize,
    /// It was asked for in a question: the keys of that come first.
    in_question: bool,
}

impl Help {
    /// The help, with the keys of a question first if it is asked for there.
    pub(in crate::tui) fn new(in_question: bool) -> Self {
        Self { scroll: 0, in_question }
    }

    pub(in crate::tui) fn scroll(&mut self, rows: i64) {
        let by = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        self.scroll =
            if rows < 0 { self.scroll.saturating_sub(by) } else { self.scroll.saturating_add(by) };
    }

    pub(in crate::tui) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        (keys, theme): (&Keys, &Theme),
    ) {
        let rows = lines(area.width.saturating_sub(2), (keys, self.in_question), theme);
        let room = usize::from(area.height);
        self.scroll = self.scroll.min(rows.len().saturating_sub(room));
        let shown = rows.into_iter().skip(self.scroll).take(room);
        for (y, line) in (area.y..area.bottom()).zip(shown) {
            frame.buffer_mut().set_line(area.x + 1, y, &line, area.width.saturating_sub(2));
        }
    }
}

fn lines(width: u16, (keys, in_question): (&Keys, bool), theme: &Theme) -> Vec<Line<'static>> {
    let mut rows = vec![Line::from(Span::styled("Keys", theme.heading(1)))];
    let closes = "Esc, q or Enter closes this; arrows, PageDown and End scroll";
    rows.extend(wrap::wrap_line(&Line::from(Span::styled(closes, theme.dim)), width, &[], &[]));
    rows.push(Line::default());
    let mut told: Vec<_> = keys.rows().iter().filter(|row| !row.label.is_empty()).collect();
    // The keys of the prompt before those of calls: they are looked for most.
    told.sort_by_key(|row| match row.when {
        When::Question | When::Review if in_question => 0,
        _ if matches!(row.action, Action::Calls(_)) => 2,
        _ => 1,
    });
    table(&mut rows, told.iter().map(|key| (key.label.to_string(), key.help)), (width, theme));
    rows.push(Line::default());
    let everywhere = Line::from(Span::styled(AS_EVERYWHERE, theme.text));
    rows.extend(wrap::wrap_line(&everywhere, width, &[], &[]));
    rows.push(Line::default());
    let names = Line::from(Span::styled(
        format!(
            "A key of your own: {EXAMPLE} below [keys] in your config file. Actions: {}.",
            Keys::actions().join(", ")
        ),
        theme.dim,
    ));
    rows.extend(wrap::wrap_line(&names, width, &[], &[]));
    rows.push(Line::default());
    rows.push(Line::from(Span::styled("Commands", theme.heading(1))));
    rows.push(Line::default());
    let label = |name: &str, argument: &str| format!("/{name} {argument}").trim_end().to_owned();
    let commands = COMMANDS.iter().map(|it| (label(it.name, it.argument), it.help));
    table(&mut rows, commands, (width, theme));
    rows.push(Line::default());
    let messages = Line::from(Span::styled(MESSAGES, theme.dim));
    rows.extend(wrap::wrap_line(&messages, width, &[], &[]));
    rows
}

/// Labels, and beside them what they mean.
fn table(
    rows: &mut Vec<Line<'static>>,
    entries: impl Iterator<Item = (String, &'static str)>,
    (width, theme): (u16, &Theme),
) {
    let entries: Vec<_> = entries.collect();
    let label_width = entries.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, help) in entries {
        let indent = [Span::styled(format!("{label:label_width$}  "), theme.strong)];
        let blank = [Span::raw(" ".repeat(label_width + 2))];
        let help = Line::from(Span::styled(help, theme.text));
        rows.extend(wrap::wrap_line(&help, width, &indent, &blank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::KeyChoice;

    #[test]
    fn the_example_of_a_key_is_one_that_can_be_bound_and_takes_nothing_away() {
        let (key, action) = EXAMPLE.split_once(" = ").unwrap();
        let choice = KeyChoice {
            key: key.trim_matches('"').into(),
            action: action.trim_matches('"').into(),
            path: "config.toml".into(),
            line: None,
        };
        let usual = Keys::default().rows().len();
        assert_eq!(Keys::with(&[choice]).unwrap().rows().len(), usual + 1);
    }
}
