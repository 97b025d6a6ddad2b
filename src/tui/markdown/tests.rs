//! What `markdown` promises, tested.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::*;
use crate::text::sanitize::sanitize;

mod any;
mod links;
mod snapshots;
mod streamed;

fn render_in(pieces: &[&str], width: u16) -> Vec<Line<'static>> {
    let theme = Theme::default();
    let off = Highlighter::off();
    let mut markdown = Markdown::new();
    for piece in pieces {
        markdown.push(piece);
        let _ = markdown.lines(width, &theme, &off);
    }
    markdown.finish();
    markdown.lines(width, &theme, &off).to_vec()
}

fn growing(text: &str, width: u16) -> Vec<Line<'static>> {
    let mut markdown = Markdown::new();
    markdown.push(text);
    markdown.lines(width, &Theme::default(), &Highlighter::off()).to_vec()
}

fn plain(line: &Line<'_>) -> String {
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    text.trim_end().to_owned()
}

fn show(text: &str, width: u16) -> Vec<String> {
    render_in(&[text], width).iter().map(plain).collect()
}

fn show_growing(text: &str, width: u16) -> Vec<String> {
    growing(text, width).iter().map(plain).collect()
}

#[test]
fn blocks_stand_apart_by_one_blank_line() {
    let text = "# Head\ntext\n\n\n\nmore\n- a\n- b\n***\n> q\n";
    assert_eq!(
        show(text, 40),
        [
            "Head",
            "",
            "text",
            "",
            "more",
            "",
            "• a",
            "• b",
            "",
            "────────────────────────────────────────",
            "",
            "▌ q",
        ]
    );
}

#[test]
fn a_list_keeps_the_blank_lines_of_the_source_and_hangs() {
    let text = "1. one two three\n2. b\n\n   more\n   - in\n     - deep\n\n10. ten\n";
    assert_eq!(
        show(text, 12),
        ["1. one two", "   three", "2. b", "", "   more", "   ◦ in", "     ▪ deep", "", "3. ten"]
    );
}

#[test]
fn task_boxes_take_the_place_of_bullets() {
    let text = "- [x] done\n- [ ] open\n  1. [ ] numbered\n-\n- last\n";
    let shown = show(text, 40);
    assert_eq!(shown, ["[x] done", "[ ] open", "    1. [ ] numbered", "•", "• last"]);
}

#[test]
fn quotes_have_a_bar_on_every_row() {
    let text = "> one two three\n>\n> > deep\n> - item\n\n> [!WARNING]\n> hot\n";
    assert_eq!(
        show(text, 12),
        ["▌ one two", "▌ three", "▌", "▌ ▌ deep", "▌", "▌ • item", "", "▌ Warning", "▌ hot"]
    );
}

#[test]
fn code_has_a_gutter_and_its_language_and_no_fences() {
    let text =
        "```rust,ignore\nfn a() {\n\n\tb\n}\n```\n\n    indented\n     code\n\n~~~\nx\n~~~\n";
    assert_eq!(
        show(text, 40),
        [
            "┌ rust,ignore",
            "│ fn a() {",
            "│",
            "│     b",
            "│ }",
            "",
            "│ indented",
            "│  code",
            "",
            "│ x",
        ]
    );
}

#[test]
fn a_long_line_of_code_goes_on_beside_another_gutter() {
    assert_eq!(show("```\nabcdefghijkl\nm\n```", 10), ["│ abcdefgh", "┆ ijkl", "│ m"]);
}

#[test]
fn a_link_shows_its_target_unless_the_text_is_the_target() {
    let text = "[a](http://b) <http://c> <me@d.e> ![alt](f.png) ![](g.png) [h]\n\n[h]: /i\n";
    assert_eq!(
        show(text, 100),
        ["a (http://b) http://c me@d.e image: alt (f.png) image: g.png h (/i)"]
    );
}

#[test]
fn inline_marks_are_attributes_and_code_keeps_its_marks() {
    let lines = render_in(&["a **b** *c* ~~d~~ `e` <f> g  \nh"], 40);
    assert_eq!(plain(&lines[0]), "a b c ~~d~~ `e` <f> g");
    assert_eq!(plain(&lines[1]), "h");
    let has = |text: &str, modifier| {
        let mut spans = lines[0].spans.iter();
        spans.any(|span| span.content == text && span.style.add_modifier.contains(modifier))
    };
    assert!(has("b", Modifier::BOLD) && has("c", Modifier::ITALIC));
}

#[test]
fn html_is_shown_as_it_is() {
    assert_eq!(show("<div>\n<b>x</b>\n</div>\n", 40), ["<div>", "<b>x</b>", "</div>"]);
}

#[test]
fn footnotes_are_shown_where_they_stand() {
    assert_eq!(show("a[^1]\n\n[^1]: the note\n", 40), ["a[^1]", "", "[^1]: the note"]);
}

#[test]
fn a_table_has_the_width_of_its_content() {
    let text = "| a | right |\n|---|---:|\n| long cell | 1 |\n| 漢字 | 22 |\n";
    assert_eq!(
        show(text, 40),
        ["a         │ right", "──────────┼──────", "long cell │     1", "漢字      │    22"]
    );
}

