//! Calls while they run: one is stopped and the other goes on, one is read while it prints, and
//! the turn is seen as time.

use std::fs::File;

use crate::program::{
    CTRL_C, CTRL_T, ENTER, ESC, LARGE, Launch, Program, SMALL, Size, is, is_busy, last_row,
};
use crate::support::{eventually, processes_with};

const TAB: &str = "\t";
const SHIFT_UP: &str = "\x1b[1;2A";

/// More than a checksum is made of within any test; nothing of it is written.
const ENDLESS: u64 = 1 << 40;

/// A program with two files of which reading does not end until they are made short.
fn side_by_side(size: Size) -> Program {
    let program = Launch { size, script: Some("side-by-side"), ..Launch::default() }.start();
    for name in ["one", "two"] {
        File::create(program.folder().join(name)).unwrap().set_len(ENDLESS).unwrap();
    }
    program.say("go");
    eventually(|| readers(&program) == 2, "two commands at the same time");
    // they read, so they began before the answer was complete
    program.wait_for(|screen| screen.contains("md5sum two"), "the calls");
    program
}

fn readers(program: &Program) -> usize {
    processes_with(program.marker()).into_iter().filter(|pid| is(*pid, "md5sum")).count()
}

/// The row of the selected call.
fn selected(screen: &str) -> Option<&str> {
    screen.lines().find(|row| row.starts_with(" ▸"))
}

#[track_caller]
fn wait_selected(program: &Program, subject: &str) {
    let is_it = |screen: &str| selected(screen).is_some_and(|row| row.contains(subject));
    program.wait_for(is_it, &format!("{subject} selected"));
}

fn shorten(program: &Program, name: &str) {
    File::options().write(true).open(program.folder().join(name)).unwrap().set_len(0).unwrap();
}

#[test]
fn one_of_two_commands_is_stopped_and_the_other_goes_on() {
    for enter in [TAB, SHIFT_UP] {
        let program = side_by_side(SMALL);
        program.send(enter);
        wait_selected(&program, "md5sum two");
        program.send("k");
        wait_selected(&program, "md5sum one");
        program.send("x");
        let stopped = |screen: &str| selected(screen).is_some_and(|row| row.contains('×'));
        let screen = program.wait_for(stopped, "the end of the one");
        assert!(is_busy(&screen), "{screen}");
        eventually(|| readers(&program) == 1, "the end of its process alone");
        shorten(&program, "two");
        let screen = program.wait_end("end_turn");
        assert!(screen.contains("One: cancelled. Two: ok."), "{screen}");
        program.send(ESC);
        program.wait_for(|screen| selected(screen).is_none(), "no call selected");
        program.wait_childless();
    }
}

#[test]
fn a_call_is_read_while_it_prints_and_stopped_from_there() {
    let program = Program::unasked("waits-for-a-file");
    program.say("go");
    program.wait_for(|screen| screen.contains("│ EARLY"), "the beginning of its output");
    program.send(TAB);
    wait_selected(&program, "echo EARLY");
    program.send(ENTER);
    let open = |screen: &str| last_row(screen).contains("Esc closes");
    let screen = program.wait_for(open, "the open call");
    assert!(!screen.contains("LATER-1\n"), "{screen}");
    program.write("more", "");
    // the end is followed
    let screen = program.wait_for(|screen| screen.contains("LATER-100"), "what is printed now");
    assert!(!screen.contains("EARLY\n"), "{screen}");
    program.find("later-7");
    program.wait_for(|screen| screen.contains("1 of 11"), "7 and 70 to 79");
    program.press(ENTER);
    program.press("n");
    let found = |screen: &str| screen.contains("2 of 11") && screen.contains("LATER-70");
    program.wait_for(found, "the next hit");
    program.send(ESC);
    program.wait_for(open, "the end of the search");
    program.send("x");
    program.wait_for(|screen| screen.contains("cancelled"), "the end of the call");
    program.send("q");
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("It ended."), "{screen}");
    program.wait_childless();
}

#[test]
fn the_turn_is_seen_as_time_while_it_runs_and_afterwards() {
    for size in [SMALL, LARGE] {
        let program = side_by_side(size);
        program.send(CTRL_T);
        let rows = |screen: &str| {
            let row = |words: &str| screen.lines().position(|row| row.contains(words));
            Some((row("iteration 1 · model")?, row("md5sum one")?, row("md5sum two")?))
        };
        let in_order = |screen: &str| {
            rows(screen).is_some_and(|(model, one, two)| model + 1 == one && one + 1 == two)
        };
        let runs = |screen: &str| screen.contains("the turn runs") && in_order(screen);
        program.wait_for(runs, "the time line");
        for name in ["one", "two"] {
            shorten(&program, name);
        }
        let over = |screen: &str| {
            screen.contains("the turn is over")
                && screen.contains("iteration 2 · model")
                && !is_busy(screen)
        };
        let screen = program.wait_for(over, "the end of the turn");
        let (_, one, _) = rows(&screen).unwrap();
        let row = screen.lines().nth(one).unwrap();
        assert!(row.contains('✓') && row.contains('━') && row.ends_with('s'), "{screen}");
        program.send(CTRL_T);
        program.wait_for(|screen| screen.contains("■ end_turn"), "the transcript again");
    }
}

