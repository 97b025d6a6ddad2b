//! What `whole` promises, tested.

use super::*;

fn gathered(chunks: &[&[u8]], mut gathering: Gathering) -> WholeText {
    for chunk in chunks {
        gathering.push(chunk);
    }
    gathering.finish(None, "/s/out/1.txt")
}

fn lines(whole: &WholeText) -> Vec<&str> {
    let line = |n| whole.piece(n).and_then(|piece| whole.text().get(piece.range())).unwrap();
    (0..whole.count()).map(line).collect()
}

#[test]
fn lines_are_found_and_bars_collapse_wherever_the_output_is_cut() {
    let all = "start\n\n 10%\r 55%\r100%\n\x1b[1mb\u{e9}ta\x1b[0m\r\nlast".as_bytes();
    for cut in 0..=all.len() {
        let (first, second) = all.split_at(cut);
        let whole = gathered(&[first, second], Gathering::new());
        assert_eq!(lines(&whole), ["start", "", "100%", "b\u{e9}ta", "last"], "cut at {cut}");
        assert_eq!((whole.notes(), whole.gap(), whole.is_short()), (&[][..], None, false));
    }
    assert_eq!(gathered(&[], Gathering::new()).count(), 0);
    assert_eq!(lines(&gathered(&[b"one\n"], Gathering::new())), ["one"]);
}

#[test]
fn a_long_line_is_one_in_pieces_that_go_on() {
    let long = "\u{20ac}".repeat(300_000);
    for size in [65_536, 65_537] {
        let mut chunks: Vec<&[u8]> = vec![b"a\n"];
        chunks.extend(long.as_bytes().chunks(size));
        chunks.push(b"\nz\n");
        let whole = gathered(&chunks, Gathering::new());
        assert_eq!(whole.text(), format!("a\n{long}\nz\n"), "no character is broken");
        // 4,095 bytes are 1,365 of the 300,000 characters: 220 pieces.
        assert_eq!(whole.count(), 222);
        let joined = (0..222).map(|n| whole.piece(n).unwrap().joined).collect::<Vec<_>>();
        assert!(!joined[0] && !joined[1] && joined[2..221].iter().all(|it| *it) && !joined[221]);
        assert_eq!(lines(&whole)[1..221].concat(), long);
    }
}

#[test]
fn an_endless_bar_stays_small() {
    let mut bar = Gathering::new();
    for n in 0..100_000 {
        bar.push(format!("\r{n:>5} of 100000").as_bytes());
        assert!(bar.open.len() <= LONG + 20);
    }
    assert_eq!(lines(&bar.finish(None, "")), ["99999 of 100000"]);
}

#[test]
fn of_too_much_the_middle_goes_and_is_counted_and_told() {
    let mut gathering = Gathering::bounded(64 << 10);
    let all: String = (0..100_000).fold(String::new(), |all, n| all + &format!("{n:09}\n"));
    for chunk in all.as_bytes().chunks(1_000) {
        gathering.push(chunk);
        assert!(gathering.text.len() + gathering.ends * WEIGHT <= 64 << 10);
    }
    let whole = gathering.finish(None, "/s/out/1.txt");
    let lines = lines(&whole);
    let gap = whole.gap().unwrap();
    assert_eq!(lines[0], "000000000");
    assert_eq!(lines[gap - 1], format!("{:09}", gap - 1), "all before is there");
    let after = lines.len() - gap - 1;
    assert_eq!(lines[gap + 1], format!("{:09}", 100_000 - after), "all after is there");
    assert_eq!(*lines.last().unwrap(), "000099999");
    // Each line is 10 bytes and weighs 4 more; an eighth of the bound is room.
    assert!(gap > 1_500 && after > 750, "{gap} {after}");
    let missing = 100_000 - gap - after;
    let told = format!(
        "{} lines, {} bytes are not shown here",
        grouped(missing as u64),
        grouped(missing as u64 * 10)
    );
    assert_eq!(lines[gap], format!("[... {told} ...]"));
    let note = format!("Of the middle {told}: it is too much. The file has them: /s/out/1.txt");
    assert_eq!(whole.notes(), [note]);
}

#[test]
fn what_is_held_never_takes_more_than_the_bound() {
    for line in ["\n", "x\n", "y"] {
        let chunk = line.repeat(CHUNK / line.len());
        let mut gathering = Gathering::new();
        let mut peak = 0;
        for _ in 0..(20 << 20) / CHUNK {
            gathering.push(chunk.as_bytes());
            peak = peak.max(gathering.text.capacity() + gathering.ends * WEIGHT);
        }
        let whole = gathering.finish(None, "");
        let held = whole.text.capacity() + whole.starts.capacity() * WEIGHT;
        assert!(peak.max(held) <= MOST, "{line:?}: {peak} {held}");
        assert!(held > MOST / 3, "{line:?}: {held}");
    }
}

/// Bytes that come at once.
const CHUNK: usize = 64 << 10;

#[test]
fn one_line_without_an_end_has_a_gap_too() {
    let mut gathering = Gathering::bounded(64 << 10);
    for _ in 0..80 {
        gathering.push("\u{e4}".repeat(16 << 10).as_bytes());
    }
    let whole = gathering.finish(None, "p");
    let lines = lines(&whole);
    let gap = whole.gap().unwrap();
    assert!(lines[gap].starts_with("[... 0 lines, "), "{}", lines[gap]);
    assert!(
        lines.iter().enumerate().all(|(n, line)| n == gap || line.chars().all(|c| c == '\u{e4}'))
    );
    let kept: usize = lines.iter().map(|line| line.len()).sum::<usize>() - lines[gap].len();
    let gone = grouped((80 * (32 << 10) - kept) as u64);
    assert!(lines[gap].contains(&format!("{gone} bytes")), "{} {gone}", lines[gap]);
}

#[test]
fn an_output_of_which_the_end_is_missing_says_why() {
    let mut gathering = Gathering::new();
    gathering.push(b"one\n");
    let whole = gathering.finish(Some("the disk was full".to_owned()), "p");
    assert!(whole.is_short());
    assert_eq!(whole.notes(), ["the disk was full"]);
}
