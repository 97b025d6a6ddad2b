//! What `output` promises, tested.

use proptest::prelude::*;

use super::{MAX_CHARACTERS, cut_end, cut_middle};

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("{line:09}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn what_fits_stays_as_it_is() {
    let text = lines(3_000);
    assert_eq!(text.len(), MAX_CHARACTERS);
    assert_eq!(cut_end(&text, "x"), text);
    assert_eq!(cut_middle(&text, "x"), text);
}

#[test]
fn a_read_is_cut_at_the_end_after_a_whole_line() {
    let cut = cut_end(&lines(3_005), "read on with offset 3001");
    let expected = "000003000\n[... 5 lines, 50 bytes left out; read on with offset 3001 ...]";
    assert!(cut.ends_with(expected), "{cut}");
}

#[test]
fn a_command_is_cut_in_the_middle_between_whole_lines() {
    let cut = cut_middle(&lines(4_000), "run it again with a filter");
    assert!(cut.starts_with("000000001\n"));
    assert!(cut.ends_with("000004000\n"));
    // 1500 lines fill the first half exactly; the tail's first line is dropped as it may be cut.
    let marker = "000001500\n[... 1001 lines, 10010 bytes left out; run it again with a filter \
                  ...]\n000002502\n";
    assert!(cut.contains(marker), "{cut}");
}

proptest! {
    #[test]
    fn any_text_is_cut_to_about_the_size(text in "(\\PC|\n){0,50}", times in 1_usize..2_000) {
        let text = text.repeat(times);
        for cut in [cut_end(&text, "rest"), cut_middle(&text, "rest")] {
            prop_assert!(cut.chars().count() <= MAX_CHARACTERS + 200);
            prop_assert_eq!(cut == text, text.chars().count() <= MAX_CHARACTERS);
        }
    }
}
