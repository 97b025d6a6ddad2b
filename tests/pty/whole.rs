//! An opened call shows all that its command printed, also what the model never got.

use std::{fs, path::PathBuf};

use crate::program::{ENTER, ESC, LARGE, Launch, Program, last_row};

const TAB: &str = "\t";
const END: &str = "\x1b[F";

/// A program whose command printed the numbers from 1 to 200,000.
fn counted() -> Program {
    let (script, args) = (Some("whole"), &["--yolo"][..]);
    let program = Launch { size: LARGE, script, args, ..Launch::default() }.start();
    program.say("go");
    program.wait_end("end_turn");
    program
}

fn open(program: &Program) {
    program.send(TAB);
    program.wait_for(|screen| last_row(screen).contains("Enter opens"), "the selected call");
    program.send(ENTER);
    program.wait_for(|screen| last_row(screen).contains("Esc closes"), "the open call");
}

/// The file with the output.
fn file(program: &Program) -> PathBuf {
    let out = program.home().join("state/mcc-tui/out");
    let folder = fs::read_dir(out).unwrap().next().unwrap().unwrap().path();
    folder.join("1.txt")
}

#[test]
fn a_line_that_the_model_never_got_is_found_in_the_whole_output() {
    let program = counted();
    open(&program);
    // 200,000 lines of 1,288,895 bytes, after `seq` and arithmetic
    let whole = |screen: &str| {
        screen.contains("Output, all of it") && screen.contains("of 1,288,895 bytes")
    };
    let screen = program.wait_for(whole, "the whole output");
    let hidden = screen.lines().find_map(|row| row.rsplit_once('↓')).unwrap().1;
    let hidden: u32 = hidden.trim_end().parse().unwrap();
    assert!((199_950..200_010).contains(&hidden), "{screen}");
    program.find("123456");
    program.wait_for(|screen| screen.contains("1 of 1"), "the hit");
    let around = |screen: &str| {
        ["123455", "123456", "123457"].iter().all(|line| screen.contains(&format!("\n {line}\n")))
    };
    program.wait_for(around, "the line among its own");
    program.send(ESC);
    program.wait_for(|screen| last_row(screen).contains("/ searches"), "the end of the search");
    program.send(END);
    let end = |screen: &str| screen.contains("\n 200000\n") && screen.contains("\n exit 0\n");
    program.wait_for(end, "the end, and how the command ended");
}

#[test]
fn without_its_file_the_cut_text_stays_and_says_so() {
    let program = counted();
    let file = file(&program);
    fs::remove_file(&file).unwrap();
    open(&program);
    let told = |screen: &str| {
        screen.contains("The whole output cannot be shown:") && screen.contains("it is gone")
    };
    let screen = program.wait_for(told, "why");
    assert!(screen.contains("Result, cut: the model got "), "{screen}");
    program.find("123456");
    program.wait_for(|screen| screen.contains("no hits in what is shown"), "no hit");
    program.send(ESC);
    program.wait_for(|screen| last_row(screen).contains("/ searches"), "the end of the search");
    program.send(ESC);
    // a pipe that nobody writes to must not be waited for
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &file,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    program.wait_for(|screen| last_row(screen).contains("Enter opens"), "the selected call");
    program.send(ENTER);
    program.wait_for(|screen| screen.contains("this is no regular file"), "why");
    program.send(ESC);
    program.wait_for(|screen| last_row(screen).contains("Enter opens"), "the selected call");
    program.send(ESC);
    program.wait_idle();
}
