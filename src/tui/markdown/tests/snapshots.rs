//! How markdown looks at three widths, pinned.

use super::*;

const SAMPLE: &str = include_str!("sample.md");

fn picture(width: u16) -> String {
    let mut rows = show(SAMPLE, width);
    let ruler: String = std::iter::repeat_n('·', usize::from(width)).collect();
    rows.insert(0, ruler);
    rows.join("\n")
}

#[test]
fn a_sample_at_40_columns() {
    insta::assert_snapshot!(picture(40));
}

#[test]
fn a_sample_at_80_columns() {
    insta::assert_snapshot!(picture(80));
}

#[test]
fn a_sample_at_120_columns() {
    insta::assert_snapshot!(picture(120));
}
