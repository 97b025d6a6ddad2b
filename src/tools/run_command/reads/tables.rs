//! The table of programs whose options and operands need no more than a list.
//!
//! Owns the lists. Each option in them only reads in every implementation that has it (GNU, BSD,
//! busybox); where a letter takes a value in one and none in another, it is left out.
//!
//! Left out on purpose: what follows symbolic links on its own (`ls -L`, `diff -r`), what reads
//! names of files from files (`wc --files0-from`), what runs another program (`file -z`), what can
//! print without bound (`seq`, `join`, widths), and what does not end (`tail -f`).

use super::options::Options;

/// What the operands of a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// There are none.
    None,
    /// Text that names no file.
    Words,
    /// Text, for a program that reads its input.
    Filter,
    /// Files. Without one it reads its input.
    Files,
    /// At most one file, as a second would be written. Without it reads its input.
    OneFile,
    /// Two files, neither of them a folder.
    TwoFiles,
    /// Files and folders, at least one.
    Paths,
    /// Files and folders. Without one it reads the current folder.
    Places,
}

/// A program.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) options: Options,
    pub(super) operands: Operands,
}

const fn program(name: &'static str, flags: &'static str, operands: Operands) -> Program {
    let options = Options { flags, valued: "", numbered: "", long: &[], more: &[], digits: false };
    Program { name, options, operands }
}

impl Program {
    const fn valued(mut self, valued: &'static str) -> Self {
        self.options.valued = valued;
        self
    }

    const fn numbered(mut self, numbered: &'static str) -> Self {
        self.options.numbered = numbered;
        self
    }

    const fn long(mut self, long: &'static [&'static str]) -> Self {
        self.options.long = long;
        self
    }

    const fn digits(mut self) -> Self {
        self.options.digits = true;
        self
    }
}

/// The table.
pub(super) const PROGRAMS: &[Program] = &[
    program("arch", "", Operands::None),
    program("b2sum", "b", Operands::Files),
    program("basename", "az", Operands::Words).valued("s"),
    program("cat", "AbeEnstTuv", Operands::Files).long(&["number", "show-all"]),
    program("cksum", "", Operands::Files),
    program("cmp", "lsb", Operands::TwoFiles),
    program("column", "tx", Operands::Files).valued("s"),
    program("comm", "123i", Operands::TwoFiles),
    program("cut", "sn", Operands::Files).valued("dfcb").long(&[
        "delimiter=",
        "fields=",
        "characters=",
        "bytes=",
        "only-delimited",
        "complement",
        "output-delimiter=",
    ]),
    program("diff", "uqNwbBiatycs", Operands::TwoFiles).numbered("UC").long(&[
        "unified?",
        "context?",
        "brief",
        "ignore-all-space",
        "ignore-space-change",
        "ignore-blank-lines",
        "ignore-case",
        "side-by-side",
        "color?",
        "text",
    ]),
    program("dirname", "z", Operands::Words),
    program("du", "shackmbx", Operands::Places).numbered("d").long(&[
        "summarize",
        "human-readable",
        "max-depth#",
        "all",
        "apparent-size",
        "bytes",
        "total",
        "exclude=",
    ]),
    program("false", "", Operands::None),
    program("file", "bi", Operands::Paths).long(&["brief", "mime", "mime-type", "mime-encoding"]),
    program("fold", "sb", Operands::Files).numbered("w"),
    program("head", "qvz", Operands::Files)
        .numbered("nc")
        .long(&["lines#", "bytes#", "quiet", "silent", "verbose"])
        .digits(),
    program("hexdump", "Cbcdovx", Operands::Files).numbered("ns"),
    program("hostname", "", Operands::None),
    program("id", "ugnGr", Operands::None),
    program("ls", "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxX", Operands::Places).long(&[
        "all",
        "almost-all",
        "human-readable",
        "recursive",
        "reverse",
        "size",
        "directory",
        "classify?",
        "color?",
        "full-time",
        "group-directories-first",
        "inode",
        "no-group",
        "numeric-uid-gid",
        "ignore=",
        "sort=",
        "time=",
    ]),
    program("md5sum", "bt", Operands::Files),
    program("nl", "", Operands::Files).valued("b"),
    program("nproc", "", Operands::None),
    program("od", "bcdosxv", Operands::Files).valued("At").numbered("jN"),
    program("paste", "s", Operands::Files).valued("d"),
    program("pwd", "LP", Operands::None),
    program("readlink", "fen", Operands::Paths),
    program("realpath", "em", Operands::Paths),
    program("rev", "", Operands::Files),
    program("sha1sum", "bt", Operands::Files),
    program("sha256sum", "bt", Operands::Files),
    program("sha512sum", "bt", Operands::Files),
    program("sort", "bdfghiMnRruVscC", Operands::Files).valued("kt").long(&[
        "key=",
        "field-separator=",
        "reverse",
        "numeric-sort",
        "human-numeric-sort",
        "version-sort",
        "ignore-case",
        "unique",
        "stable",
    ]),
    program("tac", "", Operands::Files),
    program("tail", "qv", Operands::Files)
        .numbered("nc")
        .long(&["lines#", "bytes#", "quiet", "silent", "verbose"])
        .digits(),
    program("tr", "cCds", Operands::Filter),
    program("true", "", Operands::None),
    program("type", "at", Operands::Words),
    program("uname", "asnrvmpio", Operands::None),
    program("uniq", "cdDiu", Operands::OneFile).numbered("fsw").long(&[
        "count",
        "repeated",
        "unique",
        "ignore-case",
    ]),
    program("wc", "clmwL", Operands::Files).long(&[
        "lines",
        "words",
        "chars",
        "bytes",
        "max-line-length",
    ]),
    program("which", "a", Operands::Words),
    program("whoami", "", Operands::None),
];
