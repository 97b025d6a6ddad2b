//! Links of an answer, where the terminal has them and where it does not.

use crate::program::{CTRL_D, LARGE, Launch, Program, count, has};

const BEGIN: &[u8] = b"\x1b]8;id=1;https://a.example/x;y\x1b\\";
const END: &[u8] = b"\x1b]8;;\x1b\\";
/// Only links begin with it.
const ANY: &[u8] = b"\x1b]8;";

/// Names and values, or names and contents.
type Pairs<'a> = &'a [(&'a str, &'a str)];

fn told(env: Pairs<'_>, files: Pairs<'_>) -> (Program, String) {
    let launch = Launch { size: LARGE, script: Some("links"), env, files, ..Launch::default() };
    let program = launch.start();
    program.say("go");
    program.wait_end("end_turn");
    let screen = program.wait_for(|screen| screen.contains("that is all"), "the answer");
    program.settle();
    (program, screen)
}

#[test]
fn a_terminal_with_links_gets_them_and_shows_what_a_text_hides() {
    let (mut program, screen) = told(&[("TERM_PROGRAM", "WezTerm")], &[]);
    let words = "Read the guide, then good.example (https://evil.example/) and notes (notes.md), \
                 that is all.";
    assert!(screen.contains(words), "{screen}");
    let bytes = program.bytes();
    assert!(has(&bytes, BEGIN) && has(&bytes, b";https://evil.example/\x1b\\"));
    assert_eq!(count(&bytes, ANY), 2 * count(&bytes, END), "every link has an end");
    assert!(!has(&bytes, b"\x1b[58"), "no number is printed as a colour");
    program.send(CTRL_D);
    program.wait_exit();
    let bytes = program.bytes();
    let last = bytes.windows(ANY.len()).rposition(|part| part == ANY).unwrap();
    assert!(bytes[last..].starts_with(END), "none is open when the terminal is given back");
    let left = bytes.windows(8).rposition(|part| part == b"\x1b[?1049l").unwrap();
    assert!(last < left);
    // What stays behind is the source.
    assert!(has(&bytes[left..], b"[the guide](https://a.example/x;y)"));
}

#[test]
fn a_terminal_without_links_gets_the_targets_in_brackets() {
    let words = "Read the guide (https://a.example/x;y), then good.example (https://evil.example/) \
                 and notes (notes.md), that is all.";
    let off = [(".mcc-tui/config.toml", "[ui]\nlinks = \"off\"\n")];
    let tmux = [("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/tmux-0/default,1,0")];
    let cases: [(Pairs<'_>, Pairs<'_>); 3] =
        [(&[], &[]), (&tmux, &[]), (&[("TERM_PROGRAM", "WezTerm")], &off)];
    for (env, files) in cases {
        let (program, screen) = told(env, files);
        assert!(screen.contains(words), "{env:?}: {screen}");
        assert!(!has(&program.bytes(), ANY), "{env:?}");
    }
}

#[test]
fn links_can_be_asked_for_where_the_terminal_is_not_known() {
    let on = [(".mcc-tui/config.toml", "[ui]\nlinks = \"on\"\n")];
    let (program, screen) = told(&[], &on);
    assert!(screen.contains("Read the guide, then"), "{screen}");
    assert!(has(&program.bytes(), BEGIN));
}
