//! The view of a call: its parts, following, and searching.

mod selected;
mod whole_output;

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::{Terminal, backend::TestBackend};

use super::{page::Shown, whole::Gathering, *};
use crate::{
    protocol::{
        id::CallId,
        tool::{ToolCall, ToolResult, ToolStatus, WholeOutput},
    },
    tui::{
        cell::{Cell, iteration::Iteration},
        overlay::pager::Lines,
        transcript::Transcript,
    },
};

const ID: &str = "a";

/// A transcript with one call, and its open view.
struct Open {
    transcript: Transcript,
    view: CallView,
    zero: Instant,
    now: Instant,
}

impl Open {
    fn new(arguments: &str, runs: bool) -> Self {
        let zero = Instant::now();
        let mut iteration = Iteration::new(1, zero);
        let call = ToolCall {
            id: CallId(ID.into()),
            name: "run_command".into(),
            arguments: arguments.into(),
        };
        iteration.plan(vec![call], Vec::new(), zero);
        let mut transcript = Transcript::default();
        transcript.push(Cell::Iteration(iteration));
        let place = transcript.newest_call().unwrap();
        let mut open = Self { transcript, view: CallView::new(place, runs), zero, now: zero };
        if runs {
            open.change(|iteration, id| iteration.start(id, zero));
        }
        open
    }

    fn change(&mut self, change: impl FnOnce(&mut Iteration, &CallId)) {
        let id = CallId(ID.into());
        let place = self.view.place();
        self.transcript.with_call(place, |iteration, _| change(iteration, &id));
    }

    fn print(&mut self, text: &str) {
        self.change(|iteration, id| iteration.output(id, text));
    }

    fn finish(&mut self, status: ToolStatus, text: &str, diff: Option<&str>) {
        let result = ToolResult::new(CallId(ID.into()), status, text, "exit 0 · 3 lines");
        let result = ToolResult { diff: diff.map(str::to_owned), ..result };
        let elapsed = self.now - self.zero;
        let now = self.now;
        self.change(|iteration, _| iteration.finish(result, (now, elapsed)));
    }

    fn screen(&mut self, width: u16, height: u16) -> Vec<String> {
        let theme = Theme::plain();
        let highlighter = Highlighter::off();
        let look =
            Look { theme: &theme, highlighter: &highlighter, now: self.now, since: Duration::ZERO };
        let call = self.transcript.call(self.view.place()).unwrap();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let view = &mut self.view;
        terminal
            .draw(|frame| {
                view.draw(frame, frame.area(), (call, &look));
            })
            .unwrap();
        let buffer = terminal.backend().buffer();
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..height).map(|y| row(y).trim_end().to_owned()).collect()
    }

    fn press(&mut self, code: KeyCode) {
        self.view.key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    fn search(&mut self, text: &str) {
        self.view.find();
        text.chars().for_each(|c| self.press(KeyCode::Char(c)));
    }

    /// Columns of the row with the current hit, which is drawn bold.
    fn current_hit(&mut self, width: u16, height: u16) -> Option<String> {
        let theme = Theme::plain();
        let highlighter = Highlighter::off();
        let look =
            Look { theme: &theme, highlighter: &highlighter, now: self.now, since: Duration::ZERO };
        let call = self.transcript.call(self.view.place()).unwrap();
        let area = Rect::new(0, 0, width, height);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let view = &mut self.view;
        terminal
            .draw(|frame| {
                view.draw(frame, area, (call, &look));
            })
            .unwrap();
        let buffer = terminal.backend().buffer();
        let hit = theme.hit.add_modifier;
        let cells = buffer.content().iter().filter(|cell| cell.modifier.contains(hit));
        let text: String = cells.map(ratatui::buffer::Cell::symbol).collect();
        Some(text).filter(|text| !text.is_empty())
    }
}

