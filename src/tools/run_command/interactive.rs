//! Programs that want a person at a terminal: refused before anything runs, with a way out.
//!
//! Owns the list. Pure, and careful the other way round than [`super::harmless`]: what is not
//! plainly such a program is let through, because commands have no terminal and no input anyway.
//! It saves time and is no protection.

mod simple;

use simple::{Simple, simple_commands};

/// What runs another program, which comes after its options.
const WRAPPERS: [&str; 15] = [
    "sudo", "doas", "env", "command", "exec", "builtin", "nohup", "time", "nice", "ionice",
    "stdbuf", "setsid", "timeout", "chroot", "unbuffer",
];

/// Words that may stand before a command.
const KEYWORDS: [&str; 10] =
    ["{", "!", "if", "then", "elif", "else", "while", "until", "do", "coproc"];

const EDIT: &str = "Change files with edit_file or write_file.";
const PRINT: &str = "Read files with read_file, or print them with cat, head or tail.";
const SCRIPT: &str = "Give it what to run, as an argument, a file or a here-document.";
const ONCE: &str = "Use a program that prints once and ends, e.g. ps, df, or the batch option.";

/// The program of this command that needs a terminal, and what to do instead.
pub(super) fn refusal(command: &str) -> Option<(String, &'static str)> {
    simple_commands(command).iter().find_map(judge)
}

fn judge(simple: &Simple) -> Option<(String, &'static str)> {
    let words = unwrapped(&simple.words)?;
    let (program, arguments) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if arguments.iter().any(|one| matches!(*one, "--version" | "--help" | "-V" | "-version")) {
        return None;
    }
    if matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh")
        && let Some(inner) = after(&arguments, "-c")
    {
        return refusal(inner);
    }
    let hint = of_program(program, &arguments, simple.has_input)?;
    Some((program.to_owned(), hint))
}

