//! What `live` promises, tested.

use super::*;

fn at(live: &Live, ms: u64) -> Instant {
    live.shown + Duration::from_millis(ms)
}

#[test]
fn a_piece_comes_at_most_every_34_ms() {
    let mut live = Live::new(Instant::now());
    live.push(b"one\n");
    let (early, late) = (at(&live, 33), at(&live, 34));
    assert_eq!(live.take(early), None);
    assert_eq!(live.take(late).as_deref(), Some("one\n"));
    live.push(b"two\n");
    assert_eq!(live.take(late), None);
    assert_eq!(live.due(), Some(at(&live, 34)));
}

#[test]
fn nothing_is_due_where_nothing_waits() {
    assert_eq!(Live::new(Instant::now()).due(), None);
}

#[test]
fn a_prompt_without_an_end_of_line_is_shown() {
    let mut live = Live::new(Instant::now());
    live.push(b"Continue? [y/N] ");
    let now = at(&live, 34);
    assert_eq!(live.take(now).as_deref(), Some("Continue? [y/N] "));
}

#[test]
fn a_character_is_never_split() {
    let mut live = Live::new(Instant::now());
    live.push(b"a\xE2\x82");
    let now = at(&live, 34);
    assert_eq!(live.take(now).as_deref(), Some("a"));
    live.push(b"\xAC");
    let now = at(&live, 34);
    assert_eq!(live.take(now).as_deref(), Some("€"));
}

#[test]
fn a_progress_bar_shows_its_state_once_a_second() {
    let mut live = Live::new(Instant::now());
    live.push(b"start\n10%\r20%");
    let now = at(&live, 34);
    assert_eq!(live.take(now).as_deref(), Some("start\n"));
    live.push(b"\r30%");
    let (early, late) = (at(&live, 999), at(&live, 1000));
    assert_eq!(live.take(early), None);
    assert_eq!(live.take(late).as_deref(), Some("\r30%"));
}

/// All pieces of these chunks, each of which comes after a pause, one after the other.
fn joined(chunks: &[&str]) -> String {
    let mut live = Live::new(Instant::now());
    let mut all = String::new();
    for chunk in chunks {
        live.push(chunk.as_bytes());
        let now = at(&live, 1_000);
        all.extend(live.take(now));
    }
    all.extend(live.finish());
    all
}

#[test]
fn the_states_of_a_bar_are_drawn_over_one_another_however_they_come() {
    let bars: [&[&str]; 4] = [
        &["10%", "\r20%", "\r30%\n"],
        &["10%\r", "20%\r", "30%\n"],
        &["10%\r20%", "\r25%\r", "30%\r\n"],
        &["10%\r", "30%\r", "\n"],
    ];
    for bar in bars {
        assert_eq!(settle(&joined(bar)), "30%\n", "{bar:?}");
    }
}

#[test]
fn what_goes_on_with_a_line_draws_nothing_over() {
    assert_eq!(joined(&["one ", "two\r\n", "three"]), "one two\nthree");
    assert_eq!(settle(&joined(&["one\r", "\ntwo\r\n"])), "one\ntwo\n");
}

#[test]
fn an_escape_sequence_is_not_shown_in_halves() {
    let mut live = Live::new(Instant::now());
    live.push(b"\x1b[3");
    let now = at(&live, 34);
    assert_eq!(live.take(now), None);
    live.push(b"1mred\x1b[0m\n");
    let now = at(&live, 34);
    assert_eq!(live.take(now).as_deref(), Some("red\n"));
}

#[test]
fn of_a_flood_the_end_is_shown_from_the_beginning_of_a_line() {
    let mut live = Live::new(Instant::now());
    for number in 0..100_000 {
        live.push(format!("{number:09}\n").as_bytes());
        assert!(live.waiting.len() <= PIECE);
    }
    let now = at(&live, 34);
    let piece = live.take(now).unwrap();
    assert!(piece.len() <= PIECE);
    assert!(piece.ends_with("000099999\n"));
    assert!(piece.lines().all(|line| line.len() == 9), "{piece}");
}

#[test]
fn the_end_shows_what_is_left_settled() {
    let mut live = Live::new(Instant::now());
    live.push(b"90%\r100%");
    assert_eq!(live.finish().as_deref(), Some("\r100%"));
    assert_eq!(Live::new(live.shown).finish(), None);
}
