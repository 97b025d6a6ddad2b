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
const RUN_ON: &str = "Start what must go on with background: true instead.";
/// The options of ssh that take the next argument.
const SSH_WITH_VALUE: &str = "BbcDEeFIiJLlmOoPpQRSWw";
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
    let given = Given { arguments, has_input };
    screen(program, &given)
        .or_else(|| prompt(program, &given))
        .or_else(|| database(program, &given))
        .or_else(|| remote(program, &given))
}

/// What a program is given.
struct Given<'a> {
    arguments: &'a [&'a str],
    has_input: bool,
}

impl Given<'_> {
    fn has(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|one| options.contains(one))
    }

    /// One of these letters in a group of short options.
    fn has_letter(&self, letters: &[char]) -> bool {
        let is_short = |one: &&&str| one.starts_with('-') && !one.starts_with("--");
        self.arguments.iter().filter(is_short).any(|one| one.contains(letters))
    }

    fn begins(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|one| options.iter().any(|option| one.starts_with(option)))
    }

    /// No input, and nothing but these options.
    fn only(&self, options: &[&str]) -> bool {
        !self.has_input && self.arguments.iter().all(|one| options.contains(one))
    }

    /// Arguments that are neither options nor the values of these options.
    fn words(&self, with_value: &str) -> usize {
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            let Some(letters) = argument.strip_prefix('-') else {
                // What follows the first word belongs to it.
                return 1 + arguments.len();
            };
            if letters.chars().count() == 1 && letters.contains(|c| with_value.contains(c)) {
                arguments.next();
            }
        }
        0
    }
}

/// Editors, pagers and programs that draw.
fn screen(program: &str, given: &Given<'_>) -> Option<&'static str> {
    let (needs, hint) = match program {
        "vi" | "vim" | "nvim" | "view" | "vimdiff" | "gvim" | "ex" => {
            let batch = given.has(&["-es", "-Es", "-e", "-E", "-s", "--headless"]);
            (!batch && !given.has_input, EDIT)
        }
        "nano" | "pico" | "micro" | "joe" | "jed" | "mcedit" | "hx" | "helix" | "kak" => {
            (true, EDIT)
        }
        "emacs" => (!given.has(&["--batch", "-batch", "--script", "-script"]), EDIT),
        "ed" => (!given.has_input, EDIT),
        "less" | "more" | "most" => (!given.has_input, PRINT),
        "top" | "iotop" => (!given.has_letter(&['b']) && !given.begins(&["--batch"]), ONCE),
        "htop" | "btop" | "atop" | "nvtop" | "glances" | "watch" | "ncdu" | "mc" | "ranger"
        | "nnn" | "vifm" | "lazygit" | "gitui" | "tig" | "k9s" | "lazydocker" | "mutt"
        | "nmtui" | "alsamixer" => (true, ONCE),
        "fzf" => (!given.has_letter(&['f']) && !given.begins(&["--filter"]), ONCE),
        "tmux" | "screen" | "byobu" | "zellij" => {
            let joins = given.has(&["attach", "attach-session", "a", "-r", "-x"]);
            (joins || given.arguments.is_empty(), RUN_ON)
        }
        _ => return None,
    };
    needs.then_some(hint)
}

/// Shells and languages that ask for the next line.
fn prompt(program: &str, given: &Given<'_>) -> Option<&'static str> {
    let needs = match program {
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" => {
            given.only(&["-i", "-l", "--login", "-li", "-il"])
        }
        "su" => !given.has_letter(&['c']) && !given.has_input,
        "node" | "irb" | "pry" | "lua" | "ghci" | "scala" | "jshell" | "julia" | "R" | "octave"
        | "erl" | "iex" | "clj" | "racket" | "guile" | "sbcl" | "ocaml" | "utop" | "swipl"
        | "ipython" | "ipython3" | "bc" | "dc" | "php" | "deno" => {
            given.only(&["-i", "-q", "-a", "--interactive", "--quiet", "repl", "--no-save"])
        }
        _ => is_python(program) && given.only(&["-i", "-q", "-u", "-B"]),
    };
    needs.then_some(SCRIPT)
}

/// Clients of databases, and debuggers.
fn database(program: &str, given: &Given<'_>) -> Option<&'static str> {
    let is_batch = match program {
        "psql" => given.has_letter(&['c', 'f', 'l']) || given.begins(&["--c", "--f", "--l"]),
        "mysql" | "mariadb" => given.has_letter(&['e']) || given.begins(&["--e"]),
        "sqlite3" => {
            let plain = given.arguments.iter().filter(|one| !one.starts_with('-')).count();
            plain > 1 || given.has(&["-cmd", "-init"])
        }
        "mongo" | "mongosh" => {
            given.begins(&["--eval", "--file", "-f"])
                || given.arguments.iter().any(|one| one.ends_with("js"))
        }
        "redis-cli" => given.words("hpanu") > 0,
        "gdb" => given.begins(&["-batch", "--batch"]),
        "lldb" => given.begins(&["-b", "--batch"]),
        _ => return None,
    };
    (!is_batch && !given.has_input).then_some(SCRIPT)
}

/// What talks to another machine.
fn remote(program: &str, given: &Given<'_>) -> Option<&'static str> {
    let (is_batch, hint) = match program {
        "ssh" => {
            let no_shell = given.has_letter(&['N', 'Q', 'O', 'G', 'W', 's']);
            (no_shell || given.words(SSH_WITH_VALUE) != 1, "Give ssh the command.")
        }
        "telnet" | "ftp" => (false, "Use curl or nc with all input given."),
        "sftp" => (given.has_letter(&['b']), "Use scp, or sftp with -b."),
        _ => return None,
    };
    (!is_batch && !given.has_input).then_some(hint)
}

fn is_python(program: &str) -> bool {
    ["python", "pypy"].iter().any(|name| {
        program
            .strip_prefix(name)
            .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
    })
}

fn after<'a>(arguments: &[&'a str], option: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|one| *one == option)?;
    arguments.get(at + 1).copied()
}

#[cfg(test)]
mod tests;
