//! Selecting with the mouse in the view of a call: what is copied, and for how long it stays.

use std::ops::Range;

use proptest::prelude::*;
use ratatui::{buffer::Buffer, style::Modifier};
use unicode_segmentation::UnicodeSegmentation;

use super::*;
use crate::tui::{overlay::pager::Place, selection::Grain, wrap::mark};

const HEIGHT: u16 = 14;

impl Open {
    fn with<T>(&mut self, does: impl FnOnce(&mut CallView, (&Call, &Look<'_>)) -> T) -> T {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let since = Duration::ZERO;
        let look = Look { theme: &theme, highlighter: &highlighter, now: self.now, since };
        let call = self.transcript.call(self.view.place()).unwrap();
        does(&mut self.view, (call, &look))
    }

    pub(super) fn frame(&mut self, width: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, HEIGHT)).unwrap();
        self.with(|view, of| {
            let draw = |frame: &mut Frame<'_>| {
                view.draw(frame, frame.area(), of);
            };
            terminal.draw(draw).unwrap();
        });
        terminal.backend().buffer().clone()
    }

    pub(super) fn button(&mut self, at: (u16, u16), grain: Grain) {
        self.with(|view, of| view.press(at, grain, of));
    }

    pub(super) fn drag(&mut self, to: (u16, u16)) {
        self.with(|view, of| view.drag(to, of));
    }

    pub(super) fn release(&mut self) -> Option<String> {
        self.with(CallView::release)
    }

    pub(super) fn selected(&mut self) -> Option<String> {
        self.with(CallView::selected)
    }

    /// Where these words stand on a screen of so many columns; all of them are one column wide.
    pub(super) fn find(&mut self, width: u16, words: &str) -> (u16, u16) {
        let rows = self.screen(width, HEIGHT);
        let found = |(y, row): (usize, &String)| {
            let x = row.get(..row.find(words)?)?.chars().count();
            Some((u16::try_from(x).unwrap(), u16::try_from(y).unwrap()))
        };
        rows.iter().enumerate().find_map(found).unwrap_or_else(|| panic!("{words} in {rows:#?}"))
    }

    fn click(&mut self, at: (u16, u16), grain: Grain) -> Option<String> {
        self.button(at, grain);
        self.release()
    }

    /// From the first letter of these words to the last one of those.
    pub(super) fn choose(&mut self, width: u16, from: &str, to: &str) -> Option<String> {
        let (from, (x, y)) = (self.find(width, from), self.find(width, to));
        self.button(from, Grain::Letter);
        self.drag((x + u16::try_from(to.len()).unwrap() - 1, y));
        self.release()
    }

    /// Each grapheme of the output that is drawn at this width: its row, column, and bytes.
    fn places(&mut self, width: u16) -> Vec<(Place, u16, Range<usize>)> {
        let printed = self.printed();
        self.frame(width);
        let theme = Theme::plain();
        let call = self.transcript.call(self.view.place()).unwrap();
        let shown = self.view.page.with((call, &Whole::Unasked), None, &theme);
        let mut graphemes = printed.grapheme_indices(true);
        let mut places = Vec::new();
        let first = (0..shown.count()).find(|line| shown.piece(*line).is_some()).unwrap();
        for line in (first..).take_while(|line| shown.piece(*line).is_some()) {
            if line > first && !shown.piece(line).unwrap().joined {
                assert_eq!(graphemes.next().unwrap().1, "\n");
            }
            for (row, text) in shown.rows(line, width - 2).iter().enumerate() {
                let mut column = 0;
                for drawn in text.spans.iter().flat_map(drawn) {
                    let (at, written) = graphemes.next().unwrap();
                    let is_tab = written == "\t" && drawn.trim_start().is_empty();
                    assert!(is_tab || drawn == written.trim_end_matches('\u{FE0F}'));
                    places.push((Place { line, row }, column, at..at + written.len()));
                    column += u16::try_from(wrap::width(drawn)).unwrap();
                }
                for _ in 0..mark::blanks_after(text) {
                    assert_eq!(graphemes.next().unwrap().1, " ");
                }
            }
        }
        places
    }

    fn printed(&self) -> String {
        self.transcript.call(self.view.place()).unwrap().live().lines().to_owned()
    }

    /// Scrolls to this row and gives the place on the screen of a column of it.
    fn show(&mut self, width: u16, place: Place, column: u16) -> (u16, u16) {
        self.view.pager.show(place);
        self.frame(width);
        let y = self.view.pager.seen().iter().position(|seen| *seen == place).unwrap();
        (1 + column, 3 + u16::try_from(y).unwrap())
    }

    /// Whether exactly these bytes of what is in view are drawn as selected.
    fn assert_marked(&mut self, width: u16, bytes: &Range<usize>) {
        let places = self.places(width);
        let buffer = self.frame(width);
        let seen = self.view.pager.seen().to_vec();
        for (place, column, own) in places {
            for y in seen.iter().enumerate().filter(|seen| *seen.1 == place).map(|seen| seen.0) {
                let cell = &buffer[(1 + column, 3 + u16::try_from(y).unwrap())];
                let is_marked = cell.modifier.contains(Modifier::REVERSED);
                assert_eq!(is_marked, bytes.contains(&own.start), "{cell:?} at {own:?}");
            }
        }
    }
}

