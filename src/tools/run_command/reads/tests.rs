//! Commands that pass and commands that must not.

use std::path::Path;

use proptest::prelude::*;
use serde::Deserialize;

use super::{git::Looks, *};

/// Commands that only read, one a line.
const READS: &str = include_str!("../../../../tests/fixtures/shell/reads.txt");

/// Commands that do more, or wait, or cannot be judged.
const NOT_READS: &str = include_str!("../../../../tests/fixtures/shell/not_reads.txt");

#[derive(Deserialize)]
struct Case {
    id: String,
    class: String,
    command: String,
}

#[test]
fn no_command_of_the_shared_table_passes_that_does_more_than_read() {
    let Some(shared) = std::env::var_os("MCC_SHARED") else {
        println!("skipped: MCC_SHARED is not set");
        return;
    };
    let path = Path::new(&shared).join("cases/shell_class/cases.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (good, bad): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.class == "read");
    let passing = |cases: &[&Case], passes: bool| -> Vec<String> {
        let chosen = cases.iter().filter(|case| reads(&case.command).is_some() == passes);
        chosen.map(|case| format!("{} {}", case.id, case.command)).collect()
    };
    let refused = passing(&good, false);
    println!("{} of {} reads refused: {refused:?}", refused.len(), good.len());
    println!("{} commands that do more: all refused", bad.len());
    assert_eq!(passing(&bad, true), Vec::<String>::new());
    assert!(refused.len() * 4 <= good.len(), "more than a quarter of the reads: {refused:?}");
}

/// The commands of a fixture, without its headings.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("-- "))
}

#[test]
fn usual_looks_around_pass() {
    let refused: Vec<&str> = listed(READS).filter(|command| reads(command).is_none()).collect();
    assert_eq!(refused, Vec::<&str>::new());
}

#[test]
fn whatever_does_more_is_refused_however_it_is_written() {
    let passed: Vec<&str> = listed(NOT_READS).filter(|command| reads(command).is_some()).collect();
    assert_eq!(passed, Vec::<&str>::new());
    println!("{} commands beyond the shared table: all refused", listed(NOT_READS).count());
}

#[test]
fn characters_that_cannot_be_seen_hide_nothing() {
    for command in [
        "ls \\\n-la",
        "cat <<E\nx\nE",
        "ls\nrm x",
        "ls\r\nrm x",
        "ls\rrm x",
        "ls\trm",
        "ls\u{b}rm",
        "ls\u{a0}-la",
        "ls\u{2003}x",
        "ls\u{feff}",
        "\u{ff4c}s",
        "ls \u{2011}la",
        "ls\0",
        "ls '\u{1b}[2J'",
        "sed -n '1{w x\n}' a",
    ] {
        assert_eq!(reads(command), None, "{command:?}");
    }
}

fn run_of(command: &str) -> Run {
    match reads(command).unwrap().steps.pop().unwrap() {
        Step::Run(run) => run,
        other => panic!("{other:?}"),
    }
}

fn places(command: &str) -> Vec<String> {
    let show = |place: Place| match place {
        Place::Here => ".".to_owned(),
        Place::Path(word) => word.text,
        Place::File(word) => format!("file {}", word.text),
    };
    run_of(command).places.into_iter().map(show).collect()
}

#[test]
fn what_is_read_is_named() {
    for (command, expected) in [
        ("ls", vec!["."]),
        ("ls a b", vec!["a", "b"]),
        ("echo a", vec![]),
        ("cat a -n b", vec!["a", "b", "-n"]),
        ("head a -n 5", vec!["a", "-n", "5"]),
        ("wc -l < a", vec!["file a"]),
        ("grep -rn x", vec!["."]),
        ("grep x a b", vec!["a", "b"]),
        ("grep -e x a", vec!["a"]),
        ("grep x a -e y", vec!["x", "a", "-e", "y"]),
        ("rg x", vec!["."]),
        ("rg --files src", vec!["src"]),
        ("find src -newer a", vec!["src", "a"]),
        ("find -name a", vec!["."]),
        ("sed -n 1p a", vec!["a"]),
        ("sed -n -e 1p a", vec!["a"]),
        ("diff a b", vec!["file a", "file b"]),
        ("test -f a", vec!["a"]),
        ("[ ! -f a ]", vec!["a"]),
        ("stat -c %n a", vec!["a"]),
        ("git diff a -- ../b", vec!["a", "../b"]),
    ] {
        assert_eq!(places(command), expected, "{command}");
    }
}

#[test]
fn git_says_how_deep_it_looks() {
    for (command, folder, looks) in [
        ("git status", None, Looks::Files),
        ("git -C src diff", Some("src"), Looks::Files),
        ("git log -p", None, Looks::Differences),
        ("git branch -a", None, Looks::Names),
    ] {
        let git = run_of(command).git.unwrap();
        assert_eq!((git.folder.as_deref(), git.looks), (folder, looks), "{command}");
    }
}

#[test]
fn a_folder_is_changed_for_sure_only_as_long_as_all_before_it_worked() {
    let steps = reads("cd a && ls; pwd").unwrap().steps;
    assert_eq!(steps[0], Step::Enter("a".into()));
    assert!(matches!(steps[1], Step::Run(_)));
    assert_eq!(steps[2], Step::Doubt);
    assert!(reads("cd a || ls").unwrap().steps.contains(&Step::Doubt));
}

/// The characters outside of quotes, by a reading that knows nothing of words.
fn unquoted(command: &str) -> String {
    let mut rest = command.chars();
    let mut outside = String::new();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                rest.by_ref().find(|c| *c == '\'').unwrap();
            }
            '"' => loop {
                match rest.next().unwrap() {
                    '"' => break,
                    '\\' => {
                        rest.next();
                    }
                    _ => {}
                }
            },
            c => outside.push(c),
        }
    }
    outside
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_accepted_command_has_a_special_character_outside_of_quotes(
        start in prop::sample::select(vec!["ls ", "cat a ", "echo ", "grep -r x ", "find . ", "git log "]),
        parts in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "a", " ", "-n", "'b c'", "\"d\"", " | ", "head", " && ", "ls", ";", " 2>&1", ">/dev/null",
                "*", "?", "~", "HEAD~1", " ! ", " \\( ", "<a",
            ]).prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
            prop::sample::select("$`\\{}()[]<>&|;#!~\n\r\t\"'*?=%^".chars().collect::<Vec<_>>())
                .prop_map(String::from),
        ], 0..8),
    ) {
        let command = start.to_owned() + &parts.concat();
        if reads(&command).is_some() {
            let mut outside = unquoted(&command).trim_matches([' ', '\n']).to_owned();
            for forbidden in ["<<", "<>", "<&", "<("] {
                prop_assert!(!outside.contains(forbidden), "{:?}", command);
            }
            let harmless = [
                "2>&1", ">&2", ">&1", "> /dev/null", ">/dev/null", "&&", "\\(", "\\)", "\\!", " ! ",
            ];
            for harmless in harmless {
                outside = outside.replace(harmless, " ");
            }
            for part in outside.split([' ', '|', ';', '<']).filter(|part| part.contains(['[', ']'])) {
                prop_assert!(matches!(part, "[" | "]"), "{:?}", command);
            }
            let special: String = outside
                .chars()
                .filter(|c| !c.is_ascii_alphanumeric() && !" _-./,:=@%+^|;*?~![]<".contains(*c))
                .collect();
            prop_assert_eq!(special, "", "{:?}", command);
        }
    }

    #[test]
    fn no_text_makes_it_panic(command in any::<String>()) {
        drop(reads(&command));
    }
}
