//! `git`: the commands that show something.
//!
//! Owns the words around a command, and what each needs of the repository: its settings and attributes can
//! name programs that even `git status` runs. Must not look at the repository (`proof` does).
//!
//! That `git status` does not refresh the index relies on `GIT_OPTIONAL_LOCKS=0` in the
//! environment of commands. `git diff` refreshes it all the same, as an editor or a prompt does;
//! nothing that the user made is in what it writes.

mod commands;

use commands::{COMMANDS, Operands};

use super::{Place, Run, formats, options::Arguments, shell::Word};

/// What a command of git looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Use {
    /// `-C folder`
    pub(in super::super) folder: Option<String>,
    /// How deep it looks.
    pub(in super::super) looks: Looks,
}

/// How deep a command looks, and so which settings could make it run something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Looks {
    /// At commits and names.
    Names,
    /// At differences, for which drivers may be set.
    Differences,
    /// At files of the user too, for which filters may be set, and at repositories in them.
    Files,
}

/// Commands with words of their own, in full.
const WHOLE: [&[&str]; 6] = [
    &["reflog"],
    &["reflog", "show"],
    &["remote"],
    &["remote", "-v"],
    &["remote", "--verbose"],
    &["stash", "list"],
];

/// Judges the words behind `git`.
pub(super) fn run(words: &[Word]) -> Option<Run> {
    let mut texts = Vec::new();
    for word in words {
        texts.push(word.literal()?);
    }
    if matches!(texts.as_slice(), ["--version" | "version"]) {
        return Some(Run::default());
    }
    let mut folder = None;
    let mut at = 0;
    loop {
        match texts.get(at..)? {
            ["-C", into, ..] if folder.is_none() => {
                folder = Some((*into).to_owned());
                at += 2;
            }
            ["--no-pager" | "--no-optional-locks", ..] => at += 1,
            _ => break,
        }
    }
    let looks = looks(texts.get(at..)?, words.get(at..)?)?;
    // Each word may be taken for a path, and `git diff` leaves the repository for a path that
    // lies outside of it.
    let named = words.iter().skip(at + 1).filter(|word| !word.text.starts_with('-'));
    let places =
        named.filter(|word| !word.text.is_empty()).map(|word| Place::Path(word.clone())).collect();
    Some(Run { program: None, places, git: Some(Use { folder, looks }) })
}

fn looks(texts: &[&str], words: &[Word]) -> Option<Looks> {
    if WHOLE.contains(&texts)
        || matches!(texts, ["remote", "get-url", name] if !name.starts_with('-'))
    {
        return Some(Looks::Names);
    }
    let (name, _) = texts.split_first()?;
    let command = COMMANDS.iter().find(|command| command.name == *name)?;
    let read = command.options.read(words.get(1..)?)?;
    // To an old `git branch`, `-l` meant to create one with a log.
    let lists = |name: &str| read.has("--list") || (name == "tag" && read.has("-l"));
    let is_allowed = match command.operands {
        Operands::Any => true,
        Operands::None => read.operands.is_empty(),
        Operands::Listed => read.operands.is_empty() || lists(name),
    };
    let shows_only_names = matches!(*name, "branch" | "tag" | "for-each-ref");
    (is_allowed && are_formats(&read, shows_only_names)).then_some(command.looks)
}

fn are_formats(read: &Arguments<'_>, are_of_refs: bool) -> bool {
    let is_format = if are_of_refs { formats::is_git_refs } else { formats::is_git_log };
    // A date may have a format of its own, with a width.
    let is_date = |date: &str| !date.contains('%');
    // A field to sort by may be one that is computed by a program.
    let is_field = |field: &str| {
        let field = field.trim_start_matches('-');
        field.chars().all(|c| c.is_ascii_alphabetic() || c == ':')
            && !field.starts_with("signature")
            && !field.starts_with("describe")
    };
    read.values(&["--format", "--pretty"]).all(is_format)
        && read.values(&["--date"]).all(is_date)
        && read.values(&["--sort"]).all(is_field)
}