/// The graphemes of a span; a tab is one.
fn drawn<'a>(span: &'a Span<'_>) -> Vec<&'a str> {
    if mark::is_tab(span) {
        return vec![span.content.as_ref()];
    }
    span.content.graphemes(true).collect()
}

/// A running call that has printed this.
fn printed(text: &str) -> Open {
    let mut open = Open::new("{}", true);
    open.print(text);
    open
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-c漢字é👍 \t]{0,60}",
        2 => Just(String::new()),
        1 => "([a-z]{1,9}[ \t]{1,3}){0,30}",
        1 => Just("see ❤\u{FE0F}, it is ✔\u{FE0F} done".to_owned()),
        1 => "[a-z漢 ]{9}".prop_map(|text| text.repeat(1_112)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_selection_is_what_was_printed_between_two_places_at_any_width(
        lines in prop::collection::vec(line(), 1..12),
        ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        (width, other) in (10_u16..=200, 10_u16..=200),
    ) {
        let text = lines.concat();
        prop_assume!(!text.is_empty());
        let mut open = printed(&(lines.join("\n") + "\n"));
        let all = open.printed();
        prop_assert_eq!(&all, &(lines.join("\n") + "\n"));
        let places = open.places(width);
        prop_assume!(!places.is_empty());
        let (from, to) = (ends.0.get(&places).clone(), ends.1.get(&places).clone());
        let at = open.show(width, from.0, from.1);
        open.button(at, Grain::Letter);
        let at = open.show(width, to.0, to.1);
        // Over something else first: to scroll alone does not move the pointer.
        open.drag((0, at.1));
        open.drag(at);
        let bytes = from.2.start.min(to.2.start)..from.2.end.max(to.2.end);
        let expected = all.get(bytes.clone()).map(str::to_owned);
        prop_assert_eq!(&open.release(), &expected, "at {} columns", width);
        open.assert_marked(width, &bytes);
        open.assert_marked(other, &bytes);
        prop_assert_eq!(&open.selected(), &expected, "at {} columns", other);
        open.print("more of it\nand an open");
        open.assert_marked(other, &bytes);
        open.print(" line\n");
        open.frame(width);
        prop_assert_eq!(&open.selected(), &expected, "after more was printed");
    }
}

#[test]
fn a_double_click_selects_a_word_and_a_triple_one_the_line_with_all_its_rows() {
    let line = "see src/tui/view.rs, the line that is drawn there in two rows";
    let mut open = printed(&format!("before\n{line}\n\tafter\n"));
    let at = open.find(40, "tui");
    assert_eq!(open.click(at, Grain::Word).as_deref(), Some("src/tui/view.rs"));
    assert_eq!(open.click(at, Grain::Line).as_deref(), Some(line));
    let below = open.find(40, "rows");
    assert!(below.1 > at.1, "the line is broken");
    assert_eq!(open.click(below, Grain::Line).as_deref(), Some(line));
    assert_eq!(open.click(at, Grain::Letter), None, "a click selects nothing");
    assert!(!open.view.has_selection());
    let blank = open.find(40, " src");
    assert_eq!(open.click(blank, Grain::Word).as_deref(), Some(" "), "as in the transcript");
    let tabbed = open.find(40, "after");
    assert_eq!(open.click(tabbed, Grain::Line).as_deref(), Some("\tafter"));
    let title = open.find(40, "run_command");
    assert_eq!(open.click(title, Grain::Word), None, "that is no text of the page");
}

