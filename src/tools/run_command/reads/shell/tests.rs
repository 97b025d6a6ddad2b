//! The words that are split here, against those that real shells split.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::*;

fn texts(command: &str) -> Option<Vec<Vec<String>>> {
    let line = parse(command)?;
    let words = |simple: Simple| simple.words.into_iter().map(|word| word.text).collect();
    Some(line.into_iter().map(|(_, simple)| words(simple)).collect())
}

#[test]
fn quotes_are_removed_and_joined() {
    for (command, expected) in [
        ("ls -la", vec![vec!["ls", "-la"]]),
        ("  ls  \n", vec![vec!["ls"]]),
        ("a 'b c'\"d e\"f ''", vec![vec!["a", "b cd ef", ""]]),
        (r#"a "x\"y\$z\`\\w\n""#, vec![vec!["a", r#"x"y$z`\w\n"#]]),
        (r#"a "end$""#, vec![vec!["a", "end$"]]),
        ("a|b||c&&d;e", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"], vec!["e"]]),
        ("a 2>/dev/null b >/dev/null 2>&1 c2", vec![vec!["a", "b", "c2"]]),
        ("a HEAD~1 HEAD^~2 x=y", vec![vec!["a", "HEAD~1", "HEAD^~2", "x=y"]]),
        (r"find \( ! a \)", vec![vec!["find", "(", "!", "a", ")"]]),
        ("[ a ]", vec![vec!["[", "a", "]"]]),
    ] {
        assert_eq!(texts(command).unwrap(), expected, "{command}");
    }
}

#[test]
fn wild_characters_are_marked_only_where_they_are_not_quoted() {
    let line = parse("a '*'b*c\"?\"?").unwrap();
    let (_, simple) = &line[0];
    assert_eq!(simple.words[1].text, "*b*c??");
    assert_eq!(simple.words[1].wild, [2, 5]);
    assert!(!simple.words[1].bare && simple.words[0].bare);
}

#[test]
fn input_comes_from_one_file() {
    let line = parse("wc -l < 'a b'").unwrap();
    assert_eq!(line[0].1.input.as_ref().unwrap().text, "a b");
    assert_eq!(parse("wc < a < b"), None);
}

/// What is not of the plainest kind, one a line.
const NOT_PLAIN: &str = include_str!("../../../../../tests/fixtures/shell/not_plain.txt");

#[test]
fn all_else_is_refused() {
    let long = format!("a {}", "b".repeat(LONGEST));
    let unseen = [
        "",
        " ",
        "a\nb",
        "a\tb",
        "a\r",
        "a \\\nb",
        "a\u{a0}b",
        "a\u{3000}b",
        "a \u{e9}",
        "a '\u{85}'",
        "a '\u{7}'",
        "a '\0'",
        long.as_str(),
    ];
    for command in NOT_PLAIN.lines().chain(unseen) {
        assert_eq!(parse(command), None, "{command:?}");
    }
}

/// What the shell splits, with names of files left as they are.
fn split_by(shell: &str, folder: &Path, command: &str) -> Vec<String> {
    let log = folder.join("log");
    let script = format!(
        "set -f\nx() {{ printf '%s\\0' \"$#\" \"$@\" >&9; }}\nexec 9>'{}'\n{command}",
        log.display()
    );
    let status = Command::new(shell)
        .args(["-c", &script])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{shell} fails on {command:?}");
    let log = std::fs::read(log).unwrap();
    let log = String::from_utf8(log).unwrap();
    log.split_terminator('\0').map(str::to_owned).collect()
}

fn is_understood(shell: &str, command: &str) -> bool {
    let mut check = Command::new(shell);
    check.args(["-n", "-c", command]).env_clear().env("LC_ALL", "C.UTF-8");
    check.stdin(Stdio::null()).stderr(Stdio::null());
    check.status().unwrap().success()
}

fn fragments() -> impl Strategy<Value = String> {
    let of = |list: &'static str| prop::sample::select(list.split(' ').collect::<Vec<_>>());
    let plain = of("a b2 2 1 -x --y=z HEAD a.b / . , : = @ % + ^ _");
    let quoted = of(r##"'$x' '\' "\"" "\\" "\n" "a$" '' '*' "#" "'" '"' "!" '{a,b}' "~""##);
    let spaced = prop::sample::select(vec!["'a b'", "\"c  d\"", "'\u{e9}\u{a0}'", " > /dev/null "]);
    let odd =
        of("~ ~1 * ? ! [ ] \\( \\! \\) # 2>&1 >/dev/null 2>/dev/null >&2 ' \" \\ $ ` { } ( ) \
                  | & ; < > && \n \t \r \u{e9} \u{a0} $' {a,b} #x \u{7f}");
    let blank = Just(" ");
    let fragment = prop_oneof![6 => plain, 3 => blank, 2 => quoted, 1 => spaced, 3 => odd];
    prop::collection::vec(fragment, 1..9).prop_map(|parts| parts.concat())
}

fn commands() -> impl Strategy<Value = String> {
    let joint = prop::sample::select(vec!["; ", ";", " && ", "&&"]);
    prop::collection::vec((fragments(), joint), 1..4).prop_map(|parts| {
        let mut command = String::new();
        for (n, (words, joint)) in parts.iter().enumerate() {
            let joint = if n == 0 { "" } else { joint };
            command.push_str(joint);
            command.push_str("x ");
            command.push_str(words);
        }
        command
    })
}

/// How many words each call gets, and the words; `None` if something else is called.
fn words_of_calls(line: &[(Joint, Simple)]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for (joint, simple) in line {
        let (name, rest) = simple.words.split_first().unwrap();
        let runs = matches!(joint, Joint::First | Joint::And | Joint::Then);
        if !runs || !name.bare || name.text != "x" || simple.input.is_some() {
            return None;
        }
        words.push(rest.len().to_string());
        words.extend(rest.iter().map(|word| word.text.clone()));
    }
    Some(words)
}

#[test]
fn shells_split_the_very_same_words() {
    let folder = tempfile::tempdir().unwrap();
    // Other commands each time: a failure prints its own.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &rand_seed());
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut accepted = 0;
    let mut tries = 0;
    while accepted < 400 {
        tries += 1;
        assert!(tries < 400_000, "only {accepted} of {tries} commands are accepted");
        let command = commands().new_tree(&mut runner).unwrap().current();
        let Some(line) = parse(&command) else { continue };
        let Some(expected) = words_of_calls(&line) else {
            assert!(is_understood("bash", &command), "{command:?}");
            continue;
        };
        accepted += 1;
        for shell in ["bash", "sh"] {
            assert!(is_understood(shell, &command), "{shell}: {command:?}");
            assert_eq!(split_by(shell, folder.path(), &command), expected, "{shell}: {command:?}");
        }
    }
    println!("{accepted} of {tries} random commands accepted, split alike by bash and sh");
}

fn rand_seed() -> [u8; 32] {
    use std::hash::{BuildHasher, RandomState};
    let mut seed = [0; 32];
    for part in seed.chunks_mut(8) {
        part.copy_from_slice(&RandomState::new().hash_one(0).to_le_bytes());
    }
    seed
}
