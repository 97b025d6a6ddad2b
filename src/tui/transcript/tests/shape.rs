//! What is copied of markdown has the shape that it was written in.

use super::*;

/// All of what was said, selected at this width.
fn copied(text: &str, width: u16) -> String {
    select(&mut said(text), (width, 3_000), (0, 0), (width - 1, 2_999)).unwrap_or_default()
}

/// What a search reads of it at this width.
fn searched(text: &str, width: u16) -> String {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    said(text).text(0, look_at(width, &theme, &highlighter))
}

/// What is selected from the first row with these words up to the end of the last one with those.
fn from_to(text: &str, (from, until): (&str, &str), width: u16) -> String {
    let mut transcript = said(text);
    let rows = show(&mut transcript, width, 100);
    let first = rows.iter().position(|row| row.contains(from)).unwrap();
    let last = rows.iter().rposition(|row| row.contains(until)).unwrap();
    let at = |row: usize| u16::try_from(row).unwrap();
    select(&mut transcript, (width, 100), (0, at(first)), (width - 1, at(last))).unwrap()
}

#[test]
fn items_keep_their_markers_and_their_levels_and_quotes_lose_their_bars() {
    let cases = [
        (
            "- one\n  - two\n    - three\n\n      more\n- four",
            "- one\n  - two\n    - three\n\n      more\n- four",
        ),
        ("> quoted\n>\n> > deep\n>\n> - in it", "quoted\n\ndeep\n\n- in it"),
        ("- item\n\n  > quoted\n  >\n  > more\n- next", "- item\n\n  quoted\n\n  more\n- next"),
        ("> - a\n>   - b\n> - c", "- a\n  - b\n- c"),
        (
            "99. wide\n\n    below\n100. wider\n     - in",
            "99. wide\n\n    below\n100. wider\n     - in",
        ),
        ("- [x] done\n  - part\n- [ ] open", "- [x] done\n  - part\n- [ ] open"),
        ("1. [ ] a\n   - b", "1. [ ] a\n   - b"),
        ("- - - all at once", "- - - all at once"),
        ("- > > in quotes", "- in quotes"),
        ("- ```sh\n  ls\n  ```\n- > ```sh\n  > ls\n  > cd\n  > ```", "- ls\n- ls\n  cd"),
        ("- ***\n- after a rule", "- \n- after a rule"),
        (
            "- a\n\n  ```rust\n  fn f() {\n\n      g();\n  }\n  ```",
            "- a\n\n  fn f() {\n\n      g();\n  }",
        ),
    ];
    for (text, expected) in cases {
        for width in [20, 40, 80, 200] {
            assert_eq!(copied(text, width), expected, "{width} columns");
            assert_eq!(searched(text, width), expected, "{width} columns");
        }
    }
}

#[test]
fn what_all_selected_lines_are_moved_in_is_not_copied() {
    let text = "1. Run it:\n\n   ```python\n   def f():\n   \tpass\n   ```\n   - one\n     - two\n   - three";
    for width in [20, 80] {
        assert_eq!(from_to(text, ("def", "pass"), width), "def f():\n\tpass");
        assert_eq!(from_to(text, ("one", "three"), width), "- one\n  - two\n- three");
        assert_eq!(from_to(text, ("two", "three"), width), "- two\n- three");
        assert_eq!(from_to(text, ("Run", "def"), width), "1. Run it:\n\n   def f():");
    }
}

#[test]
fn tabs_are_copied_as_they_were_written() {
    let code = "all:\n\tcc -o a a.c\n\t\tdeep\tand more words than a narrow screen can hold\n\nend";
    for width in [8, 20, 80] {
        assert_eq!(copied(&format!("```make\n{code}\n```"), width), code, "{width} columns");
    }
    let searched = searched(&format!("```make\n{code}\n```"), 80);
    assert_eq!(searched, code.replace('\t', " "), "a search cannot be given a tab");
}

