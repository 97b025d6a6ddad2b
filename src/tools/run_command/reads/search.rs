//! `grep` and `rg`: a pattern, and files, a tree, or the input.
//!
//! Owns their options. Left out: what follows symbolic links (`grep -R`, `rg -L`), what reads
//! patterns from a file, what runs another program (`rg --pre`, `rg -z`, `rg --hostname-bin`).

use super::{
    Place,
    options::{Arguments, Options},
    programs::{Input, files, paths},
    shell::Word,
};

const GREP: Options = Options {
    flags: "EFGIPivwxclLnHhoqsra",
    valued: "e",
    numbered: "ABCm",
    long: &[
        "extended-regexp",
        "fixed-strings",
        "perl-regexp",
        "ignore-case",
        "invert-match",
        "word-regexp",
        "line-regexp",
        "count",
        "files-with-matches",
        "files-without-match",
        "line-number",
        "with-filename",
        "no-filename",
        "only-matching",
        "quiet",
        "silent",
        "no-messages",
        "recursive",
        "text",
        "regexp=",
        "after-context#",
        "before-context#",
        "context#",
        "max-count#",
        "include=",
        "exclude=",
        "exclude-dir=",
        "color?",
        "colour?",
    ],
    more: &[],
    digits: true,
};

const RG: Options = Options {
    flags: "nNiSswxclovFUIHPpau.0q",
    valued: "egtT",
    numbered: "ABCmMd",
    long: &[
        "line-number",
        "no-line-number",
        "ignore-case",
        "smart-case",
        "case-sensitive",
        "word-regexp",
        "line-regexp",
        "count",
        "count-matches",
        "files-with-matches",
        "files-without-match",
        "only-matching",
        "invert-match",
        "fixed-strings",
        "multiline",
        "multiline-dotall",
        "with-filename",
        "no-filename",
        "heading",
        "no-heading",
        "column",
        "vimgrep",
        "json",
        "hidden",
        "no-ignore",
        "no-ignore-vcs",
        "no-config",
        "no-messages",
        "pcre2",
        "pretty",
        "quiet",
        "text",
        "trim",
        "unrestricted",
        "files",
        "type-list",
        "stats",
        "regexp=",
        "glob=",
        "iglob=",
        "type=",
        "type-not=",
        "color=",
        "sort=",
        "after-context#",
        "before-context#",
        "context#",
        "max-count#",
        "max-columns#",
        "max-depth#",
    ],
    more: &[],
    digits: false,
};

pub(super) fn grep(words: &[Word], input: Input) -> Option<Vec<Place>> {
    let read = GREP.read(words)?;
    let paths = searched(&read, read.has("-e") || read.has("--regexp"))?;
    let walks = read.has("-r") || read.has("--recursive");
    if paths.is_empty() && walks {
        return Some(vec![Place::Here]);
    }
    places(&read, &paths, input)
}

pub(super) fn rg(words: &[Word], input: Input) -> Option<Vec<Place>> {
    let read = RG.read(words)?;
    let needs_none = ["-e", "--regexp", "--files", "--type-list"];
    let paths = searched(&read, needs_none.iter().any(|name| read.has(name)))?;
    // Whether it takes its input or the folder, it decides by a look at the input.
    let input = if paths.is_empty() { Input::Fed } else { input };
    let mut places = places(&read, &paths, input)?;
    if paths.is_empty() {
        places.push(Place::Here);
    }
    Some(places)
}

/// The operands but for the pattern.
fn searched<'a>(read: &Arguments<'a>, has_pattern: bool) -> Option<Vec<&'a Word>> {
    let mut operands = read.operands.iter().copied();
    if !has_pattern {
        operands.next()?.literal()?;
    }
    Some(operands.collect())
}

fn places(read: &Arguments<'_>, operands: &[&Word], input: Input) -> Option<Vec<Place>> {
    let mut places = files(operands, input)?;
    places.extend(paths(&read.late)?);
    Some(places)
}
