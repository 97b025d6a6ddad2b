//! The first row of a question: what is asked, and where in the preview we are.
//!
//! Owns its words, and what of them goes where not all have room. Invariant: the name of a file is
//! the last thing to be cut.

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::{Approval, Look, review::Review};
use crate::{
    protocol::question::Preview,
    tui::{visible::visible, wrap},
};

/// What stands for the part of a path that has no room.
const CUT: &str = "…";

impl Approval {
    /// The title in so many columns, with so many rows hidden above and below, and whether the
    /// path in it is cut.
    pub(super) fn title(
        &self,
        (width, hidden): (u16, (usize, usize)),
        look: &Look<'_>,
    ) -> (Line<'static>, bool) {
        let theme = look.theme;
        // Not by the colour of the keys alone: whether a key is an answer already.
        let sign = if look.focus || self.is_left(look) { "? " } else { "⋯ " };
        let sign = Span::styled(sign, theme.warning);
        let columns = usize::from(width);
        let place = place(hidden);
        let mut what = self.what();
        let fits = wrap::width(&what) + wrap::width(&place) + 5 <= columns;
        let place = if fits { place } else { short_place(hidden) };
        let beside = if place.is_empty() { 2 } else { wrap::width(&place) + 4 };
        let mut is_cut = false;
        if wrap::width(&what) + beside > columns
            && let Some((short, cut)) = self.short_what(columns.saturating_sub(beside))
        {
            (what, is_cut) = (short, cut);
        }
        let (what, place) = (Span::styled(what, theme.warning), Span::styled(place, theme.dim));
        // Where only one has room it is the one that says that not all is seen.
        let spans = if place.content.is_empty() {
            vec![sign, what]
        } else {
            let (first, second) = if fits { (what, place) } else { (place, what) };
            vec![sign, first, Span::raw("  "), second]
        };
        (wrap::cut_line(&Line::from(spans), width), is_cut)
    }

    /// What is asked.
    fn what(&self) -> String {
        match &self.question.preview {
            Preview::Nothing => format!("May {} run?", self.question.tool),
            Preview::Read { path } => format!("May it read {}?", visible(path)),
            Preview::Write { path, creates, .. } => {
                let verb = if *creates { "create" } else { "change" };
                let (added, removed) = self.lines();
                let chosen = self.chosen(|taken, all| format!("{taken} of {all} taken"));
                format!("May it {verb} {}?  +{added} −{removed}{chosen}", visible(path))
            }
            Preview::Command { cwd, background, .. } => {
                let place =
                    if cwd == "." { String::new() } else { format!(" in {}", visible(cwd)) };
                let how = if *background { " in the background" } else { "" };
                // The folder last: it may be long, and what is cut on a narrow screen is the end.
                match (how, place.as_str()) {
                    ("", "") => "May it run this command?".to_owned(),
                    (how, "") => format!("May it run this command{how}?"),
                    (how, place) => format!("May it run this{how}{place}?"),
                }
            }
        }
    }

    /// The same about a file in few words, in so many columns, and whether the path is cut. What
    /// is chosen of a write is to be seen, too; what goes first are the counts of its lines.
    fn short_what(&self, room: usize) -> Option<(String, bool)> {
        let (path, verb, ends) = match &self.question.preview {
            Preview::Read { path } => (path, "Read ", ["?".to_owned(), "?".to_owned()]),
            Preview::Write { path, creates, .. } => {
                let verb = if *creates { "Create " } else { "Change " };
                let (added, removed) = self.lines();
                let chosen = self.chosen(|taken, all| format!("{taken}/{all}"));
                (path, verb, [format!("?  +{added} −{removed}{chosen}"), format!("?{chosen}")])
            }
            Preview::Nothing | Preview::Command { .. } => return None,
        };
        let [long, short] = &ends;
        let path = visible(path);
        let least = wrap::width(name(&path)) + usize::from(path.contains('/'));
        let forms = [(verb, long), (verb, short), ("", short)];
        let columns = |(verb, end): &(&str, &String)| verb.len() + wrap::width(end);
        let fitting = forms.iter().find(|form| columns(form) + least <= room);
        let (verb, end) = fitting.copied().unwrap_or(("", short));
        let left = room.saturating_sub(columns(&(verb, end)));
        let is_cut = wrap::width(&path) > left;
        let path = if is_cut { cut_path(&path, left) } else { path.into_owned() };
        Some((format!("{verb}{path}{end}"), is_cut))
    }

    /// Lines that come, and lines that go.
    fn lines(&self) -> (usize, usize) {
        let Preview::Write { added, removed, .. } = &self.question.preview else { return (0, 0) };
        let taken = self.review.as_ref().and_then(Review::taken_lines);
        taken.unwrap_or((*added, *removed))
    }

    /// What was chosen, if it is not all as asked.
    fn chosen(&self, words: impl Fn(usize, usize) -> String) -> String {
        let Some(review) = self.review.as_ref().filter(|review| review.is_changed()) else {
            return String::new();
        };
        let edited = if review.is_edited() { "  edited" } else { "" };
        match review.counts() {
            (taken, all) if taken < all => format!("  {}{edited}", words(taken, all)),
            _ => edited.to_owned(),
        }
    }
}

fn place(hidden: (usize, usize)) -> String {
    match hidden {
        (0, 0) => String::new(),
        (0, 1) => "1 more row: PageDown".to_owned(),
        (0, below) => format!("{below} more rows: PageDown"),
        (1, 0) => "1 row above: PageUp".to_owned(),
        (above, 0) => format!("{above} rows above: PageUp"),
        (above, below) => format!("{above} rows above, {below} below"),
    }
}

/// Where in the preview we are, for a narrow title: `↑3 ↓25`.
fn short_place((above, below): (usize, usize)) -> String {
    let part = |sign: char, rows: usize| (rows > 0).then(|| format!("{sign}{rows}"));
    let parts: Vec<_> = [part('↑', above), part('↓', below)].into_iter().flatten().collect();
    parts.join(" ")
}

/// The last component of a path, with the slash before it if there is one.
fn name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    trimmed.rfind('/').and_then(|at| path.get(at..)).unwrap_or(path)
}

/// A path that is wider than this without its middle: as much of its start as there is room for
/// beside its name; of a name that is wider itself both ends.
pub(in crate::tui) fn cut_path(path: &str, room: usize) -> String {
    let name = name(path);
    let room = room.saturating_sub(1);
    let end = if wrap::width(name) <= room { name } else { end_of(name, room.div_ceil(2)) };
    let before = path.strip_suffix(end).unwrap_or_default();
    let start = start_of(before, room.saturating_sub(wrap::width(end)));
    format!("{start}{CUT}{end}")
}

/// As much of the start of a text as so many columns hold.
fn start_of(text: &str, room: usize) -> &str {
    let end = fitting(text.grapheme_indices(true), room).last();
    end.map_or("", |(at, grapheme)| text.get(..at + grapheme.len()).unwrap_or_default())
}

/// As much of the end of a text as so many columns hold.
fn end_of(text: &str, room: usize) -> &str {
    let start = fitting(text.grapheme_indices(true).rev(), room).last();
    start.map_or("", |(at, _)| text.get(at..).unwrap_or_default())
}

fn fitting<'a>(
    graphemes: impl Iterator<Item = (usize, &'a str)>,
    room: usize,
) -> impl Iterator<Item = (usize, &'a str)> {
    let mut columns = 0;
    graphemes.take_while(move |(_, grapheme)| {
        columns += wrap::width(grapheme);
        columns <= room
    })
}
