//! Following, staying put, and never drawing what is not there.

use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::tui::{highlight::Highlighter, links::Links, selection::Grain, theme::Theme};

mod place;
mod shape;

/// Shows the transcript at a size and gives the rows as text.
fn show(transcript: &mut Transcript, width: u16, height: usize) -> Vec<String> {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let look = Look {
        width,
        theme: &theme,
        highlighter: &highlighter,
        now: Instant::now(),
        unfolded: false,
        all: false,
    };
    transcript.lay_out(Rect::new(0, 0, width, u16::try_from(height).unwrap()), look);
    transcript.shown().iter().map(|row| row.line.to_string()).collect()
}

fn numbered(n: usize) -> Transcript {
    let mut transcript = Transcript::default();
    for n in 0..n {
        transcript.push(Cell::notice(&format!("n{n}")));
    }
    transcript
}

#[test]
fn the_end_is_followed_until_the_user_scrolls_up() {
    let mut transcript = numbered(10);
    assert_eq!(show(&mut transcript, 40, 3), ["· n8", "", "· n9"]);
    transcript.push(Cell::notice("n10"));
    assert_eq!(show(&mut transcript, 40, 3), ["· n9", "", "· n10"]);
    transcript.scroll(-2);
    assert_eq!(show(&mut transcript, 40, 3), ["· n8", "", "· n9"]);
    assert!(transcript.more_below());
    transcript.push(Cell::notice("n11"));
    assert_eq!(show(&mut transcript, 40, 3), ["· n8", "", "· n9"]);
    transcript.scroll(100);
    assert_eq!(show(&mut transcript, 40, 3), ["· n10", "", "· n11"]);
    assert!(!transcript.more_below());
}

#[test]
fn the_first_row_is_as_far_up_as_it_goes() {
    let mut transcript = numbered(10);
    transcript.scroll(-1000);
    assert_eq!(show(&mut transcript, 40, 3), ["· n0", "", "· n1"]);
    transcript.scroll(-1);
    assert_eq!(show(&mut transcript, 40, 3), ["· n0", "", "· n1"]);
}

#[test]
fn a_short_transcript_begins_at_the_top() {
    let mut transcript = numbered(1);
    assert_eq!(show(&mut transcript, 40, 5), ["· n0"]);
    transcript.scroll(-5);
    assert_eq!(show(&mut transcript, 40, 5), ["· n0"]);
    assert!(!transcript.more_below());
}

#[test]
fn a_narrower_screen_keeps_the_cell_at_the_top() {
    let mut transcript = Transcript::default();
    for n in 0..20 {
        transcript.push(Cell::notice(&format!("n{n} {}", "word ".repeat(30))));
    }
    transcript.go_to_top();
    transcript.scroll(9);
    let before = show(&mut transcript, 100, 4);
    let after = show(&mut transcript, 30, 4);
    let cell = |rows: &[String]| rows.iter().find(|row| row.starts_with("· n")).cloned();
    assert_eq!(cell(&before).unwrap().split(' ').nth(1), Some("n3"));
    assert_eq!(cell(&after).unwrap().split(' ').nth(1), Some("n3"));
}

proptest! {
    #[test]
    fn any_scrolling_shows_a_window_of_all_rows(
        cells in 0_usize..30, moves in prop::collection::vec(-20_i64..20, 0..20), height in 1_usize..12,
    ) {
        let all = show(&mut numbered(cells), 40, 1000);
        let mut transcript = numbered(cells);
        for rows in moves {
            transcript.scroll(rows);
            let shown = show(&mut transcript, 40, height);
            prop_assert_eq!(shown.len(), height.min(all.len()));
            let found = all.windows(shown.len().max(1)).any(|window| window == shown);
            prop_assert!(found || shown.is_empty());
            let last = all.ends_with(&shown);
            prop_assert_eq!(transcript.more_below(), !last);
        }
    }
}

fn look_at<'a>(width: u16, theme: &'a Theme, highlighter: &'a Highlighter) -> Look<'a> {
    Look { width, theme, highlighter, now: Instant::now(), unfolded: true, all: false }
}

/// What is selected between two places of the screen.
fn select(
    transcript: &mut Transcript,
    (width, height): (u16, u16),
    from: (u16, u16),
    to: (u16, u16),
) -> Option<String> {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let look = look_at(width, &theme, &highlighter);
    transcript.lay_out(Rect::new(0, 0, width, height), look);
    transcript.press(from, Grain::Letter, look);
    transcript.drag(to, look);
    transcript.release(look)
}

fn said(text: &str) -> Transcript {
    let mut transcript = Transcript::default();
    let mut cell = Cell::assistant(&Links::default());
    if let Cell::Assistant(markdown) = &mut cell {
        markdown.push(text);
        markdown.finish();
    }
    transcript.push(cell);
    transcript
}