#[test]
fn a_row_of_a_table_is_its_cells_whether_they_were_broken_or_not() {
    let table = "| a | right | c |\n|---|--:|---|\n| one two three | 1 | x |\n| `y` | \u{6F22}\u{5B57} four five | |\n";
    let expected = "a | right | c\none two three | 1 | x\n`y` | \u{6F22}\u{5B57} four five | ";
    for width in [26, 30, 80] {
        assert_eq!(copied(table, width), expected, "{width} columns");
        assert_eq!(searched(table, width), expected, "{width} columns");
        let quoted = format!("- > {}", table.trim_end().replace('\n', "\n  > "));
        let moved = format!("- {}", expected.replace('\n', "\n  "));
        assert_eq!(copied(&quoted, width + 4), moved, "{width} columns");
    }
}

#[test]
fn a_selection_in_a_broken_cell_stays_on_its_text_at_another_width() {
    let table = "| a | b |\n|---|---|\n| one two three four | five six seven |\n";
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let mut transcript = said(table);
    let rows = show(&mut transcript, 80, 20);
    let row = rows.iter().position(|row| row.contains("five")).unwrap();
    let before = rows[row].split_once("six").unwrap().0;
    // Three columns stand free at the left.
    let column = before.chars().count() + 3;
    let at = |column: usize| (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    let chosen = select(&mut transcript, (80, 20), at(column), at(column + 2));
    assert_eq!(chosen.as_deref(), Some("six"));
    for width in [22, 80] {
        let look = look_at(width, &theme, &highlighter);
        transcript.lay_out(Rect::new(0, 0, width, 20), look);
        assert_eq!(transcript.selected(look), chosen, "{width} columns");
        let marked = transcript.shown().iter().flat_map(|row| &row.marks);
        let columns: u16 = marked.map(|(run, _)| run.end - run.start).sum();
        assert_eq!(columns, 3, "{width} columns");
    }
}

#[test]
fn a_hit_is_found_in_the_signs_of_markdown_and_marked_on_the_screen() {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let look = look_at(80, &theme, &highlighter);
    let mut transcript = said("- one\n  - two");
    transcript.lay_out(Rect::new(0, 0, 80, 9), look);
    transcript.mark_hits(
        &|line| line.match_indices("  - t").map(|(at, hit)| at..at + hit.len()).collect(),
        None,
        look,
    );
    let marks: Vec<_> = transcript.shown().iter().map(|row| row.marks.clone()).collect();
    assert_eq!(marks, [vec![], vec![(2..5, Mark::Hit)]]);
}

/// A part of a document, as it is written.
#[derive(Clone, Debug)]
enum Block {
    Words(String),
    Code(Vec<String>),
    Quote(Vec<Block>),
    List { marker: Marker, is_tight: bool, items: Vec<Vec<Block>> },
}

#[derive(Clone, Copy, Debug)]
enum Marker {
    Bullet,
    Box(bool),
    From(u32),
}

impl Marker {
    /// The marker of an item, and what of it the blocks within are moved in by.
    fn of(self, item: usize) -> (String, usize) {
        match self {
            Self::Bullet => ("- ".to_owned(), 2),
            Self::Box(done) => (format!("- [{}] ", if done { "x" } else { " " }), 2),
            Self::From(first) => {
                let marker = format!("{}. ", first as usize + item);
                let columns = marker.len();
                (marker, columns)
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Markdown,
    Copied,
}

/// The lines of blocks, with blank ones between them unless they are tight.
fn lines(blocks: &[Block], form: As, is_tight: bool) -> Vec<String> {
    let is_source = form == As::Markdown;
    let mut all: Vec<String> = Vec::new();
    for block in blocks {
        if !all.is_empty() && !is_tight {
            all.push(String::new());
        }
        match block {
            Block::Words(words) => all.push(words.clone()),
            Block::Code(code) => {
                all.extend(is_source.then(|| "```rust".to_owned()));
                all.extend(code.iter().cloned());
                all.extend(is_source.then(|| "```".to_owned()));
            }
            Block::Quote(blocks) => {
                let quote = |line: String| match (is_source, line.is_empty()) {
                    (false, _) => line,
                    (true, true) => ">".to_owned(),
                    (true, false) => format!("> {line}"),
                };
                all.extend(lines(blocks, form, false).into_iter().map(quote));
            }
            Block::List { marker, is_tight, items } => {
                for (n, item) in items.iter().enumerate() {
                    if n > 0 && !is_tight {
                        all.push(String::new());
                    }
                    let (marker, moved) = marker.of(n);
                    for (n, line) in lines(item, form, *is_tight).into_iter().enumerate() {
                        all.push(match (n, line.is_empty()) {
                            (0, _) => format!("{marker}{line}"),
                            (_, true) => line,
                            (_, false) => format!("{}{line}", " ".repeat(moved)),
                        });
                    }
                }
            }
        }
    }
    all
}

fn words() -> impl Strategy<Value = Block> {
    prop::collection::vec("[b-y]{1,9}|\u{6F22}\u{5B57}|\u{E9}\u{1F44D}", 1..12)
        .prop_map(|words| Block::Words(words.join(" ")))
}

fn code() -> impl Strategy<Value = Block> {
    let line = "(\t| ){0,3}[a-z(){};]{1,12}(  ?[a-z+]{1,12}){0,6}";
    let between = prop::collection::vec(prop_oneof![3 => line, 1 => Just(String::new())], 0..4);
    (line, between, line).prop_map(|(first, mut code, last)| {
        code.insert(0, first);
        code.push(last);
        Block::Code(code)
    })
}

fn marker() -> impl Strategy<Value = Marker> {
    prop_oneof![
        2 => Just(Marker::Bullet),
        1 => any::<bool>().prop_map(Marker::Box),
        2 => prop::sample::select(vec![1, 9, 98, 9_999]).prop_map(Marker::From),
    ]
}

/// A list whose items have words, and perhaps such a list below them.
fn tight() -> impl Strategy<Value = Block> {
    let list = |items| Block::List { marker: Marker::Bullet, is_tight: true, items };
    let leaf = prop::collection::vec(words().prop_map(|words| vec![words]), 1..4).prop_map(list);
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let item = (words(), prop::option::of(inner))
            .prop_map(|(words, list)| std::iter::once(words).chain(list).collect::<Vec<_>>());
        prop::collection::vec(item, 1..4).prop_map(list)
    })
}

fn document() -> impl Strategy<Value = Vec<Block>> {
    let leaf = prop_oneof![3 => words(), 2 => code(), 1 => tight()];
    let block = leaf.prop_recursive(5, 40, 4, |inner| {
        let blocks = prop::collection::vec(inner, 1..4).prop_map(apart);
        let items = prop::collection::vec((words(), blocks.clone(), any::<bool>()), 1..4);
        prop_oneof![
            blocks.prop_map(Block::Quote),
            (marker(), items).prop_map(|(marker, items)| {
                let item = |(words, mut blocks, begins): (Block, Vec<Block>, bool)| {
                    if begins || matches!(marker, Marker::Box(_)) {
                        blocks.insert(0, words);
                    }
                    apart(blocks)
                };
                let items = items.into_iter().map(item).collect();
                Block::List { marker, is_tight: false, items }
            }),
        ]
    });
    prop::collection::vec(block, 1..4).prop_map(apart)
}

/// With words between two lists, which would be one.
fn apart(blocks: Vec<Block>) -> Vec<Block> {
    let mut apart: Vec<Block> = Vec::new();
    for block in blocks {
        let is_list = |block: &Block| matches!(block, Block::List { .. });
        if apart.last().is_some_and(is_list) && is_list(&block) {
            apart.push(Block::Words("between".to_owned()));
        }
        apart.push(block);
    }
    apart
}

/// Whether a text is a piece of the whole, but for what all its lines are moved in.
fn is_piece(text: &str, whole: &str) -> bool {
    let moved = |blanks: usize| {
        let lines = text.trim_matches(' ').split('\n').enumerate();
        let moved = lines.map(|(n, line)| match (n, line.is_empty()) {
            (0, _) | (_, true) => line.to_owned(),
            (_, false) => format!("{}{line}", " ".repeat(blanks)),
        });
        moved.collect::<Vec<_>>().join("\n")
    };
    (0..128).any(|blanks| whole.contains(moved(blanks).trim_matches(' ')))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn at_any_width_the_same_is_copied_and_it_is_what_was_written(
        blocks in document(), width in 20_u16..120,
    ) {
        let source = lines(&blocks, As::Markdown, false).join("\n");
        let written = lines(&blocks, As::Copied, false).join("\n");
        prop_assert_eq!(copied(&source, 200), &*written, "200 columns:\n{}", source);
        prop_assert_eq!(copied(&source, width), &*written, "{} columns:\n{}", width, source);
        let read = searched(&source, width);
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let mut transcript = said(&source);
        let rows = transcript.rows(0, look_at(width, &theme, &highlighter));
        let (mut at, mut found) = (0, Vec::new());
        while at < rows.len() {
            let (line, next) = text::line_at(rows, at);
            prop_assert_eq!(&line, &text::Joined::at(rows, at).text);
            found.extend((!crate::tui::wrap::mark::has_no_text(&rows[at])).then_some(line));
            at = next;
        }
        prop_assert_eq!(found.join("\n"), &*read);
        prop_assert_eq!(read, written.replace('\t', " "), "{} columns:\n{}", width, source);
    }

    #[test]
    fn a_part_is_a_piece_of_the_whole(
        blocks in document(),
        width in 20_u16..80,
        from in (0_u16..80, 0_usize..1_000),
        until in (0_u16..80, 0_usize..1_000),
    ) {
        let source = lines(&blocks, As::Markdown, false).join("\n");
        let written = lines(&blocks, As::Copied, false).join("\n");
        let mut transcript = said(&source);
        let rows = show(&mut transcript, width, 3_000).len();
        let at = |(x, y): (u16, usize)| (x % width, u16::try_from(y % rows).unwrap());
        let part = select(&mut transcript, (width, 3_000), at(from), at(until)).unwrap_or_default();
        prop_assert!(is_piece(&part, &written), "{:?} of\n{}", part, source);
    }

    #[test]
    fn a_part_of_a_table_is_a_piece_of_its_cells(
        cells in prop::collection::vec(("[a-z]{1,9}( [a-z]{1,9}){0,7}", "[a-z]{1,9}( [a-z]{1,9}){0,7}", "[a-z]{1,5}"), 1..6),
        (width, other) in (40_u16..90, 40_u16..90),
        from in (0_u16..90, 0_usize..100),
        until in (0_u16..90, 0_usize..100),
    ) {
        let rows = |before: &str, between: &str, after: &str| {
            let row = |(a, b, c): &(String, String, String)| [a.as_str(), b, c].join(between);
            cells.iter().map(|cells| format!("{before}{}{after}", row(cells))).collect::<Vec<_>>()
        };
        let mut source = rows("| ", " | ", " |");
        source.insert(1, "|---|:-:|--:|".to_owned());
        let source = format!("before\n\n{}\n\nafter", source.join("\n"));
        let written = format!("before\n\n{}\n\nafter", rows("", " | ", "").join("\n"));
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let mut transcript = said(&source);
        let height = show(&mut transcript, width, 1_000).len();
        let at = |(x, y): (u16, usize)| (x % width, u16::try_from(y % height).unwrap());
        let part = select(&mut transcript, (width, 1_000), at(from), at(until)).unwrap_or_default();
        prop_assert!(is_piece(&part, &written), "{:?} of\n{}", part, written);
        let marked = |transcript: &Transcript| {
            let rows = transcript.shown().iter();
            rows.flat_map(|row| &row.marks).map(|(run, _)| run.len()).sum::<usize>()
        };
        transcript.lay_out(Rect::new(0, 0, width, 1_000), look_at(width, &theme, &highlighter));
        let drawn = part.chars().filter(|c| *c != '\n').count();
        let marked = marked(&transcript);
        // Blanks at breaks are not drawn.
        let blanks = part.chars().filter(|c| *c == ' ').count();
        prop_assert!((drawn - blanks..=drawn).contains(&marked), "{} of {}", marked, part);
        let look = look_at(other, &theme, &highlighter);
        transcript.lay_out(Rect::new(0, 0, other, 1_000), look);
        let moved = transcript.selected(look).unwrap_or_default();
        // An end on a rule, which there is none of at the other width, ends before the next line.
        let ends = [' ', '\n'];
        prop_assert_eq!(moved.trim_matches(ends), part.trim_matches(ends), "at {}", other);
    }
}
