//! The numbers of the cases stand in their comments: what was sent, and why the count proves
//! something or nothing.

use proptest::prelude::*;

use super::*;

fn load(guess: u64, floor: u64) -> Load {
    Load { guess, floor }
}

fn first(guess: u64, floor: u64) -> Sent {
    Sent { load: load(guess, floor), ..Sent::default() }
}

/// A request of which these parts are new after one that was counted as `prompt`.
fn then(before: (u64, u64), prompt: u64, new: (u64, u64)) -> Sent {
    let before = Before { load: load(before.0, before.1), prompt, is_cut: false };
    let load = load(before.load.guess + new.0, before.load.floor + new.1);
    Sent { load, before: Some(before), counting: Counting::Unknown }
}

fn counts_all(sent: Sent) -> Sent {
    Sent { counting: Counting::All, ..sent }
}

const UNKNOWN: Room = Room { window: None, is_told: false };

fn told(window: u64) -> Room {
    Room { window: Some(window), is_told: true }
}

fn assumed(window: u64) -> Room {
    Room { window: Some(window), is_told: false }
}

#[track_caller]
fn check(sent: Sent, prompt: u64, room: Room, is_cut: bool) {
    assert_eq!(sent.is_cut(prompt, room), is_cut, "{prompt} of {sent:?} in {room:?}");
}

#[test]
fn a_request_that_the_told_window_cannot_hold_was_cut() {
    // At least 6,000 tokens into 4,096, and 4,090 were read.
    check(first(9_800, 6_000), 4_090, told(4_096), true);
    // 3,974 before, of which 15/16 are 3,726, and at least 6,000 new: 9,726 into 4,096. Half a
    // window and a little is what Ollama keeps of a single long message.
    check(then((4_000, 2_400), 3_974, (9_000, 6_000)), 2_051, told(4_096), true);
    // 3,900 before, of which 15/16 are 3,657, and at least 500 new: 4,157 into 4,096.
    check(then((3_000, 2_000), 3_900, (900, 500)), 2_600, told(4_096), true);
    // The same, where 438 are new: 4,095 may fit.
    check(then((3_000, 2_000), 3_900, (800, 438)), 2_600, told(4_096), false);
}

#[test]
fn a_count_above_the_window_shows_that_the_window_is_larger() {
    check(first(9_800, 6_000), 7_000, told(4_096), false);
    check(first(5_000, 2_000), 10_000, told(8_192), false);
}

#[test]
fn a_window_that_nobody_told_proves_nothing_by_itself() {
    for room in [UNKNOWN, assumed(8_192), assumed(4_096)] {
        check(first(20_000, 12_000), 4_090, room, false);
        check(first(20_000, 12_000), 30, room, false);
    }
}

#[test]
fn a_count_below_what_is_new_is_proof_whatever_the_window() {
    let sent = then((4_000, 2_400), 3_974, (9_000, 6_000));
    // 7/8 of 6,000 are 5,250
    for room in [UNKNOWN, assumed(131_072), assumed(8_192)] {
        check(sent, 2_051, room, true);
        check(sent, 5_249, room, true);
        check(sent, 5_250, room, false);
        // so few may be all that was not cached by an earlier run of the same
        check(sent, 511, room, false);
    }
    // at most 3,974 + 2 × 9,000 + 256 = 22,230: they fit, so the count means something else
    check(sent, 2_051, told(22_230), false);
}

#[test]
fn a_count_that_falls_is_proof_of_a_server_that_counts_all() {
    // Just too much for 4,096: between 3,657 + 180 and 3,900 + 600 + 256 = 4,756.
    let sent = then((3_000, 2_000), 3_900, (300, 180));
    // 3,837 are at least sent, 7/8 of them are 3,358, and 64 may be missing.
    check(counts_all(sent), 2_500, told(4_096), true);
    check(counts_all(sent), 3_293, told(4_096), true);
    check(counts_all(sent), 3_294, told(4_096), false);
    check(sent, 2_500, told(4_096), false);
    // 2 × 300 + 256 = 856 may be what was not cached
    check(counts_all(sent), 856, told(4_096), false);
    check(counts_all(sent), 857, told(4_096), true);
    // it fits
    check(counts_all(sent), 2_500, told(4_756), false);
    check(counts_all(sent), 2_500, told(4_755), true);
    // nobody knows the window, but the server counted all before
    check(counts_all(sent), 2_500, UNKNOWN, true);
}

#[test]
fn a_server_that_counts_only_what_was_not_cached_is_left_alone() {
    let small = then((3_000, 2_000), 3_900, (300, 180));
    let large = then((4_000, 2_400), 3_974, (9_000, 6_000));
    for room in [UNKNOWN, assumed(8_192), told(131_072), told(32_768)] {
        check(small, 310, room, false);
        check(large, 8_000, room, false);
        check(large, 12_000, room, false);
    }
}

