//! Counts, places and the work of a search.

use std::{
    cell::Cell as Count,
    time::{Duration, Instant},
};

use ratatui::layout::Rect;

use super::*;
use crate::{
    protocol::{
        id::CallId,
        tool::{Batch, ToolCall, ToolResult, ToolStatus},
    },
    tui::{
        cell::{Cell, iteration::Iteration},
        highlight::Highlighter,
        theme::Theme,
        transcript::Mark,
    },
};

thread_local! {
    /// What all looking at cells has cost in this thread.
    pub(super) static WORK: Count<usize> = const { Count::new(0) };
}

/// A transcript, a search in it, and a screen for both.
struct Desk {
    transcript: Transcript,
    search: Search,
    theme: Theme,
    highlighter: Highlighter,
}

impl Desk {
    fn new(cells: impl IntoIterator<Item = Cell>) -> Self {
        let mut transcript = Transcript::default();
        cells.into_iter().for_each(|cell| transcript.push(cell));
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let search = Search::new(usize::MAX, Sought::default());
        Self { transcript, search, theme, highlighter }
    }

    /// One frame; gives its rows.
    fn frame(&mut self) -> Vec<String> {
        let look = Look {
            width: 40,
            theme: &self.theme,
            highlighter: &self.highlighter,
            now: Instant::now(),
            unfolded: false,
            all: false,
        };
        self.transcript.take_width(look);
        self.search.advance(&mut self.transcript, look);
        self.search.settle(&mut self.transcript, look);
        self.transcript.lay_out(Rect::new(0, 0, 40, 10), look);
        self.search.mark(&mut self.transcript, look);
        self.transcript.shown().iter().map(|row| row.line.to_string()).collect()
    }

    fn find(&mut self, query: &str) -> Vec<String> {
        self.frame();
        self.search.type_in(query);
        self.frame()
    }

    fn step(&mut self, forward: bool) -> Vec<String> {
        self.search.step(forward);
        self.frame()
    }

    fn work(&mut self) -> usize {
        WORK.set(0);
        self.frame();
        WORK.get()
    }

    /// The rows with the hit that was gone to.
    fn here(&self) -> Vec<String> {
        let is_here = |(_, mark): &(_, Mark)| *mark == Mark::HitHere;
        let rows = self.transcript.shown().iter().filter(|row| row.marks.iter().any(is_here));
        rows.map(|row| row.line.to_string()).collect()
    }
}

fn notices(count: usize) -> impl Iterator<Item = Cell> {
    (0..count).map(|n| Cell::notice(&format!("line {n} of {}", n % 10)))
}

#[test]
fn the_nearest_hit_above_is_shown_and_counted() {
    let mut desk = Desk::new(notices(100));
    desk.find("of 3");
    assert_eq!(desk.search.words(), "10 of 10");
    assert_eq!(desk.here(), ["· line 93 of 3"]);
    desk.step(true);
    assert_eq!(desk.search.words(), "1 of 10");
    assert_eq!(desk.here(), ["· line 3 of 3"]);
    desk.step(true);
    assert_eq!(desk.here(), ["· line 13 of 3"]);
    desk.step(false);
    desk.step(false);
    assert_eq!(
        (desk.search.words().as_str(), desk.here()),
        ("10 of 10", vec!["· line 93 of 3".to_owned()])
    );
}

#[test]
fn every_letter_searches_anew_and_all_hits_on_the_screen_are_marked() {
    let mut desk = Desk::new(notices(5));
    desk.find("line");
    assert_eq!(desk.search.words(), "5 of 5");
    desk.search.type_in(" [13]");
    desk.frame();
    assert_eq!(desk.search.words(), "no hits; Ctrl-R reads it as a regex");
    desk.search.switch_regex();
    desk.frame();
    assert_eq!(desk.search.words(), "regex · 2 of 2");
    let marked = desk.transcript.shown().iter().filter(|row| !row.marks.is_empty());
    let columns: Vec<_> = marked.map(|row| row.marks[0].0.clone()).collect();
    // behind the sign of two columns
    assert_eq!(columns, [2..8, 2..8]);
    desk.search.type_in("x");
    desk.frame();
    assert_eq!(desk.search.words(), "regex · no hits");
    for _ in 0..6 {
        desk.search.take_back();
    }
    desk.frame();
    assert_eq!(desk.search.words(), "regex · 5 of 5");
}

