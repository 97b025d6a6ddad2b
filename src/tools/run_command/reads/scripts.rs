//! `sed`, `awk` and `jq`: the few programs in these languages that only print.
//!
//! Owns their grammars, which leave no room for what writes, runs, loops or multiplies. Must not
//! grow into parsers of these languages.

use super::{
    Place,
    options::{Arguments, Options},
    programs::{Input, files, paths},
    shell::Word,
};

/// Most `,` in a filter of `jq`: each may double what is printed.
const COMMAS: usize = 4;

pub(super) fn sed(words: &[Word], input: Input) -> Option<Vec<Place>> {
    let options = Options {
        flags: "nErsu",
        valued: "e",
        long: &["quiet", "silent", "regexp-extended", "expression="],
        ..Options::default()
    };
    let read = options.read(words)?;
    let given: Vec<&str> = read.values(&["-e", "--expression"]).collect();
    if given.iter().all(|script| is_sed(script)) && !given.is_empty() {
        return with_files(&read, &read.operands, input);
    }
    let (script, operands) = read.operands.split_first()?;
    (given.is_empty() && is_sed(script.literal()?)).then_some(())?;
    with_files(&read, operands, input)
}

pub(super) fn awk(words: &[Word], input: Input) -> Option<Vec<Place>> {
    let read = Options { valued: "F", ..Options::default() }.read(words)?;
    let (script, operands) = read.operands.split_first()?;
    // `name=value` would be an assignment.
    let assigns = operands.iter().any(|word| word.text.contains('='));
    if assigns || !read.late.is_empty() || !is_awk(script.literal()?) {
        return None;
    }
    with_files(&read, operands, input)
}

pub(super) fn jq(words: &[Word], input: Input) -> Option<Vec<Place>> {
    let options = Options {
        flags: "rcesSMCj",
        long: &["raw-output", "compact-output", "exit-status", "slurp", "sort-keys"],
        ..Options::default()
    };
    let read = options.read(words)?;
    let (filter, operands) = read.operands.split_first()?;
    is_jq(filter.literal()?).then_some(())?;
    with_files(&read, operands, input)
}

fn with_files(read: &Arguments<'_>, operands: &[&Word], input: Input) -> Option<Vec<Place>> {
    let mut places = files(operands, input)?;
    places.extend(paths(&read.late)?);
    Some(places)
}

/// Text of an expression or its replacement in which no implementation sees an end, an escape
/// or a class.
fn is_tame(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || " _.,:=@%+*^$<>\"'()|-#!&~".contains(c))
}

fn is_sed(script: &str) -> bool {
    script.split(';').all(|part| {
        let part = part.trim_matches(' ');
        let Some(rest) = after_address(part) else { return false };
        let rest = match rest.strip_prefix(',') {
            Some(rest) => match after_address(rest.strip_prefix('+').unwrap_or(rest)) {
                Some(after) if after.len() < rest.len() => after,
                _ => return false,
            },
            None => rest,
        };
        matches!(rest, "p" | "d" | "q" | "=") || is_substitution(rest)
    })
}

/// What follows an address, if there is one.
fn after_address(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('/') {
        let (pattern, rest) = rest.split_once('/')?;
        return (!pattern.is_empty() && is_tame(pattern)).then_some(rest);
    }
    Some(
        text.strip_prefix('$')
            .unwrap_or_else(|| text.trim_start_matches(|c: char| c.is_ascii_digit())),
    )
}

fn is_substitution(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("s/") else { return false };
    let parts: Vec<&str> = rest.split('/').collect();
    let [pattern, replacement, flags] = parts.as_slice() else { return false };
    let are_flags = flags.chars().all(|c| matches!(c, 'g' | 'p' | 'i' | 'I'));
    is_tame(pattern) && is_tame(replacement) && are_flags
}

