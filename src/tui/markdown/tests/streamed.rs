//! Text that comes in pieces: nothing flashes, nothing is held back for good.

use super::*;

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
fn a_fence_with_a_tab_behind_it_closes_nothing_however_it_came() {
    let text = "```\n```\t\n```\n[r]: /u\n";
    let pieces = cut(text, 1);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(render_in(&pieces, 10), render_in(&[text], 10));
}
