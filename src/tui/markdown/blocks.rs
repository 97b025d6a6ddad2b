//! Which blocks of a text stand in which rows, and what each of them is: for somebody who selects
//! one and takes it away.
//!
//! Owns that mapping, and reads code back from the source. Must not know how blocks are drawn.
//!
//! Invariant: a list is one block, however its items came; a block that draws nothing is none.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::{Markdown, outline::OPTIONS};

/// A block: its source in bytes, and its rows among those that were drawn last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) struct DrawnBlock {
    pub(in crate::tui) source: Range<usize>,
    pub(in crate::tui) rows: Range<usize>,
}

impl Markdown {
    /// The blocks as they were drawn last; those that came since are not among them.
    pub(in crate::tui) fn blocks(&self) -> Vec<DrawnBlock> {
        let view = &self.view;
        let finished = self.outline.finished.iter().zip(&view.starts);
        let ends = view.starts.iter().skip(1).chain([&view.rows]);
        let mut blocks: Vec<DrawnBlock> = Vec::new();
        let drawn = finished.zip(ends).map(|((block, &start), &end)| {
            let rows = start..end.max(start);
            (DrawnBlock { source: block.range.clone(), rows }, block.continues)
        });
        let tail = (view.rows < view.lines.len()).then(|| {
            let source = self.outline.tail_start()..self.source.len();
            let rows = view.rows..view.lines.len();
            (DrawnBlock { source, rows }, self.outline.tail_continues())
        });
        for (block, continues) in drawn.chain(tail) {
            match blocks.last_mut().filter(|_| continues) {
                Some(list) => {
                    list.source.end = block.source.end;
                    list.rows.end = block.rows.end;
                }
                None => blocks.push(block),
            }
        }
        // A list may be said to reach into the line that ends it.
        for n in 1..blocks.len() {
            if let Some([before, block]) = blocks.get_mut(n - 1..=n) {
                before.source.end = before.source.end.min(block.source.start);
            }
        }
        for block in &mut blocks {
            let rows = view.lines.get(block.rows.clone()).unwrap_or_default();
            let gap = rows.iter().take_while(|row| row.spans.is_empty()).count();
            let after = rows.iter().rev().take_while(|row| row.spans.is_empty()).count();
            block.rows.start += gap;
            block.rows.end = block.rows.end.saturating_sub(after).max(block.rows.start);
        }
        blocks.retain(|block| !block.rows.is_empty());
        blocks
    }
}

/// What a block is, in a word.
pub(in crate::tui) fn kind(block: &str) -> &'static str {
    let kinds = Parser::new_ext(block, OPTIONS).find_map(|event| match event {
        Event::Start(Tag::Heading { .. }) => Some("heading"),
        Event::Start(Tag::List(_)) => Some("list"),
        Event::Start(Tag::BlockQuote(_)) => Some("quote"),
        Event::Start(Tag::Table(_)) => Some("table"),
        Event::Start(Tag::CodeBlock(_)) => Some("code"),
        Event::Start(Tag::FootnoteDefinition(_)) => Some("footnote"),
        Event::Start(Tag::Paragraph) => Some("paragraph"),
        _ => None,
    });
    kinds.unwrap_or("block")
}

