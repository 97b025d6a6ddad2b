//! Tests of the terminal that the other tests look through, against programs that are known.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::Duration,
};

use rustix::process::Signal;

use crate::support::{Exit, Term, eventually, processes_with, wait_until_gone};

fn bash(script: &str) -> Term {
    Term::spawn("bash", (60, 12), &["--norc", "-c", script], &[], Path::new("/"))
}

#[test]
fn the_built_binary_runs_on_the_terminal() {
    let mut term = Term::start(80, 24, &["--version"], &[], Path::new("/"));
    assert_eq!(term.wait_exit(), Exit::Code(0));
}

#[test]
fn text_is_typed_and_seen() {
    let mut term = Term::spawn("cat", (40, 5), &[], &[], Path::new("/"));
    term.type_text("naïve 漢字");
    term.wait_for(|screen| screen.contains("naïve 漢字"), "the echo");
    assert_eq!(term.row(0), "naïve 漢字");
    assert_eq!(term.cursor(), Some((0, 10)), "wide characters take two columns");
    term.send("\r");
    term.wait_for(|screen| screen.matches("漢字").count() == 2, "the line again");
    term.send([4]);
    assert_eq!(term.wait_exit(), Exit::Code(0));
    assert_eq!(term.screen().lines().nth(1), Some("naïve 漢字"));
}

#[test]
fn every_question_gets_its_answer() {
    let term = bash(
        "stty -echo -icanon min 0 time 50
        ask() { printf \"$1\"; IFS= read -rs -d \"$2\" reply; printf '\\n%q.' \"$reply\"; }
        printf 'ab'; ask '\\e[6n' R; ask '\\e[c' c; ask '\\e[?u' u; ask '\\e[?2026$p' y
        ask '\\e]11;?\\e\\\\' '\\'; printf '\\nend'; read -t 30",
    );
    let screen = term.wait_for(|screen| screen.contains("end"), "the end");
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[1].contains("E[1;3'."), "{screen}");
    assert!(lines[2].contains("E[?62;22'."), "{screen}");
    assert!(lines[3].contains("E[?0'."), "{screen}");
    assert!(lines[4].contains("E[?2026;2$'."), "{screen}");
    assert!(lines[5].contains("E]11;rgb:1010/1010/1010"), "{screen}");
}

#[test]
fn raw_and_cooked_mode_are_told_apart() {
    let term = bash("stty raw -echo; printf raw; read -n1; stty sane; printf cooked; read -n1");
    term.wait_for(|screen| screen.contains("raw"), "raw mode");
    assert!(term.is_raw_mode());
    term.send("x");
    term.wait_for(|screen| screen.contains("cooked"), "cooked mode");
    assert!(!term.is_raw_mode());
}

#[test]
fn a_new_size_reaches_the_program_and_the_screen() {
    let term = bash("trap 'stty size' WINCH; printf ready; while :; do read -t 0.1; done");
    term.wait_for(|screen| screen.contains("ready"), "the start");
    term.resize(90, 20);
    term.wait_for(|screen| screen.contains("20 90"), "the new size");
    assert_eq!(term.screen().lines().count(), 20);
    assert_eq!(term.with_screen(|screen| screen.size().1.get()), 90);
}

#[test]
fn the_end_is_told_with_code_or_signal() {
    assert_eq!(bash("exit 7").wait_exit(), Exit::Code(7));
    assert_eq!(bash("kill -TERM $$").wait_exit(), Exit::Signal(15));
    let mut term = bash("printf ready; read");
    term.wait_for(|screen| screen.contains("ready"), "the start");
    term.kill(Signal::KILL);
    assert_eq!(term.wait_exit(), Exit::Signal(9));
    let mut term = bash("trap 'exit 3' INT; printf ready; while :; do read -t 0.1; done");
    term.wait_for(|screen| screen.contains("ready"), "the start");
    term.send([3]);
    assert_eq!(term.wait_exit(), Exit::Code(3));
}

