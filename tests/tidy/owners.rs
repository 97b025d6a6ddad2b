//! Foreign names have one owner each. Owns the table of names and their owners.

use crate::{
    finding::Finding,
    names::{Name, names},
    source::Source,
};

/// Names that only some files may use.
struct Rule {
    what: &'static str,
    is: fn(&Name) -> bool,
    /// Paths below `src/`, without `.rs`.
    owners: &'static [&'static str],
    /// Whether tests may use it anywhere.
    free_in_tests: bool,
}

fn is_crate(name: &Name, crates: &[&str]) -> bool {
    name.segments.first().is_some_and(|first| crates.contains(&first.as_str()))
}

const RULES: &[Rule] = &[
    Rule {
        what: "the network and API crates",
        is: |name| is_crate(name, &["async_openai", "reqwest", "tower", "rustls"]),
        owners: &["provider/openai"],
        free_in_tests: false,
    },
    Rule {
        what: "the screen crates",
        is: |name| is_crate(name, &["ratatui", "crossterm"]),
        owners: &["tui"],
        free_in_tests: false,
    },
    Rule {
        what: "the text area",
        is: |name| is_crate(name, &["tui_textarea"]),
        owners: &["tui/composer"],
        free_in_tests: false,
    },
    Rule {
        what: "syntax highlighting",
        is: |name| is_crate(name, &["syntect", "two_face"]),
        owners: &["tui/highlight"],
        free_in_tests: false,
    },
    Rule {
        what: "a colour",
        is: |name| {
            let colour = name.segments.iter().position(|segment| segment == "Color");
            colour.is_some_and(|at| at + 1 < name.segments.len())
        },
        owners: &["tui/theme", "tui/highlight"],
        free_in_tests: true,
    },
    Rule {
        what: "a child process",
        is: |name| {
            name.has_pair(&["process"], &["Command", "Child"])
                || name.starts_with(&["tokio", "process"])
        },
        owners: &[
            "tools/process",
            // the desktop's own program, which takes a text and is not waited for
            "tui/clipboard",
        ],
        free_in_tests: true,
    },
    Rule {
        what: "a channel",
        is: |name| {
            name.has_pair(
                &["mpsc", "broadcast", "watch"],
                &["channel", "sync_channel", "unbounded_channel"],
            )
        },
        owners: &[
            "link",
            // the queue of its one worker thread, invisible from outside
            "tui/highlight",
            // output of a child on its way to the one waiting future
            "tools/process",
        ],
        free_in_tests: true,
    },
    Rule {
        what: "the terminal's own streams",
        is: |name| name.has_pair(&["io"], &["stdout", "Stdout"]),
        owners: &[
            "headless",
            "main",
            "tui/screen",
            // asks whether they are a terminal, and hands them to the headless front end
            "run",
            // the keeper is a process of its own, whose streams are pipes
            "tools/process",
        ],
        free_in_tests: true,
    },
];

/// A foreign name stands only with its owner.
pub(crate) fn foreign_names_have_one_owner(source: &Source<'_>) -> Vec<Finding> {
    if !source.is_crate_code() {
        return Vec::new();
    }
    let names = names(&source.code);
    let in_tests = |at: usize| source.test_items.iter().any(|item| item.contains(&at));
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| !owns(rule.owners, source.path)) {
        let broken = names.iter().filter(|name| (rule.is)(name));
        findings.extend(broken.filter(|name| !(rule.free_in_tests && in_tests(name.at))).map(
            |name| {
                let message = format!(
                    "`{}` is {}, which belongs to {}: call what that module offers",
                    name.text(),
                    rule.what,
                    rule.owners.join(", "),
                );
                Finding::new(source.path, source.line(name.at), message)
            },
        ));
    }
    findings
}

/// Words that print, and methods that colour: no path leads to them.
const MARKS: &[(&[&str], &[&str], &str)] = &[
    (
        &["println!", "print!", "eprintln!", "eprint!"],
        &["headless", "main", "tui/screen"],
        "send an event or return an error instead of printing",
    ),
    (
        &[
            ".red()",
            ".green()",
            ".yellow()",
            ".blue()",
            ".magenta()",
            ".cyan()",
            ".gray()",
            ".dark_gray()",
            ".white()",
            ".black()",
            ".light_red()",
            ".light_green()",
            ".light_yellow()",
            ".light_blue()",
            ".light_magenta()",
            ".light_cyan()",
        ],
        &["tui/theme", "tui/highlight"],
        "take the style from the theme",
    ),
];