#[test]
fn words_and_lines_go_on_across_the_pieces_of_a_very_long_line() {
    let long = format!("{} {}", "x".repeat(4_090), "y".repeat(9_000));
    let mut open = printed(&format!("a\n{long}\nz\n"));
    open.view.pager.go_to_end();
    let at = open.find(80, "yyy");
    assert_eq!(open.click(at, Grain::Word), Some("y".repeat(9_000)));
    assert_eq!(open.click(at, Grain::Line), Some(long));
}

#[test]
fn a_double_click_and_a_drag_take_whole_words_and_lines() {
    let mut open = printed("one two three\nfour five six\nseven\n");
    let (from, to) = (open.find(40, "wo three"), open.find(40, "ive six"));
    open.button(from, Grain::Word);
    open.drag(to);
    assert_eq!(open.release().as_deref(), Some("two three\nfour five"));
    open.button(to, Grain::Line);
    open.drag(from);
    assert_eq!(open.release().as_deref(), Some("one two three\nfour five six"));
}

#[test]
fn arguments_are_copied_without_their_gutters_and_titles_and_blanks_between_are_kept() {
    let text = r#"{"content": "first\n\tsecond line of it\n\nlast"}"#;
    let mut open = Open::new(text, true);
    open.print("printed\n");
    open.view.pager.go_to_top();
    for width in [24, 80] {
        open.frame(width);
        let chosen = open.choose(width, "first", "last");
        assert_eq!(chosen.as_deref(), Some("first\n\tsecond line of it\n\nlast"));
        let other = 104 - width;
        open.frame(other);
        assert_eq!(open.selected(), chosen, "{other} columns");
    }
    assert_eq!(open.choose(80, "last", "printed").as_deref(), Some("last\n}\n\nprinted"));
    assert_eq!(open.choose(80, "Output", "printed").as_deref(), Some("printed"));
    let at = open.find(80, "second");
    assert_eq!(open.click(at, Grain::Word).as_deref(), Some("second"));
    assert_eq!(open.click(at, Grain::Line).as_deref(), Some("\tsecond line of it"));
}

