//! In an opened call the mouse selects as it does in the transcript.

use crate::{
    find::{clipboard, drag, mouse, place, wait_copied},
    program::{ESC, LARGE, Launch, Program, SMALL, last_row},
    support::eventually,
};

const ALT_C: &str = "\x1bc";

/// A program whose call of a command that printed lines was opened by a click.
fn opened(size: (u16, u16)) -> Program {
    let (script, args) = (Some("lines"), &["--yolo"][..]);
    let program = Launch { size, script, args, ..Launch::default() }.start();
    program.say("go");
    program.wait_end("end_turn");
    let at = place(&program, "run_command");
    program.send(mouse(0, at, 'M'));
    program.send(mouse(0, at, 'm'));
    program.wait_for(|screen| last_row(screen).contains("Esc closes"), "the open call");
    program.wait_for(|screen| screen.contains("omega"), "its output");
    program
}

/// Row and column of these words of the output, which stand there in a row that begins with them.
fn line(program: &Program, words: &str) -> (usize, usize) {
    let screen = program.screen();
    let row = screen.lines().position(|row| row.trim_start().starts_with(words));
    let row = row.unwrap_or_else(|| panic!("{words} in\n{screen}"));
    let text = screen.lines().nth(row).unwrap();
    (row, text.chars().take_while(|c| *c == ' ').count())
}

#[test]
fn a_drag_over_lines_of_an_opened_call_copies_exactly_these() {
    for size in [SMALL, LARGE] {
        let program = opened(size);
        let (from, to) = (line(&program, "alpha"), line(&program, "gamma"));
        drag(&program, from, (to.0, to.1 + "gamma delta".len() - 1));
        wait_copied(&program, "alpha beta\n\tgamma delta");
        program.wait_for(|screen| screen.contains("copied 2 lines"), "what was done");
        program.with_screen(|screen| {
            let is_marked = |(row, column): (usize, usize)| {
                let cell = screen.cell(row.try_into().unwrap(), column.try_into().unwrap());
                cell.unwrap().inverse()
            };
            assert!(is_marked(from) && is_marked(to), "it is drawn as selected");
            assert!(!is_marked((from.0 - 1, from.1)) && !is_marked((to.0 + 2, to.1)));
        });
        // backwards, over an empty line and the rows of a long one
        let end = line(&program, "omega");
        drag(&program, (end.0, end.1 + 4), to);
        let numbers: Vec<_> = (1..=60).map(|n| n.to_string()).collect();
        let all = format!("gamma delta\n\nlong {} end\nomega", numbers.join(" "));
        wait_copied(&program, &all);
        program.resize(size.0 - 20, size.1);
        let rule = "─".repeat(usize::from(size.0) - 22);
        let is_drawn =
            |screen: &str| screen.lines().any(|row| row.trim() == rule) && screen.contains("omega");
        program.wait_for(is_drawn, "the output at another width");
        program.send(ALT_C);
        let again = || clipboard(&program).iter().filter(|text| **text == all).count() == 2;
        eventually(again, "the same text again");
        program.wait_for(|screen| last_row(screen).contains("Esc unselects"), "what Esc does");
        program.send(ESC);
        program.wait_for(|screen| last_row(screen).contains("Esc closes"), "nothing selected");
        program.send(ESC);
        program.wait_idle();
    }
}

#[test]
fn presses_in_an_opened_call_select_a_word_and_then_the_line_with_all_its_rows() {
    let program = opened(SMALL);
    let (row, column) = line(&program, "long 1 2");
    let at = (row, column + 1);
    // at once: presses far apart do not belong together
    program.send(format!("{}{}", mouse(0, at, 'M'), mouse(0, at, 'm')).repeat(3));
    let numbers: Vec<_> = (1..=60).map(|n| n.to_string()).collect();
    let line = format!("long {} end", numbers.join(" "));
    wait_copied(&program, &line);
    assert_eq!(clipboard(&program), ["long".to_owned(), line]);
}