/// The command without what stands before its program; `None` if nothing runs.
fn unwrapped(words: &[String]) -> Option<&[String]> {
    let mut rest = words;
    let mut wrapper = "";
    while let Some((first, after)) = rest.split_first() {
        let name = first.rsplit('/').next().unwrap_or(first);
        let is_number = wrapper == "timeout" && first.starts_with(|c: char| c.is_ascii_digit());
        let is_option = !wrapper.is_empty() && first.starts_with('-');
        if wrapper == "command" && matches!(first.as_str(), "-v" | "-V") {
            return None;
        }
        if WRAPPERS.contains(&name) {
            wrapper = name;
        } else if !(KEYWORDS.contains(&name) || is_assignment(first) || is_option || is_number) {
            return Some(rest);
        }
        rest = after;
    }
    None
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn of_program(program: &str, arguments: &[&str], has_input: bool) -> Option<&'static str> {
    let has = |options: &[&str]| arguments.iter().any(|one| options.contains(one));
    let has_letter = |letters: &[char]| {
        arguments.iter().any(|one| {
            one.starts_with('-') && !one.starts_with("--") && one.contains(letters)
        })
    };
    let begins = |options: &[&str]| {
        arguments.iter().any(|one| options.iter().any(|option| one.starts_with(option)))
    };
    let only = |options: &[&str]| arguments.iter().all(|one| options.contains(one));
    let needs = |needed: bool, hint| needed.then_some(hint);
    match program {
        "vi" | "vim" | "nvim" | "view" | "vimdiff" | "gvim" | "ex" => {
            let batch = has(&["-es", "-Es", "-e", "-E", "-s", "--headless"]);
            needs(!batch && !has_input, EDIT)
        }
        "nano" | "pico" | "micro" | "joe" | "jed" | "mcedit" | "hx" | "helix" | "kak" => Some(EDIT),
        "emacs" => needs(!has(&["--batch", "-batch", "--script", "-script"]), EDIT),
        "ed" => needs(!has_input, EDIT),
        "less" | "more" | "most" => needs(!has_input, PRINT),
        "top" | "iotop" => needs(!has_letter(&['b']) && !begins(&["--batch"]), ONCE),
        "htop" | "btop" | "atop" | "nvtop" | "glances" | "watch" | "ncdu" | "mc" | "ranger"
        | "nnn" | "vifm" | "lazygit" | "gitui" | "tig" | "k9s" | "lazydocker" | "mutt"
        | "nmtui" | "alsamixer" => Some(ONCE),
        "fzf" => needs(!has_letter(&['f']) && !begins(&["--filter"]), ONCE),
        "tmux" | "screen" | "byobu" | "zellij" => {
            let joins = arguments.is_empty() || has(&["attach", "attach-session", "a", "-r", "-x"]);
            needs(joins, "Start what must go on with background: true instead.")
        }
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" => {
            needs(!has_input && only(&["-i", "-l", "--login", "-li", "-il"]), SCRIPT)
        }
        "su" => needs(!has_letter(&['c']) && !has_input, SCRIPT),
        "node" | "irb" | "pry" | "lua" | "ghci" | "scala" | "jshell" | "julia" | "R" | "octave"
        | "erl" | "iex" | "clj" | "racket" | "guile" | "sbcl" | "ocaml" | "utop" | "swipl"
        | "ipython" | "ipython3" | "bc" | "dc" | "php" | "deno" => {
            let flags = ["-i", "-q", "-a", "--interactive", "--quiet", "repl", "--no-save"];
            needs(!has_input && only(&flags), SCRIPT)
        }
        "psql" => {
            let batch = has_letter(&['c', 'f', 'l']) || begins(&["--c", "--f", "--l"]);
            needs(!has_input && !batch, SCRIPT)
        }
        "mysql" | "mariadb" => {
            needs(!has_input && !has_letter(&['e']) && !begins(&["--e"]), SCRIPT)
        }
        "sqlite3" => {
            let plain = arguments.iter().filter(|one| !one.starts_with('-')).count();
            needs(!has_input && plain < 2 && !has(&["-cmd", "-init"]), SCRIPT)
        }
        "mongo" | "mongosh" => {
            let batch = begins(&["--eval", "--file", "-f"])
                || arguments.iter().any(|one| one.ends_with("js"));
            needs(!has_input && !batch, SCRIPT)
        }
        "redis-cli" => needs(!has_input && takes_no_words(arguments, "hpanu"), SCRIPT),
        "gdb" => needs(!has_input && !begins(&["-batch", "--batch"]), SCRIPT),
        "lldb" => needs(!has_input && !begins(&["-b", "--batch"]), SCRIPT),
        "ssh" => {
            let no_shell = has_letter(&['N', 'Q', 'O', 'G', 'W', 's']);
            needs(!has_input && !no_shell && is_only_a_host(arguments), "Give ssh the command.")
        }
        "telnet" | "ftp" => needs(!has_input, "Use curl or nc with all input given."),
        "sftp" => needs(!has_input && !has_letter(&['b']), "Use scp, or sftp with -b."),
        _ if is_python(program) => needs(!has_input && only(&["-i", "-q", "-u", "-B"]), SCRIPT),
        _ => None,
    }
}

fn is_python(program: &str) -> bool {
    ["python", "pypy"].iter().any(|name| {
        program.strip_prefix(name).is_some_and(|version| {
            version.chars().all(|c| c.is_ascii_digit() || c == '.')
        })
    })
}

fn after<'a>(arguments: &[&'a str], option: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|one| *one == option)?;
    arguments.get(at + 1).copied()
}

/// Whether there are options alone; one of these letters takes the next argument.
fn takes_no_words(arguments: &[&str], with_value: &str) -> bool {
    words(arguments, with_value) == 0
}

/// The options of ssh that take the next argument.
const SSH_WITH_VALUE: &str = "BbcDEeFIiJLlmOoPpQRSWw";

fn is_only_a_host(arguments: &[&str]) -> bool {
    words(arguments, SSH_WITH_VALUE) == 1
}

/// Arguments that are neither options nor the values of these options.
fn words(arguments: &[&str], with_value: &str) -> usize {
    let mut count = 0;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let Some(letters) = argument.strip_prefix('-') else {
            // What follows the first word belongs to it.
            count += 1 + arguments.len();
            break;
        };
        if letters.chars().count() == 1 && letters.contains(|c| with_value.contains(c)) {
            arguments.next();
        }
    }
    count
}

#[cfg(test)]
mod tests;