#[test]
fn everything_that_is_known_of_a_call_stands_in_it() {
    let mut open = Open::new(r#"{"command": "make\nmake test"}"#, true);
    open.now += Duration::from_millis(2_500);
    open.finish(ToolStatus::Ok, "one\n漢字\nthree", Some("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"));
    open.view.pager.go_to_top();
    let rows = open.screen(60, 24);
    let expected = [
        " ✓ run_command  make ⏎ make test",
        " ok · exit 0 · 3 lines · waited 0.00 s · ran 2.50 s",
        " ──────────────────────────────────────────────────────────",
        " Arguments",
        " {",
        "   \"command\":",
        "     │ make",
        "     │ make test",
        " }",
        "",
        " Changes",
        " @@ -1 +1 @@",
    ];
    assert_eq!(rows[..12], expected);
    assert_eq!(rows[15..19], [" Result", " one", " 漢 字", " three"], "{rows:#?}");
}

#[test]
fn the_end_is_followed_while_it_runs_until_one_scrolls() {
    let mut open = Open::new("{}", true);
    for n in 0..100 {
        open.print(&format!("line {n}\n"));
    }
    open.print("open");
    assert_eq!(open.screen(80, 10)[9], " open");
    open.print(" end\nnext\n");
    assert_eq!(open.screen(80, 10)[8..], [" open end", " next"]);
    open.view.pager.scroll(-3);
    let before = open.screen(80, 10);
    assert!(before[0].contains("↓3"), "{before:#?}");
    open.print("more\nand more\n");
    assert_eq!(open.screen(80, 10)[2..], before[2..]);
    open.view.pager.go_to_end();
    assert_eq!(open.screen(80, 10)[9], " and more");
    let result = (0..50).map(|n| format!("result {n}")).collect::<Vec<_>>().join("\n");
    open.finish(ToolStatus::Ok, &result, None);
    assert_eq!(open.screen(80, 10)[9], " result 49");
}

#[test]
fn forty_by_ten_shows_what_was_printed() {
    let mut open = Open::new(r#"{"command": "echo"}"#, true);
    open.print(&format!("{}\n", "漢".repeat(30)));
    open.view.find();
    let rows = open.screen(40, 10);
    // 38 columns hold 19 of them.
    let symbol = |n: usize| format!(" {}", vec!["漢"; n].join(" "));
    assert!(rows.contains(&symbol(19)) && rows.contains(&symbol(11)), "{rows:#?}");
    assert!(rows[9].starts_with(" / "), "{rows:#?}");
}

#[test]
fn nothing_harmful_comes_through() {
    let mut open = Open::new("{\"command\": \"\\u001b[31mred\\u202e\"}\u{7}", true);
    open.print("\u{1b}]0;title\u{7}a\u{202e}b\u{9b}2J\n");
    open.finish(ToolStatus::Error, "\u{1b}[2Jtext\u{0}", Some("\u{1b}[1m+x\n"));
    let rows = open.screen(80, 24);
    let is_bad = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!rows.iter().any(|row| row.chars().any(is_bad)), "{rows:#?}");
}

#[test]
fn a_search_finds_counts_and_goes_round() {
    let mut open = Open::new(r#"{"command": "needle"}"#, false);
    let text: String = (0..1_000)
        .map(|n| if n % 250 == 0 { format!("a Needle {n}\n") } else { format!("hay {n}\n") })
        .collect();
    open.finish(ToolStatus::Ok, &text, None);
    open.screen(80, 24);
    open.search("needle");
    // Small letters find all; one is in the arguments.
    let rows = open.screen(80, 24);
    assert!(rows[23].contains("1 of 5"), "{rows:#?}");
    open.press(KeyCode::Enter);
    open.view.next_hit(true);
    open.view.next_hit(true);
    let rows = open.screen(80, 24);
    assert!(rows.iter().any(|row| row == " a Needle 250"), "{rows:#?}");
    assert!(rows[23].contains("3 of 5"), "{rows:#?}");
    assert_eq!(open.current_hit(80, 24).as_deref(), Some("Needle"));
    open.view.next_hit(false);
    open.view.next_hit(false);
    open.view.next_hit(false);
    let rows = open.screen(80, 24);
    assert!(rows[23].contains("5 of 5") && rows.iter().any(|row| row == " a Needle 750"));
}

#[test]
fn what_is_typed_is_text_and_a_regular_expression_only_if_one_wants_that() {
    let mut open = Open::new("{}", false);
    open.finish(ToolStatus::Ok, "f(x)\nfx\nf(y)\n", None);
    open.search("f(x)");
    assert!(open.screen(60, 20)[19].contains("1 of 1"));
    assert_eq!(open.current_hit(60, 20).as_deref(), Some("f(x)"));
    open.view.key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL));
    let rows = open.screen(60, 20);
    assert!(rows[19].contains("regex · 1 of 1"), "{rows:#?}");
    assert_eq!(open.current_hit(60, 20).as_deref(), Some("fx"));
    open.press(KeyCode::Char('['));
    let rows = open.screen(60, 20);
    assert!(rows[19].ends_with("regex · invalid: unclosed character class"), "{rows:#?}");
    open.press(KeyCode::Backspace);
    open.view.key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL));
    let rows = open.screen(60, 20);
    assert!(rows[19].ends_with("  1 of 1"), "{rows:#?}");
    open.view.paste("|fx");
    let rows = open.screen(60, 20);
    assert!(rows[19].ends_with("no hits; Ctrl-R reads it as a regex"), "{rows:#?}");
    open.press(KeyCode::Esc);
    assert!(!open.view.is_searching());
}

#[test]
fn a_search_goes_on_in_what_is_printed_later() {
    let mut open = Open::new("{}", true);
    open.print("hit\n");
    open.search("hit");
    assert!(open.screen(80, 20)[19].contains("1 of 1"));
    open.print("no\nhit hit\n");
    assert!(open.screen(80, 20)[19].contains("1 of 3"));
    open.finish(ToolStatus::Ok, "hit\nhit\n", None);
    assert!(open.screen(80, 20)[19].contains("1 of 2"));
}

