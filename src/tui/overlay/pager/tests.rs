//! A window of all rows, whatever was scrolled; and how much work it takes.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;

/// Lines of so many rows each, which count how often one is wrapped.
struct Numbered {
    heights: Vec<usize>,
    wrapped: Cell<usize>,
}

impl Numbered {
    fn new(heights: Vec<usize>) -> Self {
        Self { heights, wrapped: Cell::new(0) }
    }

    fn all(&self) -> Vec<String> {
        let rows = (0..self.count()).flat_map(|line| self.rows(line, 0));
        rows.map(|row| row.to_string()).collect()
    }
}

impl Lines for Numbered {
    fn count(&self) -> usize {
        self.heights.len()
    }

    fn rows(&self, line: usize, _width: u16) -> Vec<Line<'static>> {
        self.wrapped.set(self.wrapped.get() + 1);
        (0..self.heights[line]).map(|row| Line::from(format!("{line}.{row}"))).collect()
    }
}

/// One line of so many letters, each of which is its number.
struct Letters(usize);

impl Lines for Letters {
    fn count(&self) -> usize {
        1
    }

    fn rows(&self, _line: usize, width: u16) -> Vec<Line<'static>> {
        (0..self.0).step_by(usize::from(width)).map(|first| Line::from(first.to_string())).collect()
    }
}

#[test]
fn at_another_width_the_same_text_of_a_long_line_stays_at_the_top() {
    let mut pager = Pager::new(false);
    let top = |pager: &mut Pager, width| {
        let rows = pager.window(&Letters(4_000), width, 10);
        rows[0].to_string().parse::<i64>().unwrap()
    };
    top(&mut pager, 40);
    pager.scroll(50);
    assert_eq!(top(&mut pager, 40), 2_000);
    for width in [80, 20, 40, 100, 40] {
        assert_eq!(top(&mut pager, width), 2_000, "{width}");
    }
}

fn show(pager: &mut Pager, lines: &Numbered, height: usize) -> Vec<String> {
    pager.window(lines, 80, height).iter().map(ToString::to_string).collect()
}

#[test]
fn the_end_is_followed_until_somebody_scrolls_and_again_from_the_end() {
    let mut pager = Pager::new(true);
    let mut lines = Numbered::new(vec![1; 5]);
    assert_eq!(show(&mut pager, &lines, 2), ["3.0", "4.0"]);
    lines.heights.push(2);
    assert_eq!(show(&mut pager, &lines, 2), ["5.0", "5.1"]);
    pager.scroll(-1);
    assert_eq!(show(&mut pager, &lines, 2), ["4.0", "5.0"]);
    lines.heights.push(1);
    assert_eq!(show(&mut pager, &lines, 2), ["4.0", "5.0"]);
    assert_eq!(pager.hidden(), (4, 1));
    pager.go_to_end();
    assert_eq!(show(&mut pager, &lines, 2), ["5.1", "6.0"]);
    pager.go_to_top();
    assert_eq!(show(&mut pager, &lines, 2), ["0.0", "1.0"]);
    pager.page(1);
    assert_eq!(show(&mut pager, &lines, 2), ["1.0", "2.0"]);
}

#[test]
fn a_row_is_brought_into_view_and_one_in_view_moves_nothing() {
    let mut pager = Pager::new(false);
    let lines = Numbered::new(vec![1; 50]);
    pager.show(Place { line: 5, row: 0 });
    assert_eq!(show(&mut pager, &lines, 6)[0], "0.0");
    pager.show(Place { line: 30, row: 0 });
    assert_eq!(show(&mut pager, &lines, 6)[2], "30.0");
    pager.show(Place { line: 49, row: 9 });
    assert_eq!(show(&mut pager, &lines, 6)[5], "49.0");
}

#[test]
fn a_hundred_thousand_lines_open_and_scroll_by_wrapping_what_is_in_view() {
    let lines = Numbered::new(vec![1; 100_000]);
    let height = 50;
    for follows in [true, false] {
        let mut pager = Pager::new(follows);
        let cost = |pager: &mut Pager, what: &str, most: usize| {
            lines.wrapped.set(0);
            assert_eq!(show(pager, &lines, height).len(), height);
            assert!(lines.wrapped.get() <= most, "{what}: {} lines wrapped", lines.wrapped.get());
        };
        cost(&mut pager, "opening", 3 * height);
        pager.page(-1);
        cost(&mut pager, "a page up", 4 * height);
        pager.page(1);
        cost(&mut pager, "a page down", 4 * height);
        pager.go_to_end();
        cost(&mut pager, "the end", 3 * height);
        pager.go_to_top();
        cost(&mut pager, "the beginning", 3 * height);
        pager.show(Place { line: 77_777, row: 0 });
        cost(&mut pager, "a jump", 5 * height);
    }
}

proptest! {
    #[test]
    fn any_scrolling_shows_a_window_of_all_rows(
        heights in prop::collection::vec(1_usize..5, 0..20),
        moves in prop::collection::vec((-30_i64..30, 0_usize..25), 0..20),
        height in 0_usize..12,
    ) {
        let lines = Numbered::new(heights);
        let all = lines.all();
        let mut pager = Pager::new(false);
        for (rows, wanted) in moves {
            if wanted < 20 { pager.scroll(rows) } else { pager.show(Place { line: wanted, row: 9 }) }
            let shown = show(&mut pager, &lines, height);
            prop_assert_eq!(shown.len(), height.min(all.len()));
            prop_assert!(shown.is_empty() || all.windows(shown.len()).any(|window| window == shown));
        }
    }
}
