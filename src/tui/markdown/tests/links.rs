//! Links where the terminal has them.

use ratatui::buffer::Cell;

use super::*;
use crate::tui::theme::link;

/// The rows, and the links.
fn draw(text: &str, width: u16) -> (Vec<Line<'static>>, Links) {
    let links = Links::on();
    let mut markdown = Markdown::linking(links.clone());
    markdown.push(text);
    markdown.finish();
    (markdown.lines(width, &Theme::default(), &Highlighter::off()).to_vec(), links)
}

/// What is seen.
fn seen(text: &str) -> String {
    draw(text, 200).0.iter().map(plain).collect::<Vec<_>>().join("\n")
}

fn number(span: &Span<'_>) -> Option<u32> {
    let mut cell = Cell::default();
    cell.set_style(span.style);
    link::number(&cell)
}

/// The text that leads to this target, row by row.
fn leading(text: &str, width: u16, target: &str) -> Vec<String> {
    let (rows, links) = draw(text, width);
    let wanted = links.number(target);
    assert!(wanted.is_some(), "{target}");
    let part = |row: &Line<'_>| {
        let spans = row.spans.iter().filter(|span| number(span) == wanted);
        spans.map(|span| span.content.as_ref()).collect::<String>()
    };
    rows.iter().map(part).collect()
}

#[test]
fn the_text_leads_to_the_target_and_nothing_around_it_does() {
    let text = "see [the **guide**](https://a.example/x) now";
    assert_eq!(seen(text), "see the guide now");
    assert_eq!(leading(text, 80, "https://a.example/x"), ["the guide"]);
}

#[test]
fn every_row_of_a_long_link_leads_there() {
    let text = "- see [one two three four](https://a.example/x) five";
    assert_eq!(leading(text, 12, "https://a.example/x"), ["one", "two three", "four"]);
    let text = "> <https://a.example/0123456789>";
    let rows = leading(text, 14, "https://a.example/0123456789");
    assert_eq!(rows, ["https://a.ex", "ample/012345", "6789"]);
}

#[test]
fn cells_of_a_table_and_definitions_lead_there_too() {
    let table = "| a | b |\n|---|---|\n| [x](https://a.example) | y |\n";
    assert_eq!(leading(table, 40, "https://a.example").concat(), "x");
    let named = "[the guide] and more\n\n[the guide]: https://a.example\n";
    assert_eq!(leading(named, 40, "https://a.example"), ["the guide"]);
    assert_eq!(leading("<me@a.example>", 40, "mailto:me@a.example"), ["me@a.example"]);
}

#[test]
fn a_text_that_claims_another_place_shows_the_true_one() {
    let text = "[google.com](https://evil.example/)";
    assert_eq!(seen(text), "google.com (https://evil.example/)");
    let split = "[**google**.com](https://evil.example/)";
    assert_eq!(seen(split), "google.com (https://evil.example/)");
    let image = "[![google.com](a.png)](https://evil.example/)";
    assert_eq!(seen(image), "image: google.com (a.png) (https://evil.example/)");
    assert_eq!(seen("[a.example](https://a.example/x)"), "a.example");
}

#[test]
fn a_target_that_is_no_link_stands_in_brackets() {
    for target in ["guide.md", "file:///etc/passwd", "javascript:alert(1)", "https://u@a.example"] {
        let text = format!("[the guide]({target})");
        assert_eq!(seen(&text), format!("the guide ({target})"));
        let (rows, _) = draw(&text, 80);
        assert!(rows.iter().flat_map(|row| &row.spans).all(|span| number(span).is_none()));
    }
}

#[test]
fn a_link_without_words_shows_its_target() {
    assert_eq!(seen("[](https://a.example/x)"), "https://a.example/x");
    assert_eq!(seen("[→](https://a.example/x)"), "→ (https://a.example/x)");
}

