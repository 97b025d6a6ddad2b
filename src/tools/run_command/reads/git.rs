//! `git`: the commands that show something.
//!
//! Owns their options, and what each needs of the repository: its settings and attributes can
//! name programs that even `git status` runs. Must not look at the repository (`proof` does).
//!
//! That `git status` does not refresh the index relies on `GIT_OPTIONAL_LOCKS=0` in the
//! environment of commands. `git diff` refreshes it all the same, as an editor or a prompt does;
//! nothing that the user made is in what it writes.

use super::{
    Place, Run, formats,
    options::{Arguments, Options},
    shell::Word,
};

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

/// What the operands of a command are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    None,
    /// Commits and paths.
    Any,
    /// Patterns, but only behind `--list`: otherwise names of something new.
    Listed,
}

struct Command {
    name: &'static str,
    looks: Looks,
    operands: Operands,
    options: Options,
}

const NO_OPTIONS: Options =
    Options { flags: "", valued: "", numbered: "", long: &[], more: &[], digits: false };

/// Options of everything that shows differences.
const DIFF: &[&str] = &[
    "patch",
    "no-patch",
    "stat",
    "numstat",
    "shortstat",
    "summary",
    "name-only",
    "name-status",
    "raw",
    "unified#",
    "word-diff?",
    "color?",
    "no-color",
    "no-ext-diff",
    "no-textconv",
    "ignore-all-space",
    "ignore-space-change",
    "ignore-blank-lines",
    "diff-filter=",
    "minimal",
    "patience",
    "histogram",
    "find-renames",
    "no-renames",
    "relative",
    "full-index",
    "abbrev?",
    "compact-summary",
    "no-prefix",
    "text",
    "function-context",
];

/// Options of everything that shows commits.
const LOG: Options = Options {
    flags: "pusbwzMimEF",
    valued: "SG",
    numbered: "nU",
    long: &[
        "oneline",
        "graph",
        "decorate?",
        "no-decorate",
        "all",
        "branches",
        "tags",
        "remotes",
        "format=",
        "pretty?",
        "abbrev-commit",
        "no-abbrev-commit",
        "max-count#",
        "skip#",
        "since=",
        "after=",
        "until=",
        "before=",
        "author=",
        "committer=",
        "grep=",
        "date=",
        "follow",
        "first-parent",
        "merges",
        "no-merges",
        "reverse",
        "topo-order",
        "date-order",
        "cc",
    ],
    more: DIFF,
    digits: true,
};

const COMMANDS: &[Command] = &[
    Command {
        name: "blame",
        looks: Looks::Files,
        operands: Operands::Any,
        options: Options {
            flags: "wsep",
            valued: "L",
            long: &["porcelain", "date=", "show-email"],
            ..NO_OPTIONS
        },
    },
    Command {
        name: "branch",
        looks: Looks::Names,
        operands: Operands::Listed,
        options: Options {
            flags: "arv",
            long: &[
                "list",
                "show-current",
                "all",
                "remotes",
                "verbose",
                "color?",
                "no-color",
                "sort=",
                "format=",
                "contains+",
                "no-contains+",
                "merged+",
                "no-merged+",
            ],
            ..NO_OPTIONS
        },
    },
    Command {
        name: "cat-file",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options { flags: "ptse", ..NO_OPTIONS },
    },
    Command {
        name: "count-objects",
        looks: Looks::Names,
        operands: Operands::None,
        options: Options { flags: "vH", ..NO_OPTIONS },
    },
    Command {
        name: "describe",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options { long: &["tags", "all", "always", "long", "abbrev?"], ..NO_OPTIONS },
    },
    Command {
        name: "diff",
        looks: Looks::Files,
        operands: Operands::Any,
        options: Options {
            flags: "pusbwzMRaW",
            valued: "SG",
            numbered: "U",
            long: &["cached", "staged", "merge-base", "check", "quiet", "exit-code"],
            more: DIFF,
            digits: false,
        },
    },
    Command {
        name: "for-each-ref",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options { long: &["format=", "sort=", "count#"], ..NO_OPTIONS },
    },
    Command {
        name: "grep",
        looks: Looks::Files,
        operands: Operands::Any,
        options: Options {
            flags: "nilLcwEFGPhHvoaI",
            valued: "e",
            numbered: "ABC",
            long: &[
                "line-number",
                "ignore-case",
                "name-only",
                "files-with-matches",
                "count",
                "word-regexp",
                "cached",
                "untracked",
                "heading",
                "break",
                "color?",
                "no-color",
            ],
            ..NO_OPTIONS
        },
    },
    Command { name: "log", looks: Looks::Differences, operands: Operands::Any, options: LOG },
    Command {
        name: "ls-files",
        looks: Looks::Files,
        operands: Operands::Any,
        options: Options {
            flags: "mdocsut",
            long: &[
                "cached",
                "deleted",
                "modified",
                "others",
                "stage",
                "exclude-standard",
                "full-name",
            ],
            ..NO_OPTIONS
        },
    },
    Command {
        name: "ls-tree",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options {
            flags: "rltdz",
            long: &["name-only", "name-status", "long", "full-tree", "full-name"],
            ..NO_OPTIONS
        },
    },
    Command {
        name: "merge-base",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options { flags: "a", long: &["all", "is-ancestor"], ..NO_OPTIONS },
    },
    Command {
        name: "rev-list",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options {
            numbered: "n",
            long: &["count", "all", "max-count#", "no-merges", "merges", "left-right"],
            digits: true,
            ..NO_OPTIONS
        },
    },
    Command {
        name: "rev-parse",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options {
            flags: "q",
            long: &[
                "show-toplevel",
                "show-prefix",
                "show-cdup",
                "git-dir",
                "is-inside-work-tree",
                "abbrev-ref",
                "short?",
                "verify",
                "quiet",
                "symbolic-full-name",
            ],
            ..NO_OPTIONS
        },
    },
    Command {
        name: "shortlog",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options { flags: "sne", long: &["all", "no-merges"], ..NO_OPTIONS },
    },
    Command { name: "show", looks: Looks::Differences, operands: Operands::Any, options: LOG },
    Command {
        name: "show-ref",
        looks: Looks::Names,
        operands: Operands::Any,
        options: Options { flags: "s", long: &["head", "tags", "heads"], ..NO_OPTIONS },
    },
    Command {
        name: "status",
        looks: Looks::Files,
        operands: Operands::Any,
        options: Options {
            flags: "sbzu",
            long: &[
                "short",
                "branch",
                "long",
                "show-stash",
                "porcelain?",
                "untracked-files?",
                "ignored?",
                "no-renames",
            ],
            ..NO_OPTIONS
        },
    },
    Command {
        name: "tag",
        looks: Looks::Names,
        operands: Operands::Listed,
        options: Options {
            flags: "l",
            long: &["list", "sort=", "format=", "contains+", "merged+"],
            ..NO_OPTIONS
        },
    },
];

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
