//! What `text` promises, tested.

use proptest::prelude::*;

use super::{Endings, binary_type, decode, encode};

#[test]
fn a_byte_order_mark_names_the_encoding() {
    for (bytes, name) in [
        (&b"\xEF\xBB\xBFa\n"[..], "UTF-8"),
        (&b"\xFF\xFEa\0\n\0"[..], "UTF-16LE"),
        (&b"\xFE\xFF\0a\0\n"[..], "UTF-16BE"),
    ] {
        assert_eq!(binary_type(bytes), None);
        let file = decode(bytes);
        assert_eq!((file.text.as_str(), file.encoding.name(), file.bom), ("a\n", name, true));
        assert!(file.round_trips(bytes));
    }
}

#[test]
fn legacy_text_is_decoded_and_goes_back_to_its_bytes() {
    let bytes = b"Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Gr\xFC\xDFe an alle M\xE4dchen\n";
    let file = decode(bytes);
    assert_eq!(file.text, "Grüße aus Köln, schöne Grüße an alle Mädchen\n");
    assert_eq!(file.encoding.name(), "windows-1252");
    assert!(file.round_trips(bytes));
    assert_eq!(encode("日本", file.encoding, false), None, "what cannot be encoded is not faked");
}

#[test]
fn a_broken_byte_in_utf8_text_is_replaced_and_not_offered_for_editing() {
    let bytes = "zwölf Boxkämpfer ".bytes().chain([0xFF]).chain(*b" x").collect::<Vec<u8>>();
    let file = decode(&bytes);
    assert_eq!(file.text, "zwölf Boxkämpfer \u{FFFD} x");
    assert!(file.lossy);
    assert!(!file.round_trips(&bytes));
}

#[test]
fn nul_bytes_and_many_control_characters_are_binary() {
    assert_eq!(binary_type(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("image/png"));
    assert_eq!(binary_type(b"ab\0cd"), Some("unknown type"));
    assert_eq!(binary_type(b"\x01\x02\x03a"), Some("unknown type"));
    assert_eq!(binary_type(b"\xFF\xFE\0\0a\0\0\0"), Some("UTF-32 text"));
    assert_eq!(binary_type(b"\x1b[31mred\x1b[0m\t\r\n"), None, "escapes are text");
    assert_eq!(binary_type(b""), None);
}

#[test]
fn endings_are_told_apart() {
    for (text, endings) in [
        ("a", Endings::None),
        ("a\nb\n", Endings::Lf),
        ("a\r\nb\r\n", Endings::CrLf),
        ("a\r\nb\n", Endings::Mixed),
        ("a\rb", Endings::None),
    ] {
        assert_eq!(Endings::of(text), endings, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_and_a_round_trip_means_the_same_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let file = decode(&bytes);
        if file.round_trips(&bytes) {
            prop_assert_eq!(encode(&file.text, file.encoding, file.bom), Some(bytes));
        }
    }

    #[test]
    fn any_text_without_a_mark_is_utf8_and_goes_back(text in "[^\u{FEFF}]{0,40}") {
        let file = decode(text.as_bytes());
        prop_assert_eq!(&file.text, &text);
        prop_assert!(file.round_trips(text.as_bytes()));
    }
}

#[test]
fn what_shows_nothing_is_made_visible() {
    use super::visible;
    assert_eq!(visible("a\tb – “c” 日"), "a\tb – “c” 日");
    assert_eq!(
        visible("a\u{1b}[31m\rb\u{202e}c\u{7f}\u{9b}"),
        "a\\u{1b}[31m\\rb\\u{202e}c\\u{7f}\\u{9b}"
    );
}