#[test]
fn an_image_leads_to_itself_unless_it_stands_in_a_link() {
    assert_eq!(seen("![plan](https://a.example/p.png)"), "image: plan");
    assert_eq!(
        leading("![plan](https://a.example/p.png)", 80, "https://a.example/p.png"),
        ["plan"]
    );
    let inside = "[![plan](https://a.example/p.png)](https://b.example/)";
    let row = "image: plan (https://a.example/p.png) (https://b.example/)";
    assert_eq!(leading(inside, 80, "https://b.example/"), [row]);
}

#[test]
fn what_an_entity_hides_is_no_part_of_the_text_or_of_a_link() {
    assert_eq!(show("a&#x202e;b &#27;c", 40), ["ab c"]);
    let (rows, links) = draw("[x](https://a.example/&#27;&#92;y)", 80);
    assert!(rows.iter().flat_map(|row| &row.spans).all(|span| number(span).is_none()));
    assert_eq!(links.begin(1), None);
}

#[test]
fn a_link_that_streams_in_leaves_no_half_targets_behind() {
    let links = Links::on();
    let mut markdown = Markdown::linking(links.clone());
    for c in "see [the guide](https://a.example/x) now\n".chars() {
        markdown.push(&c.to_string());
        let _ = markdown.lines(80, &Theme::default(), &Highlighter::off());
    }
    assert_eq!(links.begin(1), Some("\x1b]8;id=1;https://a.example/x\x1b\\".to_owned()));
    assert_eq!(links.begin(2), None);
}

#[test]
fn an_address_in_the_text_leads_there_without_what_ends_the_sentence() {
    let text = "See https://a.example/a_b_(c), or (www.b.example/x).";
    assert_eq!(seen(text), text);
    assert_eq!(leading(text, 80, "https://a.example/a_b_(c)"), ["https://a.example/a_b_(c)"]);
    assert_eq!(leading(text, 80, "http://www.b.example/x"), ["www.b.example/x"]);
    let table = "| a | b |\n|---|---|\n| https://a.example | y |\n";
    assert_eq!(leading(table, 40, "https://a.example").concat(), "https://a.example");
    for text in
        ["- **https://a.example/x**", "# https://a.example/x!", "> a\n> https://a.example/x\n"]
    {
        assert_eq!(leading(text, 40, "https://a.example/x").concat(), "https://a.example/x");
    }
}

#[test]
fn an_address_in_code_or_in_another_link_is_none_of_its_own() {
    for text in [
        "`https://a.example/x`",
        "```\nhttps://a.example/x\n```",
        "    https://a.example/x",
        "<div>\nhttps://a.example/x\n</div>",
        "https://a.example/x*y*",
        "https://u@a.example/x",
    ] {
        let (rows, links) = draw(text, 80);
        assert!(
            rows.iter().flat_map(|row| &row.spans).all(|span| number(span).is_none()),
            "{text}"
        );
        assert_eq!(links.begin(1), None, "{text}");
    }
    let other = "[see https://a.example/x here](https://b.example/)";
    assert_eq!(
        leading(other, 80, "https://b.example/"),
        ["see https://a.example/x here (https://b.example/)"]
    );
}

#[test]
fn an_address_that_streams_in_leaves_no_half_targets_behind() {
    let links = Links::on();
    let mut markdown = Markdown::linking(links.clone());
    for c in "see https://a.example/x.html?y=1, and *so* on\n\nwww.b.example".chars() {
        markdown.push(&c.to_string());
        let _ = markdown.lines(80, &Theme::default(), &Highlighter::off());
    }
    assert_eq!(links.begin(2), None);
    markdown.finish();
    let _ = markdown.lines(80, &Theme::default(), &Highlighter::off());
    let begins = [1, 2, 3].map(|number| links.begin(number));
    assert!(begins[0].as_ref().unwrap().ends_with(";https://a.example/x.html?y=1\x1b\\"));
    assert!(begins[1].as_ref().unwrap().ends_with(";http://www.b.example\x1b\\"));
    assert_eq!(begins[2], None);
}

#[test]
fn without_links_an_address_is_seen_as_it_is_written() {
    assert_eq!(
        show("at https://a.example/x or www.b.example.", 80),
        ["at https://a.example/x or www.b.example."]
    );
}