/// Every block of code in a text, as it was written, without its fences.
pub(in crate::tui) fn codes(text: &str) -> Vec<String> {
    let mut codes = Vec::new();
    let mut code: Option<String> = None;
    for event in Parser::new_ext(text, OPTIONS) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => {
                code = Some(String::new());
            }
            Event::Text(text) => {
                if let Some(code) = &mut code {
                    code.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => codes.extend(code.take()),
            _ => {}
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::{highlight::Highlighter, theme::Theme};

    const TEXT: &str = "# Head\n\nWords that are\nwrapped.\n\n- one\n- two\n\n  ```sh\n  ls\n  \
                        ```\n- three\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                        ```rust\nfn f() {}\n```\n\n[ref]: http://x.org\n\nThe [end][ref].\n";

    fn blocks(text: &str, pieces: usize, width: u16) -> Vec<(String, String)> {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let mut markdown = Markdown::new();
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(pieces.max(1)) {
            markdown.push(&piece.iter().collect::<String>());
            markdown.lines(width, &theme, &highlighter);
        }
        markdown.finish();
        let rows: Vec<String> =
            markdown.lines(width, &theme, &highlighter).iter().map(ToString::to_string).collect();
        let of = |block: DrawnBlock| {
            (text.get(block.source).unwrap().to_owned(), rows[block.rows].join("\n"))
        };
        markdown.blocks().into_iter().map(of).collect()
    }

    #[test]
    fn each_block_has_its_source_and_its_rows() {
        let blocks = blocks(TEXT, usize::MAX, 60);
        let kinds: Vec<_> = blocks.iter().map(|(source, _)| kind(source)).collect();
        assert_eq!(kinds, ["heading", "paragraph", "list", "quote", "table", "code", "paragraph"]);
        assert_eq!(
            blocks[1],
            ("Words that are\nwrapped.\n".into(), "Words that are wrapped.".into())
        );
        assert!(blocks[2].0.starts_with("- one") && blocks[2].0.trim_end().ends_with("- three"));
        assert!(blocks[2].1.contains("two") && blocks[2].1.contains("three"));
        assert!(blocks[5].1.contains("fn f() {}"));
        assert_eq!(blocks[6], ("The [end][ref].\n".into(), blocks[6].1.clone()));
        assert!(blocks[6].1.starts_with("The end"));
    }

    #[test]
    fn a_text_that_grows_has_its_last_block_too() {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let mut markdown = Markdown::new();
        markdown.push("One.\n\n- a\n- b");
        markdown.lines(40, &theme, &highlighter);
        let kinds: Vec<_> = markdown
            .blocks()
            .iter()
            .map(|it| kind(markdown.source().get(it.source.clone()).unwrap()))
            .collect();
        assert_eq!(kinds, ["paragraph", "list"]);
        markdown.push("\n\n```sh\nls\nmore");
        markdown.lines(40, &theme, &highlighter);
        let blocks = markdown.blocks();
        assert_eq!(blocks.len(), 3);
        assert_eq!(markdown.source().get(blocks[2].source.clone()).unwrap(), "```sh\nls\nmore");
    }

    #[test]
    fn code_is_taken_as_it_was_written() {
        let text = "a\n\n```sh\nls\n```\n\n```make\nall:\n\tcc -o a a.c\n\n```\nend `inline`";
        assert_eq!(codes(text), ["ls\n", "all:\n\tcc -o a a.c\n\n"]);
        assert_eq!(codes("- item\n\n      indented\n"), ["indented\n"]);
        assert_eq!(codes("- a\n  ```\n  one\n    two\n  ```\n"), ["one\n  two\n"]);
        assert_eq!(codes("```\nstill open"), ["still open"]);
        assert!(codes("only `inline`").is_empty());
    }

    #[test]
    fn a_list_does_not_reach_into_what_ends_it() {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        for text in ["    \n- aa\n\n[a]: b\n    |\na", "1. \n[a]: b```\n    ````\n"] {
            let mut markdown = Markdown::new();
            for piece in text.chars() {
                markdown.push(&piece.to_string());
                markdown.lines(30, &theme, &highlighter);
                for pair in markdown.blocks().windows(2) {
                    assert!(pair[0].source.end <= pair[1].source.start, "{pair:?} of {text:?}");
                    assert!(pair[0].rows.end <= pair[1].rows.start, "{pair:?} of {text:?}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn however_a_text_came_its_blocks_are_the_same(pieces in 1_usize..40, width in 20_u16..90) {
            prop_assert_eq!(blocks(TEXT, pieces, width), blocks(TEXT, usize::MAX, width));
        }

        #[test]
        fn blocks_stand_in_order_and_do_not_overlap(
            text in "([a-c]{1,4}|\n|\n\n|- |> |# |1\\. |```\n|    |\\||`|\\[a\\]: b){0,40}", pieces in 1_usize..9,
        ) {
            let (theme, highlighter) = (Theme::plain(), Highlighter::off());
            let mut markdown = Markdown::new();
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(pieces) {
                markdown.push(&piece.iter().collect::<String>());
                let rows = markdown.lines(30, &theme, &highlighter).len();
                let blocks = markdown.blocks();
                let ends = [DrawnBlock { source: text.len()..text.len(), rows: rows..rows }];
                for (one, next) in blocks.iter().zip(blocks.iter().skip(1).chain(&ends)) {
                    prop_assert!(one.source.end <= next.source.start, "{blocks:?} of {text:?}");
                    prop_assert!(one.rows.end <= next.rows.start, "{blocks:?} of {text:?}");
                }
            }
        }
    }
}
