//! `find`: folders, then an expression of tests.
//!
//! Owns the tests that are accepted. All that runs, deletes or writes (`-exec`, `-ok`, `-delete`,
//! `-fprint`, `-fls`) and what follows links (`-L`, `-follow`) is in no list.

use super::{Place, formats, options::is_number, programs::paths, shell::Word};

/// Tests and signs without an argument.
const ALONE: [&str; 19] = [
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "-empty",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-readable",
    "-writable",
    "-executable",
    "-xdev",
    "-true",
];

/// Tests with text for an argument.
const WITH_TEXT: [&str; 12] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-type",
    "-perm",
    "-user",
    "-group",
];

/// Tests with a number for an argument, perhaps with a unit.
const WITH_NUMBER: [&str; 9] =
    ["-maxdepth", "-mindepth", "-size", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin"];

pub(super) fn find(words: &[Word]) -> Option<Vec<Place>> {
    let begins = |word: &Word| {
        word.text.starts_with('-') || ["!", "(", ")", ","].contains(&word.text.as_str())
    };
    let split = words.iter().position(begins).unwrap_or(words.len());
    let (folders, expression) = words.split_at_checked(split)?;
    let folders: Vec<&Word> = folders.iter().collect();
    for folder in &folders {
        folder.literal()?;
    }
    let mut places = if folders.is_empty() { vec![Place::Here] } else { paths(&folders)? };
    let mut words = expression.iter();
    while let Some(word) = words.next() {
        let test = word.literal()?;
        if ALONE.contains(&test) {
            continue;
        }
        let argument = words.next()?;
        let text = argument.literal()?;
        let fits = match test {
            "-newer" => {
                places.extend(paths(&[argument])?);
                true
            }
            "-printf" => formats::is_find(text),
            _ if WITH_TEXT.contains(&test) => true,
            _ => WITH_NUMBER.contains(&test) && is_count(text),
        };
        if !fits {
            return None;
        }
    }
    Some(places)
}

fn is_count(text: &str) -> bool {
    is_number(text.strip_suffix(['b', 'c', 'w', 'G']).unwrap_or(text))
}
