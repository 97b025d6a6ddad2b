//! Speed of reading calls that models write as text. Run by hand: `cargo bench --bench text`;
//! what grows with the square of a text's length shows between the two sizes.
#![allow(missing_docs, reason = "benches are not an interface")]

use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use mcc_tui::{
    protocol::tool::ToolSpec,
    provider::{
        FinishReason,
        text::{
            leaked::{Screen, recover},
            react::Reader,
        },
    },
};
use serde_json::json;

fn main() {
    divan::main();
}

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, parameters: &[&str]| {
        let of = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
        let properties: serde_json::Map<_, _> = parameters.iter().map(of).collect();
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({"properties": properties, "required": parameters}),
        }
    };
    vec![tool("read_file", &["path"]), tool("write_file", &["path", "content"])]
}

fn read_in_pieces(text: &str, bencher: Bencher<'_, '_>) {
    let tools = tools();
    let chars: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(4).map(|piece| piece.iter().collect()).collect();
    bencher.counter(BytesCount::of_str(text)).bench(|| {
        let mut reader = Reader::new(&tools);
        let shown: usize = pieces.iter().map(|piece| reader.push(piece).len()).sum();
        (shown, reader.finish(Some(&FinishReason::Stop)))
    });
}

/// Pieces of four characters, of an answer.
#[divan::bench(args = [10_000, 100_000])]
fn react_answer(bencher: Bencher<'_, '_>, size: usize) {
    let line = "Some text with **marks** and words.\n- a list\n";
    read_in_pieces(&format!("Thought: x\nAnswer: {}", line.repeat(size / line.len())), bencher);
}

/// The same of a call with a long body.
#[divan::bench(args = [10_000, 100_000])]
fn react_action(bencher: Bencher<'_, '_>, size: usize) {
    let body = "fn main() { let x = 1; }\n".repeat(size / 25);
    let text = format!("Thought: x\nAction: write_file('a.rs')\n```rust\n{body}```\n");
    read_in_pieces(&text, bencher);
}

/// One line with quotes that cannot be told apart.
#[divan::bench(args = [10_000, 100_000])]
fn react_one_line_of_quotes(bencher: Bencher<'_, '_>, size: usize) {
    read_in_pieces(&format!("Action: write_file('{}", "'a' b ".repeat(size / 6)), bencher);
}

#[divan::bench(args = [10_000, 100_000])]
fn leaked_prose(bencher: Bencher<'_, '_>, size: usize) {
    let (line, tools) = ("Some `code`, [links] and <b>.\n", tools());
    let text = line.repeat(size / line.len());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| recover(&text, Some(&FinishReason::Stop), &tools));
}

/// Marks of calls that begin none.
#[divan::bench(args = [10_000, 100_000])]
fn leaked_false_marks(bencher: Bencher<'_, '_>, size: usize) {
    let (text, tools) = ("<tool_call>{\"name\": ".repeat(size / 20), tools());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| recover(&text, Some(&FinishReason::Stop), &tools));
}

/// What may be shown of a reply that comes in pieces of four characters: time for each piece.
fn show_in_pieces(text: &str, bencher: Bencher<'_, '_>) {
    let tools = tools();
    let chars: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(4).map(|piece| piece.iter().collect()).collect();
    bencher.counter(ItemsCount::new(pieces.len())).counter(BytesCount::of_str(text)).bench(|| {
        let mut screen = Screen::new(&tools);
        let shown: usize = pieces.iter().map(|piece| screen.push(piece).len()).sum();
        (shown, screen.finish(Some(&FinishReason::Stop)))
    });
}

#[divan::bench(args = [10_000, 100_000])]
fn leaked_shown_prose(bencher: Bencher<'_, '_>, size: usize) {
    let line = "Some `code`, [links] and <b>.\n";
    show_in_pieces(&line.repeat(size / line.len()), bencher);
}

/// A call whose arguments are long: held back to its end.
#[divan::bench(args = [10_000, 100_000])]
fn leaked_shown_call(bencher: Bencher<'_, '_>, size: usize) {
    let body = "fn main() {}\\n".repeat(size / 14);
    let call =
        "<tool_call>{\"name\": \"write_file\", \"arguments\": {\"path\": \"a\", \"content\": \"";
    show_in_pieces(&format!("{call}{body}\"}}}}</tool_call>"), bencher);
}

/// One line that may be a piece of code to its end, with marks in it.
#[divan::bench(args = [10_000, 100_000])]
fn leaked_shown_open_code(bencher: Bencher<'_, '_>, size: usize) {
    show_in_pieces(&format!("`{}", "<b [c] ".repeat(size / 7)), bencher);
}
