//! Which program with which words only reads, and what.
//!
//! Owns the choice of the rules for a program: a row of the table, or a function of its own.
//! Must not look at files.
//!
//! Invariant: a program that is in no list is refused, and so is one that would wait for input.

use super::{
    Place, Run, find, formats, git,
    options::Options,
    scripts, search,
    shell::{Simple, Word},
    tables::{Operands, PROGRAMS},
};

/// Programs that the shell runs itself. Nothing in `PATH` stands in for them.
const BUILTIN: [&str; 9] =
    ["[", "command", "echo", "false", "printf", "pwd", "test", "true", "type"];

/// What a program is given to read when no file is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Output of another program, or a file.
    Fed,
    /// Nothing: it would wait, or find an empty input, which nobody means.
    Nothing,
}

/// Judges one simple command; `fed` says that another program's output is its input.
pub(super) fn run(simple: &Simple, fed: bool) -> Option<Run> {
    let (name, words) = simple.words.split_first()?;
    if !name.bare {
        return None;
    }
    let name = name.literal()?;
    let input = if fed || simple.input.is_some() { Input::Fed } else { Input::Nothing };
    let mut run = if name == "git" {
        git::run(words)?
    } else {
        Run { places: places(name, words, input)?, ..Run::default() }
    };
    if !BUILTIN.contains(&name) {
        run.program = Some(name.to_owned());
    }
    if let Some(file) = &simple.input {
        // What the name stands for depends on how many files there are.
        file.literal()?;
        paths(&[file])?;
        run.places.push(Place::File(file.clone()));
    }
    Some(run)
}

fn places(name: &str, words: &[Word], input: Input) -> Option<Vec<Place>> {
    match name {
        "[" | "test" => test(name, words),
        "awk" | "gawk" | "mawk" => scripts::awk(words, input),
        "command" => lookup(words),
        "date" => date(words),
        "echo" => words.iter().all(|word| word.wild.is_empty()).then(Vec::new),
        "egrep" | "fgrep" | "grep" => search::grep(words, input),
        "find" => find::find(words),
        "jq" => scripts::jq(words, input),
        "printf" => printf(words),
        "rg" => search::rg(words, input),
        "sed" => scripts::sed(words, input),
        "stat" => stat(words),
        "tree" => tree(words),
        "xxd" => xxd(words, input),
        _ => by_table(name, words, input),
    }
}

fn by_table(name: &str, words: &[Word], input: Input) -> Option<Vec<Place>> {
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    let read = program.options.read(words)?;
    let operands = &read.operands;
    let has_wild = operands.iter().any(|word| !word.wild.is_empty());
    let mut places = match program.operands {
        Operands::None if operands.is_empty() => Vec::new(),
        Operands::Words if !has_wild => Vec::new(),
        Operands::Filter if !has_wild && input == Input::Fed => Vec::new(),
        Operands::Files => files(operands, input)?,
        // To some, an option behind the file is the file to write.
        Operands::OneFile if operands.len() <= 1 && !has_wild && read.late.is_empty() => {
            files(operands, input)?
        }
        Operands::TwoFiles if operands.len() == 2 && !has_wild => {
            paths(operands)?;
            operands.iter().map(|word| Place::File((*word).clone())).collect()
        }
        Operands::Paths if !operands.is_empty() => paths(operands)?,
        Operands::Places if operands.is_empty() => vec![Place::Here],
        Operands::Places => paths(operands)?,
        _ => return None,
    };
    if !matches!(program.operands, Operands::Words | Operands::Filter) {
        places.extend(paths(&read.late)?);
    }
    Some(places)
}

/// Operands that are files, or else the input.
pub(super) fn files(operands: &[&Word], input: Input) -> Option<Vec<Place>> {
    if operands.is_empty() && input == Input::Nothing {
        return None;
    }
    paths(operands)
}

/// Operands that are files or folders. `-` would be the input.
pub(super) fn paths(operands: &[&Word]) -> Option<Vec<Place>> {
    let is_path = |word: &&Word| word.text != "-" && !is_made_by_the_kernel(word);
    let path = |word: &&Word| is_path(word).then(|| Place::Path((*word).clone()));
    operands.iter().map(path).collect()
}

