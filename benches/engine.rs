//! Speed of what runs for every piece of a stream. Run by hand: `cargo bench`; compare ratios,
//! not absolute figures.
#![allow(missing_docs, clippy::expect_used, reason = "benches are not an interface")]

use divan::{Bencher, counter::BytesCount, counter::ItemsCount};
use mcc_tui::{
    agent::plan::{Planned, plan},
    link::link,
    protocol::{
        access::{Access, Resource},
        event::StreamEvent,
        id::CallId,
        scheduler::Scheduler,
    },
    provider::{Delta, accumulate::Accumulator},
    text::sanitize::{sanitize, settle},
    tui::{highlight::Highlighter, markdown::Markdown, theme::Theme},
};

fn main() {
    divan::main();
}

/// About 64 kB of headings, lists, tables and code.
fn answer() -> String {
    let block = "## Section\n\nSome **bold** text and `code` in a paragraph that is long enough \
                 to be wrapped.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                 ```rust\nfn step(x: usize) -> usize {\n    x + 1\n}\n```\n\n";
    block.repeat(300)
}

/// Pieces of so many characters.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size).map(|piece| piece.iter().collect()).collect()
}

#[divan::bench]
fn sanitize_plain_text(bencher: Bencher<'_, '_>) {
    let text = answer();
    bencher.counter(BytesCount::of_str(&text)).bench(|| sanitize(&text).len());
}

#[divan::bench]
fn settle_a_progress_bar(bencher: Bencher<'_, '_>) {
    let text = "\x1b[32m50%\x1b[0m\r".repeat(2_000);
    bencher.counter(BytesCount::of_str(&text)).bench(|| settle(&text).len());
}

#[divan::bench]
fn markdown_at_once(bencher: Bencher<'_, '_>) {
    let (text, theme, plain) = (answer(), Theme::plain(), Highlighter::off());
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut markdown = Markdown::new();
        markdown.push(&text);
        markdown.finish();
        markdown.lines(100, &theme, &plain).len()
    });
}

/// A frame after every 4, 40 or 400 characters.
#[divan::bench(args = [4, 40, 400])]
fn markdown_as_it_streams(bencher: Bencher<'_, '_>, size: usize) {
    let (text, theme, plain) = (answer(), Theme::plain(), Highlighter::off());
    let pieces = pieces(&text, size);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut markdown = Markdown::new();
        let mut lines = 0;
        for piece in &pieces {
            markdown.push(piece);
            lines += markdown.lines(100, &theme, &plain).len();
        }
        lines
    });
}

#[divan::bench]
fn accumulate_a_text_of_20_000_pieces(bencher: Bencher<'_, '_>) {
    let deltas: Vec<_> = (0..20_000).map(|_| Delta::Text("four".to_owned())).collect();
    bencher.counter(ItemsCount::new(deltas.len())).bench(|| {
        let mut whole = Accumulator::new();
        for delta in &deltas {
            whole.push(delta).expect("within bounds");
        }
        whole.finish().text.len()
    });
}

#[divan::bench]
fn send_100_000_pieces_over_the_link(bencher: Bencher<'_, '_>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    bencher.counter(ItemsCount::new(100_000_usize)).bench(|| {
        runtime.block_on(async {
            let (mut front, agent) = link();
            let events = agent.events();
            tokio::spawn(async move {
                for _ in 0..100_000 {
                    let text = "four".to_owned();
                    let _gone = events.send(StreamEvent::TextDelta { text }).await.is_err();
                }
                drop(agent);
            });
            let mut bytes = 0;
            while let Some(event) = front.next().await {
                if let StreamEvent::TextDelta { text } = event {
                    bytes += text.len();
                }
            }
            assert_eq!(bytes, 400_000);
        });
    });
}

#[divan::bench]
fn plan_128_calls(bencher: Bencher<'_, '_>) {
    let file = |n: usize| Resource::File(format!("/project/src/file_{}.rs", n % 40).into());
    let call = |n: usize| Planned {
        id: CallId(format!("call_{n}")),
        access: if n.is_multiple_of(3) { Access::write(file(n)) } else { Access::read(file(n)) },
        shared: None,
    };
    let calls: Vec<_> = (0..128).map(call).collect();
    bencher.bench(|| plan(&calls, Scheduler::Effects).after.len());
}
