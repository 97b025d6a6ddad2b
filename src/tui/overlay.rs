//! What lies over the transcript or beside it and takes the keys. One overlay a file.

pub(super) mod approval;
pub(super) mod call;
pub(super) mod commands;
pub(super) mod help;
pub(super) mod in_background;
pub(super) mod pager;
pub(super) mod picker;
pub(super) mod themes;
pub(super) mod timeline;

use std::time::Duration;

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

use super::cell::iteration::course::Times;
use crate::protocol::tally::short_time;

fn in_words(time: Duration) -> String {
    short_time(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// `waited 0.10 s · asked 3.20 s · ran 12.3 s`: what did not happen is left out.
fn times_in_words(times: Times) -> String {
    let parts = [("waited", times.waited), ("asked", times.asked), ("ran", times.ran)];
    let told = parts.into_iter().filter_map(|(word, time)| Some((word, time?)));
    told.map(|(word, time)| format!("{word} {}", in_words(time))).collect::<Vec<_>>().join(" · ")
}

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