#[test]
fn the_environment_is_clean() {
    let given = [("OPENAI_API_KEY", "given"), ("TERM", "dumb")];
    let mut term = Term::spawn("env", (200, 30), &[], &given, Path::new("/"));
    assert_eq!(term.wait_exit(), Exit::Code(0));
    let screen = term.screen();
    let has = |line: &str| screen.lines().any(|found| found == line);
    assert!(has("TERM=dumb") && has("LANG=C.UTF-8") && has("OPENAI_API_KEY=given"), "{screen}");
    assert!(has(&format!("HOME={}", term.home().display())), "{screen}");
    let own = "MCC_NO_DISCOVERY=1";
    assert!(has(own), "{screen}");
    for name in ["NO_COLOR=", "CARGO=", "COLORTERM=", "MCC_"] {
        let found = screen.lines().find(|line| line.starts_with(name) && *line != own);
        assert_eq!(found, None, "{screen}");
    }
}

#[test]
fn colours_modes_and_raw_output_can_be_read() {
    let mut term = bash("printf '\\e[?1049h\\e[?25l\\e[31mred'; read -t 30");
    term.wait_for(|screen| screen.contains("red"), "the word");
    assert!(term.with_screen(vt100::Screen::alternate_screen));
    assert_eq!(term.cursor(), None);
    let colour = term.with_screen(|screen| screen.cell(0, 0).unwrap().fgcolor());
    assert_eq!(colour, vt100::Color::Idx(1));
    assert!(term.bytes().windows(8).any(|window| window == b"\x1b[31mred"));
    term.send("\r");
    assert_eq!(term.wait_exit(), Exit::Code(0));
}

#[test]
fn silence_is_waited_for() {
    let term = bash("for i in 1 2 3 4 5; do printf $i; read -t 0.01; done; read -t 30");
    term.wait_for(|screen| screen.contains('1'), "the first");
    term.settle();
    term.wait_for(|screen| screen.contains("12345"), "all");
    term.settle();
    assert_eq!(term.row(0), "12345");
}

#[test]
fn a_frame_is_seen_whole_or_not_at_all() {
    let mut term = bash(
        "stty -echo; printf 'before\\e[?2026h'; printf '\\rhalf'; read -t 30
        printf ' and half\\e[?20'; printf '26l'; read -t 30; printf '\\e[?2026hcut off'",
    );
    term.wait_for(|screen| screen.contains("before"), "the beginning");
    let half = || term.bytes().ends_with(b"half");
    eventually(half, "half a frame");
    assert_eq!(term.row(0), "before");
    term.send("\r");
    term.wait_for(|screen| screen.contains("half and half"), "the whole frame");
    term.send("\r");
    assert_eq!(term.wait_exit(), Exit::Code(0));
    assert!(term.screen().contains("cut off"), "what nobody will end is shown");
}

#[test]
fn a_wait_in_vain_shows_the_screen() {
    let term = bash("printf 'what there is'; read -t 30");
    term.wait_for(|screen| screen.contains("is"), "the text");
    let short = Duration::from_millis(20);
    let wait = || term.wait_within(short, |screen| screen.contains("more"), "more");
    let panic = catch_unwind(AssertUnwindSafe(wait)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("waited for more") && message.contains("|what there is"), "{message}");
    let ended = bash("printf over");
    let wait = || ended.wait_for(|screen| screen.contains("more"), "more");
    let panic = catch_unwind(AssertUnwindSafe(wait)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("closed the terminal") && message.contains("|over"), "{message}");
}

#[test]
fn a_dropped_terminal_leaves_no_process() {
    let term = bash("sleep 600 & setsid sleep 600 & printf ready; wait");
    term.wait_for(|screen| screen.contains("ready"), "the start");
    let marker = term.marker().to_owned();
    assert!(processes_with(&marker).contains(&term.pid()));
    drop(term);
    wait_until_gone(&marker);
}
