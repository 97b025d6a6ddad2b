//! What templates can do with the results of tools. Owns the reading of those results; their
//! form is the model's view, so these read them as leniently as a model does.
//!
//! Invariant: total. Whatever a tool gave, a filter gives something printable.

use minijinja::{Environment, Value};

use crate::text::cut;

pub(super) fn add_to(environment: &mut Environment<'_>) {
    environment.add_filter("entries", |text: &str| Value::from_serialize(entries(text)));
    environment.add_filter("files", |text: &str| names(text, Kind::File));
    environment.add_filter("directories", |text: &str| names(text, Kind::Directory));
    environment.add_filter("numberless", numberless);
    environment.add_filter("truncate", truncate);
    environment.add_filter("extension", |name: &str| extension(name).to_owned());
    environment.add_filter("notable", notable);
    environment.add_filter("opening", opening);
    environment.add_filter("excerpt", excerpt);
    environment.add_filter("code", code);
    environment.add_filter("cell", cell);
    environment.add_filter("fenced", fenced);
    environment.add_filter("plural", plural);
}

#[derive(Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    File,
    Directory,
    Link,
}

#[derive(serde::Serialize)]
struct Entry<'a> {
    name: &'a str,
    size: &'a str,
    kind: Kind,
}

/// Lines of a listing: `NAME  SIZE`, `NAME/`, `NAME -> TARGET`; other lines are notes.
fn entries(listing: &str) -> Vec<Entry<'_>> {
    listing
        .lines()
        .filter_map(|line| {
            if let Some(name) = line.strip_suffix('/') {
                return Some(Entry { name, size: "", kind: Kind::Directory });
            }
            let sized = line.rsplit_once("  ").filter(|(name, size)| {
                !name.trim().is_empty() && size.starts_with(|first: char| first.is_ascii_digit())
            });
            if let Some((name, size)) = sized {
                return Some(Entry { name: name.trim_end(), size, kind: Kind::File });
            }
            let (name, _) = line.split_once(" -> ")?;
            Some(Entry { name, size: "", kind: Kind::Link })
        })
        .collect()
}

fn names(listing: &str, kind: Kind) -> Vec<String> {
    let wanted = entries(listing).into_iter().filter(|entry| entry.kind == kind);
    wanted.map(|entry| entry.name.to_owned()).collect()
}

