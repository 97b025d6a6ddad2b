//! Calls one after the other, brought into view, and found by their rows.

use std::time::Instant;

use super::*;
use crate::{
    protocol::{id::CallId, tool::ToolCall},
    tui::{highlight::Highlighter, theme::Theme},
};

const HEIGHT: usize = 6;

struct Shown {
    transcript: Transcript,
    theme: Theme,
    highlighter: Highlighter,
    now: Instant,
}

impl Shown {
    /// As many iterations as numbers, each with so many calls, and a notice after each.
    fn new(calls: &[usize]) -> Self {
        let now = Instant::now();
        let mut transcript = Transcript::default();
        for (n, calls) in (1..).zip(calls) {
            let mut iteration = Iteration::new(n, now);
            let call = |call| ToolCall {
                id: CallId(format!("{n}.{call}")),
                name: format!("tool{n}.{call}"),
                arguments: "{}".into(),
            };
            iteration.plan((0..*calls).map(call).collect(), Vec::new(), now);
            transcript.push(Cell::Iteration(iteration));
            transcript.push(Cell::notice("between"));
        }
        Self { transcript, theme: Theme::plain(), highlighter: Highlighter::off(), now }
    }

    /// Does something with a look, which holds the rest of this.
    fn with<T>(&mut self, work: impl FnOnce(&mut Transcript, Look<'_>) -> T) -> T {
        let Self { transcript, theme, highlighter, now } = self;
        let look = Look { width: 60, theme, highlighter, now: *now, unfolded: false, all: false };
        work(transcript, look)
    }

    fn rows(&mut self) -> Vec<String> {
        self.with(|transcript, look| {
            let rows = transcript.visible(HEIGHT, look);
            rows.iter().map(|row| row.line.to_string()).collect()
        })
    }

    fn name(&self, place: Item) -> String {
        self.transcript.call(place).unwrap().name().to_owned()
    }

    /// All calls by name, from the newest on.
    fn backwards(&self) -> Vec<String> {
        let first = self.transcript.newest_call();
        let before = |place: &Item| self.transcript.call_beside(*place, false);
        std::iter::successors(first, before).map(|place| self.name(place)).collect()
    }
}

#[test]
fn calls_stand_one_after_the_other_over_all_iterations() {
    let shown = Shown::new(&[2, 0, 1]);
    assert_eq!(shown.backwards(), ["tool3.0", "tool1.1", "tool1.0"]);
    let oldest = Item { cell: 0, number: 0 };
    let after = |place: &Item| shown.transcript.call_beside(*place, true);
    let forwards: Vec<_> =
        std::iter::successors(Some(oldest), after).map(|place| shown.name(place)).collect();
    assert_eq!(forwards, ["tool1.0", "tool1.1", "tool3.0"]);
    assert_eq!(Shown::new(&[]).transcript.newest_call(), None);
}

#[test]
fn a_call_is_brought_into_view_and_found_by_its_row() {
    let mut shown = Shown::new(&[9, 9, 9]);
    let mut place = shown.transcript.newest_call();
    while let Some(at) = place {
        shown.with(|transcript, look| transcript.reveal(at, HEIGHT, look));
        let rows = shown.rows();
        let name = shown.name(at);
        let row = rows.iter().position(|row| row.contains(&name));
        let row = row.unwrap_or_else(|| panic!("{name} is not in view: {rows:#?}"));
        let found = shown.with(|transcript, look| transcript.call_in_row(row, HEIGHT, look));
        assert_eq!(found, Some(at));
        place = shown.transcript.call_beside(at, false);
    }
    assert!(shown.rows()[0].contains("iteration 1"), "the head of the first is in view too");
}

#[test]
fn what_is_in_view_already_moves_nothing() {
    let mut shown = Shown::new(&[3]);
    let before = shown.rows();
    let newest = shown.transcript.newest_call().unwrap();
    shown.with(|transcript, look| transcript.reveal(newest, HEIGHT, look));
    assert!(shown.transcript.top.is_none(), "the end is followed still");
    assert_eq!(shown.rows(), before);
}

#[test]
fn a_row_without_a_call_is_none() {
    let mut shown = Shown::new(&[1]);
    let rows = shown.rows();
    assert_eq!(rows.iter().filter(|row| row.contains("tool")).count(), 1);
    let found: Vec<_> = (0..HEIGHT + 3)
        .map(|row| shown.with(|transcript, look| transcript.call_in_row(row, HEIGHT, look)))
        .collect();
    let only = found.iter().flatten().count();
    assert_eq!(only, 1, "{found:?}");
}

#[test]
fn the_last_turn_is_what_follows_the_last_prompt() {
    let mut shown = Shown::new(&[1, 1]);
    shown.transcript.push(Cell::user("go on"));
    shown.transcript.push(Cell::Iteration(Iteration::new(7, shown.now)));
    let numbers: Vec<_> = shown.transcript.last_turn().iter().map(|it| it.number()).collect();
    assert_eq!(numbers, [7]);
}