/// Nobody prints but the front ends, and nobody colours but the theme.
pub(crate) fn printing_and_colouring_have_owners(source: &Source<'_>) -> Vec<Finding> {
    if !source.is_crate_code() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (marks, owners, advice) in MARKS.iter().filter(|(_, owners, _)| !owns(owners, source.path))
    {
        for (at, mark) in marks.iter().flat_map(|mark| source.shipped.match_indices(mark)) {
            if mark.starts_with('.') || is_whole(&source.shipped, at) {
                let message = format!("`{mark}` belongs to {}: {advice}", owners.join(", "));
                findings.push(Finding::new(source.path, source.line(at), message));
            }
        }
    }
    findings
}

fn is_whole(code: &str, at: usize) -> bool {
    at == 0 || !crate::source::is_name_byte(code.as_bytes()[at - 1])
}

fn owns(owners: &[&str], path: &str) -> bool {
    let Some(path) = path.strip_prefix("src/") else { return false };
    owners.iter().any(|owner| {
        path.strip_prefix(owner).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::{foreign_names_have_one_owner, printing_and_colouring_have_owners};
    use crate::{finding::starts, source::Source};

    fn owners(path: &str, text: &str) -> usize {
        foreign_names_have_one_owner(&Source::new(path, text)).len()
    }

    #[test]
    fn every_foreign_name_is_found_outside_of_its_owner() {
        let planted = [
            ("src/agent.rs", "use reqwest::Client;"),
            ("src/provider/retry.rs", "use async_openai::types;"),
            ("src/provider/retry.rs", "fn f() { tower::retry::budget() }"),
            ("src/run.rs", "use rustls::crypto;"),
            ("src/headless.rs", "use crossterm::event;"),
            ("src/run.rs", "use ratatui;"),
            ("src/tui/view.rs", "use tui_textarea::TextArea;"),
            ("src/tui/markdown.rs", "use {syntect::parsing, std::fs};"),
            ("src/tui/markdown.rs", "use two_face::theme;"),
            ("src/tui/view.rs", "let c = Color::Red;"),
            ("src/session.rs", "use std::process::{Command, Stdio};"),
            ("src/tools/run_command.rs", "use tokio::process;"),
            ("src/agent.rs", "let (a, b) = mpsc::channel::<u8>(8);"),
            ("src/tui.rs", "use tokio::sync::watch::channel;"),
            ("src/tools.rs", "let out = std::io::stdout();"),
        ];
        for (path, text) in planted {
            assert_eq!(owners(path, text), 1, "{path}: {text}");
        }
    }

    #[test]
    fn owners_may_use_their_names() {
        let fine = [
            ("src/provider/openai/client.rs", "use reqwest::Client;"),
            ("src/tui/composer.rs", "use tui_textarea::TextArea; use crossterm::event;"),
            ("src/tui/theme.rs", "let c = Color::Red;"),
            ("src/tools/process/keeper.rs", "use std::process::Command;"),
            ("src/link.rs", "let (a, b) = mpsc::channel(8);"),
            ("src/agent.rs", "let (a, b) = oneshot::channel(); std::process::exit(1);"),
            ("src/agent.rs", "#[cfg(test)] mod tests { fn f() { mpsc::channel(8); } }"),
            ("src/tui/view.rs", "fn f(c: Color) {}"),
            ("src/protocol.rs", "/// Not `reqwest::Client`.\nconst A: &str = \"reqwest::x\";"),
        ];
        for (path, text) in fine {
            assert_eq!(owners(path, text), 0, "{path}: {text}");
        }
    }

    #[test]
    fn printing_and_colouring_are_found() {
        let text = "fn a() {\n println!(\"x\");\n}\nfn b() { line.red() }";
        let found = printing_and_colouring_have_owners(&Source::new("src/agent.rs", text));
        assert_eq!(starts(&found), ["src/agent.rs:2", "src/agent.rs:4"]);
        let other = Source::new("src/headless.rs", "fn a() { println!() } fn b() { my_print!() }");
        assert!(printing_and_colouring_have_owners(&other).is_empty());
        let text = "fn b() { my_print!() }\n#[cfg(test)] mod t { fn c() { println!() } }";
        let other = Source::new("src/agent.rs", text);
        assert!(printing_and_colouring_have_owners(&other).is_empty());
    }
}
