//! What `capture` promises, tested.

use super::*;

fn capture(chunks: &[&[u8]]) -> Captured {
    let mut capture = Capture::default();
    for chunk in chunks {
        capture.push(chunk);
    }
    capture.finish()
}

#[test]
fn small_output_is_kept_whole_and_counted() {
    let captured = capture(&[b"one\ntw", b"o\nthree"]);
    assert_eq!(captured.head, "one\ntwo\nthree");
    assert_eq!(captured.tail, "");
    assert_eq!((captured.total_bytes, captured.total_lines), (13, 3));
    assert!(!captured.cut());
}

#[test]
fn no_output_has_no_lines() {
    assert_eq!(capture(&[]), Captured::default());
    assert_eq!(capture(&[b"\n"]).total_lines, 1);
}

#[test]
fn a_character_split_between_chunks_is_whole() {
    let euro = "€".as_bytes();
    assert_eq!(capture(&[&euro[..1], &euro[1..2], &euro[2..]]).head, "€");
}

#[test]
fn invalid_utf_8_is_replaced() {
    assert_eq!(capture(&[b"a\xffb\x00c"]).head, "a\u{FFFD}b\0c");
}

#[test]
fn exactly_as_much_as_is_kept_is_not_cut() {
    let all = vec![b'x'; HEAD + TAIL];
    let captured = capture(&[&all]);
    assert!(!captured.cut());
    assert_eq!(captured.head.len(), HEAD + TAIL);
}

#[test]
fn of_more_the_beginning_and_the_end_are_kept_and_the_rest_is_counted() {
    // 100,000 lines of 10 bytes: 32,768 + 229,376 of 1,000,000 bytes are kept.
    let mut capture = Capture::default();
    for number in 0..100_000 {
        capture.push(format!("{number:09}\n").as_bytes());
        assert!(capture.head.len() <= HEAD && capture.tail.len() <= TAIL);
    }
    let captured = capture.finish();
    assert!(captured.head.starts_with("000000000\n"));
    assert!(captured.tail.ends_with("000099999\n"));
    assert_eq!(captured.total_bytes, 1_000_000);
    assert_eq!(captured.total_lines, 100_000);
    assert_eq!(captured.left_out_bytes, 1_000_000 - 32_768 - 229_376);
    let kept = captured.head.matches('\n').count() + captured.tail.matches('\n').count();
    assert_eq!(captured.left_out_lines, 100_000 - kept as u64);
}

#[test]
fn one_endless_line_stays_bounded() {
    let mut capture = Capture::default();
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..200 {
        capture.push(&chunk);
        assert!(capture.tail.capacity() == TAIL);
    }
    let captured = capture.finish();
    assert_eq!(captured.total_bytes, 200 << 20);
    assert_eq!((captured.total_lines, captured.left_out_lines), (1, 0));
}

#[test]
fn a_cut_never_breaks_a_character() {
    // 3-byte characters from an odd start: both cuts fall inside one.
    for shift in 0..3 {
        let text = format!("{}{}", "x".repeat(shift), "€".repeat(200_000));
        let captured = capture(&[text.as_bytes()]);
        assert!(captured.cut());
        assert!(!captured.head.contains('\u{FFFD}') && !captured.tail.contains('\u{FFFD}'));
        let kept = (captured.head.len() + captured.tail.len()) as u64;
        assert_eq!(kept + captured.left_out_bytes, captured.total_bytes);
    }
}

#[test]
fn each_look_gives_what_is_new_and_no_character_is_torn() {
    let mut capture = Capture::default();
    let euro = "€".as_bytes();
    capture.push(b"one\ntwo ");
    capture.push(&euro[..2]);
    let first = capture.look();
    assert_eq!((first.head.as_str(), first.total_bytes, first.total_lines), ("one\ntwo ", 8, 2));
    assert_eq!(capture.look().head, "", "half a character is nothing yet");
    capture.push(&euro[2..]);
    capture.push(b"\n");
    let next = capture.look();
    assert_eq!((next.head.as_str(), next.total_bytes, next.total_lines), ("€\n", 4, 1));
    assert_eq!(capture.look(), Captured::default());
    capture.push(&vec![b'x'; 1 << 20]);
    assert_eq!(capture.look().left_out_bytes, (1 << 20) - 32_768 - 229_376);
    capture.push(&euro[..1]);
    assert_eq!(capture.finish().head, "\u{FFFD}", "at the end half a character is told");
}
