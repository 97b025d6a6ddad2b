//! What was said is selected by keys, one thing after the other, and taken away or unfolded.

use crate::{
    find::{clipboard, wait_copied},
    program::{ENTER, ESC, LARGE, Launch, Program, SMALL, last_row},
    support::eventually,
};

const TAB: &str = "\t";
const LINES: usize = 40;

/// An answer with blocks, after a call, on a screen of this size.
fn answered(size: (u16, u16)) -> Program {
    let notes: String = (1..=LINES).map(|n| format!("note {n}\n")).collect::<Vec<_>>().concat();
    let files = [("notes.txt", notes.as_str())];
    let program = Launch { size, script: Some("blocks"), files: &files, ..Launch::default() };
    let program = program.start();
    program.say("how?");
    program.wait_end("end_turn");
    program
}

/// Presses a letter and waits until what is selected holds these words.
#[track_caller]
fn select(program: &Program, keys: &str, words: &str) {
    program.send(keys);
    let is_it = |screen: &str| {
        let of_item = |row: &&str| row.trim_start().starts_with(['▌', '▸']);
        screen.lines().filter(of_item).any(|row| row.contains(words))
    };
    program.wait_for(is_it, &format!("{words} selected by {keys:?}"));
}

#[test]
fn blocks_code_results_and_turns_are_copied_by_keys() {
    for size in [SMALL, LARGE] {
        let program = answered(size);
        select(&program, TAB, "notes.txt");
        select(&program, "G", "That is all.");
        program.press("y");
        wait_copied(&program, "That is **all**.");
        select(&program, "k", "g();");
        program.press("y");
        wait_copied(&program, "fn f() {\n    g();\n}\n");
        select(&program, "k", "make again");
        program.send("c");
        wait_copied(&program, "make\n");
        program.wait_for(|screen| last_row(screen).contains("code 1 of 2"), "which one it is");
        program.send("c");
        wait_copied(&program, "make again\n");
        program.send("Y");
        let turn = || {
            let last = clipboard(&program).pop().unwrap_or_default();
            ["how?", "read_file notes.txt", "note 40", "That is **all**.", "end_turn"]
                .iter()
                .all(|part| last.contains(part))
        };
        eventually(turn, "the whole turn in the clipboard");
        select(&program, "(", "notes.txt");
        program.press("y");
        let result = || clipboard(&program).last().is_some_and(|last| last.contains("note 40"));
        eventually(result, "the result in the clipboard");
        select(&program, "{", "› how?");
        program.send(ESC);
        let none = |screen: &str| !screen.lines().any(|row| row.trim_start().starts_with('▌'));
        program.wait_for(none, "nothing selected");
    }
}

#[test]
fn a_long_prompt_is_folded_once_sent_and_unfolds_alone() {
    let program = answered(LARGE);
    let prompt: String = (1..=60).map(|n| format!("row {n}\n")).collect::<Vec<_>>().concat();
    program.send(format!("\x1b[200~{prompt}end\x1b[201~"));
    program.wait_prompt("[pasted 61 lines]");
    program.send(ENTER);
    let folded = |screen: &str| {
        screen.contains("row 10") && !screen.contains("row 11") && screen.contains("51 more lines")
    };
    program.wait_end("end_turn");
    program.wait_for(folded, "the folded prompt");
    select(&program, TAB, "notes.txt");
    select(&program, "{", "row 1");
    program.send("l");
    program.wait_for(|screen| screen.contains("row 30"), "all of the prompt");
    program.send("h");
    program.wait_for(folded, "the folded prompt again");
}
