//! What `seen` promises, tested.

use std::path::Path;

use proptest::prelude::*;

use super::{Fingerprint, Fingerprinter, Seen, Shown};

#[test]
fn only_the_content_that_was_noted_is_known() {
    let seen = Seen::default();
    let path = Path::new("/w/a");
    assert!(!seen.knows(path, b"one"));
    assert!(!seen.is_stale(path, b"one"), "a file never seen is not stale");
    seen.clone().note(path, b"one");
    assert!(seen.knows(path, b"one"), "clones share one memory");
    assert!(!seen.knows(path, b"two"));
    assert!(!seen.knows(Path::new("/w/b"), b"one"));
    assert!(seen.is_stale(path, b"two"));
    seen.note(path, b"two");
    assert!(seen.knows(path, b"one"), "an older content stays known");
    assert!(!seen.is_stale(path, b"two"));
}

#[test]
fn a_content_is_known_once_all_of_its_lines_were_shown() {
    let (seen, path) = (Seen::default(), Path::new("/w/a"));
    let show = |first, last| {
        seen.note_lines(path, Fingerprint::of(b"text"), Shown { first, last, of: 100 });
        (seen.knows(path, b"text"), seen.knows_in_part(path, b"text"))
    };
    assert_eq!(show(1, 2), (false, true));
    assert!(!seen.is_stale(path, b"text"));
    for (first, last) in [(50, 60), (90, 100), (3, 40), (61, 89)] {
        assert_eq!(show(first, last), (false, true), "{first}-{last}");
    }
    assert_eq!(show(41, 49), (true, false));
    assert_eq!(show(1, 1), (true, false), "what was seen stays seen");
    assert!(!seen.knows_in_part(path, b"other"));
}

#[test]
fn the_memory_of_one_file_is_bounded_and_forgets_the_oldest() {
    let seen = Seen::default();
    let path = Path::new("/w/a");
    for content in 0..=super::CONTENTS_A_FILE {
        seen.note(path, content.to_string().as_bytes());
    }
    assert!(!seen.knows(path, b"0"));
    assert!(seen.knows(path, b"1"));
}

proptest! {
    #[test]
    fn a_fingerprint_does_not_depend_on_how_the_content_was_cut(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
    ) {
        let mut fingerprinter = Fingerprinter::default();
        for piece in &pieces {
            fingerprinter.update(piece);
        }
        prop_assert_eq!(fingerprinter.finish(), Fingerprint::of(&pieces.concat()));
    }
}