#[test]
fn forty_columns_hold_names_and_times() {
    let program = side_by_side((40, 10));
    for name in ["one", "two"] {
        shorten(&program, name);
    }
    program.wait_for(|screen| screen.contains("■ end_turn"), "the end");
    program.send(CTRL_T);
    let shown = |screen: &str| screen.contains("iteration 1 · model") && screen.contains("md5sum");
    let screen = program.wait_for(shown, "the time line");
    assert!(!screen.contains("━"), "{screen}");
    program.send("\x1b[F");
    program.wait_for(|screen| screen.contains("iteration 2 · model"), "its end");
    program.send(ESC);
    program.wait_idle();
    program.send(TAB);
    program.wait_for(|screen| selected(screen).is_some(), "a selected call");
    program.send(ENTER);
    program
        .wait_for(|screen| screen.contains("Result") || screen.contains("Arguments"), "the call");
}

#[test]
fn a_click_opens_a_call_and_ctrl_f_searches_it_where_x_is_a_letter() {
    let program = side_by_side(SMALL);
    let screen = program.screen();
    let row = screen.lines().position(|row| row.contains("md5sum two")).unwrap() + 1;
    program.send(format!("\x1b[<0;20;{row}M\x1b[<0;20;{row}m"));
    let open =
        |screen: &str| screen.contains("\"md5sum two\"") && last_row(screen).contains("Esc closes");
    program.wait_for(open, "the open call");
    program.send("\x06");
    program.wait_for(|screen| last_row(screen).contains("Enter searches"), "the search");
    program.send("x");
    program.send(ESC);
    program.wait_for(open, "the open call again");
    assert!(last_row(&program.screen()).contains("x stops it"), "{}", program.screen());
    program.send(ESC);
    program.wait_for(|screen| selected(screen).is_none() && !open(screen), "the prompt");
    program.send(ESC);
    program.wait_end("abort");
    program.wait_childless();
}

#[test]
fn ctrl_c_closes_the_time_line_after_the_turn_and_then_leaves_the_program() {
    let mut program = side_by_side(SMALL);
    program.send(CTRL_T);
    program.wait_for(|screen| screen.contains("the turn runs"), "the time line");
    for name in ["one", "two"] {
        shorten(&program, name);
    }
    program.wait_for(|screen| screen.contains("the turn is over"), "the end of the turn");
    program.send(CTRL_C);
    program.wait_end("end_turn");
    program.wait_idle();
    program.send(CTRL_C);
    program.wait_for(|screen| last_row(screen).contains("Ctrl-C again quits"), "the hint");
    program.send(CTRL_C);
    program.wait_exit();
}

#[test]
fn a_command_that_runs_while_the_answer_streams_shows_its_tail_and_is_stopped() {
    let files = [("notes.txt", "first note\nsecond note\n")];
    let args = ["--yolo"];
    let launch = Launch { files: &files, script: Some("early"), args: &args, ..Launch::default() };
    let program = launch.start();
    File::create(program.folder().join("one")).unwrap().set_len(ENDLESS).unwrap();
    program.say("go");
    let is_written = |row: &str| row.contains("write_file") && row.contains("is being written");
    let written = |screen: &str| screen.lines().any(is_written);
    let tail = |screen: &str| written(screen) && screen.contains("│ second note");
    let screen = program.wait_for(tail, "the tail of the command while the answer streams");
    let row = screen.lines().find(|row| row.contains("run_command")).unwrap();
    assert!(row.contains("cat notes.txt && md5sum one") && row.ends_with(" s"), "{screen}");
    program.send(CTRL_T);
    let bar = |screen: &str| {
        let row = screen.lines().find(|row| row.contains("run_command"));
        screen.contains("the turn runs") && row.is_some_and(|row| row.contains('━'))
    };
    program.wait_for(bar, "its bar");
    program.send(CTRL_T);
    program.wait_for(written, "the transcript again");
    program.send(TAB);
    wait_selected(&program, "write_file");
    program.send("k");
    wait_selected(&program, "notes.txt");
    program.send("k");
    wait_selected(&program, "md5sum one");
    program.send("x");
    let stopped = |screen: &str| selected(screen).is_some_and(|row| row.contains('×'));
    let screen = program.wait_for(stopped, "the end of the command");
    assert!(written(&screen), "the answer streams still: {screen}");
    eventually(|| readers(&program) == 0, "the end of its process");
    assert_eq!(program.file("summary.md"), None);
    let screen = program.wait_end("end_turn");
    assert!(screen.contains("Command: cancelled. Read: ok. Write: ok."), "{screen}");
    assert!(program.file("summary.md").is_some_and(|text| text.contains("long: 219.")));
    program.wait_childless();
}
