//! What `place` promises: what one is at is seen, and every line can be.

use super::*;

/// Thirty lines of which three far apart change, all of them wider than a screen.
fn wide() -> Review {
    let (old, new) = thirty();
    let wide = |text: &str| text.replace(";\n", &format!(" + {};\n", "long_name + ".repeat(60)));
    review(vec![change("a.rs", &wide(&old), &wide(&new))])
}

#[test]
fn the_part_that_the_user_is_at_is_in_view_at_any_size() {
    for (width, room) in [(30, 3), (38, 6), (80, 10), (80, 20), (130, 20), (196, 24), (196, 40)] {
        let mut review = wide();
        drawn(&mut review, width, room);
        for steps in [1, 1, -1, 1, -1, -1, 1] {
            review.step(steps);
            let rows = text(&drawn(&mut review, width, room));
            let part = ["v5", "v15", "v25"][review.at];
            let is_seen = rows
                .iter()
                .any(|row| row.starts_with('▶') || row.contains(&format!("let {part} =")));
            assert!(is_seen, "{part} at {width} in {room} rows: {rows:#?}");
        }
    }
}

#[test]
fn after_scrolling_the_user_is_at_the_first_part_whose_head_is_seen() {
    let mut review = one_file();
    drawn(&mut review, 80, 18);
    // Nine lines of the first part are above: the heads of the two others are seen.
    review.scroll(9);
    let rows = text(&drawn(&mut review, 80, 18));
    assert!(rows[0].starts_with("▶[x] hunk 2 of 3"), "{rows:#?}");
    review.scroll(-1);
    let rows = text(&drawn(&mut review, 80, 18));
    assert!(rows[1].starts_with("▶[x] hunk 2 of 3"), "{rows:#?}");
    review.scroll(1);
    assert!(review.toggle());
    assert_eq!(
        text(&drawn(&mut review, 80, 18))[0].as_str(),
        rows[1].replace("[x]", "[ ]") + "  left out"
    );
}

#[test]
fn about_the_same_text_stays_at_the_top_at_another_width() {
    let words = (1..=300).map(|n| format!("w{n} ")).collect::<Vec<_>>().concat();
    let mut review = review(vec![change("a.txt", "", &(words + "\n"))]);
    drawn(&mut review, 40, 6);
    review.scroll(20);
    let top = |review: &mut Review, width| {
        let line = text(&drawn(review, width, 6)).swap_remove(0);
        let word = line.split_whitespace().find_map(|word| word.strip_prefix('w')?.parse().ok());
        word.unwrap_or_else(|| panic!("{line}"))
    };
    let first: i64 = top(&mut review, 40);
    for width in [80, 40, 100, 30, 40] {
        let now = top(&mut review, width);
        // A row of the widest holds some twenty words, and each size may be a row off.
        assert!((now - first).abs() <= 40, "{first}, and {now} at {width}");
    }
}

proptest! {
    // Each case draws some hundred frames.
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn each_line_of_a_row_that_is_higher_than_the_screen_can_be_scrolled_to(
        words in 1_usize..150, (width, room) in (12_u16..200, 1_usize..12), steps in 1_i64..12,
    ) {
        let new = format!("one\n{}\ntwo\n", "word ".repeat(words));
        let mut review = review(vec![change("a.txt", "one\nthree\nfour\n", &new)]);
        let all = unmarked(&drawn(&mut review, width, 10_000));
        let last = all.len().saturating_sub(room);
        let mut top = 0;
        // The change is shown first where it would not be seen.
        drawn(&mut review, width, room);
        review.scroll(i64::MIN);
        for by in [steps, -steps] {
            for _ in 0..=all.len() {
                let frame = unmarked(&drawn(&mut review, width, room));
                prop_assert_eq!(&frame[..], &all[top..all.len().min(top + room)]);
                review.scroll(by);
                top = top.saturating_add_signed(isize::try_from(by).unwrap()).min(last);
            }
            prop_assert_eq!(top, if by > 0 { last } else { 0 });
        }
    }
}

#[test]
fn on_a_low_screen_what_changes_is_seen_before_it_is_allowed() {
    let (theme, highlighter) = (Theme::plain(), Highlighter::off());
    for room in 2..=6 {
        let mut review = one_file();
        for part in ["v5", "v15", "v25"] {
            let rows = text(&review.draw((38, room), &theme, &highlighter));
            let goes = rows.iter().position(|row| row.contains(&format!("- let {part} =")));
            assert!(goes.is_some(), "{part} in {room} rows: {rows:#?}");
            review.step(1);
        }
    }
}
