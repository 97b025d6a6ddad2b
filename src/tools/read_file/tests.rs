//! What `read_file` promises, tested.

use std::fs::File;
use std::io::Write;

use encoding_rs::UTF_8;
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::scan::{Line, MAX_LINES, Wanted, scan};
use crate::tools::seen::Fingerprint;
use crate::tools::workspace::walk::Limits;

fn file(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file
}

fn unlimited() -> Limits {
    Limits::start(&CancellationToken::new())
}

fn all() -> Wanted {
    Wanted { first: 1, count: MAX_LINES }
}

#[test]
fn a_line_longer_than_a_chunk_is_cut_and_counted() {
    let content = format!("{}\nnext\n", "é".repeat(100_000));
    let scan = scan(&mut file(content.as_bytes()), UTF_8, all(), &unlimited());
    let page = scan.unwrap().page;
    assert_eq!(page[0], Line { text: "é".repeat(2_000), characters: 100_000 });
    assert_eq!(page[1], Line { text: "next".to_owned(), characters: 4 });
}

#[test]
fn a_line_of_just_the_limit_is_whole_with_either_line_end() {
    let text = "x".repeat(2_000);
    for content in [format!("{text}\n"), format!("{text}\r\n"), text.clone()] {
        let scan = scan(&mut file(content.as_bytes()), UTF_8, all(), &unlimited());
        assert_eq!(scan.unwrap().page, [Line { text: text.clone(), characters: 2_000 }]);
    }
}

#[test]
fn the_carriage_return_of_a_line_that_is_cut_is_not_counted() {
    for length in [2_001, 2_002] {
        let content = format!("{}\r\n", "x".repeat(length));
        let scan = scan(&mut file(content.as_bytes()), UTF_8, all(), &unlimited());
        let line = Line { text: "x".repeat(2_000), characters: length as u64 };
        assert_eq!(scan.unwrap().page, [line]);
    }
}

#[test]
fn a_page_ends_before_it_grows_beyond_its_bytes() {
    let content = format!("{}\n", "x".repeat(1_000)).repeat(200);
    let scan = scan(&mut file(content.as_bytes()), UTF_8, all(), &unlimited());
    let scan = scan.unwrap();
    // 50 KiB hold 50 lines of 1,000 bytes and their numbers.
    assert_eq!((scan.page.len(), scan.lines), (50, 200));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_agree_with_splitting_the_text(
        // Long repeats move line ends and wide characters across the borders of chunks.
        parts in prop::collection::vec(("[aé日]{0,3}", 0_usize..9_000, "\r\n|\n|\r|"), 0..12),
        first in 1_u64..15,
        count in 1_u64..8,
    ) {
        let text: String = parts
            .iter()
            .flat_map(|(word, times, end)| [word.repeat(*times), end.clone()])
            .collect();
        let wanted = Wanted { first, count };
        let scan = scan(&mut file(text.as_bytes()), UTF_8, wanted, &unlimited()).unwrap();
        let mut lines: Vec<&str> = text.split('\n').collect();
        let unfinished = lines.pop().filter(|line| !line.is_empty());
        let mut lines: Vec<&str> =
            lines.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        lines.extend(unfinished);
        prop_assert_eq!(scan.lines, lines.len() as u64);
        prop_assert_eq!(scan.bytes, text.len() as u64);
        prop_assert_eq!(scan.fingerprint, Fingerprint::of(text.as_bytes()));
        prop_assert_eq!(scan.crlf, text.matches("\r\n").count() as u64);
        prop_assert_eq!(scan.multibyte, text.chars().filter(|char| !char.is_ascii()).count() as u64);
        prop_assert_eq!(scan.malformed, 0);
        let expected: Vec<Line> = lines
            .iter()
            .skip(usize::try_from(first - 1).unwrap())
            .take(usize::try_from(count).unwrap())
            .map(|line| Line {
                text: line.chars().take(2_000).collect(),
                characters: line.chars().count() as u64,
            })
            .collect();
        prop_assert_eq!(scan.page, expected);
    }
}
