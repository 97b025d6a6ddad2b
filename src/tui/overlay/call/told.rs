//! What a call's view says of an output of which the model got a part only.
//!
//! Owns the words. Must not know where they stand. Invariant: whatever is not shown is told of,
//! with the reason.

use ratatui::text::{Line, Span};

use super::{Whole, page::Subject};
use crate::{
    protocol::tool::WholeOutput,
    text::{number::grouped, sanitize::sanitize},
    tui::{theme::Theme, wrap::mark},
};

/// The title of the result.
pub(super) fn title(output: Option<&WholeOutput>, whole: &Whole) -> String {
    let Some(output) = output else { return "Result".to_owned() };
    let part = part(output);
    match whole {
        Whole::Here(text) if text.notes().is_empty() => format!("Output, all of it · {part}"),
        Whole::Here(_) => format!("Output, not all of it: see its end · {part}"),
        _ => format!("Result, cut: {part}"),
    }
}

/// For the head of the view: nothing, unless what is shown is what the model got.
pub(super) fn in_short(output: Option<&WholeOutput>, whole: &Whole) -> String {
    let cut = output.filter(|_| !whole.is_here());
    cut.map(|output| format!("cut: {}", part(output))).unwrap_or_default()
}

/// What becomes of the whole output, while it is not shown: it is read, or cannot be.
pub(super) fn awaits(
    output: Option<&WholeOutput>,
    whole: &Whole,
    theme: &Theme,
) -> Option<Line<'static>> {
    let output = output.filter(|_| !whole.is_here())?;
    let why = match whole {
        Whole::Failed(why) => why.as_str(),
        Whole::Unasked | Whole::Asked if output.file.is_some() => {
            return Some(Line::from(Span::styled("reading the whole output ...", theme.dim)));
        }
        _ => output.untold.as_deref().unwrap_or("it could not be written to a file"),
    };
    let words = format!("The whole output cannot be shown: {}.", sanitize(why));
    Some(Line::from(Span::styled(words, theme.warning)))
}

/// What stands after the whole output: what is missing from it, and what the model was told of the
/// command besides. If its end is missing, all that the model got, which has the end.
pub(super) fn foot((call, whole): Subject<'_>, theme: &Theme) -> Vec<Line<'static>> {
    let Some(text) = whole.text() else { return Vec::new() };
    let mut lines = vec![Line::default()];
    let note = |note: &String| Line::from(Span::styled(note.clone(), theme.warning));
    lines.extend(text.notes().iter().map(note));
    let about = if text.is_short() {
        lines.push(Line::default());
        let title = Line::from(Span::styled("What the model got", theme.heading(2)));
        lines.push(mark::no_text(title));
        call.text()
    } else {
        call.about()
    };
    let about = about.unwrap_or_default().trim_matches('\n').lines();
    lines.extend(about.map(|line| Line::from(Span::styled(line.to_owned(), theme.text))));
    lines
}

/// How much of it the model got.
fn part(output: &WholeOutput) -> String {
    let (text, bytes) = (grouped(output.text_bytes), grouped(output.bytes));
    format!("the model got {text} of {bytes} bytes")
}
