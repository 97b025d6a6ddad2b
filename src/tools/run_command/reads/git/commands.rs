//! The table of the commands of git that show something.
//!
//! Owns their options. Left out: what runs drivers that are off by default (`--ext-diff`,
//! `--textconv`), what writes (`--output`), what leaves the repository (`--no-index`), what checks
//! signatures, and what goes into repositories inside.

use super::{super::options::Options, Looks};

/// What the operands of a command are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    None,
    /// Commits and paths.
    Any,
    /// Patterns, but only behind `--list`: otherwise names of something new.
    Listed,
}

/// A command.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) looks: Looks,
    pub(super) operands: Operands,
    pub(super) options: Options,
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

/// The table.
pub(super) const COMMANDS: &[Command] = &[
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
