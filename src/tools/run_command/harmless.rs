//! Exit codes that are answers and not failures: `grep` that found nothing, `diff` that found
//! something.
//!
//! Owns the list. Pure, and careful: where it is not plain which program gave the code, the code
//! counts as a failure. It decides words and a colour, never whether something may run.

/// What exit code 1 of this command means, if it means no failure.
pub(super) fn meaning(command: &str, printed_nothing: bool) -> Option<&'static str> {
    let (last, may_stop_before) = last_part(command)?;
    let (word, quiet_only) = meaning_of_program(&last)?;
    // An earlier part may have given the code. What finds nothing prints nothing, so that then
    // an empty output speaks for the last part.
    (!may_stop_before || (quiet_only && printed_nothing)).then_some(word)
}

/// The word, and whether the program prints nothing when it gives this code.
fn meaning_of_program(words: &[String]) -> Option<(&'static str, bool)> {
    let mut words = words.iter().map(String::as_str).skip_while(|word| is_assignment(word));
    let program = words.next()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    match program {
        "grep" | "egrep" | "fgrep" | "rg" | "pgrep" => Some(("no match", true)),
        "diff" | "cmp" => Some(("they differ", false)),
        "test" | "[" | "[[" => Some(("false", true)),
        "git" => match words.find(|word| !word.starts_with('-'))? {
            "grep" => Some(("no match", true)),
            "diff" => words
                .any(|word| matches!(word, "--exit-code" | "--quiet" | "--no-index"))
                .then_some(("they differ", false)),
            _ => None,
        },
        _ => None,
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The words of the last simple command, and whether a part before it can end the whole.
/// `None` if the command is more than a list of simple commands.
fn last_part(command: &str) -> Option<(Vec<String>, bool)> {
    let mut scan = Scan::default();
    let mut chars = command.trim_end_matches([';', '\n', ' ', '\t']).chars().peekable();
    while let Some(c) = chars.next() {
        match (scan.quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => scan.quote = None,
            (Some('\''), _) => scan.push(c),
            (_, '\\') => scan.extend(chars.next()),
            (_, '$') if chars.peek() == Some(&'(') => return None,
            (None, '\'' | '"') => {
                scan.quote = Some(c);
                scan.word.get_or_insert_default();
            }
            (None, '&') if chars.next_if_eq(&'&').is_some() => {
                scan.may_stop_before = true;
                scan.next_part();
            }
            (None, '&') if chars.next_if_eq(&'>').is_some() => scan.push('>'),
            (None, '&') if scan.word.as_ref().is_some_and(|word| word.ends_with('>')) => {
                scan.push('&');
            }
            (None, '|') => {
                chars.next_if(|next| matches!(next, '|' | '&'));
                scan.next_part();
            }
            (None, ';' | '\n') => scan.next_part(),
            (None, ' ' | '\t') => scan.next_word(),
            (_, '`') | (None, '(' | ')' | '{' | '}' | '&' | '#') => return None,
            _ => scan.push(c),
        }
    }
    scan.next_word();
    let sets_options = command.contains("pipefail") || command.contains("set -");
    (scan.quote.is_none()).then_some((scan.words, scan.may_stop_before || sets_options))
}

#[derive(Default)]
struct Scan {
    words: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
    may_stop_before: bool,
}

impl Scan {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn extend(&mut self, c: Option<char>) {
        self.word.get_or_insert_default().extend(c);
    }

    fn next_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn next_part(&mut self) {
        self.word = None;
        self.words.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_and_a_difference_are_answers() {
        for (command, word) in [
            ("grep x file", "no match"),
            ("cat file | grep -v x", "no match"),
            ("cd src; LC_ALL=C /usr/bin/grep 'a && b' file 2>&1", "no match"),
            ("true || rg x", "no match"),
            ("git grep -n x", "no match"),
            ("git --no-pager grep x", "no match"),
            ("diff a b", "they differ"),
            ("cmp a b;", "they differ"),
            ("git diff --exit-code", "they differ"),
            ("test -f a", "false"),
            ("[ -f a ]", "false"),
            ("[[ a == b ]]", "false"),
        ] {
            assert_eq!(meaning(command, false), Some(word), "{command}");
        }
    }

    #[test]
    fn other_programs_and_unclear_commands_count_as_failures() {
        for command in [
            "false",
            "cargo test",
            "git diff",
            "git commit",
            "grep x file; false",
            "echo grep x",
            "(grep x file)",
            "if grep x file; then true; fi",
            "! grep x file",
            "grep x 'file",
            "diff a b && cargo test",
            "cd src && diff a b",
            "$(echo grep) x",
            "",
            "grep x | wc",
            "echo 'a | grep x'",
            "grep x a &",
        ] {
            assert_eq!(meaning(command, true), None, "{command}");
        }
    }

    #[test]
    fn behind_an_and_only_an_empty_output_speaks_for_the_last_program() {
        assert_eq!(meaning("cd src && grep x file", true), Some("no match"));
        assert_eq!(meaning("cd src && grep x file", false), None);
        assert_eq!(meaning("set -e; cd src; grep x file", false), None);
    }
}
