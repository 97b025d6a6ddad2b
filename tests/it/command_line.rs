//! A command line that makes no sense, at the built binary.

use crate::support::program::{outcome, program};

#[tokio::test]
async fn a_wrong_command_line_reaches_the_terminal_as_plain_text() {
    let place = tempfile::tempdir().unwrap();
    let hostile = "\u{1b}]0;PWN\u{7}\u{9b}2J\u{202e}\u{2066}";
    let bad = format!("--bad{hostile}");
    let lines: [&[&str]; 7] = [
        &[&bad],
        &["--max-time", hostile],
        &["--max-cost", hostile],
        &["--max-iterations", hostile],
        &["--output-format", hostile],
        &["--tools", hostile],
        &["doctor", "--timeout", hostile],
    ];
    for line in lines {
        let run = outcome(program(place.path(), place.path()).args(line).spawn().unwrap()).await;
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{line:?}: {}", run.err);
        let is_plain = |c: char| c == '\n' || !(c.is_control() || "\u{202e}\u{2066}".contains(c));
        assert!(run.err.chars().all(is_plain), "{line:?}: {:?}", run.err);
        let seen = "<U+001B>]0;PWN<U+0007><U+009B>2J<U+202E><U+2066>";
        assert!(run.err.contains(seen), "{line:?}: {:?}", run.err);
    }
}