#[test]
fn estimates_that_are_twice_what_is_sent_raise_no_alarm() {
    // 20,000 are guessed, 10,000 sent and counted
    check(first(20_000, 4_000), 10_000, told(16_384), false);
    check(then((10_000, 2_000), 5_000, (10_000, 2_000)), 10_000, told(16_384), false);
    check(counts_all(then((10_000, 2_000), 5_000, (10_000, 2_000))), 10_000, UNKNOWN, false);
}

#[test]
fn a_count_that_was_cut_is_no_measure_for_the_next() {
    let mut sent = then((9_000, 6_000), 2_051, (300, 180));
    // 2,051 and an eighth cannot be 6,000
    assert_eq!(sent.least(), 6_180);
    if let Some(before) = &mut sent.before {
        (before.prompt, before.is_cut) = (6_500, true);
    }
    assert_eq!(sent.least(), 6_180);
}

#[test]
fn what_a_server_counts_is_seen_from_how_its_counts_grow() {
    let sent = then((3_000, 2_000), 3_900, (300, 160));
    // 3,900 + 7/8 of 160 = 4,040
    assert_eq!(sent.counting_after(4_040, 0, false), Counting::All);
    assert_eq!(sent.counting_after(4_039, 0, false), Counting::Unknown);
    assert_eq!(sent.counting_after(310, 0, false), Counting::Rest);
    assert_eq!(sent.counting_after(2_051, 0, true), Counting::Unknown);
    // who tells what was cached has counted it
    assert_eq!(first(10, 5).counting_after(2_000, 1_900, false), Counting::All);
    let known = Sent { counting: Counting::Rest, ..sent };
    assert_eq!(known.counting_after(4_040, 0, false), Counting::Rest);
}

#[test]
fn it_is_known_before_sending_when_a_request_surely_does_not_fit() {
    let window = 4_096;
    for (sent, is_too_much) in [
        // by a guess of half as much again, 6,144, or by what is there at least
        (first(6_144, 3_000), false),
        (first(6_145, 3_000), true),
        (first(5_000, 4_096), false),
        (first(5_000, 4_097), true),
        // by a measure of 3,900 for 3,000 guessed: 500 more are 650, 600 more are 780, and the
        // margin is an eighth, 4,608
        (then((3_000, 2_000), 3_900, (500, 100)), false),
        (then((3_000, 2_000), 3_900, (600, 100)), true),
    ] {
        assert_eq!(sent.is_too_much(told(window)), is_too_much, "{sent:?}");
        assert_eq!(sent.is_too_much(assumed(window)), is_too_much, "{sent:?}");
        assert!(!sent.is_too_much(UNKNOWN));
    }
}

#[test]
fn the_size_that_is_shown_follows_what_was_counted() {
    assert_eq!(first(9_800, 6_000).likely(), 9_800);
    assert_eq!(first(9_800, 10_000).likely(), 10_000);
    // 3,900 for 3,000 guessed, so 600 guessed are 780
    assert_eq!(then((3_000, 2_000), 3_900, (600, 100)).likely(), 4_680);
    // no measure is off by more than a factor of two
    assert_eq!(then((1_000, 500), 9_000, (100, 50)).likely(), 9_200);
    // whatever a server claims
    let huge = then((3_000, 2_000), u64::MAX, (600, 100));
    assert_eq!(huge.likely(), u64::MAX);
    check(huge, u64::MAX, told(4_096), false);
}

/// One request more: what is guessed of it, what it is at least and what it is.
fn piece() -> impl Strategy<Value = (u64, u64, u64)> {
    (20_u64..20_000).prop_flat_map(|guess| {
        (guess / 2..=guess * 2).prop_flat_map(move |real| (Just(guess), 0..=real, Just(real)))
    })
}

/// How an honest server counts.
#[derive(Clone, Copy, Debug)]
enum Honest {
    All,
    /// Only what was not cached; the cache is lost at times.
    Rest,
}

proptest! {
    #[test]
    fn a_server_that_reads_everything_is_never_found_to_have_cut(
        pieces in proptest::collection::vec((piece(), any::<bool>()), 1..12),
        tools in 0_u64..2_000,
        honest in prop_oneof![Just(Honest::All), Just(Honest::Rest)],
        room in prop_oneof![Just(None), (0_u64..20_000).prop_map(Some)],
        wrong in 256_u64..100_000,
    ) {
        let total = tools + pieces.iter().map(|((_, _, real), _)| real).sum::<u64>();
        let rooms = match room {
            Some(free) => [told(total + free), UNKNOWN],
            None => [assumed(wrong), UNKNOWN],
        };
        for room in rooms {
            let mut sent = first(tools, 0);
            let mut read = tools;
            for ((guess, floor, real), is_cold) in &pieces {
                sent.load = load(sent.load.guess + guess, sent.load.floor + floor);
                read += real;
                let is_first = sent.before.is_none();
                let prompt = match honest {
                    Honest::Rest if !is_first && !is_cold => *real,
                    _ => read,
                };
                prop_assert!(!sent.is_cut(prompt, room), "{prompt} of {sent:?} in {room:?}");
                sent.counting = sent.counting_after(prompt, 0, false);
                sent.before = Some(Before { load: sent.load, prompt, is_cut: false });
            }
        }
    }
}