#[test]
fn a_long_argument_is_copied_as_the_line_that_it_is() {
    let long = "word ".repeat(1_000);
    let mut open = Open::new(&format!(r#"{{"content": "a\n{long}end\nb"}}"#), true);
    open.view.pager.go_to_end();
    let at = open.find(80, "end");
    assert_eq!(open.click(at, Grain::Line), Some(format!("{long}end")));
}

#[test]
fn a_selection_in_a_diff_stays_where_its_lines_are_the_same_and_goes_where_they_are_not() {
    let mut open = Open::new("{}", false);
    let diff = "@@ -1,3 +1,3 @@\n same words here\n-old\n+new\n last words\n";
    open.finish(ToolStatus::Ok, "written", Some(diff));
    open.view.pager.go_to_top();
    open.view.pager.scroll(3);
    let chosen = open.choose(80, "same", "here");
    assert_eq!(chosen.as_deref(), Some("same words here"));
    open.frame(30);
    assert_eq!(open.selected(), chosen);
    open.frame(80);
    assert_eq!(open.choose(80, "old", "new").as_deref(), Some("old\nnew"));
    // side by side the two stand in one row
    open.frame(200);
    assert_eq!(open.selected(), None);
    assert!(!open.view.has_selection());
}

#[test]
fn of_a_diff_side_by_side_the_new_side_is_copied_and_of_what_only_went_the_old_one() {
    let (old, new) = ("before ".repeat(12), "after ".repeat(15));
    let diff = format!("@@ -1,4 +1,3 @@\n first\n-{old}\n+{new}\n same\n-gone\n");
    let mut open = Open::new("{}", false);
    open.finish(ToolStatus::Ok, "done", Some(&diff));
    let want = format!("first\n{}\nsame\ngone", new.trim_end());
    let copied = open.choose(160, "first", "gone").unwrap();
    assert_eq!(copied.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"), want);
}

#[test]
fn what_is_selected_goes_when_it_is_not_there_any_more() {
    let mut open = printed("one\ntwo\n");
    assert!(open.choose(40, "one", "two").is_some());
    open.finish(ToolStatus::Ok, "another\ntext", None);
    assert_eq!(open.selected(), None, "the result is another text");
    let mut open = printed("first\n");
    assert!(open.choose(40, "first", "first").is_some());
    open.print(&"x".repeat(99).repeat(50_000));
    open.print("\n");
    assert_eq!(open.selected(), None, "the first lines are not kept");
    open.frame(40);
    assert!(!open.view.has_selection());
}

#[test]
fn what_stands_there_still_when_the_call_ends_stays_selected() {
    let mut open = printed("one\ntwo\nthree\n");
    assert_eq!(open.choose(40, "two", "three").as_deref(), Some("two\nthree"));
    open.finish(ToolStatus::Ok, "one\ntwo\nthree\n\nexit 0", None);
    open.frame(40);
    assert_eq!(open.selected().as_deref(), Some("two\nthree"));
}

#[test]
fn what_is_printed_does_not_run_away_below_the_pointer() {
    let lines =
        |range: Range<usize>| range.map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut open = printed(&lines(0..100));
    let at = open.find(40, "line 98");
    open.button(at, Grain::Letter);
    open.print(&lines(100..200));
    assert_eq!(open.find(40, "line 98"), at);
    open.drag((at.0 + 6, at.1));
    assert_eq!(open.release().as_deref(), Some("line 98"));
    open.button(at, Grain::Letter);
    open.view.pager.go_to_end();
    open.find(40, "line 199");
}

#[test]
fn the_open_line_stays_selected_while_it_grows_and_not_when_it_is_drawn_over() {
    let mut open = printed("done\n 10% of all");
    assert_eq!(open.choose(40, "10%", "of").as_deref(), Some("10% of"));
    open.print(" bytes");
    open.frame(40);
    assert_eq!(open.selected().as_deref(), Some("10% of"));
    open.print("\nnext\n");
    open.frame(40);
    assert_eq!(open.selected().as_deref(), Some("10% of"), "the line is whole now");
    open.print(" 20% of all");
    assert_eq!(open.choose(40, "next", "20%").as_deref(), Some("next\n 20%"));
    open.print("\r 30% of all");
    assert_eq!(open.selected(), None);
    open.frame(40);
    assert!(!open.view.has_selection());
}

#[test]
fn the_pointer_pulls_at_the_edges_and_selects_on() {
    let text = (0..100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut open = printed(&text);
    open.view.pager.go_to_top();
    let from = open.find(40, "line 2");
    open.button(from, Grain::Letter);
    assert!(!open.view.is_pulled());
    open.drag((3, HEIGHT));
    assert!(open.view.is_pulled());
    let mut seen = Vec::new();
    for step in 0..3 {
        open.now += Duration::from_millis(60);
        let now = open.now;
        open.view.tick(now);
        open.view.tick(now);
        open.frame(40);
        seen.push(open.view.pager.seen().last().unwrap().line);
        assert_eq!(seen[step], seen[0] + step, "a row in each step, however often it is asked");
    }
    let chosen = open.release().unwrap();
    assert!(!open.view.is_pulled(), "the button is up");
    // four lines of arguments and a title stand before the output
    let last = seen[2] - 4;
    let expected: Vec<_> = (2..=last).map(|n| format!("line {n}")).collect();
    assert!(chosen.starts_with("line 2\nline 3\n"), "{chosen}");
    assert_eq!(chosen.lines().count(), expected.len(), "{chosen}");
}
