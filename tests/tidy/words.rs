//! What must stand in a file, and what must not. Owns the lists of words and of file names.

use crate::{
    finding::Finding,
    source::{Source, is_name_byte},
};

/// The root of the tree holds these and nothing else.
const TOP_LEVEL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "assets",
    "tests",
    "benches",
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE",
    ".ci",
    ".gitignore",
    "clippy.toml",
    "rustfmt.toml",
    ".git",
    "target",
];

/// Every Rust file says what it owns before its first line of code.
pub(crate) fn files_begin_with_docs(source: &Source<'_>) -> Vec<Finding> {
    let begins = source.text.trim_start().starts_with("//!");
    if !source.is_rust() || begins {
        return Vec::new();
    }
    let message = "begin with `//!`: what the file owns, what it must not know, its invariant";
    vec![Finding::new(source.path, 1, message)]
}

/// Unfinished work is not left in comments.
pub(crate) fn nothing_is_put_off(source: &Source<'_>) -> Vec<Finding> {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
    let text = if source.is_rust() { source.comments.as_str() } else { source.text };
    words
        .iter()
        .flat_map(|word| text.match_indices(word))
        .filter(|(at, word)| stands_alone(text, *at, word.len()))
        .map(|(at, word)| {
            let message = format!("`{word}`: do it now, or leave it out");
            Finding::new(source.path, source.line(at), message)
        })
        .collect()
}

fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    let after = bytes.get(at + length);
    !before.is_some_and(|byte| is_name_byte(*byte))
        && !after.is_some_and(|byte| is_name_byte(*byte))
}

/// The tree stands alone: nothing in it names the place where it was written.
pub(crate) fn no_path_leads_outside(source: &Source<'_>) -> Vec<Finding> {
    if source.path.starts_with("tests/") || source.path.starts_with("benches/") {
        return Vec::new();
    }
    let shared = source.text.match_indices("../shared");
    let work = source.text.match_indices("/work").filter(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| source.text.as_bytes().get(at));
        let in_a_path = before.is_some_and(|byte| is_name_byte(*byte) || b".-".contains(byte));
        let after = source.text.as_bytes().get(at + word.len());
        !in_a_path && !after.is_some_and(|byte| is_name_byte(*byte) || *byte == b'-')
    });
    shared
        .chain(work)
        .map(|(at, word)| {
            let message = format!("`{word}` is a place outside of the tree: leave it out");
            Finding::new(source.path, source.line(at), message)
        })
        .collect()
}

/// Reasons are given in words, not as numbers of some tracker.
pub(crate) fn no_issue_numbers(source: &Source<'_>) -> Vec<Finding> {
    let text = if source.has_extension("md") {
        source.text
    } else if source.is_crate_code() {
        source.comments.as_str()
    } else {
        return Vec::new();
    };
    text.match_indices('#')
        .filter(|(at, _)| is_issue_number(text.as_bytes(), *at))
        .map(|(at, _)| {
            let message = "an issue number: say in words what it is about";
            Finding::new(source.path, source.line(at), message)
        })
        .collect()
}

/// `#12`, but no colour (`#1e1e2e`, `#000000`), entity (`&#39;`), format (`{:#10}`) or report
/// of Unicode (`UAX #9`).
fn is_issue_number(text: &[u8], at: usize) -> bool {
    let digits = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = text.get(at + 1 + digits).copied().unwrap_or(b' ');
    let before = at.checked_sub(1).map_or(b' ', |at| text[at]);
    let is_report = [&b"UAX "[..], b"UTS ", b"UTR "].iter().any(|name| text[..at].ends_with(name));
    (1..6).contains(&digits) && !is_report && !is_name_byte(after) && !b"&:#".contains(&before)
}

/// Modules are `foo.rs` beside `foo/`.
pub(crate) fn no_mod_files(source: &Source<'_>) -> Vec<Finding> {
    let Some(folder) = source.path.strip_suffix("/mod.rs") else { return Vec::new() };
    vec![Finding::new(source.path, 1, format!("name the file {folder}.rs"))]
}

/// The root of the tree holds what everybody expects there, and nothing else.
pub(crate) fn is_known_at_the_top(name: &str) -> Result<(), Finding> {
    if TOP_LEVEL.contains(&name) {
        return Ok(());
    }
    Err(Finding::new(name, 1, "does not belong at the top of the tree: move or remove it"))
}

#[cfg(test)]
mod tests {
    use super::{
        files_begin_with_docs, is_known_at_the_top, no_issue_numbers, no_mod_files,
        no_path_leads_outside, nothing_is_put_off,
    };
    use crate::{finding::starts, source::Source};

    #[test]
    fn a_file_without_docs_is_found() {
        let found = files_begin_with_docs(&Source::new("tests/it/a.rs", "// A.\nfn a() {}"));
        assert_eq!(starts(&found), ["tests/it/a.rs:1"]);
        assert!(files_begin_with_docs(&Source::new("src/a.rs", "//! A.\nfn a() {}")).is_empty());
    }

    #[test]
    fn work_put_off_is_found_in_comments_and_not_in_strings() {
        let word = concat!("TO", "DO");
        let text = format!("//! A.\nlet a = \"{word}\"; // {word}: later\n");
        assert_eq!(starts(&nothing_is_put_off(&Source::new("src/a.rs", &text))), ["src/a.rs:2"]);
        let word = concat!("FIX", "ME");
        assert_eq!(nothing_is_put_off(&Source::new("README.md", word)).len(), 1);
        assert!(nothing_is_put_off(&Source::new("src/a.rs", "// TODOS XXXL")).is_empty());
    }

    #[test]
    fn places_outside_are_found() {
        let text = "a\nsee /work/b and ../shared/c";
        let found = no_path_leads_outside(&Source::new("README.md", text));
        assert_eq!(starts(&found), ["README.md:2", "README.md:2"]);
        let fine = "/workspace src/work /work-items ./work";
        assert!(no_path_leads_outside(&Source::new("src/a.rs", fine)).is_empty());
    }

    #[test]
    fn issue_numbers_are_found() {
        let found =
            no_issue_numbers(&Source::new("src/a.rs", "// as in x (#12).\nlet a = \"#34\";"));
        assert_eq!(starts(&found), ["src/a.rs:1"]);
        assert_eq!(no_issue_numbers(&Source::new("CHANGELOG.md", "fixes #7")).len(), 1);
        let fine = "#1e1e2e #000000 &#39; {:#10} # 1 ##2 #a UAX #9";
        assert!(no_issue_numbers(&Source::new("README.md", fine)).is_empty());
    }

    #[test]
    fn mod_files_and_strangers_at_the_top_are_found() {
        assert_eq!(no_mod_files(&Source::new("src/tui/mod.rs", "")).len(), 1);
        assert!(no_mod_files(&Source::new("src/tui.rs", "")).is_empty());
        assert!(is_known_at_the_top("notes.txt").is_err());
        assert!(is_known_at_the_top("Cargo.toml").is_ok());
    }
}
