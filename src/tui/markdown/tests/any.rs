//! Any text at all, in any pieces, at any width: no harm, no loss, no control character.

use super::*;

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
