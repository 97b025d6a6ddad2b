//! Speed of the screen: what a frame costs in a short and a long session, an answer that streams,
//! a key under a flood of events, another width. Run by hand: `cargo bench --bench screen`.
//!
//! Compare ratios: a frame over 100,000 cells costs at most 1.1 of one over 100; an answer of
//! 1 MB in pieces of four characters, drawn 60 times a second, at most three times what it costs
//! at once.
#![allow(missing_docs, clippy::unwrap_used, reason = "benches are not an interface")]

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::{Bencher, counter::BytesCount};
use mcc_tui::{
    protocol::{about::About, event::StreamEvent, exit::ExitReason, id::TurnId},
    tui::stage::Stage,
};

/// Time between two frames.
const FRAME: Duration = Duration::from_micros(16_667);
/// Events that the loop takes in one go, and how long at most.
const DRAIN: usize = 2_048;
const DRAIN_TIME: Duration = Duration::from_millis(2);

fn main() {
    divan::main();
}

fn stage() -> Stage {
    let about = About {
        model: "a-model".into(),
        place: "localhost:11434".into(),
        scripted: false,
        context_window: Some(32_768),
    };
    let mut stage = Stage::new(about, (200, 50));
    stage.draw();
    stage
}

fn text(text: &str) -> StreamEvent {
    StreamEvent::TextDelta { text: text.into() }
}

fn begin(stage: &mut Stage, turn: u64) {
    stage.event(StreamEvent::TurnStarted { turn: TurnId(turn), prompt: "what is it?".into() });
    stage.event(StreamEvent::IterationStarted { iteration: 1, max: 20 });
}

fn end(stage: &mut Stage, turn: u64) {
    stage.event(StreamEvent::TurnEnded {
        turn: TurnId(turn),
        reason: ExitReason::EndTurn,
        iterations: 1,
        tools: 0,
        elapsed_ms: 1_000,
    });
}

/// A session of so many cells, three a turn, that goes on with an answer.
fn session(cells: u64) -> Stage {
    let mut stage = stage();
    for turn in 0..cells / 3 {
        begin(&mut stage, turn);
        stage.event(text("It is **this**, as `src/lib.rs` says.\n\n- one\n- two\n"));
        end(&mut stage, turn);
    }
    begin(&mut stage, cells);
    stage.draw();
    stage
}

/// 1 MB of headings, lists, tables and code.
fn answer() -> String {
    let block = "## Section\n\nSome **bold** text and `code` in a paragraph that is long enough \
                 to be wrapped.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                 ```rust\nfn step(x: usize) -> usize {\n    x + 1\n}\n```\n\n";
    block.repeat(1_000_000 / block.len())
}

/// A word comes, and a frame shows it.
#[divan::bench(args = [100, 100_000])]
fn frame_at_the_end(bencher: Bencher<'_, '_>, cells: u64) {
    let mut stage = session(cells);
    bencher.bench_local(|| {
        stage.event(text("word "));
        stage.draw();
    });
}

/// A block of an answer that has no end yet.
#[derive(Clone, Copy, Debug)]
enum Block {
    Paragraph,
    List,
    Table,
    Code,
}

impl Block {
    fn of(self, bytes: usize) -> String {
        let (head, line) = match self {
            Self::Paragraph => ("", "some words of a **paragraph** with `code`, "),
            Self::List => ("", "- an item of a list with some **words** in it\n"),
            Self::Table => ("| a | b |\n|---|---|\n", "| some | words of a cell |\n"),
            Self::Code => ("```rust\n", "    let step = |x: usize| x + 1; // one\n"),
        };
        head.to_owned() + &line.repeat(bytes / line.len())
    }
}

/// A word more of a block that is long already, and a frame shows it.
#[divan::bench(
    args = [Block::Paragraph, Block::List, Block::Table, Block::Code],
    consts = [10_000, 100_000, 1_000_000],
    max_time = 3,
)]
fn frame_of_one_block<const BYTES: usize>(bencher: Bencher<'_, '_>, block: Block) {
    let mut stage = stage();
    begin(&mut stage, 1);
    stage.event(text(&block.of(BYTES)));
    stage.draw();
    bencher.bench_local(|| {
        stage.event(text("word "));
        stage.draw();
    });
}

/// One page up and one down, far above the end.
#[divan::bench(args = [100, 100_000])]
fn frames_of_paging(bencher: Bencher<'_, '_>, cells: u64) {
    let mut stage = session(cells);
    let page = |code| KeyEvent::new(code, KeyModifiers::NONE);
    stage.key(page(KeyCode::PageUp));
    stage.draw();
    bencher.bench_local(|| {
        for code in [KeyCode::PageUp, KeyCode::PageDown] {
            stage.key(page(code));
            stage.draw();
        }
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn answer_at_once(bencher: Bencher<'_, '_>) {
    let answer = answer();
    bencher.counter(BytesCount::of_str(&answer)).bench_local(|| {
        let mut stage = stage();
        begin(&mut stage, 1);
        stage.event(text(&answer));
        stage.draw();
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn answer_in_pieces(bencher: Bencher<'_, '_>) {
    let answer = answer();
    let chars: Vec<char> = answer.chars().collect();
    let pieces: Vec<String> = chars.chunks(4).map(|piece| piece.iter().collect()).collect();
    bencher.counter(BytesCount::of_str(&answer)).bench_local(|| {
        let mut stage = stage();
        begin(&mut stage, 1);
        let mut drawn = Instant::now();
        for piece in &pieces {
            stage.event(text(piece));
            if drawn.elapsed() > FRAME {
                drawn = Instant::now();
                stage.draw();
            }
        }
        stage.draw();
    });
}

/// The longest that a key waits: as many events as are taken in one go come before it.
#[divan::bench]
fn key_to_frame_under_a_flood(bencher: Bencher<'_, '_>) {
    let mut stage = session(300);
    let key = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
    bencher.bench_local(|| {
        let began = Instant::now();
        for _ in 0..DRAIN {
            stage.event(text("word "));
            if began.elapsed() > DRAIN_TIME {
                break;
            }
        }
        stage.key(key);
        stage.draw();
    });
}

/// 100,000 lines of answers, at another width and back.
#[divan::bench(args = [1_000, 100_000])]
fn two_resizes(bencher: Bencher<'_, '_>, lines: usize) {
    let mut stage = stage();
    let turns = lines / 100;
    for turn in 0..turns as u64 {
        begin(&mut stage, turn);
        stage.event(text(
            &"a line of some words, long enough to be wrapped at times\n\n".repeat(50),
        ));
        end(&mut stage, turn);
    }
    stage.draw();
    bencher.bench_local(|| {
        for size in [(80, 24), (200, 50)] {
            stage.resize(size);
            stage.draw();
        }
    });
}
