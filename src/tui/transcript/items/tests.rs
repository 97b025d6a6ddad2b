//! Items one after the other, brought into view, marked, and folded by themselves.

use std::time::Instant;

use super::*;
use crate::{
    protocol::{id::CallId, tool::ToolCall},
    tui::{
        cell::{Cell, Reasoning, iteration::Iteration},
        highlight::Highlighter,
        links::Links,
        theme::Theme,
    },
};

const HEIGHT: usize = 8;

struct Shown {
    transcript: Transcript,
    theme: Theme,
    highlighter: Highlighter,
    now: Instant,
}

impl Shown {
    fn new(cells: Vec<Cell>) -> Self {
        let mut transcript = Transcript::default();
        for cell in cells {
            transcript.push(cell);
        }
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        Self { transcript, theme, highlighter, now: Instant::now() }
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Transcript, Look<'_>) -> T) -> T {
        let Self { transcript, theme, highlighter, now } = self;
        let look = Look { width: 60, theme, highlighter, now: *now, unfolded: false, all: false };
        work(transcript, look)
    }

    /// All items, from the last one back.
    fn backwards(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut next = self.with(|transcript, look| transcript.item_at_edge(true, look));
        while let Some(item) = next {
            items.push(item);
            next = self.with(|transcript, look| transcript.item_beside(item, false, look));
        }
        items
    }

    fn said(&self, item: Item) -> (&'static str, String) {
        let written = self.transcript.written(item);
        written.map_or(("call", String::new()), |written| (written.what, written.text))
    }
}

fn answer(text: &str) -> Cell {
    let mut cell = Cell::assistant(&Links::default());
    if let Cell::Assistant(markdown) = &mut cell {
        markdown.push(text);
        markdown.finish();
    }
    cell
}

fn thought(text: &str) -> Cell {
    let mut thought = Reasoning::new();
    thought.push(text);
    thought.end();
    Cell::Reasoning(thought)
}

fn calls(count: usize) -> Cell {
    let now = Instant::now();
    let mut iteration = Iteration::new(1, now);
    let call = |n| ToolCall {
        id: CallId(format!("{n}")),
        name: format!("tool{n}"),
        arguments: "{}".into(),
    };
    iteration.plan((0..count).map(call).collect(), Vec::new(), now);
    Cell::Iteration(iteration)
}

fn session() -> Shown {
    Shown::new(vec![
        Cell::user("first"),
        thought(&"let me think about this for long ".repeat(20)),
        calls(2),
        answer("Some words.\n\n```sh\nls -l\n```\n\n- a\n- b\n"),
        Cell::ending(true, "done"),
        Cell::user("second"),
        answer(""),
        Cell::notice("a notice"),
        Cell::ending(false, "it failed"),
    ])
}

#[test]
fn items_stand_in_the_order_of_the_screen_in_both_directions() {
    let mut shown = session();
    let mut items = shown.backwards();
    items.reverse();
    let said: Vec<_> = items.iter().map(|item| shown.said(*item)).collect();
    let thought = "let me think about this for long ".repeat(20).trim().to_owned();
    let expected = [
        ("prompt", "first"),
        ("thought", thought.as_str()),
        ("call", ""),
        ("call", ""),
        ("paragraph", "Some words."),
        ("code", "ls -l\n"),
        ("list", "- a\n- b"),
        ("prompt", "second"),
        ("notice", "a notice"),
        ("reason", "it failed"),
    ];
    assert_eq!(said, expected.map(|(what, text)| (what, text.to_owned())));
    let mut forwards = vec![items[0]];
    while let Some(next) = shown
        .with(|transcript, look| transcript.item_beside(forwards[forwards.len() - 1], true, look))
    {
        forwards.push(next);
    }
    assert_eq!(forwards, items);
    assert!(Shown::new(Vec::new()).backwards().is_empty());
}

#[test]
fn turns_are_counted_from_the_end_and_led_to() {
    let mut shown = session();
    let items = shown.backwards();
    let (last, first) = (items[0], items[items.len() - 1]);
    assert_eq!(shown.transcript.turns_after(last), Some(0));
    assert_eq!(shown.transcript.turns_after(first), Some(1));
    let second = shown.transcript.turn_beside(last, false).unwrap();
    assert_eq!(shown.said(second).1, "second");
    assert_eq!(shown.transcript.turn_beside(second, false), Some(first));
    assert_eq!(shown.transcript.turn_beside(first, false), None);
    assert_eq!(shown.transcript.turn_beside(first, true), Some(second));
    let mut lone = Shown::new(vec![Cell::notice("early")]);
    let before = lone.backwards()[0];
    assert_eq!(lone.transcript.turns_after(before), None);
}

#[test]
fn every_item_is_brought_into_view_and_its_rows_are_marked() {
    let mut shown = session();
    for item in shown.backwards() {
        let wanted = shown.with(|transcript, look| {
            transcript.reveal(item, HEIGHT, look);
            let area = ratatui::layout::Rect::new(0, 0, 60, 8);
            transcript.lay_out(area, look);
            transcript.mark_item(item, look);
            transcript.items(item.cell, look)[item.number].clone()
        });
        let rows = shown.transcript.shown();
        let of_item = |row: &&super::super::Row| {
            row.cell == item.cell && row.number.is_some_and(|number| wanted.contains(&number))
        };
        let count = rows.iter().filter(of_item).count();
        assert_eq!(count, wanted.len(), "{item:?} is not whole in view");
        let is_call = shown.transcript.call(item).is_some();
        let marked = rows.iter().filter(|row| row.selected).count();
        assert_eq!(marked, if is_call { 0 } else { count });
    }
}

#[test]
fn of_an_item_longer_than_the_screen_the_beginning_is_shown() {
    let code = (0..50).map(|n| format!("line{n}\n")).collect::<Vec<_>>().concat();
    let mut shown = Shown::new(vec![
        answer(&format!("```\n{code}```\n")),
        answer("one\n\ntwo\n\nthree\n\nfour\n\nfive"),
    ]);
    let items = shown.backwards();
    let code = items[items.len() - 1];
    let first = shown.with(|transcript, look| {
        transcript.reveal(code, HEIGHT, look);
        transcript.visible(HEIGHT, look)[0].line.to_string()
    });
    assert!(first.contains("line0"), "{first}");
}

#[test]
fn one_thought_unfolds_alone_and_all_fold_alike_again() {
    let mut shown = Shown::new(vec![
        thought(&"one\n".repeat(30)),
        thought(&"two\n".repeat(30)),
        Cell::user(&"x\n".repeat(100)),
        answer("words"),
    ]);
    let rows = |shown: &mut Shown| {
        shown.with(|transcript, look| {
            (0..4).map(|cell| transcript.rows(cell, look).len()).collect::<Vec<_>>()
        })
    };
    assert_eq!(rows(&mut shown), [1, 1, 11, 1]);
    let item = |cell| Item { cell, number: 0 };
    assert!(shown.transcript.fold(item(1), true));
    assert!(shown.transcript.fold(item(2), true));
    assert!(!shown.transcript.fold(item(3), true), "an answer is never folded");
    assert_eq!(rows(&mut shown), [1, 30, 101, 1]);
    shown.transcript.fold_as_all();
    assert_eq!(rows(&mut shown), [1, 1, 11, 1]);
}