/// What stands there may have no end, or answer differently each time.
fn is_made_by_the_kernel(word: &Word) -> bool {
    let mut parts = word.text.split('/').filter(|part| !part.is_empty() && *part != ".");
    word.text.starts_with('/')
        && word.text != "/dev/null"
        && matches!(parts.next(), Some("dev" | "proc" | "sys"))
}

/// Only what asks for the kind of a file, or compares text: `-v` runs what stands in brackets.
fn test(name: &str, words: &[Word]) -> Option<Vec<Place>> {
    let words = match (name, words) {
        ("[", [inner @ .., last]) if last.text == "]" => inner,
        ("test", words) => words,
        _ => return None,
    };
    let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let texts = texts?;
    let texts = texts.strip_prefix(&["!"]).unwrap_or(&texts);
    match (texts, words.last()?) {
        (["-e" | "-f" | "-d" | "-s" | "-r" | "-w" | "-x" | "-L" | "-h", _], path) => paths(&[path]),
        (["-z" | "-n", _] | [_, "=" | "==" | "!=", _], _) => Some(Vec::new()),
        _ => None,
    }
}

/// `command -v name`
fn lookup(words: &[Word]) -> Option<Vec<Place>> {
    let [option, name] = words else { return None };
    let is_name = |name: &str| {
        !name.starts_with('-')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
    };
    (option.literal()? == "-v" && is_name(name.literal()?)).then(Vec::new)
}

/// An operand without `+` would set the clock.
fn date(words: &[Word]) -> Option<Vec<Place>> {
    let options = Options {
        flags: "uR",
        long: &["utc", "iso-8601?", "rfc-3339=", "date="],
        ..Options::default()
    };
    let read = options.read(words)?;
    let is_format = |word: &&Word| {
        word.literal().and_then(|text| text.strip_prefix('+')).is_some_and(formats::is_time)
    };
    // One format at most, behind all options: some take what comes later for a time to set.
    (read.operands.len() <= 1 && read.late.is_empty() && read.operands.iter().all(is_format))
        .then(Vec::new)
}

fn printf(words: &[Word]) -> Option<Vec<Place>> {
    let (format, rest) = words.split_first()?;
    let format = format.literal().filter(|format| !format.starts_with('-'))?;
    (formats::is_print(format) && rest.iter().all(|word| word.wild.is_empty())).then(Vec::new)
}

fn stat(words: &[Word]) -> Option<Vec<Place>> {
    let options =
        Options { valued: "c", long: &["format=", "printf=", "terse"], ..Options::default() };
    let read = options.read(words)?;
    let mut asked = read.values(&["-c", "--format", "--printf"]);
    if read.operands.is_empty() || !asked.all(formats::is_stat) {
        return None;
    }
    paths(&[read.operands.as_slice(), &read.late].concat())
}

/// It takes the values of letters in a cluster in an order of its own: one letter with a value
/// stands alone.
fn tree(words: &[Word]) -> Option<Vec<Place>> {
    let options = Options {
        flags: "adfhsipugDFnCAtrv",
        valued: "IP",
        numbered: "L",
        long: &["gitignore", "dirsfirst", "noreport", "du", "prune"],
        ..Options::default()
    };
    let is_apart = |word: &Word| {
        let text = word.text.strip_prefix('-').unwrap_or_default();
        text.len() == 1 || text.starts_with('-') || !text.contains(['I', 'P', 'L'])
    };
    let read = options.read(words)?;
    if !words.iter().all(is_apart) {
        return None;
    }
    let operands = [read.operands.as_slice(), &read.late].concat();
    if read.operands.is_empty() { Some(vec![Place::Here]) } else { paths(&operands) }
}

/// It has no clusters, and guesses at the rest of a word.
fn xxd(words: &[Word], input: Input) -> Option<Vec<Place>> {
    let mut words = words;
    loop {
        let texts = (words.first().map(|word| word.text.as_str()), words.get(1));
        match texts {
            (Some("-p" | "-u" | "-b" | "-i"), _) => words = words.get(1..)?,
            (Some("-l" | "-s" | "-c" | "-g"), Some(number))
                if super::options::is_number(number.literal()?) =>
            {
                words = words.get(2..)?;
            }
            _ => break,
        }
    }
    match words {
        [] => files(&[], input),
        [file] if !file.text.starts_with(['-', '+']) && file.wild.is_empty() => paths(&[file]),
        _ => None,
    }
}
