//! What lies over the transcript or beside it and takes the keys. One overlay a file.

pub(super) mod approval;
pub(super) mod commands;
pub(super) mod help;
pub(super) mod picker;

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

/// Appends a name with some of its graphemes, given in order, in the second style.
pub(super) fn emphasise(
    line: &mut Line<'_>,
    name: &str,
    graphemes: &[usize],
    (plain, hit): (Style, Style),
) {
    let mut wanted = graphemes.iter().peekable();
    let mut run = (false, String::new());
    for (n, grapheme) in name.graphemes(true).enumerate() {
        let is_hit = wanted.next_if(|wanted| **wanted == n).is_some();
        if is_hit != run.0 {
            let style = if run.0 { hit } else { plain };
            line.push_span(Span::styled(std::mem::take(&mut run.1), style));
            run.0 = is_hit;
        }
        run.1.push_str(grapheme);
    }
    line.push_span(Span::styled(run.1, if run.0 { hit } else { plain }));
}
