//! Answers in every form, in time and late, asked for and not.

use super::*;

fn asked() -> (Background, Instant) {
    let start = Instant::now();
    let mut background = Background::default();
    background.asked(start);
    (background, start)
}

#[test]
fn an_answer_is_awaited_until_it_came_but_not_for_long() {
    let (mut background, start) = asked();
    assert_eq!(Background::default().awaited(start), None, "nothing was asked");
    let until = background.awaited(start).unwrap();
    assert!(until > start && background.awaited(until).is_none());
    assert_eq!(background.answered("11;rgb:1010/1010/1010", start), Some(Ground::Dark));
    assert_eq!(background.awaited(start), None);
}

#[test]
fn an_answer_is_read_in_every_form() {
    for (answer, ground) in [
        ("11;rgb:ffff/ffff/ffff", Some(Ground::Light)),
        ("11;rgb:FDFD/F6F6/E3E3", Some(Ground::Light)),
        ("11;rgb:00/2b/36", Some(Ground::Dark)),
        ("11;rgba:0000/0000/0000/ffff", Some(Ground::Dark)),
        ("11;#ffffff", Some(Ground::Light)),
        ("11;#漢字漢字", None),
        ("11;what", None),
        ("11;", None),
        ("10;rgb:ffff/ffff/ffff", None),
    ] {
        let (mut background, start) = asked();
        assert_eq!(background.answered(answer, start), ground, "{answer:?}");
    }
}

#[test]
fn an_answer_that_comes_late_or_unasked_says_nothing() {
    let (mut background, start) = asked();
    assert_eq!(background.answered("11;rgb:0/0/0", start + LIMIT * 2), None);
    assert_eq!(Background::default().answered("11;rgb:0/0/0", start), None);
}