#[test]
fn a_selection_is_the_text_without_signs_and_breaks() {
    let mut transcript = Transcript::default();
    transcript.push(Cell::user("one two three four five six\nseven"));
    transcript.push(Cell::notice("eight"));
    // 20 columns: a margin of one, a sign of two, and words wrapped in what is left
    let all = select(&mut transcript, (20, 10), (0, 0), (19, 9));
    assert_eq!(all.as_deref(), Some("one two three four five six\nseven\n\neight"));
    let part = select(&mut transcript, (20, 10), (7, 0), (4, 1));
    assert_eq!(part.as_deref(), Some("two three fo"));
    let backwards = select(&mut transcript, (20, 10), (4, 1), (7, 0));
    assert_eq!(backwards, part);
}

#[test]
fn code_quotes_and_lists_are_selected_without_their_frames() {
    let text =
        "> quoted\n\n1. first\n2. second\n\n```rust\nfn a() {\n\n    b();\n}\n```\n\n---\n\nend";
    for width in [12, 40, 80] {
        let all = select(&mut said(text), (width, 40), (0, 0), (width - 1, 39)).unwrap();
        assert!(all.contains("fn a() {\n\n    b();\n}\n"), "{all}");
        assert!(all.contains("1. first\n2. second\n"), "{all}");
        assert!(all.starts_with("quoted\n"), "{all}");
        assert!(all.ends_with("end") && !all.contains(['─', '│', '┆', '┌', '▌']), "{all}");
    }
}

#[test]
fn a_double_click_selects_a_word_and_a_triple_one_the_line() {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let look = look_at(24, &theme, &highlighter);
    let mut transcript = Transcript::default();
    transcript.push(Cell::notice("see src/tui/view.rs, the line that is drawn there"));
    transcript.lay_out(Rect::new(0, 0, 24, 10), look);
    let mut click = |at, grain| {
        transcript.press(at, grain, look);
        transcript.release(look)
    };
    assert_eq!(click((8, 0), Grain::Word).as_deref(), Some("src/tui/view.rs"));
    let line = "see src/tui/view.rs, the line that is drawn there";
    assert_eq!(click((4, 1), Grain::Line).as_deref(), Some(line));
    assert_eq!(click((8, 0), Grain::Letter), None, "a click selects nothing");
    assert_eq!(click((8, 20), Grain::Word), None, "below the transcript");
}

#[test]
fn a_selection_stays_while_more_comes_and_the_width_changes() {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let mut transcript = Transcript::default();
    transcript.push(Cell::notice("one two three four five six seven"));
    let chosen = select(&mut transcript, (60, 20), (7, 0), (15, 0));
    assert_eq!(chosen.as_deref(), Some("two three"));
    transcript.push(Cell::notice("more"));
    for width in [60, 12, 30, 200] {
        let look = look_at(width, &theme, &highlighter);
        transcript.lay_out(Rect::new(0, 0, width, 20), look);
        assert_eq!(transcript.selected(look), chosen, "{width} columns");
        let marked = transcript.shown().iter().flat_map(|row| &row.marks);
        let columns: u16 = marked.map(|(run, _)| run.end - run.start).sum();
        assert!((8..=9).contains(&columns), "a blank at a break has no column: {columns}");
    }
}

#[test]
fn the_row_at_the_top_keeps_its_text_through_all_widths() {
    let text = (0..400).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    let mut transcript = Transcript::default();
    transcript.push(Cell::notice(&text));
    transcript.go_to_top();
    transcript.scroll(7);
    let before = show(&mut transcript, 50, 4);
    let first = before[0].split_whitespace().next().unwrap().to_owned();
    for width in [200, 23, 37, 120, 20, 90] {
        let top = show(&mut transcript, width, 4).swap_remove(0);
        assert!(top.split_whitespace().any(|word| word == first), "{width}: {first} in {top}");
    }
    assert_eq!(show(&mut transcript, 50, 4), before);
}

proptest! {
    #[test]
    fn the_selection_of_everything_is_the_source(
        cells in prop::collection::vec("[a-z漢字é👍 \t\n]{0,80}[a-z]", 1..5), width in 6_u16..90,
    ) {
        let mut transcript = Transcript::default();
        for text in &cells {
            transcript.push(Cell::notice(text));
        }
        let end = (width - 1, 999);
        let all = select(&mut transcript, (width, 1000), (0, 0), end).unwrap_or_default();
        prop_assert_eq!(all, cells.join("\n\n"));
    }

    #[test]
    fn long_runs_of_blanks_are_selected_whole(
        before in 0_usize..400, between in 0_usize..400, width in 6_u16..300,
    ) {
        let text = format!("{}a{}b", " ".repeat(before), " ".repeat(between));
        let mut transcript = Transcript::default();
        transcript.push(Cell::notice(&text));
        let all = select(&mut transcript, (width, 1000), (0, 0), (width - 1, 999));
        prop_assert_eq!(all, Some(text));
    }
}