#[test]
fn a_hit_over_a_break_is_one_hit_on_two_rows() {
    let text = format!("{} needle here", "word ".repeat(6));
    let mut desk = Desk::new([Cell::notice(&text)]);
    desk.find("word +needle");
    desk.search.switch_regex();
    desk.frame();
    assert_eq!(desk.search.words(), "regex · 1 of 1");
    let rows = desk.transcript.shown().iter().filter(|row| !row.marks.is_empty()).count();
    assert_eq!((rows, desk.here().len()), (2, 2));
}

#[test]
fn words_are_found_as_they_are_until_a_regular_expression_is_asked_for() {
    let mut desk = Desk::new([Cell::notice("call f(x) for $0.50")]);
    desk.find("$0.50");
    assert_eq!(desk.search.words(), "1 of 1");
    desk.search.clear();
    desk.find("f(");
    assert_eq!(desk.search.words(), "1 of 1");
    desk.search.switch_regex();
    desk.frame();
    assert_eq!(desk.search.words(), "regex · invalid: unclosed group");
    assert!(!desk.search.is_pending() && desk.here().is_empty());
    desk.search.switch_regex();
    desk.frame();
    assert_eq!(desk.search.words(), "1 of 1");
}

#[test]
fn a_hit_in_folded_output_counts_and_unfolds_when_gone_to() {
    let now = Instant::now();
    let mut iteration = Iteration::new(1, now);
    let id = CallId("1".into());
    let call =
        ToolCall { id: id.clone(), name: "read_file".into(), arguments: "{\"path\":\"a\"}".into() };
    iteration.plan(vec![call], vec![Batch { calls: vec![id.clone()], concurrent: true }], now);
    iteration.start(&id, now);
    let result = ToolResult::new(id, ToolStatus::Ok, "one\nhidden needle\nthree", "3 lines");
    iteration.finish(result, (now, Duration::from_millis(5)));
    let mut desk = Desk::new([Cell::Iteration(iteration), Cell::notice("needle")]);
    desk.find("needle");
    assert_eq!(desk.search.words(), "2 of 2");
    let is_shown = |rows: &[String]| rows.iter().any(|row| row.contains("hidden needle"));
    assert!(!is_shown(&desk.frame()), "what was gone to is not folded away");
    let rows = desk.step(false);
    assert_eq!(desk.search.words(), "1 of 2");
    assert!(is_shown(&rows), "{rows:?}");
    assert_eq!(desk.here().len(), 1, "{rows:?}");
}

#[test]
fn only_cells_that_changed_are_read_again() {
    let mut desk = Desk::new(notices(1_000));
    desk.find("line");
    assert!(!desk.search.is_pending());
    assert_eq!(desk.work(), 0);
    desk.transcript.push(Cell::notice("one more line"));
    // the text and the end of it, laid out and searched once
    assert_eq!(desk.work(), 14 * LAYOUT + 14);
    assert_eq!(desk.search.words(), "1000 of 1001");
    desk.search.type_in(" 7");
    let searched = desk.work();
    let laid_out = 1_000 * 13 * LAYOUT;
    assert!(searched < laid_out / 8, "nothing is laid out again: {searched}");
}

#[test]
fn a_hundred_thousand_rows_are_searched_in_bounded_steps() {
    let text = (0..100).map(|n| format!("row {n} with some words\n")).collect::<Vec<_>>().concat();
    let mut desk = Desk::new((0..1_000).map(|_| Cell::notice(&text)));
    desk.frame();
    desk.search.type_in("row 42 ");
    let largest = (text.len() + 1) * (LAYOUT + 1);
    let mut frames = 0;
    while desk.search.is_pending() {
        let work = desk.work();
        assert!(work <= FRAME + largest, "{work}");
        frames += 1;
    }
    assert_eq!(desk.search.words(), "1000 of 1000");
    assert_eq!(desk.work(), 0);
    // all that there is to do, in full steps
    assert!(frames <= 1_000 * largest / FRAME + 2, "{frames}");
    desk.step(true);
    assert_eq!(desk.search.words(), "1 of 1000");
}

#[test]
fn an_empty_line_takes_what_was_searched_before() {
    let mut desk = Desk::new(notices(10));
    let before = Sought { typed: "line [45]".into(), is_regex: true };
    desk.search = Search::new(usize::MAX, before.clone());
    desk.frame();
    assert_eq!(desk.search.words(), "");
    desk.step(true);
    assert_eq!((desk.search.sought(), desk.search.words().as_str()), (before, "regex · 2 of 2"));
}