/// The text of a file as it is: without line numbers, and without the notes around them.
fn numberless(text: &str) -> String {
    let lines = text.lines().filter_map(|line| {
        let (number, content) = line.split_once('\t')?;
        let number = number.trim_start();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(content)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn truncate(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

fn extension(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

const MANIFESTS: &[&str] = &[
    "cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "gemfile",
    "mix.exs",
    "cmakelists.txt",
    "makefile",
    "justfile",
    "dockerfile",
    "requirements.txt",
    "setup.py",
];
const SOURCES: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs",
    "rb", "php", "swift", "scala", "lua", "pl", "ex", "exs", "hs", "ml", "zig", "sh", "bash", "r",
    "jl", "sql", "html", "css",
];
const TEXTS: &[&str] =
    &["md", "txt", "rst", "adoc", "toml", "yaml", "yml", "json", "ini", "cfg", "csv", "xml"];

/// The files that tell most about a folder, best first: manifest, README, sources, other text.
fn notable(names: Vec<String>, most: usize) -> Vec<String> {
    let rank = |name: &str| {
        let lower = name.to_lowercase();
        let extension = extension(&lower);
        if let Some(place) = MANIFESTS.iter().position(|manifest| *manifest == lower) {
            return Some((0, place));
        }
        match () {
            () if lower == "readme" || lower.starts_with("readme.") => Some((1, 0)),
            () if lower.starts_with('.') || extension == "lock" => None,
            () if lower.contains("lock.") || lower.contains(".min.") => None,
            () if SOURCES.contains(&extension) => Some((2, 0)),
            () if TEXTS.contains(&extension) => Some((3, 0)),
            () => None,
        }
    };
    let mut ranked: Vec<_> =
        names.into_iter().filter_map(|name| Some((rank(&name)?, name))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().take(most).map(|(_, name)| name).collect()
}

/// What the file begins with, on one line: a markdown text's first heading, else the first line.
fn opening(text: &str, name: &str) -> String {
    let content = numberless(text);
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or("(empty)");
    let heading = lines.find_map(|line| line.strip_prefix("# "));
    let is_markdown = matches!(extension(name), "md" | "markdown");
    cut::one_line(heading.filter(|_| is_markdown).unwrap_or(first), 50)
}

/// The first lines of a text, long ones cut, with a last line that says what is left out.
fn excerpt(text: &str, most: usize) -> String {
    let all = text.trim_end().lines().count();
    let mut lines: Vec<String> = text.lines().take(most).map(|line| truncate(line, 96)).collect();
    if all > most {
        lines.push(format!("… {}", plural(all - most, "more line")));
    }
    lines.join("\n")
}

/// Inline code that no backtick or line break in it can end.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Inline code for a cell of a table, which a bar would end.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A code block that no line in it can end.
fn fenced(text: &str, language: &str) -> String {
    let ticks = "`".repeat((longest_run(text) + 1).max(3));
    format!("{ticks}{language}\n{}\n{ticks}", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// `1 file`, `2 files`, `no files`.
fn plural(count: usize, one: &str) -> String {
    match count {
        0 => format!("no {one}s"),
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Kind, cell, code, excerpt, extension, fenced, names, notable, numberless, opening,
    };

    #[test]
    fn a_listing_is_taken_apart() {
        let listing = "a  b/\nx  y.txt  1.2 KB\nl -> t\npipe  named pipe\n[... 2 hidden ...]\n";
        assert_eq!(names(listing, Kind::Directory), ["a  b"]);
        assert_eq!(names(listing, Kind::File), ["x  y.txt"]);
        assert_eq!(names(listing, Kind::Link), ["l"]);
        assert!(names("`.` is empty.\n", Kind::File).is_empty());
    }

    #[test]
    fn line_numbers_and_notes_are_taken_off() {
        assert_eq!(numberless("1\ta\n2\t\tb\n10\t7\tc\n[... cut ...]\n"), "a\n\tb\n7\tc");
        assert_eq!(numberless("`x` is empty (0 bytes)."), "");
    }

    #[test]
    fn the_files_that_tell_most_come_first() {
        let all = ["z.txt", "b.rs", "Cargo.lock", "a.rs", "README.md", ".env", "x.png", "Makefile"];
        let best = notable(all.map(str::to_owned).to_vec(), 5);
        assert_eq!(best, ["Makefile", "README.md", "b.rs", "a.rs", "z.txt"]);
        assert_eq!(
            (extension("a/b.tar.gz"), extension(".env"), extension("x.d/y")),
            ("gz", "", "")
        );
    }

    #[test]
    fn a_file_is_known_by_its_heading_or_its_first_line() {
        assert_eq!(opening("1\t<p>\n2\t# Title\n", "README.md"), "Title");
        assert_eq!(opening("1\t\n2\t[package]\n3\t# screen\n", "Cargo.toml"), "[package]");
        assert_eq!(opening("`x` is empty (0 bytes).", "x"), "(empty)");
    }

    #[test]
    fn no_text_breaks_out_of_its_code() {
        assert_eq!(code("a`b|c"), "``a`b|c``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(cell("a|b"), "`a\\|b`");
        assert_eq!(fenced("```\nx\n````\n", "md"), "`````md\n```\nx\n````\n`````");
        assert_eq!(excerpt("a\nb\nc\n", 2), "a\nb\n… 1 more line");
        assert_eq!(excerpt("a\nb\n", 2), "a\nb");
    }
}