#[test]
fn a_hit_across_the_pieces_of_a_long_line_is_found() {
    let mut open = Open::new("{}", false);
    let line = "x".repeat(4_094) + "needle" + &"y".repeat(5_000);
    open.finish(ToolStatus::Ok, &line, None);
    open.search("needle");
    assert!(open.screen(80, 20)[19].contains("1 of 1"));
    assert_eq!(open.current_hit(80, 20).as_deref(), Some("ne"), "as far as its row's piece goes");
}

#[test]
fn of_a_hundred_thousand_lines_each_is_counted_once_and_none_is_wrapped_to_open_it() {
    let mut open = Open::new("{}", true);
    let text = (0..100_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    open.print(&text);
    let rows = open.screen(80, 24);
    assert_eq!(rows[23], " line 99999", "{rows:#?}");
    let call = open.transcript.call(open.view.place()).unwrap();
    let theme = Theme::plain();
    let shown = open.view.page.with((call, &Whole::Unasked), None, &theme);
    // Title and braces of the arguments, a blank, and the title of the output come before.
    assert_eq!(shown.count(), 100_000 + 4);
    assert_eq!(open.view.page.added(), 100_000);
    open.print("one more\n");
    open.screen(80, 24);
    assert_eq!(open.view.page.added(), 1);
}

/// Lines of which is known how many were laid out.
struct Counting<'a> {
    shown: &'a Shown<'a>,
    asked: std::cell::Cell<usize>,
}

impl Lines for Counting<'_> {
    fn count(&self) -> usize {
        self.shown.count()
    }

    fn rows(&self, line: usize, width: u16) -> Vec<Line<'static>> {
        self.asked.set(self.asked.get() + 1);
        self.shown.rows(line, width)
    }
}

#[test]
fn a_very_long_diff_is_shown_line_by_line() {
    let mut open = Open::new("{}", false);
    let diff: String = std::iter::once("@@ -0,0 +1,3000 @@\n".to_owned())
        .chain((0..3_000).map(|n| format!("+line {n}\n")))
        .collect();
    open.finish(ToolStatus::Ok, "written", Some(&diff));
    open.view.pager.go_to_end();
    let rows = open.screen(80, 24).join("\n");
    assert!(rows.contains(" +line 2999\n") && rows.contains(" written"), "{rows}");
}

#[test]
fn a_diff_gets_the_colours_of_its_language_and_nothing_else_is_made_anew() {
    let (told, heard) = std::sync::mpsc::channel();
    let wake = std::sync::Mutex::new(told);
    let highlighter = Highlighter::start(std::sync::Arc::new(move || {
        let _sent = wake.lock().unwrap().send(()).is_ok();
    }));
    let theme = Theme::default();
    let diff = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-fn one() {}\n\
                +fn two() {}\n";
    let mut open = Open::new("{}", false);
    open.finish(ToolStatus::Ok, "written", Some(diff));
    let call = open.transcript.call(open.view.place()).unwrap();
    let mut page = Page::default();
    let keyword = theme.syntax(crate::tui::theme::Syntax::Keyword);
    let coloured = |page: &Page| {
        let shown = page.with((call, &Whole::Unasked), None, &theme);
        let rows = (0..shown.count()).flat_map(|line| shown.rows(line, 80));
        let spans = rows.flat_map(|row| row.spans);
        spans.filter(|span| span.content == "fn" && span.style == keyword).count()
    };
    page.take((call, &Whole::Unasked), 80, (&theme, &highlighter));
    let (age, count) = {
        let shown = page.with((call, &Whole::Unasked), None, &theme);
        (shown.age(), shown.count())
    };
    while coloured(&page) < 2 {
        heard.recv_timeout(Duration::from_mins(1)).expect("an answer");
        page.take((call, &Whole::Unasked), 80, (&theme, &highlighter));
    }
    let shown = page.with((call, &Whole::Unasked), None, &theme);
    assert_eq!((shown.age(), shown.count(), page.added()), (age, count, 0));
}

#[test]
fn every_row_of_an_argument_that_is_a_text_stands_behind_its_gutter() {
    for word in ["漢字", "word", "a b "] {
        let text = format!("first\\n{}\\n", word.repeat(60));
        let mut open = Open::new(&format!(r#"{{"content":"{text}"}}"#), true);
        let rows = open.screen(40, 30);
        let begin = rows.iter().position(|row| row.ends_with("│ first")).unwrap();
        let gutter = rows[begin].strip_suffix("first").unwrap().to_owned();
        let rows = rows[begin..].iter().take_while(|row| row.trim() != "}").collect::<Vec<_>>();
        assert!(rows.len() > 3, "{rows:#?}");
        let texts = rows.iter().map(|row| row.strip_prefix(gutter.as_str()));
        let texts = texts.map(|row| row.unwrap_or_else(|| panic!("{rows:#?}")).trim());
        let all = texts.collect::<String>();
        // A cell beside a wide character is drawn as a blank.
        let plain = |text: &str| text.replace([' ', '\n'], "");
        assert_eq!(plain(&all), plain(&format!("first{}", word.repeat(60))));
    }
}