#[test]
fn a_table_that_is_too_wide_wraps_its_cells() {
    let text = "| a | b |\n|---|---|\n| one two three | x |\n| y | four five |\n";
    assert_eq!(
        show(text, 15),
        [
            "a      │ b",
            "───────┼───────",
            "one    │ x",
            "two    │",
            "three  │",
            "───────┼───────",
            "y      │ four",
            "       │ five",
        ]
    );
}

#[test]
fn a_table_without_room_becomes_a_list_of_its_cells() {
    let text = "| a | b | c |\n|-|-|-|\n| one | two | three |\n| 4 | 5 | 6 |\n";
    assert_eq!(
        show(text, 10),
        ["a: one", "b: two", "c: three", "──────────", "a: 4", "b: 5", "c: 6"]
    );
}

#[test]
fn control_characters_are_dropped() {
    assert_eq!(show("a\u{1b}[31mb\r\n\u{7}c\u{9b}d", 40), ["a[31mb cd"]);
}

#[test]
fn another_width_or_theme_draws_anew() {
    let off = Highlighter::off();
    let mut markdown = Markdown::new();
    markdown.push("# one two\n\nthree four\n");
    let wide = markdown.lines(40, &Theme::default(), &off).to_vec();
    assert_eq!(markdown.lines(5, &Theme::default(), &off).len(), 5);
    assert_eq!(markdown.lines(40, &Theme::default(), &off), wide);
    let plain = markdown.lines(40, &Theme::plain(), &off);
    assert!(plain.iter().flat_map(|line| &line.spans).all(|span| span.style.fg.is_none()));
}

/// Draws until the highlighter owes nothing, woken by it.
fn settle(markdown: &mut Markdown, highlighter: &Highlighter) -> Vec<Line<'static>> {
    loop {
        let lines = markdown.lines(60, &Theme::default(), highlighter).to_vec();
        let fence_waits = markdown.view.fence.as_ref().is_some_and(|view| !view.is_bright());
        if markdown.view.waiting.is_empty() && !fence_waits && !markdown.view.tail.is_pending {
            return lines;
        }
        std::thread::park();
    }
}

fn on() -> Highlighter {
    let me = std::thread::current();
    Highlighter::start(Arc::new(move || me.unpark()))
}

#[test]
fn code_is_coloured_when_the_answer_comes_and_its_rows_stay() {
    let highlighter = on();
    let text = "before\n\n```rust\nfn a() { 1 }\n```\n\n- ```rust\n  fn b() {}\n  ```\n\nafter\n";
    let mut markdown = Markdown::new();
    markdown.push(text);
    markdown.finish();
    let first = markdown.lines(60, &Theme::default(), &highlighter).to_vec();
    let settled = settle(&mut markdown, &highlighter);
    let plain_rows = |lines: &[Line<'_>]| lines.iter().map(plain).collect::<Vec<_>>();
    assert_eq!(plain_rows(&first), plain_rows(&settled));
    let keyword = Theme::default().syntax(super::super::theme::Syntax::Keyword);
    for row in [3, 6] {
        let spans = &settled[row].spans;
        assert!(spans.iter().any(|span| span.content == "fn" && span.style == keyword), "{row}");
    }
}

#[test]
fn code_that_streams_ends_as_code_that_came_at_once() {
    let text = "intro\n\n```rust\n/* a\n b */ fn f() {\n    \"x\n y\"\n}\n```\nafter\n";
    let highlighter = on();
    let mut whole = Markdown::new();
    whole.push(text);
    whole.finish();
    let whole = settle(&mut whole, &highlighter);
    let highlighter = on();
    let mut pieces = Markdown::new();
    for piece in text.split_inclusive('\n') {
        pieces.push(piece);
        settle(&mut pieces, &highlighter);
    }
    pieces.finish();
    assert_eq!(settle(&mut pieces, &highlighter), whole);
}

fn drawn(line: &Line<'_>) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1_000, 1));
    usize::from(buffer.set_line(0, 0, line, 1_000).0)
}

fn cut(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
}

#[test]
fn lists_and_quotes_stand_within_one_another() {
    assert_eq!(
        show("- one\n  1. two\n     - three\n\n       > four\n", 40),
        ["• one", "  1. two", "     ▪ three", "", "       ▌ four"]
    );
}

#[test]
fn a_wide_table_loses_no_letter() {
    let words = "a cell with a good many words that no narrow screen can hold in one row";
    let table = format!("| one | two |\n|---|---|\n| {words} | {words} |\n");
    let counted = |text: &str| {
        let mut letters: Vec<char> = text.chars().filter(char::is_ascii_lowercase).collect();
        letters.sort_unstable();
        letters
    };
    for width in [12, 20, 40, 80] {
        assert_eq!(counted(&show(&table, width).concat()), counted(&table), "{width}");
    }
}

#[test]
fn struck_text_and_done_tasks_are_told_without_colour() {
    assert_eq!(show("- [x] done ~~not~~\n- [ ] to do\n", 40), ["[x] done ~~not~~", "[ ] to do"]);
}
