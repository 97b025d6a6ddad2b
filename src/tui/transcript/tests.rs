//! Following, staying put, and never drawing what is not there.

use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::tui::{highlight::Highlighter, theme::Theme};

/// Shows the transcript at a size and gives the rows as text.
fn show(transcript: &mut Transcript, width: u16, height: usize) -> Vec<String> {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    let look = Look {
        width,
        theme: &theme,
        highlighter: &highlighter,
        now: Instant::now(),
        unfolded: false,
    };
    transcript.visible(height, look).iter().map(|row| row.line.to_string()).collect()
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
