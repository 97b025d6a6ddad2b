//! The files that fit what is named with `@`, in a list above the prompt.
//!
//! Owns which files are known, which of them fit, and which is marked. Must not know how files
//! are listed. Invariant: a key costs one look at the names at most, and none is looked at for
//! its letters but those that are shown.

use std::time::{Duration, Instant};

use ratatui::{
    Frame,
    layout::Rect,
    text::{Line, Span},
};

use super::{
    composer::{Composer, Mention},
    fuzzy::{Fuzzy, Hit},
    overlay::emphasise,
    theme::Theme,
    wrap,
};

/// Files that are offered at once.
const OFFERED: usize = 50;
/// Rows of the list.
const ROWS: usize = 8;
/// After this time files are listed anew when a mention begins.
const STALE: Duration = Duration::from_secs(3);

/// The files, and the list of those that fit.
#[derive(Default)]
pub(super) struct Files {
    paths: Vec<String>,
    is_listing: bool,
    listed: Option<Instant>,
    mention: Option<Mention>,
    /// The list was closed for this mention.
    is_closed: bool,
    hits: Vec<Hit>,
    at: usize,
}

impl Files {
    /// Looks at what stands in the box now; gives whether the files should be listed.
    pub(super) fn look(&mut self, composer: &Composer, now: Instant) -> bool {
        let mention = composer.mention();
        if mention == self.mention {
            return false;
        }
        let begins = self.mention.is_none();
        self.is_closed &= mention.is_some();
        self.mention = mention;
        self.at = 0;
        self.find();
        let is_stale = self.listed.is_none_or(|at| now.saturating_duration_since(at) > STALE);
        let wanted = self.mention.is_some() && begins && is_stale && !self.is_listing;
        self.is_listing |= wanted;
        wanted
    }

    /// The files are known.
    pub(super) fn listed(&mut self, paths: Vec<String>, now: Instant) {
        let marked = self.marked().map(str::to_owned);
        self.is_listing = false;
        self.listed = Some(now);
        self.paths = paths;
        self.find();
        let place = |hit: &Hit| self.paths.get(hit.index) == marked.as_ref();
        self.at = self.hits.iter().position(place).unwrap_or(0);
    }

    fn find(&mut self) {
        self.hits.clear();
        if let Some(mention) = &self.mention {
            let paths = self.paths.iter().map(String::as_str);
            self.hits = Fuzzy::for_paths().best(&mention.query, paths, OFFERED);
        }
    }

    /// Whether the list takes keys: there is something to choose, and it was not chosen already.
    pub(super) fn is_open(&self) -> bool {
        let query = self.mention.as_ref().map(|mention| mention.query.as_str());
        let is_written = self.marked().is_some_and(|path| Some(path) == query);
        !self.is_closed && !self.hits.is_empty() && !is_written
    }

    /// Closes the list until another file is named.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Marks another one.
    pub(super) fn step(&mut self, steps: i64) {
        let most = self.hits.len().saturating_sub(1);
        let steps = isize::try_from(steps).unwrap_or(0);
        self.at = self.at.saturating_add_signed(steps).min(most);
    }

    /// The path that is marked.
    pub(super) fn marked(&self) -> Option<&str> {
        self.paths.get(self.hits.get(self.at)?.index).map(String::as_str)
    }

    /// Rows that the list wants.
    pub(super) fn height(&self) -> u16 {
        let waits = self.mention.is_some() && !self.is_closed && self.is_listing;
        let rows = if self.is_open() { self.hits.len() } else { usize::from(waits) };
        u16::try_from(rows.min(ROWS)).unwrap_or(0)
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        if !self.is_open() {
            let line = Line::from(Span::styled("   looking for files …", theme.dim));
            frame.buffer_mut().set_line(area.x, area.y, &line, area.width);
            return;
        }
        let room = usize::from(area.height);
        let first = (self.at + 1).saturating_sub(room);
        let shown = self.hits.iter().enumerate().skip(first).take(room);
        for (y, (n, hit)) in (area.y..area.bottom()).zip(shown) {
            let Some(path) = self.paths.get(hit.index) else { continue };
            let style = if n == self.at { theme.strong } else { theme.text };
            let mut line =
                Line::from(Span::styled(if n == self.at { " ▸ " } else { "   " }, style));
            emphasise(&mut line, path, &hit.graphemes, (style, theme.hit));
            let line = wrap::cut_line(&line, area.width);
            frame.buffer_mut().set_line(area.x, y, &line, area.width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str], typed: &str) -> (Files, Composer) {
        let now = Instant::now();
        let (mut files, mut composer) = (Files::default(), Composer::new());
        composer.paste(typed);
        assert!(files.look(&composer, now), "they are listed when a mention begins");
        files.listed(paths.iter().map(|path| (*path).to_owned()).collect(), now);
        (files, composer)
    }

    #[test]
    fn the_best_fit_is_marked_and_taken_in_place_of_what_was_typed() {
        let (mut files, mut composer) =
            files(&["src/lib.rs", "src/tui/composer.rs", "README.md"], "see @comp");
        assert_eq!(files.marked(), Some("src/tui/composer.rs"));
        composer.complete_mention("src/tui/composer.rs");
        assert_eq!(composer.text(), "see @src/tui/composer.rs ");
        assert!(!files.look(&composer, Instant::now()) && !files.is_open());
    }

    #[test]
    fn a_quoted_mention_is_replaced_whole() {
        let (_, mut composer) = files(&["my notes.md"], "@\"my no");
        composer.complete_mention("my notes.md");
        assert_eq!(composer.text(), "@\"my notes.md\" ");
    }

    #[test]
    fn what_is_written_out_or_closed_takes_no_keys() {
        let (files_written, _) = files(&["a.rs", "a.rs.bak"], "@a.rs");
        assert!(!files_written.is_open());
        let (mut files, mut composer) = files(&["a.rs", "b.rs"], "@");
        files.step(1);
        assert_eq!(files.marked(), Some("b.rs"));
        files.close();
        composer.paste("b");
        files.look(&composer, Instant::now());
        assert!(!files.is_open(), "closed until another file is named");
        composer.paste(" @");
        files.look(&composer, Instant::now());
    }

    #[test]
    fn the_mark_stays_on_its_file_when_they_are_listed_anew() {
        let (mut files, _) = files(&["b.rs", "c.rs"], "@");
        files.step(1);
        files.listed(vec!["a.rs".into(), "b.rs".into(), "c.rs".into()], Instant::now());
        assert_eq!(files.marked(), Some("c.rs"));
    }
}
