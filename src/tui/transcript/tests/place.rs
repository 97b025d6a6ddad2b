//! A place in the transcript outlives any size of the screen.

use super::*;

/// Cells of several kinds, each with rows that no other has.
fn session() -> Transcript {
    let mut transcript = Transcript::default();
    for n in 0..12 {
        transcript.push(Cell::user(&format!("question {n} {}", "and some words ".repeat(n))));
        let mut cell = Cell::assistant(&Links::default());
        if let Cell::Assistant(markdown) = &mut cell {
            let long = "a good many words in one line ".repeat(5);
            markdown.push(&format!(
                "# Head {n}\n\n{n} {long}\n\n> - quoted {n} {long}\n>\n>   ```rust\n>   let a{n} = 1;\n>   \
                 ```\n\n---\n\n| a{n} | b |\n|---|---|\n| {long} | {long} |\n| c{n} | d |\n\n1. i{n}\n"
            ));
            markdown.finish();
        }
        transcript.push(cell);
    }
    transcript
}

#[test]
fn a_place_comes_back_after_a_screen_that_showed_everything() {
    for large in [(40, 500), (400, 60), (400, 500)] {
        let mut transcript = numbered(20);
        transcript.scroll(-8);
        show(&mut transcript, 40, 10);
        transcript.scroll(-7);
        let before = show(&mut transcript, 40, 10);
        show(&mut transcript, large.0, large.1);
        assert!(!transcript.more_below(), "{large:?}: the end is seen");
        show(&mut transcript, large.0 + 1, large.1);
        assert_eq!(show(&mut transcript, 40, 10), before, "{large:?}");
        assert!(transcript.more_below());
    }
}

#[test]
fn a_place_comes_back_after_a_few_rows_more() {
    let mut transcript = numbered(20);
    show(&mut transcript, 40, 10);
    transcript.scroll(-3);
    let before = show(&mut transcript, 40, 10);
    show(&mut transcript, 40, 15);
    assert!(!transcript.more_below());
    show(&mut transcript, 40, 15);
    assert_eq!(show(&mut transcript, 40, 10), before);
}

#[test]
fn whoever_goes_anywhere_on_the_large_screen_has_given_the_place_up() {
    for what in ["scrolls", "goes to the end", "comes down"] {
        let mut transcript = numbered(20);
        show(&mut transcript, 40, 10);
        transcript.scroll(-9);
        show(&mut transcript, 40, 10);
        show(&mut transcript, 40, 100);
        match what {
            "scrolls" => transcript.scroll(-1),
            "comes down" => transcript.scroll(1),
            _ => transcript.go_to_end(),
        }
        show(&mut transcript, 40, 100);
        assert_eq!(show(&mut transcript, 40, 3), ["· n18", "", "· n19"], "who {what}");
    }
}

#[test]
fn what_comes_and_moves_the_rows_is_followed_and_what_has_room_moves_nothing() {
    let mut transcript = numbered(20);
    show(&mut transcript, 40, 10);
    transcript.scroll(-9);
    let before = show(&mut transcript, 40, 10);
    show(&mut transcript, 40, 100);
    transcript.push(Cell::notice("n20"));
    show(&mut transcript, 40, 100);
    assert_eq!(show(&mut transcript, 40, 10), before, "there was room for it");

    show(&mut transcript, 40, 25);
    assert!(!transcript.more_below());
    transcript.push(Cell::notice("n21"));
    assert_eq!(show(&mut transcript, 40, 25).last().unwrap(), "· n21");
    assert_eq!(show(&mut transcript, 40, 3), ["· n20", "", "· n21"], "it was followed");
}

#[test]
fn whoever_follows_the_end_follows_it_at_any_size() {
    let mut transcript = numbered(20);
    for (width, height) in [(40, 10), (40, 500), (400, 10), (12, 4), (40, 3)] {
        show(&mut transcript, width, height);
    }
    assert_eq!(show(&mut transcript, 40, 3), ["· n18", "", "· n19"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn after_any_sizes_the_first_one_shows_the_same_rows(
        width in 20_u16..120,
        height in 3_usize..30,
        up in 0_i64..400,
        sizes in prop::collection::vec((1_u16..300, 0_usize..1_500), 1..6),
    ) {
        let mut transcript = session();
        show(&mut transcript, width, height);
        transcript.scroll(-up);
        let before = show(&mut transcript, width, height);
        for (width, height) in sizes {
            show(&mut transcript, width, height);
        }
        prop_assert_eq!(show(&mut transcript, width, height), before);
    }

    #[test]
    fn every_row_is_found_again_by_its_anchor(width in 1_u16..120) {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let mut transcript = session();
        let look = look_at(width, &theme, &highlighter);
        for cell in 0..transcript.len() {
            let rows = transcript.rows(cell, look);
            for row in 0..rows.len() {
                let found = Anchor::of(rows, row, 0).place(rows);
                prop_assert_eq!(found, (row, 0), "of {}", rows[row]);
            }
        }
    }
}
