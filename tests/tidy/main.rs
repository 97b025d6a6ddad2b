//! The rules of the tree, checked on its text: layers, owners of names, sizes, words.
//!
//! Each check is a function on one file, and is itself tested with a planted violation beside
//! it. A finding says where and what to do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may panic"
)]

mod finding;
mod layers;
mod names;
mod owners;
mod sizes;
mod source;
mod words;

use std::{
    fs,
    path::{Path, PathBuf},
};

use finding::Finding;
use source::Source;

type Check = fn(&Source<'_>) -> Vec<Finding>;

const CHECKS: &[Check] = &[
    layers::imports_follow_the_layers,
    owners::foreign_names_have_one_owner,
    owners::printing_and_colouring_have_owners,
    sizes::files_are_short,
    sizes::functions_are_short,
    sizes::events_are_few,
    words::files_begin_with_docs,
    words::nothing_is_put_off,
    words::no_path_leads_outside,
    words::no_issue_numbers,
    words::no_mod_files,
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Path and text of every file that the checks read.
fn tree() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let documents = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "Cargo.toml"];
    let folders = ["src", "tests", "benches", "assets"].map(|top| root().join(top));
    let mut open: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.exists()).collect();
    open.extend(documents.map(|name| root().join(name)));
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if documents.iter().any(|name| path.ends_with(name)) && path.exists()
            || path.extension().is_some_and(|extension| extension == "rs")
            || path.starts_with(root().join("assets"))
        {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            files.push((name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()));
        }
    }
    files.sort();
    files
}

fn assert_none(findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} rules are broken:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn the_tree_keeps_its_rules() {
    let files = tree();
    assert!(files.iter().any(|(path, _)| path == "src/lib.rs"), "the tree was not found");
    let sources: Vec<Source<'_>> =
        files.iter().map(|(path, text)| Source::new(path, text)).collect();
    assert!(sources.iter().any(|source| source.code.contains("enum StreamEvent")), "no events");
    let findings: Vec<Finding> =
        sources.iter().flat_map(|source| CHECKS.iter().flat_map(|check| check(source))).collect();
    let mut lengths: Vec<usize> = sources
        .iter()
        .filter(|source| source.is_crate_code())
        .flat_map(|source| sizes::function_lengths(source).map(|(_, lines)| lines))
        .collect();
    lengths.sort_unstable();
    let share = |of: usize| lengths.get(lengths.len() * of / 100).copied().unwrap_or(0);
    println!("{} functions: median {} lines, p95 {}", lengths.len(), share(50), share(95));
    assert_none(&findings);
}

#[test]
fn the_top_of_the_tree_holds_only_what_is_known() {
    let names = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let findings: Vec<Finding> =
        names.filter_map(|name| words::is_known_at_the_top(&name).err()).collect();
    assert_none(&findings);
}
