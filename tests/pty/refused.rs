//! Places where there can be no full screen.

use crate::{
    program::{SMALL, folder},
    support::{Exit, Term},
};

/// What a shell shows that runs this with `$bin` as the program.
fn shell(script: &str) -> Term {
    let folder = folder(&[]);
    let bin = [("bin", env!("CARGO_BIN_EXE_mcc-tui"))];
    let mut term = Term::spawn("bash", SMALL, &["--norc", "-c", script], &bin, folder.path());
    assert_eq!(term.wait_exit(), Exit::Code(0));
    term
}

#[track_caller]
fn assert_refused(term: &Term) {
    let screen = term.screen();
    assert!(screen.contains("mcc-tui -p"), "names the way without a screen: {screen}");
    assert!(screen.contains("code 2"), "{screen}");
    assert!(!term.bytes().contains(&0x1b), "no escape sequence: {screen}");
}

#[test]
fn a_pipe_as_output_is_refused_with_the_way_out() {
    assert_refused(&shell("$bin | cat; echo code ${PIPESTATUS[0]}"));
    let term = shell("$bin >out 2>err; echo code $?; cat err; wc -c <out");
    assert_refused(&term);
    assert!(term.screen().lines().any(|line| line.trim() == "0"), "{}", term.screen());
}

#[test]
fn no_terminal_as_input_is_refused_with_the_way_out() {
    assert_refused(&shell("$bin </dev/null; echo code $?"));
}

#[test]
fn a_terminal_that_can_do_nothing_is_refused_with_the_way_out() {
    let term = shell("TERM=dumb $bin; echo code $?");
    assert_refused(&term);
    assert!(term.screen().contains("TERM=dumb"), "{}", term.screen());
}