/// `condition {print items}`, where either may be missing.
fn is_awk(script: &str) -> bool {
    let script = script.trim_matches(' ');
    let (condition, action) = match script.split_once('{') {
        Some((condition, action)) => (condition.trim_matches(' '), Some(action)),
        None => (script, None),
    };
    let is_action = match action {
        None => !condition.is_empty(),
        Some(action) => action
            .strip_suffix('}')
            .and_then(|action| action.trim_matches(' ').strip_prefix("print"))
            .is_some_and(are_items),
    };
    is_action && (condition.is_empty() || is_condition(condition))
}

fn is_condition(text: &str) -> bool {
    if let Some(pattern) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        return is_tame(pattern);
    }
    text.split("&&").all(|comparison| {
        let comparison = comparison.trim_matches(' ');
        ["==", "!=", ">=", "<=", ">", "<"].iter().any(|sign| {
            comparison.split_once(sign).is_some_and(|(left, right)| {
                is_value(left.trim_matches(' '))
                    && (is_literal(right.trim_matches(' ')) || is_value(right.trim_matches(' ')))
            })
        })
    })
}

/// Values and texts, each set off by a blank or a comma.
fn are_items(text: &str) -> bool {
    let mut rest = text;
    let mut may_begin = rest.is_empty() || rest.starts_with([' ', '$', '"']);
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if rest.is_empty() {
            return may_begin;
        }
        if !may_begin {
            return false;
        }
        let end = match rest.strip_prefix('"') {
            Some(inner) => inner.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find([' ', ',']).unwrap_or(rest.len()),
        };
        let Some((item, after)) = rest.split_at_checked(end) else { return false };
        if !is_value(item) && !is_literal(item) {
            return false;
        }
        may_begin = after.is_empty() || after.starts_with([' ', ',', '$', '"']);
        rest = after;
    }
}

/// A field, or a variable of the language itself.
fn is_value(text: &str) -> bool {
    let is_field = text
        .strip_prefix('$')
        .is_some_and(|field| field == "NF" || (1..=4).contains(&field.len()) && is_digits(field));
    is_field || matches!(text, "NR" | "NF" | "FNR" | "FILENAME")
}

/// A number, or a text without escapes but for tab and newline.
fn is_literal(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or(is_digits(text) && text.len() <= 9, |inner| {
        let inner = inner.replace("\\t", "").replace("\\n", "");
        is_tame(&inner.replace(['/', '[', ']', '{', '}', ';'], "")) && !inner.contains('"')
    })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Paths into the value, and functions that make it no larger.
fn is_jq(filter: &str) -> bool {
    const FUNCTIONS: [&str; 18] = [
        "keys",
        "keys_unsorted",
        "length",
        "type",
        "values",
        "to_entries",
        "from_entries",
        "sort",
        "unique",
        "first",
        "last",
        "not",
        "flatten",
        "min",
        "max",
        "reverse",
        "empty",
        "add",
    ];
    let is_term = |term: &str| {
        let term = term.trim_matches(' ');
        let mapped = term.strip_prefix("map(").and_then(|term| term.strip_suffix(')'));
        FUNCTIONS.contains(&term) || is_jq_path(mapped.unwrap_or(term))
    };
    let commas = filter.bytes().filter(|byte| *byte == b',').count();
    commas <= COMMAS && filter.split(['|', ',']).all(is_term)
}

/// `.a.b[0][]["c"]?`
fn is_jq_path(text: &str) -> bool {
    let Some(mut rest) = text.strip_prefix('.') else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_key = |key: &str| {
        let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
        key.is_some_and(|key| key.chars().all(|c| is_name(c) || "-./@ ".contains(c)))
    };
    rest = rest.trim_start_matches(is_name);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('?') {
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            let end = after.trim_start_matches(is_name);
            if end.len() == after.len() && !end.starts_with('[') {
                return false;
            }
            rest = end;
        } else if let Some((key, after)) = rest.strip_prefix('[').and_then(|at| at.split_once(']'))
        {
            let is_slice = key.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':'));
            if !is_slice && !is_key(key) {
                return false;
            }
            rest = after;
        } else {
            return false;
        }
    }
    true
}
