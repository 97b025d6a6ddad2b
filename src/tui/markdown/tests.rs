//! What `markdown` promises, tested.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::*;
use crate::text::sanitize::sanitize;

mod links;
mod snapshots;

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
fn half_written_markdown_does_not_flash() {
    for (text, shown) in [
        ("some **bold te", "some bold te"),
        ("some **bold*", "some bold"),
        ("some *", "some"),
        ("see `co", "see `co`"),
        ("see [text](http://exa", "see text"),
        ("see [te", "see te"),
        ("see [text]", "see text"),
        ("see ![alt]", "see alt"),
        ("text\n\n- [", "text"),
        ("text\n\n- [ ]", "text"),
        ("text\n\n1. [x] ", "text"),
        ("see ![alt", "see alt"),
        ("text\n```", "text"),
        ("text\n\n##", "text"),
        ("text\n\n- ", "text"),
        ("text\n\n1.", "text"),
        ("text\n\n| a | b |", "text"),
        ("text\n\n| a | b |\n", "text"),
        ("text\n\n| a | b |\n|--", "text"),
        ("snake_case and 2 * 3", "snake_case and 2 * 3"),
    ] {
        assert_eq!(show_growing(text, 40), [shown], "{text:?}");
    }
    assert_eq!(show_growing("- ```\n  **kw", 40), ["• │ **kw"]);
    assert_eq!(show_growing("```py\nx = 1\n``", 40), ["┌ py", "│ x = 1"]);
}

#[test]
fn what_was_held_back_is_there_at_the_end() {
    assert_eq!(show("text\n\n| a | b |", 40), ["text", "", "| a | b |"]);
    assert_eq!(show("some **bold te", 40), ["some **bold te"]);
    assert_eq!(show("a [b", 40), ["a [b"]);
}

#[test]
fn a_lone_bar_at_the_end_of_a_piece_does_not_end_a_table() {
    let rows = "| a | b |\n|---|---|\n| 1 | 2 |\n|";
    let whole = format!("{rows} 3 | 4 |\n");
    assert_eq!(render_in(&[rows, " 3 | 4 |\n"], 40), render_in(&[&whole], 40));
}

#[test]
fn a_definition_that_comes_late_is_found_at_the_end() {
    let pieces = ["see [x].\n\n", "other\n\n", "[x]: http://y\n"];
    let lines = render_in(&pieces, 40);
    assert_eq!(lines, render_in(&[&pieces.concat()], 40));
    assert_eq!(plain(&lines[0]), "see x (http://y).");
}

#[test]
fn a_definition_that_came_before_is_used_in_later_blocks() {
    let shown = show_growing("[X  y]: http://z\n\none\n\ntwo [x Y] three\n\nfour\n", 40);
    assert_eq!(shown, ["one", "", "two x Y (http://z) three", "", "four"]);
}

#[test]
fn a_block_too_large_to_parse_at_each_piece_shows_all_of_its_text_and_ends_right() {
    let text = "some **bold** words\n".repeat(3 * SMALL_TAIL / 20);
    let mut markdown = Markdown::new();
    let (theme, off) = (Theme::default(), Highlighter::off());
    for (index, piece) in cut(&text, 333).iter().enumerate() {
        markdown.push(piece);
        let lines = markdown.lines(70, &theme, &off);
        assert!(lines.iter().all(|line| drawn(line) <= 70));
        let shown: String = lines.iter().map(plain).collect();
        let letters =
            |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        assert!(letters(&shown) == letters(markdown.source()), "piece {index}");
    }
    markdown.finish();
    assert_eq!(markdown.lines(70, &theme, &off), render_in(&[&text], 70));
}

#[test]
fn while_a_huge_block_grows_no_frame_parses_more_than_a_bounded_part_of_it() {
    let text = "- some **bold** words\n".repeat(4 * outline::LARGE_TAIL / 22);
    let mut markdown = Markdown::new();
    let (theme, off) = (Theme::default(), Highlighter::off());
    for piece in cut(&text, 4_000) {
        markdown.push(&piece);
        markdown.lines(70, &theme, &off);
    }
    assert!(markdown.view.largest_parsed <= outline::LARGE_TAIL);
    markdown.finish();
    assert_eq!(markdown.lines(70, &theme, &off), render_in(&[&text], 70));
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

/// What documents are made of.
const TOKENS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "\t",
    "# ",
    "## ",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "> ",
    "```",
    "```rust\n",
    "\n```\n",
    "~~~",
    "| a | b |\n|---|:-:|\n",
    "| c | d |\n",
    "|",
    "---\n",
    "===\n",
    "**",
    "*",
    "_",
    "~~",
    "`",
    "``",
    "[x]",
    "[ ] ",
    "[a](b)",
    "![",
    "](",
    ")",
    "[r]: /u\n",
    "[r]",
    "[r][]",
    "[^n]",
    "[^n]: note\n",
    "<div>",
    "</div>\n",
    "<!--",
    "-->",
    "<http://a.b>",
    "&amp;",
    "\\",
    "[!NOTE]\n",
    "漢字",
    "👨‍👩‍👧‍👦",
    "e\u{301}",
    "word ",
    "text",
    "$x$",
    "- [x] ",
    "\r",
    "\0",
];

fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(TOKENS).prop_map(str::to_owned),
        2 => "[a-z ]{1,10}",
        1 => any::<char>().prop_map(String::from),
    ]
}

fn document() -> impl Strategy<Value = String> {
    prop::collection::vec(token(), 0..60).prop_map(|tokens| tokens.concat())
}

fn cut(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
}

#[test]
fn what_an_entity_hides_in_the_label_of_a_fence_is_dropped() {
    for label in ["&#27;[2Jsh", "&#x9b;2Jsh", "s&#x202e;h", "sh&#0;", "s&NewLine;h"] {
        for text in [format!("```{label}\nx\n```\n"), format!("- ~~~ {label}\n  x\n")] {
            for line in growing(&text, 40).iter().chain(&render_in(&[&text], 40)) {
                for span in &line.spans {
                    assert_eq!(sanitize(&span.content), span.content, "{text:?}");
                    assert!(!span.content.contains(char::is_control), "{text:?}");
                }
            }
        }
    }
}

/// Markdown in which entities stand wherever a parser might decode them.
fn with_entities() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "&#(x9b|27|x1b|7|0|10|13|127|x202e|x2066|xfeff|xe0041|x85|133);",
        1 => "&(NewLine|Tab|shy|ZeroWidthSpace|lt|amp|copy);",
        3 => "(```|~~~|`|\\[|\\]|\\(|\\)|!\\[|\\]\\(|<|>|\\||---\\||\\*|_|~~|#|- |1\\. |> |\\[\\^|\\]: |\\$)",
        2 => "(\n|\n\n| |    )",
        2 => "(a|sh|https://a\\.example/|www\\.a\\.example|\"t)",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_entity_becomes_a_control_character_on_the_screen(
        text in with_entities(),
        width in 1_u16..60,
    ) {
        let links = crate::tui::links::Links::on();
        let mut markdown = Markdown::linking(links.clone());
        markdown.push(&text);
        let mut lines = markdown.lines(width, &Theme::default(), &Highlighter::off()).to_vec();
        markdown.finish();
        lines.extend_from_slice(markdown.lines(width, &Theme::default(), &Highlighter::off()));
        for span in lines.iter().flat_map(|line| &line.spans) {
            prop_assert!(!span.content.contains(char::is_control), "{:?}", span);
            prop_assert_eq!(sanitize(&span.content), span.content.as_ref());
        }
        for begin in (1..).map_while(|number| links.begin(number)) {
            let address = begin.strip_prefix("\x1b]8;").and_then(|it| it.strip_suffix("\x1b\\"));
            prop_assert!(address.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_graphic())));
        }
    }
}

#[test]
fn a_fence_with_a_tab_behind_it_closes_nothing_however_it_came() {
    let text = "```\n```\t\n```\n[r]: /u\n";
    let pieces = cut(text, 1);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(render_in(&pieces, 10), render_in(&[text], 10));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_cut_into_pieces_ends_in_the_same_lines(
        text in document(),
        size in 1_usize..20,
        width in 10_u16..60,
    ) {
        let whole = render_in(&[&text], width);
        let pieces = cut(&text, size);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        prop_assert_eq!(render_in(&pieces, width), whole);
    }

    #[test]
    fn no_line_is_too_wide_and_nothing_panics(text in document(), width in 1_u16..60) {
        for line in growing(&text, width).iter().chain(&render_in(&[&text], width)) {
            prop_assert!(drawn(line) <= usize::from(width), "{:?}", line);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        render_in(&[&text], 20);
        growing(&text, 20);
    }

    #[test]
    fn every_word_stands_in_its_order(
        words in prop::collection::vec("[a-z]{1,9}", 1..40),
        width in 40_u16..90,
    ) {
        let text: String = words.iter().enumerate().map(|(index, word)| match index % 7 {
            0 => format!("\n\n- **{word}** "),
            1 => format!("`{word}` "),
            2 => format!("\n  > {word}\n"),
            3 => format!("\n\n| {word} | A |\n|---|---|\n"),
            4 => format!("| B | {word} |\n\n"),
            5 => format!("\n```\n{word}\n```\n"),
            _ => format!("# {word}\n"),
        }).collect();
        let shown = render_in(&[&text], width).iter().map(plain).collect::<Vec<_>>().join(" ");
        let shown: String = shown.chars().map(|c| if c.is_ascii_lowercase() { c } else { ' ' }).collect();
        prop_assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), words);
    }
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
